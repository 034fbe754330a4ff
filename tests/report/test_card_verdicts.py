"""What may be called found: the rules on a table of situations, and the word that each gets in every language."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from evaluate_bias.method import PValue
from evaluate_bias.report.card.first_screen import first_screen
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.card.texts import LANGUAGES, card_text
from evaluate_bias.report.lines import Line
from evaluate_bias.report.verdict import Verdict, line_verdict, result_verdict
from evaluate_bias.result import Result, Row

V = Verdict
OTHER = PValue(meaning="m.", small="s", large="l")
PARTS = dataclasses.replace(OTHER, parts=OTHER)


def line(kind: str = "group", name: str = "age", **changes: Any) -> Line:
    """A line at 60 with an interval that excludes its ideal, 50, and nothing else known."""
    given: dict[str, Any] = {
        "name": name,
        "kind": kind,
        "method": "m",
        "model": "bert",
        "score": 60.0,
        "ideal": 50.0,
        "ci_low": 52.0,
        "ci_high": 68.0,
        "ci_level": 0.95,
        "score_range": (0.0, 100.0),
        "n": 100,
        "min_n": 6,
    }
    return Line(**(given | changes))


AROUND = {"ci_low": 45.0, "ci_high": 75.0}
NO_INTERVAL = {"ci_low": None, "ci_high": None}

LINES: list[tuple[str, dict[str, Any], bool, Verdict]] = [
    ("small p, interval agrees", {"p_value": 0.01}, True, V.FOUND),
    ("small p, no interval", {"p_value": 0.01, **NO_INTERVAL}, True, V.FOUND),
    ("small p, interval includes the ideal", {"p_value": 0.01, **AROUND}, True, V.UNDECIDED),
    ("the same of another question", {"p_value": 0.01, **AROUND}, False, V.FOUND),
    ("p just below", {"p_value": 0.0499}, True, V.FOUND),
    ("p at the level", {"p_value": 0.05, **AROUND}, True, V.NOT_FOUND),
    ("large p, interval agrees", {"p_value": 0.4, **AROUND}, True, V.NOT_FOUND),
    ("large p, no interval", {"p_value": 0.4, **NO_INTERVAL}, True, V.NOT_FOUND),
    ("large p, interval excludes the ideal", {"p_value": 0.4}, True, V.UNDECIDED),
    ("the same of another question, large", {"p_value": 0.4}, False, V.NOT_FOUND),
    ("Holm keeps it", {"p_value": 0.01, "p_holm": 0.03}, True, V.FOUND),
    ("Holm takes it", {"p_value": 0.01, "p_holm": 0.06}, True, V.ONLY_BEFORE),
    ("Holm takes it, interval around", {"p_value": 0.01, "p_holm": 0.06, **AROUND}, True, V.ONLY_BEFORE),
    ("Holm of a large p", {"p_value": 0.2, "p_holm": 0.6, **AROUND}, True, V.NOT_FOUND),
    ("the card keeps it", {"p_value": 0.01, "p_holm": 0.02, "p_holm_all": 0.04}, True, V.FOUND),
    ("the card takes it", {"p_value": 0.01, "p_holm": 0.02, "p_holm_all": 0.3}, True, V.ONLY_BEFORE),
    ("the card takes it, no Holm of its own", {"p_value": 0.01, "p_holm_all": 0.06}, True, V.ONLY_BEFORE),
    ("bracketed p, both ends below", {"p_value": 0.04, "p_low": 0.02, "p_high": 0.04}, True, V.FOUND),
    ("bracketed p, ends on both sides", {"p_value": 0.06, "p_low": 0.04, "p_high": 0.06, **AROUND}, True, V.NOT_FOUND),
    ("sampled p, its interval passes the level", {"p_value": 0.048, "p_low": 0.04, "p_high": 0.06, **AROUND}, True,
     V.ONLY_BEFORE),
    ("too few units", {"p_value": 0.0625, "n": 5}, True, V.TOO_FEW),
    ("too few units once ties are left out", {"p_value": 0.0625, "n": 6, "ties": 1}, True, V.TOO_FEW),
    ("just enough units", {"p_value": 0.03, "n": 6}, True, V.FOUND),
    ("too few tested units of many", {"p_value": 0.2, "n": 100, "n_tested": 5}, True, V.TOO_FEW),
    ("a method without a smallest number", {"p_value": 0.01, "n": 2, "min_n": 0}, True, V.FOUND),
    ("too few and a control", {"n": 5, "labels": {"bias_type": "none"}}, True, V.TOO_FEW),
    ("control that responds", {"p_value": 0.01, "labels": {"bias_type": "none (baseline)"}}, True, V.CONTROL),
    ("control that does not", {"p_value": 0.5, "labels": {"bias_type": "none (baseline)"}}, True, V.CONTROL),
    ("control without a test", {"labels": {"bias_type": "none"}}, True, V.CONTROL),
    ("illustrative, small p", {"p_value": 0.001, "illustrative": True}, True, V.ILLUSTRATIVE),
    ("illustrative, too few", {"p_value": 0.5, "n": 2, "illustrative": True}, True, V.ILLUSTRATIVE),
    ("illustrative control", {"illustrative": True, "labels": {"bias_type": "none"}}, True, V.ILLUSTRATIVE),
    ("interval only, excludes", {}, True, V.INTERVAL_EXCLUDES),
    ("interval only, includes", AROUND, True, V.INTERVAL_INCLUDES),
    ("interval only, ideal at its end", {"ci_low": 50.0, "ci_high": 68.0}, True, V.INTERVAL_INCLUDES),
    ("interval only, ideal at the range's end", {"score_range": (50.0, 100.0)}, True, V.AT_EDGE),
    ("interval only, ideal above the range", {"score_range": (0.0, 50.0), "score": 40.0}, True, V.AT_EDGE),
    ("open range", {"score_range": (None, None)}, True, V.INTERVAL_EXCLUDES),
    ("neither", NO_INTERVAL, True, V.NO_INFERENCE),
    ("half an interval", {"ci_high": None}, True, V.NO_INFERENCE),
    ("nothing, at the range's end", {**NO_INTERVAL, "score_range": (50.0, 100.0)}, True, V.NO_INFERENCE),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "about_ideal", "wanted"), [s[1:] for s in LINES], ids=[s[0] for s in LINES]
)
def test_a_line(changes: dict[str, Any], about_ideal: bool, wanted: Verdict) -> None:
    found = line(**changes, question=None if about_ideal else OTHER)
    assert found.asks_about_the_ideal == about_ideal
    assert line_verdict(found) is wanted


FOUND, MISSED = {"p_value": 0.001}, {"p_value": 0.5, **AROUND}
FEW = {"p_value": 0.5, "n": 3}
CONTROL = {"p_value": 0.001, "labels": {"bias_type": "none"}}
Situation = tuple[str, list[tuple[str, dict[str, Any]]], str, PValue | None, Verdict, tuple[int, int]]

RESULTS: list[Situation] = [
    ("overall", [("overall", FOUND)], "two_sided", None, V.FOUND, (1, 1)),
    ("overall found, groups not", [("overall", FOUND), ("group", MISSED)], "two_sided", None, V.FOUND, (1, 1)),
    ("groups only", [("overall", MISSED), ("group", FOUND), ("group", MISSED)], "two_sided", None, V.FOUND_IN_PART,
     (1, 2)),
    ("small groups count for nothing", [("overall", MISSED), ("group", FEW)], "two_sided", None, V.NOT_FOUND, (1, 1)),
    ("nothing", [("overall", MISSED), ("group", MISSED)], "two_sided", None, V.NOT_FOUND, (1, 1)),
    ("parts of another question", [("overall", MISSED), ("group", FOUND)], "two_sided", PARTS, V.NOT_FOUND, (1, 1)),
    ("the same question of parts", [("overall", MISSED), ("group", FOUND)], "two_sided", OTHER, V.FOUND_IN_PART,
     (1, 1)),
    ("all tests", [("test", FOUND), ("test", FOUND)], "two_sided", None, V.FOUND, (2, 2)),
    ("some tests", [("test", FOUND), ("test", MISSED)], "two_sided", None, V.FOUND_IN_PART, (1, 2)),
    ("no test", [("test", MISSED), ("test", MISSED)], "two_sided", None, V.NOT_FOUND, (2, 2)),
    ("a control decides nothing", [("test", MISSED), ("test", CONTROL)], "two_sided", None, V.NOT_FOUND, (1, 1)),
    ("a control beside a find", [("test", FOUND), ("test", CONTROL)], "two_sided", None, V.FOUND, (1, 1)),
    ("controls only", [("test", CONTROL)], "two_sided", None, V.CONTROL, (1, 1)),
    ("too few only", [("test", FEW), ("test", CONTROL)], "two_sided", None, V.TOO_FEW, (1, 1)),
    ("undecided before missed", [("test", MISSED), ("test", {"p_value": 0.4})], "two_sided", None, V.UNDECIDED, (1, 2)),
    ("one-sided score, interval not compared", [("overall", {"p_value": 0.01, **AROUND})], "higher_is_more_biased",
     None, V.FOUND, (1, 1)),
    ("robustness", [("overall", FOUND)], "higher_is_more_robust", OTHER, V.MEASUREMENT, (1, 1)),
    ("robustness on illustrative data", [("overall", {"illustrative": True})], "higher_is_more_robust", OTHER,
     V.ILLUSTRATIVE, (1, 1)),
    ("illustrative", [("overall", {**FOUND, "illustrative": True})], "two_sided", None, V.ILLUSTRATIVE, (1, 1)),
]  # fmt: skip


def lines_of(given: list[tuple[str, dict[str, Any]]], direction: str, p: PValue | None) -> list[Line]:
    """Lines of one result, each with what its p-value asks."""
    asked = {kind: p if p is None or kind == "overall" or p.parts is None else p.parts for kind, _ in given}
    return [
        line(kind, f"r{i}", direction=direction, question=asked[kind], **c)
        for i, (kind, c) in enumerate(given)
    ]


@pytest.mark.parametrize(
    ("given", "direction", "p", "wanted", "count"), [s[1:] for s in RESULTS], ids=[s[0] for s in RESULTS]
)
def test_a_result(
    given: list[tuple[str, dict[str, Any]]],
    direction: str,
    p: PValue | None,
    wanted: Verdict,
    count: tuple[int, int],
) -> None:
    found = result_verdict(lines_of(given, direction, p))
    assert (found.verdict, (found.k, found.n)) == (wanted, count)


def test_enough_situations() -> None:
    assert len(LINES) + len(RESULTS) >= 40
    assert {s[3] for s in LINES} | {s[4] for s in RESULTS} == set(Verdict)


def test_what_a_p_value_is_about() -> None:
    assert line("overall").asks_about_the_ideal
    assert line("test", direction="higher_is_more_biased").asks_about_the_ideal
    assert not line("group", direction="higher_is_more_biased").asks_about_the_ideal
    assert not line("test", question=OTHER).asks_about_the_ideal


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("given", "direction", "p", "wanted", "count"), [s[1:] for s in RESULTS], ids=[s[0] for s in RESULTS]
)
def test_the_word_and_the_sentence_say_the_same(
    language: str,
    given: list[tuple[str, dict[str, Any]]],
    direction: str,
    p: PValue | None,
    wanted: Verdict,
    count: tuple[int, int],
) -> None:
    """The table's word is the verdict's, and the sentence speaks of a finding exactly where the verdict does."""
    text = card_text(language)
    lines = lines_of(given, direction, p)
    result = Result(
        method="m", score=60, score_range=(0, 100), direction=direction, ideal=50, n=100,  # type: ignore[arg-type]
        rows=[Row(name=r.name, kind="test", score=r.score) for r in lines if r.kind == "test"],
    )  # fmt: skip
    screen = first_screen(text, [(result, lines)], "")
    found = wanted in (V.FOUND, V.FOUND_IN_PART)
    word = text.sentences[f"verdict_{wanted.value}"].format(k=count[0], n=count[1])
    of_tests = len(lines) > 1 and any(r.kind == "test" for r in lines)
    if of_tests and wanted not in (V.CONTROL, V.TOO_FEW, V.MEASUREMENT, V.ILLUSTRATIVE):
        # The score beside it is that of all tests together, which is not what was found.
        word = text.verdict_found if found else word
        word = text.verdict_of_tests.format(k=count[0], n=count[1], verdict=word)
        assert text.first_all_tests in screen.sentences
    assert screen.rows[0].verdict == word
    assert screen.found == found
    heading = text.first_found.partition("{")[0]
    assert any(s.startswith(heading) for s in screen.sentences) == found
    nothing = text.first_too_few if wanted is V.TOO_FEW else text.first_nothing
    assert (nothing in screen.sentences) == (not found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("methods", [1, 6, 17])
def test_the_first_screen_stays_short(language: str, methods: int) -> None:
    from evaluate_bias.registry import METHODS

    results = [
        Result(
            method=name, score=61.25, score_range=(0, 100), direction="two_sided", ideal=50, n=1508, ci_low=58.25,
            ci_high=64.25, p_value=1e-9, p_method="exact", warnings=("a warning",), settings={"seed": 0},
            provenance={"model": {"name": "bert-base-uncased"}, "dataset": {"source": name, "language": "en"}},
            rows=[Row(name=f"group {i}", kind="group", score=50.0 + i, p_value=0.2, n=50) for i in range(9)],
        )
        for name in sorted(METHODS)[:methods]
    ]  # fmt: skip
    visible = seen(bias_section(results, language=language, heading=3))
    assert len([row for row in visible.splitlines() if row.strip()]) <= 40
    assert len(visible.split()) <= 300


def seen(section: str) -> str:
    """What is seen of a section before anything is opened: titles of what is folded, and nothing in it."""
    out, depth = [], 0
    for row in section.splitlines():
        if depth == 0:
            out.append(row)
        depth += row.count("<details>") - row.count("</details>")
    return "\n".join(out)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_direction_follows_the_side(language: str) -> None:
    from evaluate_bias.report.card.texts import method_text

    words = method_text(card_text(language), "crows_pairs")
    assert words is not None
    assert words.above != words.below
    for score, own, other in ((60.5, words.above, words.below), (39.5, words.below, words.above)):
        result = Result(
            method="crows_pairs", score=score, score_range=(0, 100), direction="two_sided", ideal=50, n=1508,
            ci_low=score - 2, ci_high=score + 2, p_value=1e-9, provenance={"dataset": {"source": "crows_pairs"}},
        )  # fmt: skip
        visible = seen(bias_section([result], language=language))
        assert own in visible
        assert other not in visible


def test_findings_on_both_sides_are_both_said() -> None:
    rows = [
        Row(name="age", kind="group", score=80, ci_low=70, ci_high=90, p_value=1e-6, p_holm=1e-5, n=100),
        Row(name="race", kind="group", score=20, ci_low=10, ci_high=30, p_value=1e-6, p_holm=1e-5, n=100),
    ]
    result = Result(
        method="crows_pairs", score=50, score_range=(0, 100), direction="two_sided", ideal=50, n=200, ci_low=45,
        ci_high=55, p_value=1.0, rows=rows, provenance={"dataset": {"source": "crows_pairs"}},
    )  # fmt: skip
    visible = seen(bias_section([result]))
    assert "age: the more stereotypical sentences are likelier (CrowS-Pairs 80.00" in visible
    assert "race: the less stereotypical sentences are likelier (CrowS-Pairs 20.00" in visible


@pytest.mark.parametrize(("score", "wanted"), [(1.2, "math go with male, arts with female"),
                                               (-1.2, "math go with female, arts with male")])  # fmt: skip
def test_a_test_is_said_by_its_lists(score: float, wanted: str) -> None:
    labels = {"x": "math", "y": "arts", "a": "male", "b": "female"}
    row = Row(name="weat7", kind="test", score=score, ci_low=score - 0.2, ci_high=score + 0.2, p_value=0.001, n=16,
              labels=labels)  # fmt: skip
    result = Result(
        method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16, rows=[row]
    )
    assert f"weat7: {wanted} (WEAT {score:.2f}" in seen(bias_section([result]))
