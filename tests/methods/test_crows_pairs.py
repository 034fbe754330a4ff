"""CrowS-Pairs: the golden cases, the variants against the slow way, and the real 1,508 pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.sentence_pairs import SentencePairSet, load_sentence_pairs
from evaluate_bias.errors import CapabilityError
from evaluate_bias.methods.pair_scoring import shared_positions
from evaluate_bias.methods.pairs.crows_pairs import method as crows_pairs
from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.load import load_model
from evaluate_bias.models.transformer import load_transformer
from tests.support import naive_scoring as naive
from tests.support.tiny_models import tiny_causal, tiny_masked

SIZES = {
    "race-color": 516,
    "gender": 262,
    "socioeconomic": 172,
    "nationality": 159,
    "religion": 105,
    "age": 87,
    "sexual-orientation": 84,
    "physical-appearance": 63,
    "disability": 60,
}


@pytest.fixture(scope="module")
def published() -> SentencePairSet:
    return load_sentence_pairs("crows_pairs")


@pytest.mark.parametrize("variant", crows_pairs.VARIANTS)
def test_variants_equal_the_slow_way(variant: Any) -> None:
    model, tokenizer = tiny_causal("gpt2") if variant == "causal" else tiny_masked("bert")
    data = list(load_sentence_pairs(bias_types="age"))[:5]
    result = crows_pairs.evaluate(load_transformer((model, tokenizer), progress=False), data, variant=variant)
    assert result.n + len(result.skipped) == 5
    assert result.settings["variant"] == variant
    of = {pair.id: pair for pair in data}
    for item in result.items:
        texts = of[item["name"]].sent_more.lower(), of[item["name"]].sent_less.lower()
        if variant == "causal":
            texts = of[item["name"]].sent_more, of[item["name"]].sent_less
        expected = naive.pair_scores(model, tokenizer, *texts, crows_pairs.VARIANTS[variant])
        assert (item["score_more"], item["score_less"]) == pytest.approx(expected, rel=1e-6, abs=1e-5)
        rounded = [round(s, 3) for s in expected]
        verdict = {True: "more", False: "less"}[rounded[0] > rounded[1]]
        assert item["verdict"] == ("neutral" if rounded[0] == rounded[1] else verdict)


def test_each_kind_of_model_has_its_variants() -> None:
    sentences = [{"sent_more": "she left", "sent_less": "he left", "id": str(i)} for i in range(3)]
    with pytest.raises(CapabilityError, match="`variant` set to 'causal'") as refused:
        eb.measure("crows_pairs", tiny_causal("gpt2"), data=sentences)
    assert refused.value.option == "variant"
    assert "scoring" not in refused.value.text
    with pytest.raises(CapabilityError, match="scores sequences"):
        eb.measure("crows_pairs", tiny_masked("bert"), data=sentences, variant="causal")
    assert eb.measure("crows_pairs", tiny_causal("gpt2"), data=sentences, variant="causal").n == 3


# -- the published pairs ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_published_pair_counts(published: SentencePairSet) -> None:
    rng = np.random.default_rng(0)
    scores = [
        {
            **pair.model_dump(),
            **dict(zip(("sent_more", "sent_less"), rng.normal(-40, 10, 2).tolist(), strict=True)),
        }
        for pair in published
    ]
    result = crows_pairs.evaluate(None, scores, round_to=None)
    assert result.n == result.coverage.found == result.coverage.asked == 1_508
    assert result.skipped == ()
    assert {g["name"]: g["n"] for g in result.groups} == SIZES
    assert (result.extra["n_stereo"], result.extra["n_antistereo"]) == (1_290, 218)
    assert not [p.id for p in published if p.sent_more.casefold() == p.sent_less.casefold()]


@pytest.mark.slow
def test_the_alignment_of_every_published_pair_is_that_of_the_reference(published: SentencePairSet) -> None:
    tokenizer = load_model("minilm-l6").tokenizer  # the vocabulary of bert-base-uncased
    for pair in published:
        encoded = []
        for text in (pair.sent_more.lower(), pair.sent_less.lower()):
            ids, real = naive.tokens_of(tokenizer, text)
            encoded.append(Encoded(text, tuple(ids), tuple(real)))
        ours = list(zip(*shared_positions(*encoded), strict=True))
        # The reference aligns all tokens and drops the first and the last that are shared: [CLS] and [SEP].
        assert ours == naive.shared(encoded[0].ids, encoded[1].ids)[1:-1], pair.id
