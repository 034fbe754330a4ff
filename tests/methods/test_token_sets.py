"""token_sets: naive sums, what is left out, data, bad input."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

import evaluate_bias as eb
from evaluate_bias.data.stereoset import load_token_sets
from evaluate_bias.errors import DataError, UndefinedScoreError
from evaluate_bias.models.table import TableMLM

WORDS = ["a", "b", "c", "d", "e"]


def model(rows: list[dict[str, float]]) -> TableMLM:
    table = {f"text {i} [MASK] end": {"2": row} for i, row in enumerate(rows)}
    return TableMLM(table, {"two": ["tw", "##o"]})


def item(i: int, first: list[str], second: list[str], kind: str = "") -> dict[str, object]:
    return {
        "text": f"text {i} BLANK end",
        "stereotypical": first,
        "anti_stereotypical": second,
        "bias_type": kind,
    }


def test_agrees_with_naive_sums() -> None:
    rng = np.random.default_rng(0)
    rows = [dict(zip(WORDS, (0.9 * p).tolist(), strict=True)) for p in rng.dirichlet(np.ones(5), size=40)]
    items = [item(i, WORDS[:2], WORDS[2:], "x" if i < 10 else "y") for i in range(40)]
    result = eb.measure("token_sets", model(rows), data=items)
    sums = [(row["a"] + row["b"], row["c"] + row["d"] + row["e"]) for row in rows]
    preferred = sum(a > b for a, b in sums)
    assert result.score == pytest.approx(100 * preferred / 40)
    assert result.p_value == pytest.approx(binomtest(preferred, 40).pvalue)
    ratios = [math.log(a / b) for a, b in sums]
    assert result.estimates["mean_delta"].value == pytest.approx(np.mean(ratios), abs=1e-6)
    assert [r.details["delta"] for r in result.rows_of("item")] == pytest.approx(ratios, abs=1e-5)
    assert {g.name: g.n for g in result.rows_of("group")} == {"x": 10, "y": 30}


def test_a_tie_counts_as_stereotypical_in_the_thesis() -> None:
    rows = [{"a": 0.3, "b": 0.3}] * 2 + [{"a": 0.4, "b": 0.2}] * 3 + [{"a": 0.2, "b": 0.4}]
    items = [item(i, ["a"], ["b"]) for i in range(6)]
    default, thesis = (eb.measure("token_sets", model(rows), data=items, preset=p) for p in (None, "thesis"))
    assert (default.score, default.ties) == (pytest.approx(50.0), 2)
    assert (thesis.score, thesis.ties, thesis.ideal) == (pytest.approx(100 * 5 / 6), 0, 50)
    assert thesis.p_value == eb.stats.proportion_z_test(5, 6, 0.5, "z").p_value
    assert thesis.p_method.endswith("ties kept as preferred")


def test_lms_compares_both_sets_together_with_unrelated_words() -> None:
    rows = [{"a": 0.2, "b": 0.2, "c": 0.3}, {"a": 0.2, "b": 0.05, "c": 0.3}, {"a": 0.5, "b": 0.1, "c": 0.1}]
    items = [{**item(i, ["a"], ["b"]), "unrelated": ["c", "two", "a"]} for i in range(2)] + [
        item(2, ["a"], ["b"])
    ]
    result = eb.measure("token_sets", model(rows), data=items)
    lms = result.estimates["lms"]
    wilson = eb.stats.wilson_interval(1, 2, 0.95)
    assert (lms.value, lms.low, lms.high) == pytest.approx((50.0, 100 * wilson.low, 100 * wilson.high))
    assert result.details["n_unrelated"] == 2
    assert {(s.item, s.where) for s in result.skipped} == {
        (w, f"{i}/unrelated") for i in "01" for w in ("two", "a")
    }
    assert "lms" not in eb.measure("token_sets", model(rows), data=items[2:]).estimates


def test_what_cannot_be_read_is_listed() -> None:
    rows = [{"a": 0.5, "b": 0.3, "c": 0.1}] * 3
    items = [item(0, ["a", "two"], ["b"]), item(1, ["two"], ["b"]), item(2, ["a", "b", "b"], ["b", "c"])]
    result = eb.measure("token_sets", model(rows), data=items)
    assert [(s.item, s.reason, s.where) for s in result.skipped] == [
        ("two", "is not one token to this model", "0/stereotypical"),
        ("two", "is not one token to this model", "1/stereotypical"),
        ("b", "the same token as 'b', counted once", "2/stereotypical"),
        ("b", "is in both sets", "2/stereotypical"),
        ("b", "is in both sets", "2/anti_stereotypical"),
        ("1", "no word of its set stereotypical can be read", "items"),
    ]
    assert (result.n, result.coverage.found, result.coverage.asked) == (2, 2, 3)
    with pytest.raises(UndefinedScoreError, match="none of the 1 items can be scored. The first, 'two'"):
        eb.measure("token_sets", model(rows), data=items[1:2])


def test_words_that_are_one_token_count_once() -> None:
    def of(first: list[str], second: list[str]) -> eb.Result:
        sentence = {"text": "The nurse said that BLANK was tired.", "stereotypical": first}
        return eb.measure("token_sets", "demo-mlm-en", data=[{**sentence, "anti_stereotypical": second}])

    once, again = of(["she"], ["he", "we"]), of(["she", "She"], ["he", "We", "we", "HE"])
    assert again.estimates == once.estimates
    assert [(s.item, s.reason) for s in again.skipped] == [
        (word, f"the same token as {other!r}, counted once")
        for word, other in (("She", "she"), ("we", "We"), ("HE", "he"))
    ]
    with pytest.raises(UndefinedScoreError, match="The first, 'she': is in both sets"):
        of(["she"], ["She"])


def test_stereoset_and_files(tmp_path: Path) -> None:
    packaged = load_token_sets()
    assert packaged.provenance["source"] == "stereoset_style"
    assert all(row.text.count("BLANK") == 1 and row.stereotypical for row in packaged)
    file = tmp_path / "sets.csv"
    file.write_text("text,stereotypical,anti_stereotypical\nthe nurse said BLANK left,she;her,he\n")
    (row,) = load_token_sets(file)
    assert (row.id, row.stereotypical, row.anti_stereotypical) == ("0", ("she", "her"), ("he",))
    file.write_text("text,stereotypical,anti_stereotypical\nthe nurse left,she,he\n")
    with pytest.raises(DataError, match="must contain BLANK once"):
        load_token_sets(file)
