"""Completions: those of a naive loop without cache or batch, whatever stands beside a prompt."""

from __future__ import annotations

import dataclasses
import functools

import pytest
import torch

import evaluate_bias as eb
from evaluate_bias.errors import InputError, MeasurementError, ModelError
from evaluate_bias.models import generate
from evaluate_bias.models.completions import (
    BLANK,
    FunctionGenerator,
    GenerationSettings,
    first_word,
)
from evaluate_bias.result import Skipped
from tests.support.refusals import refusals
from tests.support.tiny_models import CAUSAL, MASKED, tiny_causal, tiny_masked

PROMPTS = [
    "the nurse said that she",
    "he",
    "the doctor said",
    "a man and a woman went to the house of the nurse and",
    "she is",
]
FAMILIES = list(CAUSAL)


@pytest.mark.parametrize("family", FAMILIES)
def test_neighbours_order_and_batch_size_change_nothing(family):
    settings = GenerationSettings(n=4, max_new_tokens=6, decoding="sample", seed=1)
    pair = tiny_causal(family)
    expected = eb.load_model(pair).complete(PROMPTS, settings)
    for batch_tokens in (1, 64, 100_000):
        model = eb.load_model(pair, batch_tokens=batch_tokens)
        assert model.complete(PROMPTS, settings) == expected
        assert model.complete(PROMPTS[::-1], settings) == expected[::-1]
        assert [model.complete([text], settings)[0] for text in PROMPTS] == expected
        assert model.complete([PROMPTS[0]] * 2, settings) == [expected[0]] * 2


def test_a_seed_gives_the_same_text_and_another_seed_another():
    model = eb.load_model(tiny_causal())
    settings = [GenerationSettings(n=5, decoding="sample", seed=seed) for seed in (0, 0, 1)]
    first, same, other = (model.complete(PROMPTS, s) for s in settings)
    assert first == same != other
    assert len({tuple(texts) for texts in first}) == len(PROMPTS)


def test_samples_follow_the_distribution():
    """The share of every next token among many samples, against its probability."""
    pair = tiny_causal()
    n = 4_000
    model = eb.load_model(pair, batch_tokens=100_000)
    (texts,) = model.complete(["the nurse"], GenerationSettings(n=n, max_new_tokens=1, decoding="sample"))
    ids = torch.tensor([model.encode(["the nurse"])[0].ids])
    with torch.inference_mode():
        p = torch.softmax(pair[0](input_ids=ids).logits[0, -1].double(), -1)

    def shown(*tokens):
        return str(pair[1].decode([*ids[0].tolist(), *tokens], skip_special_tokens=True))

    shares: dict[str, float] = {}
    for token, share in enumerate(p.tolist()):
        text = "" if token == pair[1].eos_token_id else shown(token)[len(shown()) :]
        shares[text] = shares.get(text, 0.0) + share
    for text, expected in shares.items():
        assert texts.count(text) / n == pytest.approx(expected, abs=5 * (expected / n) ** 0.5 + 3 / n)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_word_is_the_first_of_the_text(family):
    model = eb.load_model(tiny_causal(family))
    word = model.complete(PROMPTS, GenerationSettings(n=3, unit="word", max_new_tokens=9))
    text = model.complete(PROMPTS, GenerationSettings(n=3, unit="text", max_new_tokens=9))
    assert word == [[first_word(t) for t in texts] for texts in text]


def test_a_lack_of_memory_halves_the_batch(monkeypatch):
    model = eb.load_model(tiny_causal(), batch_tokens=100_000)
    settings = GenerationSettings(n=2, max_new_tokens=4)
    expected = model.complete(PROMPTS, settings)
    whole, sizes = generate._Decoder.run, []

    def run(self):
        sizes.append(len(self.prompts))
        if len(self.prompts) > 2:
            raise RuntimeError("CUDA out of memory")
        return whole(self)

    monkeypatch.setattr(generate._Decoder, "run", run)
    assert model.complete(PROMPTS, settings) == expected
    assert sizes[0] == len(PROMPTS)
    assert min(sizes) <= 2


def test_what_cannot_be_continued_is_listed():
    model = eb.load_model(tiny_causal())
    prompts = ["", "he is a [M] or [M].", "the [M] nurse", "[M].", "the nurse " * 40, "he is [M]!", "he is"]
    found = model.complete(prompts, GenerationSettings(n=1))
    reasons = [item.reason if isinstance(item, Skipped) else "" for item in found]
    expected = ("empty", "2 blanks", "text follows", "no text precedes", "64", "", "")
    assert all(told in reason for reason, told in zip(reasons, expected, strict=True))
    assert reasons[5:] == ["", ""]
    assert found[5] == found[6]


