"""What may be said of a result: the rules on tables of situations, their words, and the first screen made of them."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.method_record import PValue
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.conclusions import (
    FILLED_MARK,
    OPEN_MARK,
    PART_MARK,
    Conclusion,
    Judgement,
    Reason,
    RowKind,
    judge_line,
    judge_result,
)
from evaluate_bias.report.lines import ReportRow
from evaluate_bias.report.plots.canvas import svg_text
from evaluate_bias.report.plots.forest import draw_glance, glance_marks
from evaluate_bias.report.reading import read, read_all, significance_note
from evaluate_bias.result import Result, Row, Sampled
from tests.readings import surfaces
from tests.readings.surfaces import GROUPS, group

SIGNIFICANT = Judgement(Conclusion.SIGNIFICANT)
NOT_SIGNIFICANT = Judgement(Conclusion.NOT_SIGNIFICANT)
DISAGREE = Judgement(Conclusion.UNCLEAR, Reason.DISAGREE)
BEFORE = Judgement(Conclusion.UNCLEAR, Reason.BEFORE_CORRECTION)
TOO_FEW = Judgement(Conclusion.TOO_FEW)
EXCLUDES, INCLUDES, END, NEITHER = (
    Judgement(Conclusion.NO_TEST, reason)
    for reason in (
        Reason.INTERVAL_EXCLUDES,
        Reason.INTERVAL_INCLUDES,
        Reason.END_OF_RANGE,
        Reason.NO_INTERVAL,
    )
)
OTHER = PValue(meaning="m.", small="s")
PARTS = dataclasses.replace(OTHER, parts=OTHER)


ROW = {f.name for f in dataclasses.fields(Row)} - {"ideal", "score_range", "direction"}


def line(kind: str = "group", name: str = "age", **changes: Any) -> ReportRow:
    """A line at 60 with an interval that excludes its ideal, 50, and nothing else known."""
    numbers = {"score": 60.0, "ci_low": 52.0, "ci_high": 68.0, "n": 100} | changes
    own = {key: numbers.pop(key) for key in ROW & numbers.keys()}
    settings = {"alternative": numbers.pop("alternative", "two-sided")}
    result = Result(
        method="m", score=60.0, n=100, settings=settings, ideal=numbers.pop("ideal", 50.0),
        direction=numbers.pop("direction", "two_sided"), score_range=numbers.pop("score_range", (0.0, 100.0)),
    )  # fmt: skip
    row = Row(name=name, kind=kind, **own)
    return ReportRow(row=row, result=result, model="bert", **({"test": "flips"} | numbers))


ONE_END = {"direction": "higher_is_more_biased"}
AROUND = {"ci_low": 45.0, "ci_high": 75.0}
NO_INTERVAL = {"ci_low": None, "ci_high": None}


def of_kind(judgement: Judgement, kind: RowKind) -> Judgement:
    return dataclasses.replace(judgement, kind=kind)


LINES: list[tuple[str, dict[str, Any], bool, Judgement]] = [
    ("one-sided, wholly on the other side", {"p_value": 0.99, "alternative": "less"}, True, NOT_SIGNIFICANT),
    ("one-sided, wholly on its side", {"p_value": 0.06, "alternative": "greater"}, True, DISAGREE),
    ("small p, interval agrees", {"p_value": 0.01}, True, SIGNIFICANT),
    ("small p, no interval", {"p_value": 0.01, **NO_INTERVAL}, True, SIGNIFICANT),
    ("small p, interval includes the ideal", {"p_value": 0.01, **AROUND}, True, DISAGREE),
    ("the same of another question", {"p_value": 0.01, **AROUND, **ONE_END}, False, SIGNIFICANT),
    ("p just below", {"p_value": 0.0499}, True, SIGNIFICANT),
    ("p at the level", {"p_value": 0.05, **AROUND}, True, NOT_SIGNIFICANT),
    ("large p, interval agrees", {"p_value": 0.4, **AROUND}, True, NOT_SIGNIFICANT),
    ("large p, no interval", {"p_value": 0.4, **NO_INTERVAL}, True, NOT_SIGNIFICANT),
    ("large p, interval excludes the ideal", {"p_value": 0.4}, True, DISAGREE),
    ("the same of another question, large", {"p_value": 0.4, **ONE_END}, False, NOT_SIGNIFICANT),
    ("Holm keeps it", {"p_value": 0.01, "p_holm": 0.03}, True, SIGNIFICANT),
    ("Holm takes it", {"p_value": 0.01, "p_holm": 0.06}, True, BEFORE),
    ("Holm takes it, interval around", {"p_value": 0.01, "p_holm": 0.06, **AROUND}, True, BEFORE),
    ("Holm of a large p", {"p_value": 0.2, "p_holm": 0.6, **AROUND}, True, NOT_SIGNIFICANT),
    ("the card keeps it", {"p_value": 0.01, "p_holm": 0.02, "p_holm_all": 0.04}, True, SIGNIFICANT),
    ("the card takes it", {"p_value": 0.01, "p_holm": 0.02, "p_holm_all": 0.3}, True, BEFORE),
    ("the card takes it, no Holm of its own", {"p_value": 0.01, "p_holm_all": 0.06}, True, BEFORE),
    ("sampled p, close to the level", {"p_value": 0.048, "p_error": 0.002}, True, SIGNIFICANT),
    ("too few units", {"p_value": 0.0625, "n": 5}, True, TOO_FEW),
    ("too few units once ties are left out", {"p_value": 0.0625, "n": 6, "ties": 1}, True, TOO_FEW),
    ("just enough units", {"p_value": 0.03, "n": 6}, True, SIGNIFICANT),
    ("too few tested units of many", {"p_value": 0.2, "n": 100, "n_tested": 5}, True, TOO_FEW),
    ("a method without a smallest number", {"p_value": 0.01, "n": 2, "test": ""}, True, SIGNIFICANT),
    ("too few and a control", {"n": 5, "labels": {"bias_type": "none"}}, True, of_kind(TOO_FEW, "control")),
    ("control that responds", {"p_value": 0.01, "labels": {"bias_type": "none (baseline)"}}, True,
     of_kind(SIGNIFICANT, "control")),
    ("control that does not", {"p_value": 0.5, "labels": {"bias_type": "none (baseline)"}, **AROUND}, True,
     of_kind(NOT_SIGNIFICANT, "control")),
    ("control without a test", {"labels": {"bias_type": "none"}}, True, of_kind(EXCLUDES, "control")),
    ("illustrative, small p", {"p_value": 0.001, "illustrative": True, **AROUND}, True,
     of_kind(NOT_SIGNIFICANT, "illustrative")),
    ("illustrative, too few", {"p_value": 0.5, "n": 2, "illustrative": True}, True, of_kind(TOO_FEW, "illustrative")),
    ("illustrative control", {"illustrative": True, "labels": {"bias_type": "none"}}, True,
     of_kind(EXCLUDES, "illustrative")),
    ("interval only, excludes", {}, True, EXCLUDES),
    ("interval only, includes", AROUND, True, INCLUDES),
    ("interval only, ideal at its end", {"ci_low": 50.0, "ci_high": 68.0}, True, INCLUDES),
    ("interval only, ideal at the range's end", {"score_range": (50.0, 100.0)}, True, END),
    ("interval only, ideal above the range", {"score_range": (0.0, 50.0), "score": 40.0}, True, END),
    ("open range", {"score_range": (None, None)}, True, EXCLUDES),
    ("neither", NO_INTERVAL, True, NEITHER),
    ("half an interval", {"ci_high": None}, True, NEITHER),
    ("nothing, at the range's end", {**NO_INTERVAL, "score_range": (50.0, 100.0)}, True, NEITHER),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "about_ideal", "wanted"), [s[1:] for s in LINES], ids=[s[0] for s in LINES]
)
def test_a_line(changes, about_ideal, wanted):
    found = line(**changes, question=None if about_ideal else OTHER)
    assert found.asks_about_the_ideal == about_ideal
    assert judge_line(found) == wanted


FOUND, MISSED = {"p_value": 0.001}, {"p_value": 0.5, **AROUND}
FEW = {"p_value": 0.5, "n": 3}
CONTROL = {"p_value": 0.001, "labels": {"bias_type": "none"}}
Situation = tuple[str, list[tuple[str, dict[str, Any]]], str, PValue | None, Judgement, tuple[int, int]]

RESULTS: list[Situation] = [
    ("overall", [("overall", FOUND)], "two_sided", None, SIGNIFICANT, (1, 1)),
    ("overall found, groups not", [("overall", FOUND), ("group", MISSED)], "two_sided", None, SIGNIFICANT, (1, 1)),
    ("groups only", [("overall", MISSED), ("group", FOUND), ("group", MISSED)], "two_sided", None, SIGNIFICANT,
     (1, 2)),
    ("small groups count for nothing", [("overall", MISSED), ("group", FEW)], "two_sided", None, NOT_SIGNIFICANT,
     (1, 1)),
    ("nothing", [("overall", MISSED), ("group", MISSED)], "two_sided", None, NOT_SIGNIFICANT, (1, 1)),
    ("parts of another question", [("overall", MISSED), ("group", FOUND)], "two_sided", PARTS, NOT_SIGNIFICANT, (1, 1)),
    ("the same question of parts", [("overall", MISSED), ("group", FOUND)], "two_sided", OTHER, SIGNIFICANT,
     (1, 1)),
    ("all tests", [("test", FOUND), ("test", FOUND)], "two_sided", None, SIGNIFICANT, (2, 2)),
    ("some tests", [("test", FOUND), ("test", MISSED)], "two_sided", None, SIGNIFICANT, (1, 2)),
    ("no test", [("test", MISSED), ("test", MISSED)], "two_sided", None, NOT_SIGNIFICANT, (2, 2)),
    ("a control decides nothing", [("test", MISSED), ("test", CONTROL)], "two_sided", None, NOT_SIGNIFICANT, (1, 1)),
    ("a control beside a find", [("test", FOUND), ("test", CONTROL)], "two_sided", None, SIGNIFICANT, (1, 1)),
    ("controls only", [("test", CONTROL)], "two_sided", None, of_kind(SIGNIFICANT, "control"), (1, 1)),
    ("too few only", [("test", FEW), ("test", CONTROL)], "two_sided", None, TOO_FEW, (1, 1)),
    ("undecided before missed", [("test", MISSED), ("test", {"p_value": 0.4})], "two_sided", None, DISAGREE, (1, 2)),
    ("one-sided score, interval not compared", [("overall", {"p_value": 0.01, **AROUND})], "higher_is_more_biased",
     None, SIGNIFICANT, (1, 1)),
    ("robustness", [("overall", FOUND)], "higher_is_more_robust", OTHER,
     of_kind(SIGNIFICANT, "about the measurement"), (1, 1)),
    ("robustness on illustrative data", [("overall", {"illustrative": True})], "higher_is_more_robust", OTHER,
     of_kind(EXCLUDES, "illustrative"), (1, 1)),
    ("illustrative", [("overall", {**FOUND, "illustrative": True})], "two_sided", None,
     of_kind(DISAGREE, "illustrative"), (1, 1)),
]  # fmt: skip


def lines_of(given: list[tuple[str, dict[str, Any]]], direction: str, p: PValue | None) -> list[ReportRow]:
    """Lines of one result, each with what its p-value asks."""
    asked = {kind: p if p is None or kind == "overall" or p.parts is None else p.parts for kind, _ in given}
    return [
        line(kind, f"r{i}", direction=direction, question=asked[kind], **c)
        for i, (kind, c) in enumerate(given)
    ]


@pytest.mark.parametrize(
    ("name", "given", "direction", "p", "wanted", "count"), RESULTS, ids=[s[0] for s in RESULTS]
)
def test_a_result(
    name,
    given,
    direction,
    p,
    wanted,
    count,
):
    found = judge_result(lines_of(given, direction, p))
    assert (found.judgement, (found.k, found.n)) == (wanted, count)
    assert found.in_part == (name in ("groups only", "the same question of parts", "some tests"))


# --- the words ---------------------------------------------------------------------------------------------------


def result(score: float, **changes: Any) -> Result:
    """A share of 100 with an interval of 5 to both sides."""
    given: dict[str, Any] = {
        "method": "crows_pairs",
        "score": score,
        "score_range": (0, 100),
        "direction": "two_sided",
        "ideal": 50,
        "n": 200,
        "ci_low": score - 5,
        "ci_high": score + 5,
        "provenance": {"model": {"name": "bert"}, "dataset": {"source": "crows_pairs", "language": "en"}},
    }
    return Result(**(given | changes))


def unsigned(**changes: Any) -> Result:
    """The absolute value of a score that has a sign by its record."""
    given = {"method": "winobias", "direction": "higher_is_more_biased", "ideal": 0, "p_value": 1e-9}
    return result(12, **(given | changes))


def association(score: float, **changes: Any) -> Result:
    """A test on four word lists, with an interval of .5 to both sides."""
    alternative = changes.pop("alternative", "two-sided")
    labels = {"x": "math", "y": "arts", "a": "male terms", "b": "female terms"}
    row = {
        "name": "weat7",
        "kind": "test",
        "score": score,
        "ci_low": score - 0.5,
        "ci_high": score + 0.5,
        "n": 16,
    }
    rows = [Row(**(row | {"labels": labels} | changes))]
    return Result(
        method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=16, rows=rows,
        settings={"alternative": alternative}, provenance={"model": {"name": "glove"}},
    )  # fmt: skip


def age(score: float, p: float = 1e-6) -> Row:
    return Row(name=f"age{score:g}", kind="group", score=score, ci_low=score - 9, ci_high=score + 9, p_value=p,
               p_holm=p, n=100)  # fmt: skip


SAID: list[tuple[str, Result, str, str]] = [  # of which no kept reading speaks
    ("with a sign", unsigned(direction="two_sided"), "significant",
     "The model gets pro-stereotypical sentences right more often than anti-stereotypical ones (12.00 [7.00, 17.00], "
     "p < .001)."),
    ("the absolute value of a score with a sign", unsigned(), "significant",
     "The score, 0 to 100 without a direction, lies above its ideal value (12.00 [7.00, 17.00], p < .001)."),
    ("the same, not significant", unsigned(p_value=0.4), "not significant",
     "No difference from 0 was detected (12.00 [7.00, 17.00], p = .400)."),
    ("one-sided, small", association(0.1, p_value=0.4, alternative="greater"), "not significant",
     "weat7: not significant in the direction tested (0.10 [-0.40, 0.60], below small, p = .400)."),
    ("one-sided, interval around", association(0.4, p_value=0.04, alternative="greater"), "unclear",
     "weat7: unclear, because the p-value is below 5% but the interval includes 0; the test is one-sided and "
     "the interval two-sided (0.40 [-0.10, 0.90], small, p = .040)."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "word", "finding"), [s[1:] for s in SAID], ids=[s[0] for s in SAID])
def test_what_is_said(given, word, finding):
    reading = read(given)
    assert (reading.word, reading.finding) == (word, finding)


def test_what_was_not_shown_is_never_said_as_if_it_were():
    """Of an unrejected result no clause about the model stands without the words that deny it."""
    for record in METHODS.values():
        low, high = record.score_range
        score = record.ideal if high is None else (record.ideal + high) / 2
        given = Result(
            method=record.name, score=score, score_range=(low, high), direction=record.direction, ideal=record.ideal,
            n=40, p_value=0.6, ci_low=None, ci_high=None,
        )  # fmt: skip
        finding = read(given).finding
        denials = ("It was not shown that ", "No difference from ", "About the measurement, not the model: ")
        assert finding.startswith(denials)
        assert "{" not in finding


@pytest.mark.parametrize(
    ("p_value", "p_error", "p_holm", "close"),
    [
        (0.048, 0.001, None, True),
        (0.048, 0.0005, None, False),
        (0.048, 0.0, None, False),
        (0.02, 0.001, 0.048, True),  # the error of the adjusted one is .0024
        (0.02, 0.001, 0.04, False),
        (0.0501, 0.001, None, True),
    ],
)
def test_a_sampled_p_value_close_to_the_level_is_said(p_value, p_error, p_holm, close):
    changes = {"p_value": p_value, "p_error": p_error, "p_holm": p_holm}
    assert line(**changes).too_close == close
    rows = [
        Row(name=name, kind="test", score=1.0, n=16, labels={"x": "math", "y": "arts"}, **numbers)
        for name, numbers in (("near", changes), ("far", {"p_value": 0.4, "p_error": 0.01}))
    ]
    result = Result(
        method="weat", score=1.0, score_range=(-2, 2), direction="two_sided", ideal=0, n=32, rows=rows,
        settings={"n_resamples": 99_999},
    )  # fmt: skip
    told = [remark for remark in read(result).remarks if "Monte Carlo" in remark]
    assert bool(told) == close
    assert all("of near is" in remark and "`n_resamples`" in remark for remark in told)


def test_the_family_of_the_adjustment_is_named():
    one = dataclasses.replace(result(60, p_value=0.03), method="pll")
    alone, of_model = read_all([one]), read_all([one, result(52, p_value=0.5)])
    assert "correction" not in significance_note(alone)
    assert "everything measured on the model" in significance_note(of_model)
    assert (alone[0].judgement, of_model[0].judgement) == (SIGNIFICANT, BEFORE)
    assert "corrected p = .060" in of_model[0].finding
    groups = read(result(60, p_value=0.01, rows=[age(80, 0.01), age(52, 0.8)]))
    assert "tests or groups of the result" in significance_note([groups])


def test_marks_are_filled_only_for_what_was_found_itself():
    in_part = read(result(50, p_value=1.0, rows=[age(80), age(52, 0.9)]))
    assert in_part.significant
    assert not in_part.filled
    assert [row.filled for row in in_part.rows] == [False, True, False]
    mark = glance_marks([in_part, in_part], ["a", "b"])[0][0]
    assert (mark.filled, mark.parts) == (False, (0.6,))


# --- the first screen --------------------------------------------------------------------------------------------


def first_screen_of(section: str) -> tuple[int, int, list[list[str]]]:
    """Lines and words outside the table, and the cells of its rows."""
    shown = section.partition("<details>")[0].splitlines()
    table = [[c.strip() for c in line.strip("|").split("|")] for line in shown if line.startswith("|")]
    text = [line for line in shown if line.strip() and not line.startswith(("|", "!["))]
    text = text[: text.index("```text")] if "```text" in text else text
    return len(text), sum(len(line.split()) for line in text), table


def test_the_first_screen_is_read_in_a_minute():
    """At most 16 lines and 330 words outside the table of one row a result, whatever is measured."""
    many = [dataclasses.replace(result(61.25, p_value=1e-9), method=name) for name in METHODS]
    groups = [*(group(name) for name in GROUPS), many]
    for several in groups:
        results = [
            dataclasses.replace(r, provenance={**r.provenance, "model": {"name": "bert"}}) for r in several
        ]
        lines, words, table = first_screen_of(bias_section(results))
        assert lines <= 16
        assert words <= 330, results[0].method
        readings = read_all(results)
        conclusion = table[0].index("Conclusion")
        assert sorted(row[conclusion] for row in table[2:]) == sorted(reading.word for reading in readings)


def test_the_picture_explains_every_mark_and_nothing_else():
    for results in map(group, GROUPS):
        readings = read_all(results)[:6]
        marks, labels = glance_marks(readings, [r.short for r in readings])
        picture = svg_text(partial(draw_glance, marks, labels))
        drawn = [m for m in marks if m.value is not None]
        wanted = {
            FILLED_MARK: any(m.filled for m in drawn),
            PART_MARK: any(m.parts for m in drawn),
            OPEN_MARK: any(not m.filled for m in drawn),
            "interval": any(m.low is not None for m in drawn),
        }
        assert {label: f">{label}<" in picture for label in wanted} == wanted
        assert picture.count("no common scale") == len(marks) - len(drawn)


def test_what_a_test_asked_is_said_and_not_the_side_of_the_score():
    """The p-value of DirectBias is about something else than the side of the ideal value on which the score lies."""
    question = METHODS["direct_bias"].p_value
    reading = read(surfaces.result("direct_bias_glove"))
    assert question is not None
    assert f"t was not shown that {question.small}" in reading.finding
    assert question.meaning in reading.remarks
    assert "above its ideal value" not in reading.finding


def test_sentences_name_the_groups_and_give_their_rates():
    rows = [
        {"question": (0.5 if group == "men" else -0.5) + k / 10, "group": group, "template": f"t{k}"}
        for k in range(8)
        for group in ("men", "women")
    ]
    for groups, first, second in (((), "men", "women"), (("women", "men"), "men", "women")):
        result = eb.measure("decision_gap", None, data=rows, **({"groups": groups} if groups else {}))
        reading = read(result)
        assert reading.finding.startswith(
            f"The model decides more readily in favour of {first} than of {second} ("
        )
        assert "Rate of yes by group: men 100.0%, women 31.2%." in reading.remarks


@pytest.mark.parametrize(
    ("sampled", "row", "sentence"),
    [
        (Sampled(("names", "templates")), {}, "The p-value and the interval are for other names and templates."),
        (Sampled(("templates",), {"names": 4}), {"ci_low": None, "ci_high": None},
         "The p-value is for other templates, for these 4 names."),
        (Sampled(("templates",)), {"p_value": None}, "The interval is for other templates."),
        (Sampled(("templates",)), {"p_value": None, "ci_low": None, "ci_high": None}, ""),
        (None, {}, ""),
    ],
)  # fmt: skip
def test_what_a_result_holds_for_is_what_it_declares(sampled, row, sentence):
    data = [
        {"question": (k % 7) / 3 - (k % 2), "group": "xy"[k % 2], "template": f"t{k // 2}"} for k in range(40)
    ]
    result = eb.measure("decision_gap", data=data)
    remarks = read(dataclasses.replace(result, sampled=sampled, **row)).remarks
    assert [text for text in remarks if " for other " in text] == [sentence] * bool(sentence)
