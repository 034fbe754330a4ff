"""BEC-Pro: golden cases, the slow way on tiny models, the tests against scipy's, calibration, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sps

from evaluate_bias import stats
from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.methods.templates.bec_pro import method as bec_pro
from evaluate_bias.methods.templates.bec_pro.statistics import (
    cells_of,
    paired_test,
    stereotypical,
)
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Sampled
from tests.support import naive_scoring as naive
from tests.support.refusals import refusals
from tests.support.tiny_models import loaded_bert, tiny_masked

PERSONS = {"male": ("man", "my doctor"), "female": ("daughter", "my nurse")}
PROFESSIONS = {
    "engineer": "male",
    "doctor": "male",
    "nurse": "female",
    "patient": "female",
    "the old man": "balanced",
}


def sentences() -> list[dict[str, Any]]:
    """A small set in the form of the published one."""
    return [
        {
            "sentence": text.format(phrase, profession),
            "person": phrase.split()[-1],
            "gender": gender,
            "profession": profession,
            "profession_gender": group,
            "template": text,
        }
        for text in ("the {} is a {}.", "{} helped: {}")
        for profession, group in PROFESSIONS.items()
        for gender, phrases in PERSONS.items()
        for phrase in phrases
    ]


# -- the slow way ----------------------------------------------------------------------------------------------------


def slow_association(model: Any, tokenizer: Any, row: dict[str, Any]) -> float:
    text, person, profession = row["sentence"], row["person"], row["profession"]
    start, place = text.lower().index(person), text.rindex(profession)
    spans = (start, start + len(person)), (place, place + len(profession))
    score = naive.word_logprob(model, tokenizer, text, spans[0])
    return score - naive.word_logprob(model, tokenizer, text, *spans)


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_equals_the_slow_way_whatever_the_batch(family: str) -> None:
    model, tokenizer = tiny_masked(family)
    rows = [r for r in sentences() if r["template"].startswith("the")]
    slow = [slow_association(model, tokenizer, row) for row in rows]

    def mean(**fields: str) -> float:
        return float(
            np.mean([a for a, r in zip(slow, rows, strict=True) if all(r[k] == v for k, v in fields.items())])
        )

    d = {p: mean(profession=p, gender="female") - mean(profession=p, gender="male") for p in PROFESSIONS}
    expected = (d["nurse"] + d["patient"] - d["engineer"] - d["doctor"]) / 4
    for budget in (40, 4096):
        loaded = load_transformer((model, tokenizer), progress=False, batch_tokens=budget)
        result = bec_pro.evaluate(loaded, rows)
        assert {i["name"]: i["score"] for i in result.items} == pytest.approx(d, rel=1e-6, abs=1e-4)
        assert result.score == pytest.approx(expected, rel=1e-6, abs=1e-4)
        for group in result.groups:
            for gender in ("female", "male"):
                assert group[gender] == pytest.approx(
                    mean(profession_gender=group["name"].split()[0], gender=gender), rel=1e-6, abs=1e-4
                )
        assert (result.coverage.found, result.skipped) == (len(rows), ())
        assert result.sampled == Sampled(("professions", "words"))


# -- the arithmetic --------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 40), st.integers(0, 10**6), st.booleans(), st.booleans())
def test_paired_test_is_that_of_scipy(n: int, seed: int, skewed: bool, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    if skewed:
        a = a + rng.exponential(1, n) ** 3
    if ties:
        a, b = np.round(a, 1), np.round(b, 1)
    d = a - b
    if np.ptp(d) < 1e-3:
        return
    found = paired_test(a, b)
    assert found.shapiro_p == pytest.approx(sps.shapiro(d).pvalue)
    expected = sps.ttest_rel(a, b) if found.shapiro_p >= 0.05 else sps.wilcoxon(a, b)  # type: ignore[operator]
    assert found.test == ("paired t" if found.shapiro_p >= 0.05 else "Wilcoxon")  # type: ignore[operator]
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-6)
    z = sps.wilcoxon(a, b, method="asymptotic", alternative="greater").zstatistic
    assert found.z == pytest.approx(z, abs=1e-9)
    assert -1 <= found.r <= 1
    if found.test == "Wilcoxon":
        assert found.r == pytest.approx(found.z / np.sqrt(n))
    assert np.sign(found.r) == np.sign(found.z) or found.test == "paired t"
    swapped = paired_test(b, a)
    assert (swapped.z, swapped.r) == pytest.approx((-found.z, -found.r))


@pytest.mark.parametrize("paired", [True, False])
def test_the_score_of_all_cells_is_half_the_difference_of_d(paired: bool) -> None:
    means = np.random.default_rng(1).normal(size=(12, 20))
    female, male, groups = [0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11], ([*range(12)], [*range(12, 20)])
    cells = cells_of(means, [female, male], groups, paired=paired)
    d = means[female].mean(axis=0) - means[male].mean(axis=0)
    assert cells.shape == (20, 6 if paired else 12, 8)
    assert stereotypical(cells.sum(axis=(0, 1))[None]) == pytest.approx((d[:12].mean() - d[12:].mean()) / 2)


def test_calibration_of_both_tests() -> None:
    """Words have associations of their own, common to all professions, and nothing else: the permutation test of the
    score keeps its level, while a test of sentences within a group does not, because it takes them as independent."""
    rng = np.random.default_rng(3)
    runs, score_small, sentence_small = 300, 0, 0
    for _ in range(runs):
        words = rng.normal(0, 1, 12)[:, None]  # six female, six male
        professions = rng.normal(0, 1, 20)[None, :]
        table = words + professions + rng.normal(0, 1, (12, 20))
        d = table[:6].mean(axis=0) - table[6:].mean(axis=0)
        score_small += stats.permutation_test(d[:10], d[10:], alternative="two-sided").p_value <= 0.05
        sentence_small += paired_test(table[:6, :10].ravel(), table[6:, :10].ravel()).p_value <= 0.05
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert 0.01 <= score_small / runs <= limit
    assert sentence_small / runs > 2 * limit


# -- bad input -------------------------------------------------------------------------------------------------------


def test_words_that_cannot_be_scored_are_listed(bert: Any) -> None:
    rows = sentences()
    endless = "x" * 90
    extra = [
        {
            **r,
            "sentence": r["sentence"].replace("engineer", new),
            "profession": new,
            "profession_gender": "balanced",
        }
        for r in rows
        if r["profession"] == "engineer"
        for new in ("☃", endless)
    ]
    result = bec_pro.evaluate(bert, [*rows, *extra])
    assert {(s.item, s.where) for s in result.skipped} == {("☃", "profession"), (endless, "profession")}
    assert all("unknown token" in s.reason or "tokens, more than" in s.reason for s in result.skipped)
    assert (result.coverage.found, result.coverage.asked) == (40, 56)
    assert result.score == pytest.approx(bec_pro.evaluate(bert, rows).score, abs=1e-6)


def test_a_missing_sentence_costs_the_word_or_profession_with_the_larger_share(bert: Any) -> None:
    rows = sentences()
    gone = next(i for i, r in enumerate(rows) if r["person"] == "man" and r["profession"] == "the old man")
    result = bec_pro.evaluate(bert, rows[:gone] + rows[gone + 1 :])
    assert [(s.item, s.reason) for s in result.skipped] == [
        ("the old man", "one of its sentences is missing")
    ]
    twice = bec_pro.evaluate(bert, [*rows, rows[0]])
    assert [s.reason for s in twice.skipped] == ["its words and template were given before"]


test_one_sided_data = refusals(
    lambda keep: bec_pro.evaluate(loaded_bert(), [r for r in sentences() if keep(r)]),
    (lambda r: r["profession_gender"] != "male", UndefinedScoreError, None, "no male one can be scored"),
    (lambda r: r["profession_gender"] == "balanced", UndefinedScoreError, None, "no female one can be"),
    (lambda r: r["gender"] == "male", UndefinedScoreError, None, "no female word for a person can be scored"),
    (lambda r: False, UndefinedScoreError, None, "no data were given: bec_pro"),
)


def test_forms_of_a_profession_need_what_they_have_in_common(bert: Any) -> None:
    rows = [
        {**r, "profession": r["profession"], "profession_en": f"{r['profession']} {r['gender']}"}
        for r in sentences()
    ]
    with pytest.raises(UndefinedScoreError, match="profession_en tells which belong together"):
        bec_pro.evaluate(bert, [r for r in rows if r["person"] in ("man", "daughter")][:1] + rows[-1:])
