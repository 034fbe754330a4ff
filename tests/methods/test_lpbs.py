"""LPBS: golden cases, the slow way on tiny models, properties of the arithmetic, bad input, calibration."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.data.word_lists import languages, load_lpbs_tests, load_word_lists
from evaluate_bias.errors import (
    CoverageError,
    DataError,
    InputError,
    UndefinedScoreError,
)
from evaluate_bias.methods.templates.lpbs import method as lpbs
from evaluate_bias.methods.templates.lpbs.statistics import AttributeTest, LogProbs, attribute_scores
from evaluate_bias.methods.word_lists.association import AssociationOutcome, association_test
from evaluate_bias.methods.word_lists.inference import Inference
from evaluate_bias.models.table import TableMLM
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Result
from tests.support import naive_scoring as naive
from tests.support.refusals import refusals
from tests.support.tiny_models import loaded_bert, tiny_masked

TEST = {
    "name": "work",
    "targets_x": ["man", "doctor"],
    "targets_y": ["daughter"],
    "attributes_a": ["engineer", "old"],
    "attributes_b": ["nurse", "unkind"],
}
TEMPLATES = ["{target} is a {attribute}.", "The {attribute}: {target}"]


def test_packaged_tests_have_the_words_for_men_and_women_as_targets() -> None:
    both = ["kurita1", "kurita3", "kurita6", "kurita7", "kurita8", "lpbs1", "lpbs7"]
    found = load_lpbs_tests(tests=both)
    assert [t.name for t in found] == both
    for name in ("kurita6", "kurita7", "kurita8", "lpbs7"):
        assert found[name].targets_x == ("he", "boys", "men")
        assert found[name].targets_y == ("she", "girls", "women")
    for language in languages():
        lists = load_word_lists(language=language)
        for name in ("weat7", "weat8"):
            turned = load_lpbs_tests(language=language, tests=name)[0]
            assert (turned.targets_x, turned.targets_y) == (
                lists[name].attributes_a,
                lists[name].attributes_b,
            )
            assert (turned.attributes_a, turned.attributes_b) == (
                lists[name].targets_x,
                lists[name].targets_y,
            )
            assert (turned.x_label, turned.y_label) == ("male terms", "female terms")


# -- the slow way ----------------------------------------------------------------------------------------------------


def spans(template: str, target: str, attribute: str) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """A filled template, article and capital by hand, and the characters of both words."""
    text = template.replace(
        " a {attribute}", " an {attribute}" if attribute[0] in "aeiou" else " a {attribute}"
    )
    text = text.replace("{attribute}", attribute)
    start = text.index("{target}")
    at = text.index(attribute)
    if at > start:
        at += len(target) - len("{target}")
    text = text.replace("{target}", target)
    text = text[0].upper() + text[1:] if text.endswith(".") else text
    return text, (start, start + len(target)), (at, at + len(attribute))


def slow_logprob(
    model: Any, tokenizer: Any, template: str, target: str, attribute: str, prior: bool
) -> float:
    """Log-probability of the target: one text, one mask pattern at a time."""
    text, word, other = spans(template, target, attribute)
    return naive.word_logprob(model, tokenizer, text, word, other if prior else (0, 0))


def slow_scores(model: Any, tokenizer: Any, templates: list[str]) -> dict[str, float]:
    out = {}
    for attribute in [*TEST["attributes_a"], *TEST["attributes_b"]]:
        score = 0.0
        for template in templates:
            for name, sign in (("targets_x", 1), ("targets_y", -1)):
                for target in TEST[name]:
                    association = slow_logprob(model, tokenizer, template, target, attribute, False)
                    association -= slow_logprob(model, tokenizer, template, target, attribute, True)
                    score += sign * association / len(TEST[name]) / len(templates)
        out[attribute] = score
    return out


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
@pytest.mark.parametrize("templates", [TEMPLATES, "bare"], ids=["two templates", "bare"])
def test_equals_the_slow_way_whatever_the_batch(family: str, templates: Any) -> None:
    model, tokenizer = tiny_masked(family)
    texts = ["{target} {attribute}"] if templates == "bare" else templates
    expected = slow_scores(model, tokenizer, texts)
    values = list(expected.values())
    d = (np.mean(values[:2]) - np.mean(values[2:])) / np.std(values, ddof=1)
    for budget in (30, 4096):
        loaded = load_transformer((model, tokenizer), progress=False, batch_tokens=budget)
        result = lpbs.evaluate(loaded, [TEST], templates=templates, ci="none")
        (item,) = result.items
        assert {a["word"]: a["score"] for a in item["attributes"]} == pytest.approx(
            expected, rel=1e-6, abs=1e-4
        )
        assert result.score == pytest.approx(d, abs=1e-4)  # a ratio of differences of the scores
        assert (result.n, result.coverage.found, result.coverage.asked) == (4, 7, 7)


# -- the arithmetic --------------------------------------------------------------------------------------------------


def attribute_test(x: LogProbs, y: LogProbs, n_a: int, variant: Any = "default") -> AssociationOutcome:
    compared = AttributeTest.of(x, y, n_a, variant=variant)
    return association_test(compared, Inference(alternative="two-sided", ci="none"))


def random_words(rng: np.random.Generator, n: int, templates: int = 2, attributes: int = 6) -> LogProbs:
    shape = (n, templates, attributes)
    return LogProbs(rng.normal(-3, 1, shape), rng.normal(-3, 1, shape))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(2, 5),
    st.integers(2, 5),
    st.sampled_from(["default", "kurita-code"]),
)
def test_properties(seed: int, n_x: int, n_y: int, n_a: int, n_b: int, variant: Any) -> None:
    rng = np.random.default_rng(seed)
    x, y = random_words(rng, n_x, 2, n_a + n_b), random_words(rng, n_y, 2, n_a + n_b)
    outcome = attribute_test(x, y, n_a, variant=variant)
    scores = attribute_scores(x, y, variant)
    naive_d = (scores[:n_a].mean() - scores[n_a:].mean()) / scores.std(ddof=1)
    assert outcome.effect_size == pytest.approx(naive_d, rel=1e-9)

    # A word that is more likely everywhere, whatever the attribute, changes nothing.
    shift = rng.normal(size=(n_x, 2, 1)) if variant == "default" else 0.7
    likelier = LogProbs(x.target + shift, x.prior + shift)
    assert attribute_scores(likelier, y, variant) == pytest.approx(scores, rel=1e-9, abs=1e-9)

    # The p-value is the share of splits of the attributes that are as extreme.
    observed = abs(scores[:n_a].mean() - scores[n_a:].mean())
    splits = [set(c) for c in combinations(range(n_a + n_b), n_a)]
    extreme = sum(
        abs(np.mean([scores[k] for k in c]) - np.mean([scores[k] for k in set(range(n_a + n_b)) - c]))
        >= observed - 1e-9
        for c in splits
    )
    assert outcome.permutation.p_value == pytest.approx(extreme / len(splits), abs=1 / len(splits) + 1e-9)


# -- bad input -------------------------------------------------------------------------------------------------------


def evaluate(model: Any, templates: Any = "bare", **changes: Any) -> Result:
    return eb.measure("lpbs", model, data=[{**TEST, **changes}], templates=templates, ci="none")


BLIND = {
    text: {"0": {"he": 0.5, "she": 0.25}} for text in (*(f"[MASK] {w}" for w in "abcd"), "[MASK] [MASK]")
}
OF_BLIND = {"targets_x": ["he"], "targets_y": ["she"], "attributes_a": ["a", "b"], "attributes_b": ["c", "d"]}
BOTH_SLOTS = r"must have the slots \{target\} and \{attribute\}, each once"

test_templates_and_lists_that_are_refused = refusals(
    lambda templates, *tests: lpbs.evaluate(loaded_bert(), tests, templates=templates, ci="none"),
    (["{target} is nice."], TEST, DataError, None, BOTH_SLOTS),
    (["Nobody is here."], TEST, DataError, None, "has no slot"),
    (["{target} and {target} {attribute}"], TEST, DataError, None, "the slot 'target' twice"),
    (["{target} {attribute} {mask}"], TEST, DataError, None, BOTH_SLOTS),
    (["{target} {job}"], TEST, DataError, None, "unknown slot 'job'; choose from target, attribute"),
    ("bare", {**TEST, "attributes_b": ["Engineer", "old"]}, InputError, None, "'engineer', 'old' in both"),
    ("bare", {**TEST, "targets_y": []}, UndefinedScoreError, None, "work/targets_y is empty"),
    ("bare", {**TEST, "attributes_a": ["doctor"]}, UndefinedScoreError, None, "at least two attributes in"),
    ("bare", UndefinedScoreError, None, "no test was given: lpbs"),
    ("bare", TEST, TEST, InputError, "tests", "two tests are called 'work'"),
)

test_a_model_that_is_blind_to_attributes_has_no_score = refusals(
    lambda test: lpbs.evaluate(TableMLM(BLIND), [test]),
    ({"name": "blind", **OF_BLIND}, UndefinedScoreError, None, "the effect size is undefined"),
)


def test_words_that_cannot_be_scored_are_listed() -> None:
    unigram = load_transformer(tiny_masked("albert"), progress=False)
    words = ["man", "the doctor", "people", "the patient", "☃☃", "\u200b"]
    result = lpbs.evaluate(
        unigram, [{**TEST, "targets_x": words}], templates=TEMPLATES, ci="none", max_missing=0.4
    )
    reasons = {s.item: s.reason for s in result.skipped}
    assert reasons["☃☃"] == "'☃☃' is or contains the tokenizer's unknown token"
    assert set(reasons) == {"☃☃", "\u200b"}
    assert {s.where for s in result.skipped} == {"work/targets_x"}
    assert (result.coverage.found, result.coverage.asked) == (9, 11)
    with pytest.raises(CoverageError, match="2 of 6 words cannot be scored"):
        lpbs.evaluate(unigram, [{**TEST, "targets_x": words}], templates=TEMPLATES, ci="none")


def test_a_word_of_twenty_pieces_is_read_and_one_that_is_too_long_is_listed(bert: Any) -> None:
    long, endless = "h" * 24, "h" * 90
    pieces = bert.tokenizer(long)["input_ids"]
    assert len(pieces) - 2 >= 20
    result = lpbs.evaluate(bert, [{**TEST, "targets_x": ["man", long, endless]}], ci="none", max_missing=0.5)
    (word,) = [w for w in result.items[0]["words"] if w["word"] == long]
    slow = [
        slow_logprob(bert.model, bert.tokenizer, "{target} {attribute}", long, a, False)
        - slow_logprob(bert.model, bert.tokenizer, "{target} {attribute}", long, a, True)
        for a in (*TEST["attributes_a"], *TEST["attributes_b"])
    ]
    assert word["association"] == pytest.approx(np.mean(slow[:2]) - np.mean(slow[2:]), abs=1e-4)
    assert [(s.item, "more than the 64" in s.reason or "unknown" in s.reason) for s in result.skipped] == [
        (endless, True)
    ]


def test_an_attribute_that_fails_is_blamed_and_not_the_targets(bert: Any) -> None:
    result = lpbs.evaluate(
        bert, [{**TEST, "attributes_a": [*TEST["attributes_a"], "☃"]}], ci="none", max_missing=0.4
    )
    assert [s.where for s in result.skipped] == ["work/attributes_a"]
    assert result.coverage.found == 7


def test_lists(bert: Any) -> None:
    repeated = evaluate(bert, targets_x=["man", "Man", "man", "doctor"])
    assert [s.reason for s in repeated.skipped] == [
        "given 2 times, counted once",
        "the same word as 'man', counted once",
    ]
    both = evaluate(bert, targets_x=["daughter", "man"], attributes_a=["daughter", "doctor"])
    assert "work: daughter in both target lists, in which it cancels out or nearly so" in both.warnings
    assert "work: daughter both target and attribute" in both.warnings
