"""The causal engine against one text at a time, all logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.batching import MIN_PREFIX, Packed, group_by_prefix, pack, packed_inputs
from evaluate_bias.models.causal import CausalLM
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Skipped
from tests.support.tiny_models import CAUSAL, SENTENCES, tiny_causal

CLOSE = {"rtol": 0, "atol": 1e-4}  # processors round float32 otherwise; a wrong mask shows in the third digit


@pytest.fixture(params=sorted(CAUSAL))
def family(request):
    return tiny_causal(request.param)


@pytest.fixture
def gpt2():
    return load_transformer(tiny_causal("gpt2"))


def encoded(items: Sequence[Encoded | Skipped]) -> list[Encoded]:
    assert all(isinstance(item, Encoded) for item in items)
    return items


@torch.no_grad()
def naive(model: Any, ids: list[int]) -> list[float]:
    """log p of every token but the first."""
    scores = model(input_ids=torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return [scores[p - 1, ids[p]].item() for p in range(1, len(ids))]


def check(scorer: CausalLM, texts: Sequence[str], **options: Any) -> None:
    """Every text against a pass of its own."""
    items = encoded(scorer.encode(texts, **options))
    start = [] if options else [scorer.tokenizer.bos_token_id]
    for text, found in zip(texts, scorer.sequence_logprobs(items), strict=True):
        ids = start + scorer.tokenizer(text, add_special_tokens=False)["input_ids"]
        assert len(found) == len(ids) - 1  # nothing precedes the first token
        np.testing.assert_allclose(found, naive(scorer.model, ids), **CLOSE)


@pytest.mark.parametrize("batch_tokens", [1, 37, 100_000])
def test_sequences_with_a_start_token(family, batch_tokens):
    check(load_transformer(family, batch_tokens=batch_tokens), SENTENCES)


def test_sequences_without_a_start_token(family):
    check(load_transformer(family), [text for text in SENTENCES if text != "he"], bos=False)


def test_order_duplicates_and_padding_side_do_not_matter(family, monkeypatch):
    monkeypatch.setattr(family[1], "padding_side", "left")
    check(load_transformer(family, batch_tokens=60), [SENTENCES[i] for i in (3, 0, 0, 4, 2, 1, 3)])


def test_continuations_are_scored_given_their_context(family):
    model, tokenizer = family
    scorer = load_transformer(family, batch_tokens=60)
    pairs = [
        ("The nurse said", " she left."),
        ("The nurse said", " he left the uncommunicative grandmother."),
        ("", "Nobody believed it."),
    ]
    items = encoded(scorer.encode_continuations(pairs))
    for (context, rest), item, found in zip(pairs, items, scorer.sequence_logprobs(items), strict=True):
        whole = tokenizer(context + rest, add_special_tokens=False, return_offsets_mapping=True)
        ids = [tokenizer.bos_token_id, *whole["input_ids"]]
        mine = [k for k, (_, end) in enumerate(whole["offset_mapping"]) if end > len(context)]
        assert 0 < len(mine) <= len(whole["input_ids"])
        assert item.tokens == tuple(whole["input_ids"][k] for k in mine)
        np.testing.assert_allclose(found, [naive(model, ids)[k] for k in mine], **CLOSE)


def test_the_chain_rule_holds(gpt2):
    """log p(context continuation) = log p(context) + log p(continuation | context)."""
    whole, context = encoded(gpt2.encode(["The nurse said she left.", "The nurse said"]))
    rest = encoded(gpt2.encode_continuations([("The nurse said", " she left.")]))[0]
    together, first, second = (float(s.sum()) for s in gpt2.sequence_logprobs([whole, context, rest]))
    assert together == pytest.approx(first + second, abs=1e-4)


# -- shared prefixes -------------------------------------------------------------------------------------------------

PAIRS = [
    "The nurse said that she would help the doctor.",
    "The nurse said that he would help the doctor, perhaps not at first.",
    "The nurse said that",
    "Nobody believed the grandmother plays football.",
    "Nobody believed the grandmother plays football!",
    "The nurse said that she would help the doctor.",
]


@pytest.mark.parametrize("batch_tokens", [1, 37, 100_000])
def test_sharing_prefixes_changes_no_number(family, batch_tokens):
    check(load_transformer(family, batch_tokens=batch_tokens), PAIRS)


def test_a_shared_prefix_is_computed_once(gpt2, computed):
    items = encoded(gpt2.encode(PAIRS))
    shared = gpt2.sequence_logprobs(items)  # the checks of the first use are done
    sequences, tokens = computed(gpt2), []
    for gpt2._sharing in (False, True):
        found = gpt2.sequence_logprobs(items)
        for a, b in zip(found, shared, strict=True):
            np.testing.assert_allclose(a, b, **CLOSE)
        tokens.append(sum(map(len, sequences)))
        sequences.clear()
    assert tokens[0] == sum(len(ids) for ids in {item.ids for item in items})
    assert tokens[1] < 0.7 * tokens[0]


def test_a_sliding_window_is_not_exceeded():
    """Gemma 2 (window of 8 here) sees less than a packed mask says; only texts within the window are packed."""
    scorer = load_transformer(tiny_causal("gemma2"))
    short, long = (1, 2, 3, 4, 5, 6), tuple(range(1, 20))
    assert set(scorer._packed_units([short, (*short, 9), long, (*long, 9)])) == {short, (*short, 9)}


def test_a_model_that_takes_no_such_mask_is_scored_without_sharing():
    torch.manual_seed(0)
    tokenizer = tiny_causal("gpt2")[1]
    config = transformers.BloomConfig(vocab_size=len(tokenizer), hidden_size=32, n_layer=2, n_head=4)
    model = transformers.BloomForCausalLM(config).eval()
    scorer = load_transformer((model, tokenizer))
    check(scorer, PAIRS)
    assert scorer._sharing is False


SEQUENCES = st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=12).map(tuple), min_size=1, max_size=12)


@given(SEQUENCES)
def test_grouping_is_a_partition_and_packing_keeps_every_token(sequences):
    distinct = list(dict.fromkeys(sequences))
    groups = group_by_prefix(distinct)
    assert sorted(i for group in groups for i in group) == list(range(len(distinct)))
    for group in groups:
        members = [distinct[i] for i in group]
        packed = pack(members)
        for k, ids in enumerate(members):
            assert tuple(packed.ids[packed.position(k, p)] for p in range(len(ids))) == ids
        if len(group) > 1:
            assert packed.prefix >= MIN_PREFIX - 1  # a member that is the prefix itself keeps its last token
            assert len(packed.ids) < sum(len(ids) for ids in members)


@given(SEQUENCES)
def test_a_packed_token_sees_its_own_sequence_only(sequences):
    distinct = list(dict.fromkeys(sequences))
    packed = pack(distinct)
    arrays = packed_inputs([packed, Packed((7, 7), 0, (0,))], pad=0)
    for k, ids in enumerate(distinct):
        at = [packed.position(k, p) for p in range(len(ids))]
        assert arrays["position_ids"][0, at].tolist() == list(range(len(ids)))
        for p in range(len(ids)):
            assert np.flatnonzero(arrays["attention_mask"][0, 0, at[p]]).tolist() == at[: p + 1]


@pytest.mark.parametrize(("family", "adds_start"), [("gpt2", False), ("llama", True)])
def test_a_start_token_as_the_tokenizer_has_it(family, adds_start):
    model = load_transformer(tiny_causal(family))
    (item,) = model.encode_continuations([("The nurse said", " she left.")], bos="tokenizer")
    ids = tuple(model.tokenizer("The nurse said she left.")["input_ids"])
    assert (item.ids, ids[0] == model.tokenizer.bos_token_id) == (ids, adds_start)
    (start,) = model.encode_continuations([("The nurse said", " she left.")])
    assert start.ids[0] == model.tokenizer.bos_token_id
    assert len(start.positions) == len(item.positions)
