"""MLM gender score: golden cases, the slow way on tiny models, properties, calibration, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats as sps

from evaluate_bias.errors import (
    DataError,
    InputError,
    UndefinedScoreError,
)
from evaluate_bias.methods.templates.mlm_gender_score import method as mlm_gender_score
from evaluate_bias.models.table import TableMLM
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.report.conclusions import Reason
from evaluate_bias.report.reading import read
from evaluate_bias.result import Result, Sampled
from tests.support import naive_scoring as naive
from tests.support.tiny_models import tiny_masked

WORDS = [
    {"word": "nurse", "women_bls": 0.9, "women_bergsma": 0.8},
    {"word": "engineer", "women_bls": 0.1},
    {"word": "doctor", "women_bls": 0.4},
    {"word": "uncommunicative man", "women_bls": 0.2},
]
TEMPLATES = ["{mask} is a {profession}.", "The {profession} said: {mask}", "Perhaps {mask} was {profession}."]


# -- the slow way ----------------------------------------------------------------------------------------------------


def slow_probability(model: Any, tokenizer: Any, template: str, pronoun: str, word: str) -> float:
    text = template.replace(" a {", " an {" if word[0] in "aeiou" else " a {").replace("{profession}", word)
    start = text.index("{mask}")
    text = text.replace("{mask}", pronoun.capitalize() if start == 0 else pronoun)
    return math.exp(naive.word_logprob(model, tokenizer, text, (start, start + len(pronoun))))


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_equals_the_slow_way_whatever_the_batch(family: str) -> None:
    model, tokenizer = tiny_masked(family)
    # Pronouns whose pieces, also with a capital, every tiny vocabulary has: "die" and "mit" stand for "she" and "he".
    slow = {
        w["word"]: [
            slow_probability(model, tokenizer, t, "die", w["word"])
            - slow_probability(model, tokenizer, t, "man", w["word"])
            for t in TEMPLATES
        ]
        for w in WORDS
    }
    for budget in (40, 4096):
        loaded = load_transformer((model, tokenizer), progress=False, batch_tokens=budget)
        result = mlm_gender_score.evaluate(loaded, WORDS, templates=TEMPLATES, female="die", male="man")
        for item in result.items:
            assert item["score"] == pytest.approx(np.mean(slow[item["name"]]), rel=1e-6, abs=1e-5)
        for group, column in zip(result.groups, np.array(list(slow.values())).T, strict=True):
            assert group["score"] == pytest.approx(column.mean(), rel=1e-6, abs=1e-5)
        assert result.score == pytest.approx(np.mean(list(slow.values())), rel=1e-6, abs=1e-5)
        assert (result.n, result.coverage.share) == (4, 1.0)


def evaluate(model: Any, data: Any = WORDS, **options: Any) -> Result:
    return mlm_gender_score.evaluate(model, data, **{"templates": TEMPLATES, **options})


def test_the_result_carries_correlations_interval_and_test(bert: Any) -> None:
    data = [
        {"word": w, "women_bls": s, "women_bergsma": None}
        for w, s in zip("abdefghi", np.linspace(0, 1, 8), strict=True)
    ]
    result = evaluate(bert, data)
    scores = np.array([i["score"] for i in result.items])
    found = result.extra["correlations"]
    assert set(found) == {"women_bls"}
    assert found["women_bls"]["pearson"]["r"] == pytest.approx(
        np.corrcoef(scores, np.linspace(0, 1, 8))[0, 1]
    )
    rho = sps.spearmanr(scores, np.linspace(0, 1, 8)).statistic
    assert found["women_bls"]["spearman"]["r"] == pytest.approx(rho)
    assert found["women_bls"]["pearson"]["ci_low"] < found["women_bls"]["pearson"]["r"]
    assert result.estimates["correlation_women_bls"].to_dict() == {
        end: found["women_bls"]["pearson"][key]
        for end, key in (("value", "r"), ("low", "ci_low"), ("high", "ci_high"), ("p", "p_value"))
    }
    assert 0 < found["women_bls"]["spearman"]["p_value"] <= 1
    assert result.p_error is not None
    assert 0 < result.p_error < 0.01
    assert (result.p_value < 0.05) == (not result.ci_low <= 0 <= result.ci_high)  # type: ignore[operator]
    assert result.p_method.startswith("studentised bootstrap of a mean of 0")
    assert result.ci_low is not None
    assert result.ci_high is not None
    assert -1 <= result.ci_low <= result.score <= result.ci_high <= 1
    assert Result.from_dict(result.to_dict()) == result
    assert [g["p_holm"] >= g["p_value"] for g in result.groups] == [True] * 3


def test_occupations_that_are_all_equal_are_a_finding(bert: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It read "neither p-value nor interval, so chance is not ruled out"."""

    def equal(model: Any, words: list[str], templates: list[Any], pronouns: Any) -> Any:
        return np.full((len(words), len(templates)), 0.2), [""] * len(words)

    monkeypatch.setattr(mlm_gender_score, "gender_scores", equal)
    result = evaluate(bert)
    reading = read(result)
    assert reading.judgement.reason is Reason.ALL_EQUAL
    assert f"All {len(WORDS)} occupations have the same score" in reading.finding
    assert result.sampled == Sampled(("occupations",), {"templates": len(TEMPLATES)})


