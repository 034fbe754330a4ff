"""Every architecture against one whole pass of transformers a text: likelihoods, greedy and drawn continuations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, ModelError
from evaluate_bias.models import generate
from evaluate_bias.models.causal import CausalLM
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.models.generate import Stepping
from evaluate_bias.models.masked import MaskedLM
from tests.support.architectures import CAUSAL, MASKED, random_model, tiny_config
from tests.support.naive_scoring import masked_logprob
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import byte_tokenizer, tiny_masked, wordpiece_tokenizer

TEXTS = [
    "The nurse said she left.",
    "he",
    "The engineer said he left and nobody believed him",
    "The nurse said she",
]
TEMPERATURE = 0.7
EVERY_STEP, PROMPT_ONLY, EQUAL_LENGTHS, WHOLE = (
    Stepping(True, True, True), Stepping(True, True), Stepping(True, False), Stepping(False, True),
)  # fmt: skip
WAYS = {
    **dict.fromkeys(("mamba", "falcon_mamba"), PROMPT_ONLY),
    **dict.fromkeys(("bart", "marian", "trocr"), EQUAL_LENGTHS),
    **dict.fromkeys(
        ("openai-gpt", "reformer", "rwkv", "xlstm", "recurrent_gemma", "minimax", "zamba2"), WHOLE
    ),
}
"""How architectures write; all others with the cache, prompts of all lengths together."""
CORE_CAUSAL = ("gpt2", "bloom", "gemma2", "bart", "mamba", "rwkv", "qwen3_next", "falcon_h1")
CORE_MASKED = ("bert", "flaubert", "fnet", "convbert", "bart", "perceiver")
"""In every run of the suite: one of each rule. The others run at night, with both versions of transformers."""


def by_night(names: Sequence[str], core: Sequence[str]) -> list[Any]:
    return [n if n in core else pytest.param(n, marks=pytest.mark.nightly) for n in names]


@cache
def loaded(head: str, name: str) -> tuple[Any, Any, Any]:
    model, tokenizer = random_model(head, name)
    return eb.load_model((model, tokenizer), progress=False), model, tokenizer


def next_logits(model: Any, ids: Sequence[int]) -> torch.Tensor:
    """One pass over all that was written."""
    return _next_logits(model, tuple(ids))


@cache
def _next_logits(model: Any, ids: tuple[int, ...]) -> torch.Tensor:
    with torch.inference_mode():
        return model(input_ids=torch.tensor([ids])).logits[0, -1].double()


def naive_continuation(
    model: Any, ids: list[int], ends: frozenset[int], draws: Sequence[float] | None, first: int | None, n: int
) -> list[int]:
    written: list[int] = []
    for step in range(n):
        logits = next_logits(model, ids + written)
        if draws is not None:
            probabilities = torch.softmax(logits / TEMPERATURE, -1).numpy()
            token = int(np.searchsorted(np.cumsum(probabilities), draws[step], side="right"))
        else:
            token = int(logits.argmax()) if first is None or step else first
        if token in ends:
            break
        written.append(token)
    return written


def naive_texts(lm: Any, model: Any, tokenizer: Any, text: str, settings: GenerationSettings) -> list[str]:
    ids, ends = list(lm.encode([text])[0].ids), generate._end_ids(lm)
    draws = generate._draws(text, settings) if settings.decoding == "sample" else [None] * settings.n
    ranked = next_logits(model, ids).argsort(descending=True, stable=True).tolist()
    before = tokenizer.decode(ids, skip_special_tokens=True)
    texts = []
    for k in range(settings.n):
        written = naive_continuation(model, ids, ends, draws[k], ranked[k], settings.max_new_tokens)
        texts.append(tokenizer.decode(ids + written, skip_special_tokens=True)[len(before) :])
    return texts


@pytest.mark.parametrize("name", by_night(list(CAUSAL), CORE_CAUSAL))
def test_a_causal_model_gives_what_whole_passes_give(name):
    lm, model, tokenizer = loaded("causal", name)
    assert type(lm) is CausalLM
    items = lm.encode(TEXTS)
    for item, scores in zip(items, lm.sequence_logprobs(items), strict=True):
        with torch.inference_mode():
            table = model(input_ids=torch.tensor([item.ids])).logits[0].double().log_softmax(-1)
        assert scores == pytest.approx(
            [table[p - 1, item.ids[p]].item() for p in item.positions], rel=2e-6, abs=1e-5
        )

    assert lm.stepping == WAYS.get(name, EVERY_STEP)
    said = any("a whole pass for every token" in warning for warning in lm.warnings)
    assert said == (not lm.stepping.cached)
    for decoding in ("top", "sample"):
        settings = GenerationSettings(5, "text", 5, decoding, TEMPERATURE, seed=3)
        expected = [naive_texts(lm, model, tokenizer, text, settings) for text in TEXTS]
        assert lm.complete(TEXTS, settings) == expected
        # The first draw of a prompt is the same however many there are.
        one = replace(settings, n=1)
        assert lm.complete(TEXTS, one) == [texts[:1] for texts in expected]


@pytest.mark.parametrize("name", by_night(list(MASKED), CORE_MASKED))
def test_a_masked_model_gives_what_whole_passes_give(name):
    """Texts of several lengths in one batch: some architectures mix the padding in, and are run without."""
    lm, model, tokenizer = loaded("masked", name)
    assert type(lm) is MaskedLM
    items = lm.encode(TEXTS)
    for item, scores in zip(items, lm.pseudo_logprobs(items), strict=True):
        expected = [masked_logprob(model, tokenizer, item.ids, [p], p) for p in item.positions]
        # Numbers of 26 in single precision differ by 2e-6 of their size if sums are taken in another order.
        assert scores == pytest.approx(expected, rel=2e-6, abs=1e-5)
    mixes = name in ("convbert", "fnet", "funnel", "nystromformer", "perceiver")
    assert lm._ignores_padding == (not mixes)


# -- what is refused, or named ---------------------------------------------------------------------------------------


def small(kind: Any, config: Any, **changes: Any) -> Any:
    torch.manual_seed(0)
    return kind(tiny_config(config.model_type, byte_tokenizer(), **changes)).eval()


@pytest.mark.parametrize(
    "make",
    [
        lambda: small(transformers.XLNetLMHeadModel, transformers.XLNetConfig, d_inner=48),
        lambda: small(transformers.BertLMHeadModel, transformers.BertConfig),
    ],
    ids=["xlnet", "bert that is no decoder"],
)
def test_a_model_that_reads_both_ways_gives_no_likelihood(make):
    lm: Any = eb.load_model((make(), byte_tokenizer()))
    refused(CapabilityError, "reads a text in both", lambda: lm.sequence_logprobs(lm.encode(TEXTS)))
    refused(CapabilityError, "reads a text in both", lambda: lm.complete(TEXTS, GenerationSettings()))
    assert len(lm.embed_in_context(TEXTS, None, ["sentence_mean"])) == len(TEXTS)


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (transformers.T5ForConditionalGeneration, transformers.T5Config),
        (transformers.PegasusForConditionalGeneration, transformers.PegasusConfig),
        (transformers.MarianMTModel, transformers.MarianConfig),
    ],
)
def test_encoder_decoders_are_refused_and_their_encoders_taken(kind, config, tmp_path):
    sizes = {"d_kv": 8, "d_ff": 48} if kind is transformers.T5ForConditionalGeneration else {}
    model = small(kind, config, **sizes)
    for part in (model, byte_tokenizer()):
        part.save_pretrained(tmp_path)
    for spec in ((model, byte_tokenizer()), tmp_path):
        refused(ModelError, r"is an encoder-decoder model.*model\.get_encoder\(\)", eb.load_model, spec)
    encoder: Any = eb.load_model((model.get_encoder(), byte_tokenizer()))
    assert encoder.embed_in_context(TEXTS[:1], None, ["sentence_mean"])[0].shape == (1, 32)


test_what_has_no_state_for_each_token_is_not_embedded = refusals(
    lambda name: eb.measure("seat", loaded("masked", name)[0], n_resamples=99, ci_resamples=99),
    ("bart", None, r"one half and writes with the other.*model\.get_encoder\(\)"),
    ("perceiver", None, ": PerceiverForMaskedLM does not say how many layers it has"),
    error=CapabilityError,
)


def test_canine_is_embedded():
    """It needs four characters at least, also where the library tries what its first token sees."""
    torch.manual_seed(0)
    config = transformers.CanineConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        num_hash_buckets=64,
        initializer_range=0.25,
    )
    lm: Any = eb.load_model((transformers.CanineModel(config).eval(), transformers.CanineTokenizer()))
    found = lm.embed_in_context(TEXTS, None, ["cls", "sentence_mean"])
    for text, vectors in zip(TEXTS, found, strict=True):
        alone = lm.embed_in_context([text], None, ["cls", "sentence_mean"])[0]
        assert vectors == pytest.approx(alone, abs=1e-5)


def test_a_layer_of_several_parts_is_one_layer():
    """ALBERT's inner groups: transformers gives a state for each part, seven for three layers."""
    model = small(
        transformers.AlbertForMaskedLM, transformers.AlbertConfig, num_hidden_layers=3, inner_group_num=2
    )
    lm: Any = eb.load_model((model, byte_tokenizer()))
    names = ["sentence_mean@0", "sentence_mean@1", "sentence_mean@2", "sentence_mean@3"]
    (vectors,) = lm.embed_in_context(TEXTS[:1], None, names)
    (item,) = lm.encode(TEXTS[:1])
    with torch.inference_mode():
        states = model.albert(torch.tensor([item.ids]), output_hidden_states=True).hidden_states
    assert len(states) == 7
    at = list(item.positions)
    expected = np.stack([states[2 * layer][0, at].mean(0).numpy() for layer in range(4)])
    assert vectors == pytest.approx(expected, abs=1e-5)


def test_heads_go_by_the_mappings_of_transformers(tmp_path):
    """Also of a class of one's own, in memory, and of one that is saved."""

    class Mine(transformers.FlaubertWithLMHeadModel):
        pass

    torch.manual_seed(0)
    flaubert = Mine(tiny_config("flaubert", byte_tokenizer()))
    assert type(eb.load_model((flaubert, byte_tokenizer()))) is MaskedLM
    flaubert, tokenizer = random_model("masked", "flaubert")
    flaubert.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    assert type(eb.load_model(tmp_path)) is MaskedLM
    both = transformers.BertForPreTraining(tiny_masked("bert")[0].config)
    assert type(eb.load_model((both, wordpiece_tokenizer()))) is MaskedLM
    double = transformers.GPT2DoubleHeadsModel(tiny_config("gpt2", byte_tokenizer(causal=True)))
    assert type(eb.load_model((double, byte_tokenizer(causal=True)))) is CausalLM
