"""Comparing results: by hand, over data that fit badly, and on a model that was trained further."""

from __future__ import annotations

import dataclasses
import importlib
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias import stats
from evaluate_bias.errors import DataError, InputError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import Change, ChangeConclusion, compare, comparing
from evaluate_bias.report.compare.change import with_conclusion
from evaluate_bias.report.compare.gate import gate
from evaluate_bias.report.compare.testing import Item, run_test
from evaluate_bias.report.plots.canvas import draw_figure
from evaluate_bias.report.plots.forest import draw_changes
from evaluate_bias.result import Result, Sampled
from evaluate_bias.text import plain_p
from tests.report.samples import weat_item, weat_result
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import tiny_masked
from tests.test_all_methods import measured


def pairs(preferred: list[bool], kind: str = "age") -> Result:
    rows = [
        {
            "sent_more": -9.0 + (1.0 if p else -1.0),
            "sent_less": -9.0,
            "bias_type": kind if k % 2 else "gender",
        }
        for k, p in enumerate(preferred)
    ]
    return eb.measure("pll", None, data=rows)


def with_(result: Result, **facts: Any) -> Result:
    return dataclasses.replace(result, provenance={**result.provenance, **facts})


BASE = [True] * 50 + [False] * 50


def test_every_method_has_units_or_says_why_not():
    for name, record in METHODS.items():
        assert (None in (record.units, *record.variant_units.values())) == bool(record.no_units), name
        own = Path(str(importlib.import_module(record.package).__file__)).with_name("items.py")
        scores = {units.score for units in (record.units, *record.variant_units.values()) if units}
        assert own.exists() == ("function" in scores), name


def test_the_units_of_every_method_give_its_score_back(monkeypatch):
    """What the records say of units gives the score back, so that a comparison is about the score."""
    monkeypatch.setattr(comparing, "_MIN_DECIDED", 1)
    for name, record in METHODS.items():
        if record.units is None:
            continue
        result = measured(name)
        found = compare(result, result)
        checked = [c for c in found.changes if c.n is not None]
        assert checked, name
        rows = {r.name: r for r in (result.overall, *result.rows)}
        for change in checked:
            row = rows[change.name.removesuffix(" (disambiguated)")]
            own = row.estimates["score_without_ties"].value if record.units.tie else row.score
            assert change.first == pytest.approx(own, rel=1e-9, abs=1e-12), name
            assert change.difference == 0.0, name
            assert change.p_value in (1.0, None), name  # None: too few units for a test
            assert change.unchanged, name


def test_everything_that_a_comparison_tests_is_adjusted_together():
    """Overall scores and groups of two methods: six tests."""
    sides = [
        [result, dataclasses.replace(result, method="aul")]
        for result in (pairs(BASE), pairs([True] * 75 + [False] * 25))
    ]
    found = compare(*sides)
    assert [c.kind for c in found.changes] == ["overall", "group", "group"] * 2
    assert {c.n for c in found.changes if c.kind == "group"} == {50}
    raw = [c.p_value for c in found.changes]
    assert [c.p_holm for c in found.changes] == pytest.approx(list(stats.holm(raw)))
    assert min(c.p_holm for c in found.changes) == pytest.approx(6 * min(raw))
    assert "p (Holm, 6 tests)" in found.table().titles
    assert [row[5] for row in found.table().cells()] == [plain_p(c.p_holm) for c in found.changes]


def test_what_stands_in_one_only_is_left_out_and_counted():
    found = compare(pairs(BASE), pairs(BASE[:60]))
    assert found.changes[0].n == 60
    assert any("60 pairs are in both. 40 are in the first only" in w for w in found.warnings)
    assert found.changes[0].first == found.changes[0].second == pytest.approx(100 * 50 / 60)
    measured_once = dataclasses.replace(pairs(BASE), method="aul")
    (text,) = compare([pairs(BASE), measured_once], pairs(BASE)).left_out
    assert text.startswith("aul on its data was measured on")


def test_groups_in_opposite_orders_are_not_compared():
    """The sign of the score is turned, and items that bear no group matched all the same."""
    one = measured("weat")
    rows = [
        dataclasses.replace(r, score=-r.score, labels={**r.labels, "x": r.labels["y"], "y": r.labels["x"]})
        for r in one.rows_of("test")
    ]
    (change,) = compare(one, dataclasses.replace(one, score=-one.score, rows=rows)).changes
    assert change.conclusion is ChangeConclusion.NOT_COMPARABLE
    assert "opposite orders" in change.reason