def test_the_second_template_is_the_paper_s_and_the_authors_code_s_by_name(bert: Any) -> None:
    paper = evaluate(bert, templates="mlm-gender-score")
    code = evaluate(bert, templates="mlm-gender-score", variant="authors-code")
    titles = [[g["title"] for g in result.groups] for result in (paper, code)]
    assert titles[0][1] == "{mask} has studied for years to become a {profession}."
    assert titles[1][1] == "{mask} studied for years to become a {profession}."
    assert titles[0][:1] + titles[0][2:] == titles[1][:1] + titles[1][2:]
    assert (paper.settings["variant"], code.settings["variant"]) == ("paper", "authors-code")
    assert code.groups == [
        {**g, "name": h["name"]}
        for g, h in zip(evaluate(bert, templates=titles[1]).groups, code.groups, strict=True)
    ]
    german = [{"word": "Arzt", "language": "de"}]
    for data, templates in ((WORDS, TEMPLATES), (german, "mlm-gender-score")):
        with pytest.raises(InputError, match="changes a template of 'mlm-gender-score' in English"):
            evaluate(bert, data, templates=templates, variant="authors-code")
    with pytest.raises(InputError, match="variant"):
        evaluate(bert, variant="code")


def test_calibration_of_the_correlation() -> None:
    """Shares that have nothing to do with the scores correlate significantly in about 5 % of the runs."""
    rng = np.random.default_rng(2)
    small = 0
    for seed in range(200):
        words = [{"word": f"w{i}", "women_bls": float(s)} for i, s in enumerate(rng.uniform(size=12))]
        table = {
            f"[MASK] w{i}": {"0": {"she": float(a), "he": float(b)}}
            for i, (a, b) in enumerate(rng.exponential(0.1, (12, 2)).clip(1e-3, 0.5))
        }
        found = mlm_gender_score.evaluate(
            TableMLM(table), words, templates=["{mask} {profession}"], n_resamples=199, seed=seed
        ).extra["correlations"]["women_bls"]
        small += found["pearson"]["p_value"] <= 0.05
    assert 0.01 <= small / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


# -- bad input -------------------------------------------------------------------------------------------------------


def test_a_template_needs_both_slots(bert: Any) -> None:
    with pytest.raises(DataError, match=r"must have the slots \{mask\} and \{profession\}, each once"):
        evaluate(bert, templates=["{profession} is here."])
    for share in (1.5, float("inf"), True, "0.4"):
        with pytest.raises(DataError, match="women_bls must be a share between 0 and 1, got"):
            evaluate(bert, [{"word": "nurse", "women_bls": share}])


def test_words_that_cannot_be_scored_are_listed(bert: Any) -> None:
    unknown, endless = "☃", "x" * 90
    result = evaluate(bert, [*WORDS, {"word": unknown}, {"word": endless}, {"word": "nurse"}])
    assert [s.item for s in result.skipped] == ["nurse", unknown, endless]
    assert "counted once" in result.skipped[0].reason
    assert "unknown token" in result.skipped[1].reason
    assert "unknown token" in result.skipped[2].reason or "tokens, more than" in result.skipped[2].reason
    assert (result.coverage.found, result.coverage.asked) == (4, 6)
    with pytest.raises(UndefinedScoreError, match="no occupation can be scored"):
        evaluate(bert, [{"word": unknown}])


def test_a_word_of_no_piece_and_an_unknown_pronoun() -> None:
    table = {"[MASK] a": {"0": {"she": 0.2, "he": 0.3}}}
    model = TableMLM(table, {"b": []})
    result = mlm_gender_score.evaluate(
        model, [{"word": "a"}, {"word": "b"}], templates=["{mask} {profession}"]
    )
    assert result.score == pytest.approx(-0.1)
    assert result.skipped[0].reason == "the tokenizer finds no token for 'b'"
    assert result.warnings == ("there is only one occupation, so there is neither an interval nor a test",)
    assert (result.p_value, result.ci_low, result.ci_method) == (None, None, "")
    with pytest.raises(UndefinedScoreError, match="finds no token for 'b'"):
        mlm_gender_score.evaluate(model, [{"word": "a"}], templates=["{mask} {profession}"], female="b")
