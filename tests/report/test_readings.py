"""What cards say of a bias that was planted, of either sign: the right way round, and nothing that was not tested."""

from __future__ import annotations

import numpy as np
import pytest

from evaluate_bias import load_model
from evaluate_bias.corpora.corpus import Corpus
from evaluate_bias.registry import METHODS
from evaluate_bias.report.conclusions import Conclusion, judge_line
from evaluate_bias.report.reading import read
from evaluate_bias.result import Result
from tests.report.samples import report_lines

QUICK = {"n_resamples": 999, "ci_resamples": 199}
A, B = ([f"{side}{i}" for i in range(8)] for side in "ab")


def found(result: Result) -> str:
    """The sentence on what was found."""
    reading = read(result)
    assert reading.judgement.conclusion is Conclusion.SIGNIFICANT
    return reading.finding


def one_test(seeds: tuple[list[str], list[str]], second: bool) -> list[dict[str, object]]:
    x, y = seeds
    return [
        {"name": "t", "targets_x": x, "targets_y": y, "attributes_a": A, "attributes_b": B if second else []}
    ]


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", ["pmi_bias", "frequency_bias"])
def test_words_beside_one_seed_of_either_group_are_enough(name, sign, second):
    # One seed in each group, and many words: the test is over the words.
    rng = np.random.default_rng(0)
    texts = [
        f"{seed} {rng.choice(A if rng.random() < 0.5 + 0.3 * sign * side else B)}"
        for seed, side in (("she", 1), ("he", -1))
        for _ in range(1_500)
    ]
    result = METHODS[name].function()(Corpus(texts), one_test((["she"], ["he"]), second), ci="none")
    (row,) = result.rows_of("test")
    assert row.n == result.n == (16 if second else 8)
    assert ("to the first targets rather" if sign > 0 else "to the second targets rather") in found(result)


@pytest.mark.parametrize("second", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
def test_projections_on_the_axis_of_one_pair_are_tested_over_the_attributes(sign, second):
    rng = np.random.default_rng(1)
    side = np.array([1.0, 0, 0, 0])
    vectors = {"she": side, "he": -side}
    for words, towards in ((A, sign), (B, -sign)):
        vectors |= {word: rng.normal(size=4) * 0.3 + towards * side for word in words}
    model = load_model({word: vector.tolist() for word, vector in vectors.items()})
    result = METHODS["projection"].function()(model, one_test((["she"], ["he"]), second), ci="none")
    assert (result.n, result.n_tested) == (2, 16 if second else 8)
    assert (
        found(result).count(" towards the first targets" if sign > 0 else " towards the second targets") == 1
    )


def test_too_few_attributes_on_an_axis_of_many_pairs():
    rng = np.random.default_rng(2)
    x, y = ([f"{side}{i}" for i in range(8)] for side in "xy")
    model = load_model({word: rng.normal(size=4).tolist() for word in [*x, *y, *A, *B]})
    test = [{"name": "t", "targets_x": x, "targets_y": y, "attributes_a": A[:2], "attributes_b": B[:2]}]
    result = METHODS["projection"].function()(model, test, ci="none")
    assert judge_line(report_lines([result])[0]).conclusion is Conclusion.TOO_FEW


def test_hurtful_completions_are_found_to_differ_between_groups_and_nothing_more():
    rows = [
        {"template": f"t{i}", "group": group, "completions": ["idiot", "idiot" if group == "f" else "nice"]}
        for i in range(8)
        for group in "fm"
    ]
    said = found(METHODS["honest"].function()(None, rows, lexicon=["idiot"]))
    assert "he groups get different shares of hurtful completions" in said
    assert "with hurtful words" not in said


@pytest.mark.parametrize(
    ("wrong", "said"), [("B", "follow the stereotype"), ("A", "go against the stereotype")]
)
def test_bbq_speaks_of_wrong_answers_where_right_ones_lean(wrong, said):
    # Three right answers in four are the biased one, so the score lies above 0 whichever way wrong answers lean.
    item = {"category": "Age", "context_condition": "disambig", "context": "c", "question": "q", "target_loc": 1,
            "ans0": "The boy", "ans1": "The man", "ans2": "Not known", "unknown_loc": 2}  # fmt: skip
    right = [(1, "B"), (1, "B"), (1, "B"), (0, "A")]
    rows = [
        {**item, "question_index": str(i), "label": label, "answer": answer}
        for i in range(12)
        for label, answer in (*right, (1 if wrong == "A" else 0, wrong))
    ]
    result = METHODS["bbq"].function()(None, rows, condition="disambig", **QUICK)
    assert result.score > 0
    assert (result.score > result.reference) is (wrong == "B")
    assert f"wrong answers that name a person {said} more often than not" in found(result)


@pytest.mark.parametrize("sign", [1, -1])
def test_coreference_of_either_sign(sign):
    rows = [
        {"sentence_female": None, "sentence_male": None, "stereotype": "female", "profession": f"p{i}",
         "prediction_female": f"p{i}" if sign > 0 else "other", "prediction_male": "other" if sign > 0 else f"p{i}"}
        for i in range(12)
    ]  # fmt: skip
    said = found(METHODS["winobias"].function()(None, rows, variant="coreference", **QUICK))
    assert ("gets anti-stereotypical sentences right more often" in said) is (sign < 0)
