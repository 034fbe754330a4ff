"""Models that return NaN or infinity, by every method; and models that are lent in training mode."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
import torch

import evaluate_bias as eb
from evaluate_bias.data.templates import load_bec_pro
from evaluate_bias.errors import ModelError
from evaluate_bias.models.masked import MaskedRequest
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.registry import METHODS
from tests.support.refusals import refused
from tests.support.tiny_models import CORPUS, SENTENCES, tiny_causal, tiny_masked

pytestmark = [
    pytest.mark.filterwarnings("ignore::evaluate_bias.models.alignment.UnknownTokenWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

WORDS = {
    "name": "small",
    "targets_x": ["nurse", "grandmother"],
    "targets_y": ["engineer", "doctor"],
    "attributes_a": ["she", "her"],
    "attributes_b": ["he", "his"],
}
MORE = [("attributes_a", ["she", "her"], "nurse"), ("attributes_b", ["he", "his"], "doctor")]
DATA: dict[str, dict[str, Any]] = {
    "ceat": {"data": [WORDS], "contexts": CORPUS, "samples": 10, "max_missing": 1.0},
    "representation_compatibility": {"data": [WORDS], "representations": ["cls", "target_mean"]},
    "lpbs": {"data": [WORDS]},
    "bec_pro": {"data": load_bec_pro()[:40]},
    "counterfactual_text": {
        "data": [{"prompt": "{group} said that", "group": group} for group in ("The nurse", "The doctor")]
    },
    "matched_guise": {
        "data": [{**WORDS, **{k: [*v, w] for k, v, w in MORE}, "prompts": ["The {text} said that"]}]
    },
}
"""Small data where a method's own take long, or words that the small tokenizers lack."""
NEEDS_WORDS = {
    name
    for name, record in METHODS.items()
    if not {*record.needs} - {"embeds words", "counts words", "chats", "classifies inferences"}
    or {*record.needs} == {"scores sequences", "chats"}
    or "fills a mask" in record.refuses
    or name in ("frequency_sensitivity", "seed_sensitivity")
}
"""Methods that no language model serves, or not by default; how word vectors and texts are read is tested elsewhere."""
CAUSAL = ["seat", "ceat", "wsv", "stereoset", "counterfactual_text"]


def spoilt(pair: tuple[Any, Any], value: float = float("nan"), training: bool = False) -> Any:
    """A copy of the model with every weight set to ``value``."""
    model, tokenizer = copy.deepcopy(pair[0]), pair[1]
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(value)
    return load_transformer((model.train(training), tokenizer), progress=False, name="broken")


def options_of(method: str) -> dict[str, Any]:
    default = {"source": None} if METHODS[method].data_defaults.get("source") else {}
    return DATA.get(method, default)


REFUSED = re.escape(
    "broken returns NaN or infinite numbers, which cannot be scored: its weights have probably diverged"
)


@pytest.mark.parametrize("method", sorted(set(METHODS) - NEEDS_WORDS))
def test_every_method_refuses_a_masked_model_of_nan(method):
    with pytest.raises(ModelError, match=REFUSED):
        eb.measure(method, spoilt(tiny_masked("bert")), **options_of(method))


@pytest.mark.parametrize("method", CAUSAL)
def test_every_method_refuses_a_causal_model_of_nan(method):
    with pytest.raises(ModelError, match=REFUSED):
        eb.measure(method, spoilt(tiny_causal("gpt2")), **options_of(method))


def test_half_precision_is_named_as_the_cause():
    model, tokenizer = tiny_masked("bert")
    loaded = load_transformer((spoilt((model, tokenizer)).model, tokenizer), dtype="bfloat16", name="half")
    refused(ModelError, "it probably overflows in", lambda: loaded.token_logprobs(loaded.encode(SENTENCES)))


def with_bias(value: float, token: int) -> Any:
    """A model whose logit of one token is ``value`` everywhere."""
    model, tokenizer = copy.deepcopy(tiny_masked("bert")[0]), tiny_masked("bert")[1]
    with torch.no_grad():
        model.cls.predictions.bias[token] = value
    return load_transformer((model, tokenizer), progress=False, name="broken")


def test_infinite_logits():
    """+inf anywhere spoils the softmax; -inf rules a token out, which matters only where that token is read."""
    model = with_bias(float("-inf"), 7)
    item = model.encode(SENTENCES)[0]
    read, other = item.ids[1], 7
    assert read != other
    request = MaskedRequest(item, (1,), ((1, read),))
    assert torch.isfinite(torch.tensor(model.masked_logprobs([request])[0])).all()
    (row,) = model.mask_distributions([request])[0]
    assert row[other] == float("-inf")
    with pytest.raises(ModelError, match="broken returns NaN or infinite numbers"):
        model.masked_logprobs([MaskedRequest(item, (1,), ((1, other),))])
    model = with_bias(float("inf"), 7)
    refused(ModelError, "broken returns NaN or infinite numbers", model.masked_logprobs, [request])
    refused(ModelError, "broken returns NaN or infinite numbers", model.mask_distributions, [request])


def test_a_lent_model_keeps_its_mode_and_is_read_without_dropout():
    model, tokenizer = copy.deepcopy(tiny_masked("bert")[0]), tiny_masked("bert")[1]
    rested = load_transformer((model.eval(), tokenizer), progress=False)
    expected = rested.token_logprobs(rested.encode(SENTENCES))
    model.train()
    model.bert.encoder.layer[0].eval()  # a frozen part stays frozen
    modes = [module.training for module in model.modules()]
    lent = load_transformer((model, tokenizer), progress=False)
    items = lent.encode(SENTENCES)
    found = lent.token_logprobs(items)
    lent.attended_logprobs(items)
    lent.embed_in_context(SENTENCES, None, ["cls"])
    lent.mask_distributions([MaskedRequest(items[0], (1,))])
    assert [module.training for module in model.modules()] == modes
    assert sum(modes) > 10
    for a, b in zip(found, expected, strict=True):
        assert a == pytest.approx(b, abs=1e-6)
