"""Classifiers of texts: probabilities in float32, and what is refused instead of being made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from evaluate_bias import errors
from evaluate_bias.models.classifier import load_classifier, no_classifiers
from tests.support.refusals import refused
from tests.support.tiny_models import wordpiece_tokenizer

TEXTS = ["She is very kind.", "He is not."]


def config(**facts: Any) -> transformers.BertConfig:
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    labels = {"id2label": {0: "kind", 1: "toxic"}, "label2id": {"kind": 0, "toxic": 1}}
    vocab_size = len(wordpiece_tokenizer())
    return transformers.BertConfig(vocab_size=vocab_size, **sizes, **labels, initializer_range=1.0, **facts)


def saved(folder: Path, model: Any) -> str:
    model.save_pretrained(folder)
    wordpiece_tokenizer().save_pretrained(folder)
    return str(folder)


def classifier(**facts: Any) -> Any:
    transformers.set_seed(0)
    return transformers.BertForSequenceClassification(config(**facts))


def test_half_precision_weights_are_computed_with_in_float32(tmp_path):
    model = classifier().half()
    folder = saved(tmp_path, model)
    inputs = wordpiece_tokenizer()(TEXTS, return_tensors="pt", padding=True)
    with torch.no_grad():
        expected = model.float().eval()(**inputs).logits.softmax(1)[:, 1].tolist()
    assert load_classifier(f"{folder}#toxic").probabilities(TEXTS) == pytest.approx(expected, abs=1e-6)


def without_pooler(model: Any) -> dict[str, Any]:
    return {key: value for key, value in model.state_dict().items() if "pooler" not in key}


@pytest.mark.parametrize(
    ("save", "error", "message"),
    [
        (
            lambda folder: (
                saved(folder, classifier()),
                classifier().save_pretrained(folder, state_dict=without_pooler(classifier())),
            ),
            errors.CapabilityError,
            "has no classification head .*pooler",
        ),
        (
            lambda folder: saved(folder, classifier(problem_type="regression")),
            errors.ModelError,
            "is trained for regression",
        ),
        (
            lambda folder: saved(folder, classifier(quantization_config={"quant_method": "odd"})),
            errors.ModelError,
            "quantised with 'odd'",
        ),
        (
            lambda folder: (saved(folder, classifier()), (folder / "adapter_config.json").write_text("{}")),
            errors.ModelError,
            "is a PEFT adapter; merge it",
        ),
        (lambda folder: (folder / "config.json").write_text("{}"), errors.ModelError, "contains no weights"),
    ],
    ids=["no pooler", "regression", "quantised", "adapter", "no weights"],
)
def test_what_gives_no_probabilities_of_its_own_is_refused(save, error, message, tmp_path):
    save(tmp_path)
    refused(error, message, load_classifier, f"{tmp_path}#toxic")


def test_none_is_loaded_where_that_is_ruled_out(tmp_path):
    address = f"{saved(tmp_path, classifier())}#toxic"
    with no_classifiers("not on this page"), pytest.raises(errors.ModelError) as caught:
        load_classifier(address)
    assert str(caught.value) == f"the classifier {tmp_path} was not loaded: not on this page"
    assert all(0 <= p <= 1 for p in load_classifier(address).probabilities(TEXTS))