VECTORS = {
    f"w{k}": [1.0 if k < 8 else -1.0, float(v)]
    for k, v in enumerate(np.random.default_rng(8).normal(size=16))
}
VECTORS |= {"good": [1.0, 0.1], "fine": [0.9, 0.0], "bad": [-1.0, 0.1], "ill": [-0.9, 0.0], "old": [0.0, 1.0]}
LEANING = {
    "name": "t", "targets_x": [f"w{k}" for k in range(8)], "targets_y": [f"w{k}" for k in range(8, 16)],
    "attributes_a": ["good", "fine"], "attributes_b": ["bad", "ill"],
}  # fmt: skip


@pytest.mark.parametrize("method", ["weat", "projection"])
@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"attributes_a": ["bad", "ill"], "attributes_b": ["good", "fine"]}, "opposite orders"),
        ({"targets_x": LEANING["targets_y"], "targets_y": LEANING["targets_x"]}, "opposite orders"),
        (
            {"attributes_a": ["old", "fine"], "targets_x": [*LEANING["targets_x"][1:], "old"]},
            "have different",
        ),
    ],
)
def test_tests_of_exchanged_or_other_lists_are_not_compared(method, changed, reason):
    """One model, whose effect has another sign with the lists exchanged, has not changed."""
    one, two = (eb.measure(method, VECTORS, data=[{**LEANING, **more}]) for more in ({}, changed))
    (change,) = compare(one, two).changes
    assert change.conclusion is ChangeConclusion.NOT_COMPARABLE
    assert reason in change.reason
    assert gate(two, against=one, margin=20).exit_code == 2
    assert compare(one, eb.measure(method, VECTORS, data=[LEANING])).changes[0].unchanged


def test_settings_versions_and_data_that_differ_are_said():
    one = pairs(BASE)
    two = dataclasses.replace(one, settings={**one.settings, "lower": True, "seed": 7})
    two = with_(two, versions={"evaluate-bias": "0.0.1"}, dataset={"source": "x", "sha256": "b" * 64})
    one = with_(one, dataset={"source": "x", "sha256": "a" * 64})
    warnings = " ".join(compare(one, two).warnings)
    assert "the first has no `lower`, the second `lower` on" in warnings
    assert not re.search(r"\bNone\b|\bTrue\b|\bFalse\b|'", warnings)
    assert "seed" not in warnings
    assert "0.0.1" in warnings
    assert "the data differ" in warnings


WORDS = ["nurse", "doctor", "man", "woman", "she", "he", "left", "came", "old", "young", "good", "bad"]


def sentence_pairs(n: int = 40) -> list[dict[str, Any]]:
    """Pairs of sentences without ids."""
    rng = np.random.default_rng(7)
    rows = []
    for i in range(n):
        words, place = rng.choice(WORDS, 5).tolist(), int(rng.integers(5))
        other = [*words[:place], WORDS[(WORDS.index(words[place]) + 1) % len(WORDS)], *words[place + 1 :]]
        rows.append({"sent_more": " ".join(words), "sent_less": " ".join(other), "bias_type": "ab"[i % 2]})
    return rows


def pronoun_pairs() -> list[dict[str, Any]]:
    jobs = WORDS[:8]
    return [
        {
            "sentence_female": f"the {jobs[i % 8]} came {'very ' * i}and she left",
            "sentence_male": f"the {jobs[i % 8]} came {'very ' * i}and he left",
            "stereotype": ("female", "male")[i % 2],
            "profession": jobs[i % 8],
        }
        for i in range(24)
    ]


def numbers(found: Any) -> dict[str, list[Any]]:
    keys = ("first", "second", "low", "high", "p_value", "p_holm", "n", "conclusion", "toward_ideal")
    return {c.title: [getattr(c, key) for key in keys] for c in found.changes}


@pytest.mark.parametrize(
    ("method", "rows"),
    [("crows_pairs", sentence_pairs()), ("kldivs", sentence_pairs()), ("winobias", pronoun_pairs())],
)
def test_rows_without_ids_are_matched_by_their_texts(method, rows):
    """Rows are numbered if they have no ids, which says nothing once one of the files is sorted."""
    one, other = tiny_masked("bert"), tiny_masked("distilbert")
    again = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    first, second, resorted = (
        eb.measure(method, model, data=data, seed=1)
        for model, data in ((one, rows), (other, rows), (other, again))
    )
    expected, found = compare(first, second), compare(first, resorted)
    assert any(c.n == len(rows) or c.p_value is not None for c in expected.changes)
    assert numbers(found).keys() == numbers(expected).keys()
    for title, values in numbers(expected).items():
        assert numbers(found)[title] == [
            pytest.approx(v, rel=1e-4) if isinstance(v, float) else v for v in values
        ]


