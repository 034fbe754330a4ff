"""DisCo: golden cases, the slow way on tiny models, properties, calibration, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sps

from evaluate_bias.data.templates import load_templates
from evaluate_bias.data.words import load_gendered_words
from evaluate_bias.errors import DataError, UndefinedScoreError
from evaluate_bias.method import Finding
from evaluate_bias.methods.templates.disco import fills as disco_fills
from evaluate_bias.methods.templates.disco import method as disco
from evaluate_bias.methods.templates.disco.fills import Fills
from evaluate_bias.methods.templates.disco.significant_fills import (
    association_p_values,
    differing_fills_finding,
    significant_fills_finding,
)
from evaluate_bias.methods.word_lists.inference import Inference
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Skipped
from tests.support.tiny_models import tiny_masked

PAIRS = [
    {"female": "daughter", "male": "man", "kind": "person"},
    {"female": "grandmother", "male": "grandfather", "kind": "kinship"},
    {"female": "nurse", "male": "engineer", "kind": "role"},
    {"female": "Was", "male": "Die", "kind": "name"},
]
TEMPLATES = ["{person} is {mask}.", "The {mask} said that {person} left.", "{person}'s bridge: {mask}"]


# -- the slow way ----------------------------------------------------------------------------------------------------


def sentence(template: str, word: str, kind: str, mask: str) -> str:
    text = template.replace("{person}", word if kind == "name" else f"the {word}").replace("{mask}", mask)
    start = 0 if not template.startswith("{mask}") else len(mask)
    return text[:start] + text[start].upper() + text[start + 1 :] if text.endswith(".") else text


@torch.no_grad()
def slow_probabilities(model: Any, tokenizer: Any, text: str) -> list[tuple[float, str]]:
    """The probability of every token and how it is shown, which is the same for the piece "b" and the word "b"."""
    ids = tokenizer(text)["input_ids"]
    logits = model(input_ids=torch.tensor([ids])).logits[0, ids.index(tokenizer.mask_token_id)].double()
    p = logits.softmax(-1).tolist()
    return [
        (value, tokenizer.decode([token]).strip() or tokenizer.convert_ids_to_tokens(token))
        for token, value in enumerate(p)
    ]


def slow_webster(
    p: dict[tuple[str, str, str], list[tuple[float, str]]], top_k: int
) -> tuple[list[int], float]:
    """Significant fills of every template and the smallest p-value times the number of tests, by loops."""
    tables = []
    for template in TEMPLATES:
        top = {key: {f for _, f in sorted(of)[-top_k:]} for key, of in p.items() if key[2] == template}
        for fill in {f for fills in top.values() for f in fills}:
            female = [fill in fills for (gender, _, _), fills in top.items() if gender == "female"]
            male = [fill in fills for (gender, _, _), fills in top.items() if gender == "male"]
            table = [[sum(female), len(female) - sum(female)], [sum(male), len(male) - sum(male)]]
            constant = 0 in (sum(female) + sum(male), len(female) + len(male) - sum(female) - sum(male))
            p_value = 1.0 if constant else sps.chi2_contingency(table, correction=False).pvalue
            tables.append((template, p_value))
    counts = [sum(t == template and q * len(tables) < 0.05 for t, q in tables) for template in TEMPLATES]
    return counts, min(1.0, len(tables) * min(q for _, q in tables))


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_equals_the_slow_way_whatever_the_batch(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, tokenizer = tiny_masked(family)
    # With a mask that takes the blank before it along.
    tokenizer = load_transformer((model, tokenizer)).tokenizer
    probabilities = {
        (gender, pair[gender], template): slow_probabilities(
            model, tokenizer, sentence(template, pair[gender], pair["kind"], tokenizer.mask_token)
        )
        for pair in PAIRS
        for gender in ("female", "male")
        for template in TEMPLATES
    }
    differing = [
        [
            len(
                {f for q, f in probabilities["female", pair["female"], t] if q > 0.1}
                ^ {f for q, f in probabilities["male", pair["male"], t] if q > 0.1}
            )
            for pair in PAIRS
        ]
        for t in TEMPLATES
    ]
    for budget, at_once in ((16, 1), (4096, 1 << 25)):
        monkeypatch.setattr(disco_fills, "_NUMBERS_AT_ONCE", at_once)
        loaded = load_transformer((model, tokenizer), progress=False, batch_tokens=budget)
        result = disco.evaluate(loaded, PAIRS, templates=TEMPLATES)
        counts, p = slow_webster(probabilities, 3)
        assert result.skipped == ()
        assert [i["score"] for i in result.items] == counts
        assert result.p_value == pytest.approx(p, rel=1e-6)
        other = disco.evaluate(loaded, PAIRS, templates=TEMPLATES, variant="lauscher")
        assert [i["score"] for i in other.items] == pytest.approx(np.mean(differing, axis=1))
        assert other.score == pytest.approx(np.mean(differing))


# -- properties ------------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 10**6))
def test_p_values_are_those_of_scipy(n_female: int, n_male: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    f, m = rng.integers(0, n_female + 1, 6), rng.integers(0, n_male + 1, 6)
    ours = association_p_values(f, m, n_female, n_male)
    exact = association_p_values(f, m, n_female, n_male, test="fisher")
    for a, b, p, q in zip(f, m, ours, exact, strict=True):
        table = np.array([[a, n_female - a], [b, n_male - b]])
        constant = a + b in (0, n_female + n_male)
        assert p == pytest.approx(
            1.0 if constant else sps.chi2_contingency(table, correction=False).pvalue, rel=1e-9, abs=1e-300
        )
        assert q == pytest.approx(sps.fisher_exact(table).pvalue, rel=1e-9)
    assert association_p_values(m, f, n_male, n_female) == pytest.approx(ours)


def drawn_fills(rng: np.random.Generator, n: int, templates: int, shift: float = 0.0) -> Fills:
    """Three of forty fills for every word, rarer ones more rarely; ``shift`` favours the first for women."""
    weights = -np.log(np.arange(1, 41))
    of = {}
    for gender in ("female", "male"):
        boost = np.zeros(40)
        boost[0] = shift if gender == "female" else -shift
        for i in range(n):
            keys = weights + boost + rng.gumbel(size=(templates, 40))
            of[gender, f"{gender}{i}"] = [frozenset(map(str, np.argsort(row)[-3:])) for row in keys]
    return Fills(of, ())


INFERENCE = Inference(n_resamples=199)


def score(fills: Fills, templates: int, test: Any = "chi2") -> Finding:
    made = [load_templates("disco")[k] for k in range(templates)]
    return significant_fills_finding(fills, made, 0.05, test, INFERENCE)


@pytest.mark.parametrize("test", ["chi2", "fisher"])
def test_calibration(test: str) -> None:
    """Without any association the score is above 0 in no more than 5 % of the runs; with one it is found."""
    rng = np.random.default_rng(1)
    runs = 150 if test == "chi2" else 50
    above = sum(score(drawn_fills(rng, 25, 4), 4, test=test).score > 0 for _ in range(runs))
    assert above / runs <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    strong = score(drawn_fills(np.random.default_rng(9), 25, 4, shift=3.0), 4, test=test)
    assert strong.score >= 1.0
    assert strong.rows[0].score >= 1.0


def test_lauscher_range_and_interval() -> None:
    fills = drawn_fills(np.random.default_rng(4), 10, 5)
    pairs = [
        load_gendered_words()[0].model_copy(update={"female": f"female{i}", "male": f"male{i}"})
        for i in range(10)
    ]
    made = [load_templates("disco")[k] for k in range(5)]
    found = differing_fills_finding(pairs, fills, made, 0.1, INFERENCE)
    assert found.score_range == (0.0, 18.0)
    assert found.ci_low is not None
    assert found.ci_high is not None
    assert found.ci_low <= found.score <= found.ci_high
    assert found.score == pytest.approx(np.mean([p["score"] for p in found.details["pairs"]]))
    assert differing_fills_finding(pairs, fills, made, 0.3, INFERENCE).score_range == (0.0, 6.0)


# -- bad input -------------------------------------------------------------------------------------------------------


def test_a_template_needs_both_slots(bert: Any) -> None:
    with pytest.raises(DataError, match=r"must have the slots \{person\} and \{mask\}, each once"):
        disco.evaluate(bert, PAIRS, templates=["{person} is here."])


@pytest.mark.parametrize("language", ["de", "es", "fr", "is", "it", "nl", "no", "tr"])
def test_the_packaged_words_fill_the_packaged_templates(language: str) -> None:
    pairs = load_gendered_words(language, kinds=["kinship", "name"])
    texts = disco_fills.person_texts(list(pairs), language)
    assert not [t for t in texts.values() if isinstance(t, Skipped)]
    for template in load_templates("disco", language):
        filled = template.fill(person=next(iter(texts.values())), mask="[MASK]")  # type: ignore[arg-type]
        assert filled.text.count("[MASK]") == 1


def test_words_that_cannot_be_scored_are_listed(bert: Any) -> None:
    rows = [
        *PAIRS,
        {"female": "she", "male": "he", "kind": "pronoun"},
        {"female": "feminine", "male": "masculine", "kind": "person"},
        {"female": "☃", "male": "x" * 90, "kind": "name"},
        {"female": "Kim", "male": "Kim", "kind": "name"},
    ]
    result = disco.evaluate(bert, rows, templates=TEMPLATES)
    reasons = {(s.where, s.item): s.reason for s in result.skipped}
    assert reasons["female", "she"] == "no name or noun for a person, which the templates need"
    assert reasons["male", "masculine"] == reasons["female", "she"]
    assert reasons["female", "☃"] == "'☃' is or contains the tokenizer's unknown token"
    assert "unknown token" in reasons["male", "x" * 90] or "tokens, more than" in reasons["male", "x" * 90]
    assert reasons["male", "Kim"] == reasons["female", "Kim"] == "given as a word of both genders"
    assert (result.coverage.found, result.coverage.asked) == (8, 16)
    pairs = disco.evaluate(bert, rows, templates=TEMPLATES, variant="lauscher")
    assert (pairs.coverage.found, pairs.coverage.asked) == (4, 8)
    with pytest.raises(UndefinedScoreError, match="no female word can be scored. The first of these, 'she'"):
        disco.evaluate(bert, rows[4:5])
    with pytest.raises(UndefinedScoreError, match="no pair has two words that can be scored"):
        disco.evaluate(bert, rows[4:5], variant="lauscher")


def test_templates_of_vig_take_persons_for_professions() -> None:
    texts = [t.text.replace("The {profession}", "{person}") for t in load_templates("vig")]
    assert len(texts) == 17
    assert texts[0] == "{person} said that {mask}"
    model = load_transformer(tiny_masked("bert"))
    found = disco.evaluate(model, PAIRS, templates="vig", n_resamples=99)
    assert found.n == 17
    assert found.score == disco.evaluate(model, PAIRS, templates=texts, n_resamples=99).score
    assert found.settings["templates"] == "vig"