def test_an_end_of_text_ends_it():
    """A model that ends every text at once gives empty completions, which are completions."""
    model, tokenizer = CAUSAL["gpt2"]()
    with torch.no_grad():
        model.transformer.ln_f.weight.zero_()
        model.transformer.ln_f.bias.copy_(100 * model.lm_head.weight[tokenizer.eos_token_id])
    lm = eb.load_model((model.eval(), tokenizer))
    assert lm.complete(["the nurse"], GenerationSettings(n=1)) == [[""]]


@pytest.mark.parametrize("family", list(MASKED))
def test_a_masked_model_gives_its_likeliest_fills(family):
    model, tokenizer = tiny_masked(family)
    lm = eb.load_model((model, tokenizer))
    tokenizer = lm.tokenizer  # with a mask that takes the blank before it along
    prompts = ["the nurse said that she [M] .", "he is a [M]", "the nurse said that she [M] ."]
    found = lm.complete(prompts, GenerationSettings(n=4))
    for prompt, fills in zip(prompts, found, strict=True):
        ids = tokenizer(prompt.replace(BLANK, tokenizer.mask_token), return_tensors="pt")
        with torch.inference_mode():
            scores = model(**ids).logits[0][ids["input_ids"][0] == tokenizer.mask_token_id][0]
        order = [i for i in scores.argsort(descending=True).tolist() if i not in tokenizer.all_special_ids]
        assert fills == [tokenizer.decode([i]).strip() for i in order[:4]]
    assert found[0] == found[2]


def test_a_masked_prompt_needs_one_blank():
    lm = eb.load_model(tiny_masked())
    found = lm.complete(["no blank", f"{BLANK} and {BLANK}", f"he [MASK] {BLANK}"], GenerationSettings(n=1))
    for item, told in zip(found, ("0 blanks", "2 blanks", "2 masks"), strict=True):
        assert told in item.reason


def echo(prompts: list[str]) -> list[str]:
    return [prompt.split()[-1] + " twice" for prompt in prompts]


@pytest.mark.parametrize("function", [echo, functools.partial(echo), lambda prompts: echo(prompts)])
def test_a_function_is_a_model(function):
    model = eb.load_model(function)
    settings = GenerationSettings(n=2)
    assert model.complete(["she [M].", "[M] he", "he"], settings)[0::2] == [["she twice"], ["he twice"]]
    assert isinstance(model.complete(["[M] he"], settings)[0], Skipped)
    assert model.complete(["he"], GenerationSettings(unit="word")) == [["he"]]
    assert set(model.provenance()) >= {"kind", "name"}


test_a_function_that_answers_amiss_is_an_error = refusals(
    lambda function: FunctionGenerator(function).complete(["he"], GenerationSettings()),
    (lambda prompts: [], ModelError, None, "0 answers to 1 prompts"),
    (lambda prompts: "text", ModelError, None, "gives one text for 1 prompts: it is called with a list"),
    (lambda prompts: [5], ModelError, None, "must give a text"),
    (lambda prompts: [[b"x"]], ModelError, None, "must give a text"),
    (lambda prompts: 1 / 0, MeasurementError, None, "ZeroDivisionError"),
    (lambda prompts: 5, MeasurementError, None, "TypeError"),
)


def test_top_p_limits_the_tokens_that_are_drawn():
    model = eb.load_model(tiny_causal("gpt2"))
    (greedy,) = model.complete(["The nurse"], GenerationSettings(max_new_tokens=4))
    narrow = GenerationSettings(n=8, decoding="sample", top_p=1e-6, max_new_tokens=4)
    assert set(model.complete(["The nurse"], narrow)[0]) == set(greedy)
    wide = GenerationSettings(n=8, decoding="sample", max_new_tokens=4)
    assert model.complete(["The nurse"], dataclasses.replace(wide, top_p=1.0)) == model.complete(
        ["The nurse"], wide
    )
    assert len(set(model.complete(["The nurse"], wide)[0])) > 1
    default = dataclasses.replace(wide, decoding="default")
    assert model.complete(["The nurse"], default) == model.complete(["The nurse"], wide)
    for share in (0, 1.5, True):
        with pytest.raises(InputError, match="top_p"):
            GenerationSettings(top_p=share)
