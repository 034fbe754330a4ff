"""The masked engine against one mask at a time, batch of one, all logits; for every family of model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch

from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.masked import MaskedLM, MaskedRequest
from evaluate_bias.models.transformer import load_transformer
from tests.support.naive_scoring import logprobs, masked_logprob, tokens_of
from tests.support.tiny_models import MASKED, SENTENCES, tiny_masked

CLOSE = {"rtol": 0, "atol": 1e-4}  # processors round float32 otherwise; a wrong mask shows in the third digit


@pytest.fixture(params=sorted(MASKED))
def family(request):
    return tiny_masked(request.param)


@pytest.fixture
def bert():
    return load_transformer(tiny_masked("bert"))


def encode(model: MaskedLM, texts: Sequence[str] = SENTENCES) -> list[Encoded]:
    items = model.encode(texts)
    assert all(isinstance(item, Encoded) for item in items)
    return items


def naive_pll(pair: tuple[Any, Any], text: str, within_word: bool = False) -> list[float]:
    """One mask at a time; it shares no line with the engine."""
    ids, real = tokens_of(pair[1], text)
    words = pair[1](text).word_ids()
    later = [[q for q in real if within_word and q > p and words[q] == words[p]] for p in real]
    return [masked_logprob(*pair, ids, [p, *rest], p) for p, rest in zip(real, later, strict=True)]


def all_logprobs(model: Any, ids: list[int]) -> torch.Tensor:
    return torch.tensor(logprobs(model, ids))


# -- agreement -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_tokens", [1, 37, 100_000])
def test_pseudo_logprobs_equal_one_mask_at_a_time(family, batch_tokens):
    model = load_transformer(family, batch_tokens=batch_tokens)
    scores = model.pseudo_logprobs(encode(model))
    assert len(scores) == len(SENTENCES)
    for text, found in zip(SENTENCES, scores, strict=True):
        np.testing.assert_allclose(found, naive_pll(family, text), **CLOSE)


def test_within_word_left_to_right_masks_the_later_pieces_of_the_word(family):
    model = load_transformer(family)
    scores = model.pseudo_logprobs(encode(model), positions="within_word_l2r")
    for text, found in zip(SENTENCES, scores, strict=True):
        np.testing.assert_allclose(found, naive_pll(family, text, within_word=True), **CLOSE)
    assert naive_pll(family, SENTENCES[1]) != naive_pll(family, SENTENCES[1], within_word=True)


def test_order_duplicates_and_padding_side_do_not_matter(family, monkeypatch):
    texts = [SENTENCES[i] for i in (3, 0, 0, 4, 2, 1, 3)]
    monkeypatch.setattr(family[1], "padding_side", "left")
    scorer = load_transformer(family, batch_tokens=64)
    for text, found in zip(texts, scorer.pseudo_logprobs(encode(scorer, texts)), strict=True):
        np.testing.assert_allclose(found, naive_pll(family, text), **CLOSE)


def test_unmasked_scores_equal_one_forward_pass_a_text(family):
    model, tokenizer = family
    scorer = load_transformer(family, batch_tokens=50)
    for text, found in zip(SENTENCES, scorer.token_logprobs(encode(scorer)), strict=True):
        ids, real = tokens_of(tokenizer, text)
        expected = all_logprobs(model, ids)
        np.testing.assert_allclose(found, [expected[p, ids[p]].item() for p in real], **CLOSE)


def test_attention_received_is_the_mean_over_layers_heads_and_all_queries(family):
    model, tokenizer = family
    scorer = load_transformer(family, batch_tokens=50)
    before = model.config._attn_implementation
    received = [second for _, second in scorer.attended_logprobs(encode(scorer))]
    assert model.config._attn_implementation == before
    model.set_attn_implementation("eager")
    try:
        for text, found in zip(SENTENCES, received, strict=True):
            ids, real = tokens_of(tokenizer, text)
            with torch.no_grad():
                layers = model(input_ids=torch.tensor([ids]), output_attentions=True).attentions
            mean = torch.stack(layers)[:, 0].mean(dim=(0, 1, 2))  # layer, head, query -> key
            assert mean.sum().item() == pytest.approx(1.0, rel=1e-6, abs=1e-5)
            np.testing.assert_allclose(found, mean[real].numpy(), **CLOSE)
    finally:
        model.set_attn_implementation(before)


def test_distributions_equal_log_softmax_at_the_masks(family):
    model, tokenizer = family
    scorer = load_transformer(family, batch_tokens=40)
    items = encode(scorer, SENTENCES[:3])
    requests = [MaskedRequest(item, item.positions[k : k + 2]) for k, item in enumerate(items)]
    whole = scorer.mask_distributions(requests)
    for request, found in zip(requests, whole, strict=True):
        ids = list(request.encoded.ids)
        for p in request.masked:
            ids[p] = tokenizer.mask_token_id
        expected = all_logprobs(model, ids)[list(request.masked)].numpy()
        np.testing.assert_allclose(found, expected, **CLOSE)
        np.testing.assert_allclose(np.exp(found.astype(np.float64)).sum(axis=1), 1.0, atol=1e-5)


# -- what is computed, and how often ---------------------------------------------------------------------------------


def test_equal_requests_are_computed_once(bert, computed):
    item = encode(bert, ["The nurse said she left."])[0]
    bert.token_logprobs([item])  # the checks of the first use are done
    sequences = computed(bert)
    bert.pseudo_logprobs([item, item, item])
    assert len(sequences) == len(item.positions)
    sequences.clear()
    distributions = bert.mask_distributions([MaskedRequest(item, (1,)), MaskedRequest(item, (1,))])
    received = bert.attended_logprobs([item, item])
    assert len(sequences) == 2
    np.testing.assert_array_equal(*distributions)
    np.testing.assert_array_equal(*received)


def test_only_the_rows_read_are_projected_and_in_bounded_pieces(bert, monkeypatch):
    items = encode(bert)
    expected = bert.token_logprobs(items)
    logits = MagicMock(side_effect=bert._projection.logits)
    monkeypatch.setattr(bert._projection, "logits", logits)
    monkeypatch.setattr(bert, "_max_logits", 7 * len(bert.tokenizer))
    for a, b in zip(bert.token_logprobs(items), expected, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)
    rows = [len(call.args[0]) for call in logits.call_args_list]
    assert max(rows) == 7
    assert sum(rows) == sum(len(item.positions) for item in dict.fromkeys(items))


def test_the_split_is_used_for_every_family(family):
    model = load_transformer(family)
    model.pseudo_logprobs(encode(model, ["he left"]))
    assert model._projection is not None
    assert model._projection._head is not None
    bert_like = type(family[0]).__name__.startswith(("Bert", "Roberta", "XLMRoberta", "Electra"))
    assert (model._projection._last is not None) == bert_like


def test_a_model_that_cannot_be_split_is_scored_whole(monkeypatch):
    """A head that reads more than its own row gives wrong numbers when it is split off: that must be noticed."""
    model, tokenizer = tiny_masked("bert", seed=5)
    original = model.cls.forward

    def looks_around(states):
        return original(states + states.mean(dim=1, keepdim=True))

    monkeypatch.setattr(model.cls, "forward", looks_around)
    scorer = load_transformer((model, tokenizer), batch_tokens=30)
    item = encode(scorer, SENTENCES[:1])[0]
    np.testing.assert_allclose(
        scorer.pseudo_logprobs([item])[0], naive_pll((model, tokenizer), SENTENCES[0]), **CLOSE
    )
    assert scorer._projection is not None
    assert scorer._projection._head is None


def test_out_of_memory_in_the_model_changes_no_number(bert, monkeypatch):
    items = encode(bert)
    expected = bert.pseudo_logprobs(items)
    base = type(bert.model.base_model)
    forward = base.forward
    refused = []

    def small_machine(self, input_ids=None, **kwargs):
        if input_ids.numel() > 60:
            refused.append(input_ids.numel())
            raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")
        return forward(self, input_ids=input_ids, **kwargs)

    monkeypatch.setattr(base, "forward", small_machine)
    for a, b in zip(bert.pseudo_logprobs(items), expected, strict=True):
        np.testing.assert_allclose(a, b, **CLOSE)
    assert refused