def test_the_same_answers_to_few_questions_are_unchanged_wherever_their_rows_are():
    first, second = (eb.measure("bbq", None, data=rows) for rows in (ANSWERS[:16], ANSWERS[8:]))
    change = compare(first, second).changes[0]
    assert (change.n, change.p_value, change.unchanged) == (2, None, True)
    other = [{**row, "answer": 2 if row["answer"] != 2 else 0} for row in ANSWERS[8:]]
    change = compare(first, eb.measure("bbq", None, data=other)).changes[0]
    assert change.conclusion is ChangeConclusion.TOO_FEW


def test_repeated_pairs_are_no_evidence_of_a_change():
    models = tiny_masked("bert"), tiny_masked("distilbert")
    once, often = (
        compare(*(eb.measure("aul", model, data=rows) for model in models)).changes
        for rows in (sentence_pairs(), sentence_pairs() * 4)
    )
    assert [c.n for c in often] == [c.n for c in once] == [40, 20, 20]
    assert [c.difference for c in often] == pytest.approx([c.difference for c in once])
    assert min(c.p_value for c in once) < 0.9
    assert [c.p_value for c in often] == pytest.approx([c.p_value for c in once], rel=0.05)


def test_numbered_rows_without_texts_are_matched_only_if_they_agree():
    one, two = pairs(BASE), pairs([True] * 60 + [False] * 40)
    assert any("pairs are matched by their numbers" in note for note in compare(one, two).warnings)
    rows = [
        {"sent_more": -8.0, "sent_less": -9.0, "bias_type": "age" if k < 50 else "gender"} for k in range(100)
    ]
    found = compare(one, eb.measure("pll", None, data=rows))
    assert any("'0' is 'gender' and 'age' in the two" in note for note in found.warnings)
    assert {c.p_value for c in found.changes} == {None}
    assert gate(two, against=eb.measure("pll", None, data=rows), margin=5).exit_code == 2
    without = dataclasses.replace(one, rows=[row for row in one.rows if row.kind != "item"])
    assert not any("matched by their numbers" in note for note in compare(without, two).warnings)


def test_tests_without_a_shared_item_are_not_comparable():
    """The difference of two differences between other groups, or on other words, is no change."""
    texts = [
        eb.measure("counterfactual_text", data=[
            {"prompt": f"Praise {{group}} {k}.", "group": group, "completions": ["so " * (1 + k % n)]}
            for k in range(12) for n, group in enumerate(("women", other), 1)
        ], scorers="length")
        for other in ("men", "teens")
    ]  # fmt: skip
    poles = {"good": [1.0, 0.0], "bad": [0.0, 1.0]}
    words = [
        eb.measure("weat", poles | {f"{k}{i}": [1.0, (3 * i + k) % 11] for k in range(2) for i in range(8)}, data=[
            {"name": "toy", "targets_x": [f"{k}{i}" for i in range(4)],
             "targets_y": [f"{k}{i}" for i in range(4, 8)], "attributes_a": ["good"], "attributes_b": ["bad"]}
        ])
        for k in range(2)
    ]  # fmt: skip
    for (first, second), items in (
        (texts, "prompts of the same test and groups and prompts"),
        (words, "words"),
    ):
        (change,) = compare(first, second).changes
        assert (change.conclusion, change.low) == (ChangeConclusion.NOT_COMPARABLE, None)
        assert f"have no {items} in common" in change.reason


def test_small_numbers_that_differ_are_a_change():
    """Shares of probability, say, all below any fixed tolerance."""
    tiny = np.arange(1, 21) * 1e-12
    sides = [[(Item(value, "", True, frozenset(), {"name": str(k)}),) for k, value in enumerate(values)]
             for values in (tiny, 2 * tiny)]  # fmt: skip
    items = [(one, two) for (one,), (two,) in zip(*sides, strict=True)]
    facts, _ = run_test(items, METHODS["disco"], METHODS["disco"].units, ({}, {}), 0.95, 0, None)
    assert facts["p_value"] < 0.001
    assert not facts["unchanged"]


