"""Models of images and texts measured as language models: from a folder and in memory, or refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers
from transformers.models.auto import modeling_auto as auto

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, ModelError
from evaluate_bias.models.pretrained import head_of
from tests.support.architectures import SIZES
from tests.support.refusals import refused
from tests.support.tiny_models import byte_tokenizer

TOKENIZER = byte_tokenizer(causal=True)
CORE = ("mistral3", "qwen2_5_vl", "llava", "gemma3")
KINDS: dict[str, dict[str, Any]] = {
    "mistral3": {},
    "qwen2_5_vl": {
        "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e4}
    },
    "qwen3_vl": {},
    "llava": {},
    "smolvlm": {},
    "internvl": {},
    "mllama": {"pad_token_id": 0},
    "gemma3": {},
    "gemma4": {
        "vocab_size_per_layer_input": len(TOKENIZER),
        "hidden_size_per_layer_input": 8,
        "layer_types": ["sliding_attention", "full_attention"],
    },
}
"""What the configuration of the text's part needs beside the sizes."""


def tiny(name: str, **of_text: Any) -> Any:
    """A tiny random model of a type."""
    kind = transformers.CONFIG_MAPPING[name]
    default, parts = kind(), {}
    for key in kind.sub_configs:
        if (part := getattr(default, key, None)) is None:
            continue
        values = part.to_dict()
        settings = {name: value for name, value in SIZES.items() if (values.get(name) or 0) > 0}
        if "vocab_size" in values:
            settings |= {"vocab_size": len(TOKENIZER), **of_text}
        parts[key] = type(part)(**settings)
    torch.manual_seed(0)
    return transformers.AutoModelForImageTextToText.from_config(kind(**parts)).eval()


def scores(model: Any) -> list[float]:
    return model.sequence_logprobs(model.encode(["The nurse said she left."]))[0].tolist()


@pytest.mark.parametrize(
    "name", [n if n in CORE else pytest.param(n, marks=pytest.mark.nightly) for n in KINDS]
)
def test_a_folder_and_the_object_are_measured_alike(name, tmp_path):
    model = tiny(name, **KINDS[name])
    in_memory = scores(eb.load_model((model, TOKENIZER), kind="causal", progress=False))
    with torch.inference_mode():
        item = eb.load_model((model, TOKENIZER), progress=False).encode(["The nurse said she left."])[0]
        table = model(input_ids=torch.tensor([item.ids])).logits[0].double().log_softmax(-1)
    assert in_memory == pytest.approx([table[p - 1, item.ids[p]].item() for p in item.positions], abs=1e-5)
    model.save_pretrained(tmp_path)
    TOKENIZER.save_pretrained(tmp_path)
    assert scores(eb.load_model(tmp_path, progress=False)) == pytest.approx(in_memory, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "fact"), [("blip", "cannot be run: "), ("paligemma", "reads a text in both directions")]
)
def test_what_has_no_likelihood_of_a_text_is_refused(name, fact):
    model = eb.load_model((tiny(name), TOKENIZER), kind="causal", progress=False)
    refused((ModelError, CapabilityError), fact, scores, model)


def test_every_type_of_the_two_mappings_is_a_causal_model_or_reads_with_two_halves():
    """Of classes alone: what a model of the type does is tried when it scores."""
    kinds = {**auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, **auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES}
    masked = set(auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES.values())
    classes = {name for names in kinds.values() for name in (names if isinstance(names, tuple) else (names,))}
    assert len(classes) > 200
    assert {name for name in classes if head_of(name) != "causal"} <= masked
