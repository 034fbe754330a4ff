"""Embeddings in context against one text at a time, one hidden state at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_bias.errors import InputError
from evaluate_bias.models.load import load_model
from evaluate_bias.models.pooling import Representation
from evaluate_bias.result import Skipped
from tests.support.refusals import refused
from tests.support.tiny_models import CAUSAL, MASKED, SIZES, tiny_causal, tiny_masked, wordpiece_tokenizer

TEXTS = [
    ("The nurse said that she left.", "nurse"),
    ("unfriendly people", "unfriendly"),
    ("he saw the daughters", "daughters"),
    ("Nurse helps nurse, nobody else helped the uncommunicative nurse", "uncommunicative"),
    ("grandmother", "grandmother"),
    ("The nurse said that she left.", "she"),
    ("She is hardworking.", "hardworking"),
]
SPANS = [(text.index(word), text.index(word) + len(word)) for text, word in TEXTS]
SENTENCES = [text for text, _ in TEXTS]
POOLINGS = ["target_first", "target_mean", "sentence_mean", "last_token"]
LAYERS: list[Any] = [0, 1, 3, -1, -2, "mean", (1, 3)]


@pytest.fixture(scope="module")
def deep():
    """A BERT with more than four layers."""
    torch.manual_seed(0)
    tokenizer = wordpiece_tokenizer()
    config = transformers.BertConfig(vocab_size=len(tokenizer), **{**SIZES, "num_hidden_layers": 5})
    return transformers.BertModel(config).eval(), tokenizer


def naive(pair: tuple[Any, Any], text: str, span: tuple[int, int], pooling: str, layer: Any) -> np.ndarray:
    """One text, no padding, every hidden state; tokens are chosen one by one."""
    model, tokenizer = pair
    batch = tokenizer(
        text, return_offsets_mapping=True, return_special_tokens_mask=True, return_token_type_ids=False
    )
    with torch.no_grad():
        ids = torch.tensor([batch["input_ids"]])
        states = [
            s[0].numpy() for s in model.base_model(input_ids=ids, output_hidden_states=True).hidden_states
        ]
    real = [i for i, special in enumerate(batch["special_tokens_mask"]) if not special]
    mine = [
        i for i in real if batch["offset_mapping"][i][0] < span[1] and batch["offset_mapping"][i][1] > span[0]
    ]
    if pooling == "first4_mean":
        return np.mean([[states[n][i] for i in mine] for n in (1, 2, 3, 4)], axis=(0, 1))
    chosen = {
        "cls": [0],
        "target_first": mine[:1],
        "target_mean": mine,
        "sentence_mean": real,
        "last_token": real[-1:],
    }[pooling]
    numbers = range(1, len(states)) if layer == "mean" else layer if isinstance(layer, tuple) else [layer]
    return np.mean([[states[n][i] for i in chosen] for n in numbers], axis=(0, 1))


def assert_same(found: np.ndarray, expected: np.ndarray, message: str = "") -> None:
    """Equal up to the rounding of float32, some units in the last place of the largest component."""
    atol = 5e-6 * np.abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol, err_msg=message)


def check(pair: tuple[Any, Any], representations: list[Representation], **options: Any) -> None:
    model = load_model(pair, progress=False, **options)
    found = model.embed_in_context(SENTENCES, SPANS, representations)
    for text, span, vectors in zip(SENTENCES, SPANS, found, strict=True):
        for representation, vector in zip(representations, vectors, strict=True):
            layer = representation.layer if representation.pooling != "first4_mean" else None
            expected = naive(pair, text, span, representation.pooling, layer)
            assert_same(vector, expected, f"{text} {representation}")


@pytest.mark.parametrize("family", MASKED)
def test_every_pooling_and_layer_of_every_masked_family(family):
    check(tiny_masked(family), [Representation(p, n) for p in ["cls", *POOLINGS] for n in LAYERS])


@pytest.mark.parametrize("family", CAUSAL)
def test_every_pooling_and_layer_of_every_causal_family(family):
    check(tiny_causal(family), [Representation(p, n) for p in POOLINGS for n in LAYERS])


def test_encoder_without_a_head_and_the_first_four_layers(deep):
    check(deep, [Representation("first4_mean"), Representation("cls"), Representation("target_mean", 4)])


@pytest.mark.parametrize("budget", [1, 7, 20, 10_000])
def test_batch_budget_changes_nothing(budget):
    check(tiny_masked("bert"), [Representation("cls"), Representation("target_mean", 1)], batch_tokens=budget)


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(len(TEXTS))))
def test_order_and_company_change_nothing(order):
    model = load_model(tiny_masked("roberta"), progress=False)
    alone = model.embed_in_context(SENTENCES, SPANS, ["target_mean", "cls@1"])
    mixed = model.embed_in_context(
        [SENTENCES[i] for i in order], [SPANS[i] for i in order], ["target_mean", "cls@1"]
    )
    for i, vectors in zip(order, mixed, strict=True):
        assert_same(vectors, alone[i])


def test_one_pass_for_all_representations_layers_and_equal_texts(computed):
    model = load_model(tiny_masked("bert"), progress=False)
    model.embed_in_context(SENTENCES, None, ["cls"])  # the checks of the first use are done
    sequences = computed(model)
    model.embed_in_context(SENTENCES, SPANS, [Representation(p, n) for p in POOLINGS for n in (0, 1, 2)])
    assert len(sequences) == len(set(SENTENCES))


# -- what cannot be embedded ---------------------------------------------------------------------------------------


def test_texts_without_a_vector_are_listed_with_the_reason():
    model = load_model(tiny_masked("bert"), progress=False)
    long = "nurse " * 100
    found = model.embed_in_context(
        ["", "the nurse", long, "a ☃ left", "the nurse"],
        [None, (4, 9), (0, 5), (2, 3), (3, 4)],
        ["sentence_mean"],
    )
    reasons = [f.reason if isinstance(f, Skipped) else None for f in found]
    assert reasons[0] == "the text is empty"
    assert reasons[1] is None
    assert "more than the 64" in reasons[2]
    assert reasons[3].startswith("'☃' is unknown to the tokenizer")
    assert reasons[4] == "the tokenizer finds no token in ' '"


@pytest.mark.parametrize(
    ("representation", "message"),
    [
        ("cls@4", r"no layer 4 \(this model has layers 1 to 3, and 0"),
        ("cls@-5", "no layer -5"),
        ("middle", "no representation 'middle'; use one of 'cls'"),
        ("cls@x", "'@' must be followed by a layer"),
        (3, "written like 'target_mean'"),
    ],
)
def test_representations_that_do_not_exist(representation, message):
    model = load_model(tiny_masked("bert"))
    refused(InputError, message, model.embed_in_context, ["the nurse"], [(4, 9)], [representation])