@pytest.mark.parametrize("method", ["pll", "kldivs"])
def test_pairs_without_a_bias_type_are_compared(method):
    rng = np.random.default_rng(3)
    sides = [
        eb.measure(
            method,
            None,
            data=[
                {"sent_more": float(m), "sent_less": float(x), "bias_type": ("age", "", "race")[i % 3]}
                for i, (m, x) in enumerate(rng.normal(size=(90, 2)))
            ],
        )
        for _ in range(2)
    ]
    changes = {c.name: c for c in compare(*sides).changes}
    assert (changes["overall"].n, changes["age"].n) == (90, 30)
    assert None not in (changes["overall"].p_value, changes["age"].p_value)
    if method == "pll":
        assert changes["without bias type"].n == 30


def of_options(method: str, data: Any, *options: Any) -> list[Result]:
    return [eb.measure(method, None, data=data, **one) for one in options]


RATES = [
    {"predictions": "ab"[(i * 7 + 3) % 5 % 2], "references": "aab"[i % 3], "groups": "fm"[i // 3 % 2]}
    for i in range(120)
]
ANSWERS = [
    {
        "question": "Who?", "context": f"A and B {i}.", "ans0": "A", "ans1": "B", "ans2": "Unknown", "unknown_loc": 2,
        "category": "Age", "question_index": str(i // 4), "context_condition": ("ambig", "disambig")[i % 2],
        "label": 2 if i % 2 == 0 else 0, "target_loc": i // 2 % 2, "answer": i % 3,
    }
    for i in range(60)
]  # fmt: skip
COMPLETIONS = [
    {
        "id": f"{g}{t}",
        "prompt": f"{g} {t}",
        "group": g,
        "template": f"t{t}",
        "completions": ["stupid", "tall"],
    }
    for t in range(12)
    for g in ("female", "male")
]
LISTS = {"attributes_a": ["a0", "a1", "a2", "a3"], "attributes_b": ["b0", "b1", "b2", "b3"]}
REPLY = "\n".join(
    f"{word} - {'Ben' if word[0] == 'a' else 'Julia'}" for own in LISTS.values() for word in own
)
ASSIGNED = [{"name": "t", "targets_x": ["Ben"], "targets_y": ["Julia"], **LISTS, "answers": [REPLY] * 3}]


@pytest.mark.parametrize(
    ("sides", "reason"),
    [
        (of_options("tpr_gap", RATES, {}, {"rate": "selection"}), "different scores, even of the same items"),
        (of_options("bbq", ANSWERS, {}, {"condition": "disambig"}), "different scores, even of the same items"),
        (of_options("honest", COMPLETIONS, {"lexicon": ["stupid"]}, {"lexicon": ["tall"]}), "different lexicons"),
        (of_options("word_association", ASSIGNED, {}, {"variant": "published"}), "made of different items"),
    ],
    ids=["rate", "condition", "lexicon", "variant"],
)  # fmt: skip
def test_scores_by_different_options_are_not_compared_and_pass_no_gate(sides, reason):
    for first, second in (sides, sides[::-1]):
        change = next(c for c in compare(first, second).changes if c.kind in ("overall", "test"))
        assert change.conclusion is ChangeConclusion.NOT_COMPARABLE
        assert reason in change.reason
        assert gate(second, against=first, margin=5).exit_code == 2


def test_words_are_compared_on_those_that_both_models_have():
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(12)]
    test = {
        "name": "toy",
        "targets_x": words[:6],
        "targets_y": words[6:],
        "attributes_a": ["good"],
        "attributes_b": ["bad"],
    }
    poles = {"good": [1.0, 0.0, 0.0], "bad": [0.0, 1.0, 0.0]}
    biased = {w: [1.0 if k < 6 else 0.0, 0.5, float(rng.random())] for k, w in enumerate(words)}
    mixed = {w: [float(k % 2), 0.5, float(rng.random())] for k, w in enumerate(words)}
    del mixed["w3"]
    found = compare(
        poles | biased, poles | mixed, methods="weat", data=[test], max_missing=0.5, n_resamples=99
    )
    (change,) = found.changes
    assert change.n == 11
    assert change.conclusion is ChangeConclusion.DECREASED
    assert change.toward_ideal == "nearer to"
    shared = eb.measure(
        "weat", poles | {w: v for w, v in biased.items() if w != "w3"}, data=[test], max_missing=0.5
    )
    assert change.first == pytest.approx(shared.rows[0].score)


def test_scores_without_units_have_a_difference_and_no_test():
    result = measured("metric_compatibility")
    found = compare(result, result)
    assert found.changes[0].p_value is None
    assert ": unclear, because no test was run. Its items are models" in found.changes[0].sentence
    assert "no change could be tested" in found.summary


# --- ties, and what may be said of a change ----------------------------------------------------------------------


def bf16(values: np.ndarray) -> np.ndarray:
    """Nearest numbers of eight significant bits."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)


def test_rounding_changes_no_share():
    """Scores as BERT gives them to the 1,508 pairs of CrowS-Pairs: rounding makes ties and turns no pair round."""
    rng = np.random.default_rng(20)
    less = rng.normal(-35, 12, 1508).clip(-120, -3)
    more = less + rng.standard_t(3, 1508) * 0.9 + 0.3

    def result(more, less):
        rows = [
            {"sent_more": float(m), "sent_less": float(x), "bias_type": "ab"[k % 2]}
            for k, (m, x) in enumerate(zip(more, less, strict=True))
        ]
        return eb.measure("crows_pairs", None, data=rows)

    one, two = result(more, less), result(bf16(more), bf16(less))
    assert two.score < one.score - 2  # ties count as not preferred
    for found in (compare(one, two), compare(two, one)):
        assert {c.unchanged for c in found.changes} == {True}
        assert {c.p_holm for c in found.changes} == {1.0}
        assert "no change in 3 scores" in found.summary
    change = compare(one, two).changes[0]
    assert (change.published_first, change.published_second) == (one.score, two.score)
    assert change.ties is not None
    assert change.n == 1508 - change.ties.first - change.ties.second - change.ties.both
    assert change.ties.second + change.ties.both == two.overall.ties
    assert change.first == change.second == two.estimates["score_without_ties"].value
    rows = compare(one, two).table().rows
    assert rows[0][1:3] == rows[0][2:0:-1] == (f"{change.first:.2f}",) * 2
    assert rows[0][6] == f"{change.n:,}"
    assert rows[0][7] == f"{change.ties.first}, {change.ties.second}, {change.ties.both}"
    assert rows[1][1:3] == (f"{one.score:.2f}", f"{two.score:.2f}")
    assert rows[1][-1] == ""


def of_share(share: float, n: int = 1000, ties: int = 0) -> Result:
    """The first pairs are preferred, the last ties."""
    rows = [
        {"sent_more": -9.0, "sent_less": -9.0 if k >= n - ties else -9.5 if k < share * n / 100 else -8.5}
        for k in range(n)
    ]
    return eb.measure("pll", None, data=rows)


@pytest.mark.parametrize(
    ("first", "second", "toward"),
    [
        (60, 70, "further from"),
        (70, 60, "nearer to"),
        (40, 30, "further from"),
        (40, 48, "nearer to"),
        (42.5, 57.5, "past"),
        (42.0, 57.5, "past"),
        (100, 0, "past"),
        (45, 70, "further from"),  # on the other side, and further away from there
        (50, 53, ""),  # the base may lie as far on the other side
        (60, 60, None),
        (60, 60.3, None),
    ],
)
def test_directions_are_said_of_distances_that_changed(first, second, toward):
    (change,) = compare(of_share(first), of_share(second)).changes
    changed = ChangeConclusion.INCREASED if first < second else ChangeConclusion.DECREASED
    assert change.conclusion is (ChangeConclusion.NOT_SIGNIFICANT if toward is None else changed)
    assert change.toward_ideal == (toward or "")
    assert change.unchanged == (first == second)
    assert ("the ideal value" in change.sentence) == bool(toward)


@pytest.mark.parametrize("turned", [0, 20])
def test_pairs_that_turn_both_ways_are_a_change_of_pairs(turned):
    """As many turn one way as the other, so the score is the same. How much it may have changed is said."""
    again = [not p if k < turned or k >= 100 - turned else p for k, p in enumerate(BASE)]
    one, two = (eb.measure("pll", None, data=[{"sent_more": -8.0 - 2 * (not p), "sent_less": -9.0} for p in side])
                for side in (BASE, again))  # fmt: skip
    (change,) = compare(one, two).changes
    (check,) = gate(two, against=one, margin=20).checks
    assert (change.difference, change.p_value) == (0, 1)
    assert change.unchanged == (turned == 0)
    assert ("no change" in change.sentence) == (turned == 0)
    assert ("would have been detected" in change.sentence) == (turned > 0)
    assert check.passed


@pytest.mark.parametrize(
    ("n", "ties", "comparable"),
    [(40, 20, True), (40, 21, False), (100, 50, True), (100, 51, False), (19, 0, False)],
)
def test_too_few_decided_pairs_are_not_compared(n, ties, comparable, tmp_path):
    found = compare(of_share(60, n), of_share(60, n, ties))
    (change,) = found.changes
    assert (change.conclusion is not ChangeConclusion.NOT_COMPARABLE) == comparable
    assert change.n == (n - ties if comparable else None)
    if not comparable:
        assert "both decide" not in change.sentence, "each score is over all that its model decides"
        assert (change.low, change.p_value, change.significant) == (None, None, False)
        assert f"not comparable. {n - ties} of {n} pairs are decided in both" in change.sentence
        assert found.summary.endswith("no change could be tested; 1 not comparable.")
        assert found.table().rows[0][3:6] == ("", "", "")
        (axis,) = draw_figure(partial(draw_changes, found)).axes
        assert not [
            line for line in axis.lines if line.get_marker() == "o" and np.isfinite(line.get_xdata()).any()
        ]


C = ChangeConclusion


def example(**facts: Any) -> Change:
    known = {
        "method": "weat", "name": "weat7", "kind": "test", "first": 0.9, "second": 0.5, "ideal_first": 0.0,
        "ideal_second": 0.0, "difference": -0.4, "low": -0.7, "high": -0.1, "distance_low": -0.7,
        "distance_high": -0.1, "p_value": 0.01, "test": "a test", "interval": "an interval",
        "direction": "two_sided", "score_range": (-2.0, 2.0),
    }  # fmt: skip
    return Change(**(known | facts))


@pytest.mark.parametrize(
    ("facts", "p_holm", "conclusion", "toward", "reason"),
    [
        ({}, 0.01, C.DECREASED, "nearer to", ""),
        ({}, 0.06, C.UNCLEAR, "", "Only before correction for 6 tests is it significant (p = .010)."),
        (
            {"p_value": 0.38},
            1.0,
            C.UNCLEAR,
            "",
            "one shows a change (an interval), the other does not (a",
        ),
        (
            {"high": 0.1},
            0.01,
            C.UNCLEAR,
            "",
            "one shows a change (a test), the other does not (an interval)",
        ),
        ({"high": 0.1, "p_value": 0.38}, 1.0, C.NOT_SIGNIFICANT, "", ""),
        ({"low": None, "high": None}, 0.01, C.DECREASED, "nearer to", ""),
        ({"distance_low": None, "distance_high": None}, 0.01, C.DECREASED, "", ""),
        ({"distance_high": 0.1}, 0.01, C.DECREASED, "", ""),
        ({"distance_high": 0.1, "second": -0.5}, 0.01, C.DECREASED, "past", ""),
        (
            {"p_value": 0.012, "p_error": 0.0004},
            0.048,
            C.DECREASED,
            "nearer to",
            "within three Monte Carlo errors of",
        ),
        ({"p_value": 0.012, "p_error": 0.0001}, 0.048, C.DECREASED, "nearer to", ""),
    ],
)
def test_test_and_intervals_decide_together(facts, p_holm, conclusion, toward, reason):
    change = with_conclusion(example(**facts), None, p_holm, 6, 0.95)
    assert (change.conclusion, change.toward_ideal) == (conclusion, toward)
    assert reason in change.reason
    assert bool(change.reason) == bool(reason)
    assert change.significant == (conclusion is C.DECREASED)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "toward"),
    [
        (1.5, 2.5, "further from"),
        (2.5, 1.5, "nearer to"),
        (2.0, 0.5, "nearer to"),  # to less than chance gives
        (0.5, 2.0, "further from"),
        (0.8, 0.2, ""),  # nothing below chance is further from it, or nearer
        (0.2, 0.8, ""),
    ],
)
def test_nothing_passes_a_mean_under_chance(first, second, toward, mirrored):
    """Of a score of which one direction is bias; the ideal value is 1."""
    sign = -1.0 if mirrored else 1.0
    ends = sorted(sign * (second - first + end) for end in (-0.1, 0.1))
    change = example(
        first=sign * first, second=sign * second, difference=sign * (second - first), low=ends[0], high=ends[1],
        ideal_first=sign, ideal_second=sign, distance_low=-0.1, distance_high=0.1,
        direction="lower_is_more_biased" if mirrored else "higher_is_more_biased",
    )  # fmt: skip
    assert with_conclusion(change, None, 0.01, 1, 0.95).toward_ideal == toward


def test_a_score_falls_below_its_mean_under_chance_and_passes_no_ideal_value():
    """Between scores on both sides of it, the interval of what exceeds the mean may include 0."""
    facts: dict[str, Any] = {
        "first": 2.0, "second": 0.5, "difference": -1.5, "low": -1.9, "high": -1.1, "ideal_first": 1.0,
        "ideal_second": 1.0, "distance_low": -0.9, "distance_high": 0.1, "excess": (-1.6, 0.1),
    }  # fmt: skip
    one_sided, two_sided = (
        with_conclusion(example(**facts, direction=direction), None, 0.01, 1, 0.95).toward_ideal
        for direction in ("higher_is_more_biased", "two_sided")
    )
    assert (one_sided, two_sided) == ("", "past")


def test_a_mean_under_chance_is_not_called_ideal():
    sides = [
        eb.measure(
            "tpr_gap",
            None,
            data=[
                {"predictions": "ab"[i // 2 % 2 ^ (i % 2 and i % 10 < wrong)], "references": "ab"[i // 2 % 2],
                 "groups": "fm"[i % 2]}
                for i in range(200)
            ],
        )
        for wrong in (0, 8)
    ]  # fmt: skip
    change = compare(*sides).changes[0]
    assert change.ideal_second == sides[1].expected_by_chance
    assert "further from the value expected by chance, 0." in change.sentence
    assert "ideal" not in change.sentence


def test_what_could_have_been_seen_is_at_the_level_of_the_family():
    """Next to a p-value that is adjusted for several tests."""
    (alone,), several = (
        compare(*(
            [dataclasses.replace(pairs(preferred), method=name) for name in methods]
            for preferred in (BASE, [*BASE[1:], True])
        )).changes[::3]
        for methods in (["pll"], ["pll", "aul", "crows_pairs"])
    )  # fmt: skip
    found = stats.paired_shares(BASE, [*BASE[1:], True], scale=100.0)
    assert alone.detectable == found.detectable(0.05 / 3)
    assert {c.detectable for c in several} == {found.detectable(0.05 / 9)}
    assert alone.more_items == found.more_units(0.05 / 3) < several[0].more_items
    assert stats.mcnemar_power(100, 0.3, found.detectable(0.05 / 9) / 100, 0.05 / 9) < 0.8


def test_no_end_and_no_detectable_change_is_larger_than_a_change_can_be():
    """Student's interval of few items is wider than the range of the score."""
    test = {"name": "toy", "targets_x": ["a", "b", "c"], "targets_y": ["d", "e", "f"],
            "attributes_a": ["good"], "attributes_b": ["bad"]}  # fmt: skip
    poles = {"good": [1.0, 0.0], "bad": [0.0, 1.0]}
    one, two = (poles | {w: [1.0, k / 10] for k, w in enumerate(order)} for order in ("abcdef", "fbdaec"))
    (change,) = compare(one, two, methods="weat", data=[test]).changes
    assert change.low == -4
    assert change.high < 4
    for error, seen in ((1.0, True), (1.5, False)):
        difference = stats.Difference(-0.5, None, None, 0.5, 0.0, "", "", 8, error=error)
        assert (with_conclusion(change, difference, 0.5, 1, 0.95).detectable is not None) is seen


def test_results_from_before_a_field_was_kept_are_to_be_measured_again():
    result = measured("bbq")
    rows = [
        dataclasses.replace(row, details={k: v for k, v in row.details.items() if k != "template"})
        for row in result.rows
    ]
    found = compare(dataclasses.replace(result, rows=tuple(rows)), result)
    assert any("measure again to test the change" in note for note in found.warnings)
    assert all(c.p_value is None and "no test was run" in c.sentence for c in found.changes)


# --- files of ready scores --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_files_of_scores_are_measured_with_the_options(tmp_path, ending):
    scores = pd.DataFrame({"sent_more": [-9.0 + k % 2 for k in range(60)], "sent_less": -8.5})
    write = {"csv": scores.to_csv, "jsonl": partial(scores.to_json, orient="records", lines=True)}
    files = [str(tmp_path / f"scores.{ending}")] * 2
    write[ending](files[0])
    found = [compare(*files, methods="pll", **more) for more in ({}, {"limit": 40})]
    assert [each.changes[0].n for each in found] == [60, 40]
    scores.sent_more *= 2
    write[ending](tmp_path / f"others.{ending}")
    other = compare(files[0], tmp_path / f"others.{ending}", methods="pll")
    assert not any("the data differ" in note for note in other.warnings), (
        "they are two models on the same data"
    )


def test_results_without_a_test_in_common_say_so():
    one, two = (weat_result([weat_item(name), weat_item("weat9" + name)]) for name in ("weat6", "weat7"))
    assert any("the two have no test in common" in note for note in compare(one, two).warnings)
    assert not any("in common" in note for note in compare(one, one).warnings)


# --- bad input ----------------------------------------------------------------------------------------------------


test_what_cannot_be_compared = refusals(
    lambda first, second, options: compare(first, second, **options),
    (pairs(BASE), pairs(BASE), {"seed": -1}, InputError, "seed", "0 or more"),
    ("a", "b", {"methods": 5}, InputError, "methods", "a list of strings"),
    (pairs(BASE), pairs(BASE), {"methods": "pll"}, InputError, "methods", "measured already"),
    (pairs(BASE), [pairs(BASE), 5], {}, InputError, "second", "`second` must be results"),
    (pairs(BASE), "demo-mlm-en", {}, InputError, None, "'demo-mlm-en', contains none"),
    ("x" * 300, "demo-mlm-en", {}, InputError, "methods", "name the methods"),
)


def test_functions_on_results_take_a_folder(tmp_path):
    write_results([pairs(BASE)], tmp_path / "results.jsonl")
    (change,) = [c for c in compare(tmp_path, str(tmp_path)).changes if c.kind == "overall"]
    assert change.unchanged
    assert gate(tmp_path, against=tmp_path, margin=10).passed
    assert len(eb.trust(tmp_path).rows) == len(eb.trust([pairs(BASE)]).rows) > 0
    assert "pll" in eb.card(tmp_path, tmp_path / "README.md").text
    missing = str(tmp_path / ("x" * 300))
    for call in (
        partial(gate, fail_if="pll > 1"),
        eb.trust,
        lambda path: eb.card(path, tmp_path / "README.md"),
    ):
        refused(DataError, "no results at", call, missing)


# --- what is drawn ------------------------------------------------------------------------------------------------


def decisions(seed: int, names: int, own: float = 0.0) -> Result:
    """Log-odds of names of two groups in 12 templates, with an effect of the model's own for every name."""
    rng = np.random.default_rng([3, names])
    shared = rng.normal(size=(2 * names, 12))
    rng = np.random.default_rng([seed, names])
    values = (
        shared
        + 0.1 * rng.normal(size=shared.shape)
        + own * np.where(np.arange(2 * names) % 3, 0.5, -1)[:, None]
    )
    return eb.measure("decision_gap", data=[
        {"question": float(v), "group": "xy"[i >= names], "template": f"t{t}", "name": f"n{i}"}
        for (i, t), v in np.ndenumerate(values)
    ], n_resamples=99)  # fmt: skip


def test_a_change_is_over_what_both_results_draw_and_says_so():
    one, two = decisions(1, 4), decisions(2, 4, own=0.4)
    crossed = compare(one, two).changes[0]
    assert crossed.sampled == one.sampled
    assert "for other names and templates: no significant change" in crossed.sentence
    (check,) = gate(two, against=one, margins={"decision_gap": 9.0}).checks
    assert "names, for other names and templates: worse by less than" in check.reason
    given = dataclasses.replace(two, sampled=Sampled(("templates",), {"names": 8}))
    for sides in ((one, given), (given, one)):
        over_templates = compare(*sides).changes[0]
        assert over_templates.sampled == given.sampled
        assert (over_templates.items, over_templates.n) == ("templates", 12)
        assert "for other templates, for these 8 names" in over_templates.sentence
    nothing = [
        dataclasses.replace(side, sampled=Sampled((), {"names": 8, "templates": 12})) for side in (one, two)
    ]
    untested = compare(*nothing).changes[0]
    assert (untested.p_value, untested.conclusion) == (None, C.UNCLEAR)
    assert "for these 8 names, for these 12 templates" in untested.sentence


def test_a_single_shared_name_of_a_group_shows_no_change():
    """It says nothing of the spread of its group, so that crossed mean squares do not exist."""
    one, two = decisions(1, 4), decisions(2, 4, own=0.4)
    rows = [
        dataclasses.replace(row, name=f"another {row.name}") if row.name in ("n4", "n5", "n6") else row
        for row in two.rows
    ]
    (change,) = compare(one, dataclasses.replace(two, rows=rows)).changes
    assert (change.p_value, change.conclusion, change.n) == (None, C.UNCLEAR, None)
    assert "a single item of one kind" in change.reason
