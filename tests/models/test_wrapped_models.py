"""Models as they come out of torch.compile, parallel training, quantisation, and what only looks like a model."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import evaluate_bias as eb
from evaluate_bias.errors import InputError, ModelError
from tests.support.tiny_models import tiny_causal, tiny_masked

TEXTS = ["the nurse said she left", "he is a doctor"]


def fresh() -> tuple[Any, Any]:
    model, tokenizer = tiny_masked("bert")
    return copy.deepcopy(model), tokenizer


def scores(model: Any) -> list[float]:
    loaded = eb.load_model(model)
    return np.concatenate(loaded.pseudo_logprobs(loaded.encode(TEXTS))).tolist()  # type: ignore[attr-defined]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model, tokenizer = tiny_masked("bert")
    model.save_pretrained(tmp_path / "tiny")
    tokenizer.save_pretrained(tmp_path / "tiny")
    return tmp_path / "tiny"


# --- what runs a model --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrapped",
    [lambda m: torch.compile(m, backend="eager"), torch.nn.DataParallel],
    ids=["torch.compile", "DataParallel"],
)
def test_a_wrapped_model_is_the_model_in_it_and_stays_whole(wrapped: Any) -> None:
    model, tokenizer = fresh()
    expected, names = scores((model, tokenizer)), set(dict(model.named_modules()))
    outside = wrapped(model)
    assert scores((outside, tokenizer)) == pytest.approx(expected, rel=1e-6)
    assert set(dict(model.named_modules())) == names
    model.eval()  # what was put into itself could not be walked through
    assert eb.load_model((outside, tokenizer)).provenance()["architecture"] == "BertForMaskedLM"


# --- quantised ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:torch", "ignore:For migrations")
@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_a_model_that_torch_quantised_is_measured(kind: str) -> None:
    model, tokenizer = tiny_masked("bert") if kind == "masked" else tiny_causal("gpt2")
    quantised = torch.ao.quantization.quantize_dynamic(
        copy.deepcopy(model).float(), {torch.nn.Linear}, dtype=torch.qint8
    )
    loaded = eb.load_model((quantised, tokenizer))
    variant = "shared" if kind == "masked" else "causal"
    result = eb.measure("crows_pairs", loaded, source="minimal_pairs", variant=variant)
    assert 0 <= result.score <= 100
    assert any("quantises its activations" in warning for warning in result.warnings)
    facts = loaded.provenance()
    assert facts == eb.load_model((quantised, tokenizer)).provenance()
    with pytest.raises(InputError, match="is quantised and cannot be moved or converted"):
        eb.load_model((quantised, tokenizer), dtype="float16")
    packed = next(m for m in quantised.modules() if type(m).__module__.endswith("dynamic.modules.linear"))
    weight, bias = packed._weight_bias()
    packed._packed_params.set_weight_bias(
        torch.quantize_per_tensor(weight.dequantize() * 2, weight.q_scale() * 2, 0, torch.qint8), bias
    )
    assert eb.load_model((quantised, tokenizer)).provenance()["weights_sha256"] != facts["weights_sha256"]


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes"),
        ({"quant_method": "gptq", "bits": 4}, "gptq"),
        ({"quant_method": "awq", "bits": 4}, "awq"),
        ({"quant_method": "torchao", "quant_type": "int8_weight_only"}, "torchao"),
        ({"quant_method": "mxfp4"}, "may load compiled code"),
        ({"bits": 4}, "does not say how its weights are quantised"),
        ({}, "does not say how its weights are quantised"),
        ("x" * 5000, "cannot load quantised"),
        ([], "cannot load quantised"),
    ],
    ids=repr,
)
def test_a_quantised_folder_that_this_machine_cannot_run(folder: Path, config: Any, told: str) -> None:
    place = folder.rename(folder.parent / "quantised")
    facts = json.loads((place / "config.json").read_text(encoding="utf-8"))
    (place / "config.json").write_text(json.dumps({**facts, "quantization_config": config}), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        eb.load_model(place)
    assert told.casefold() in str(caught.value).casefold()
    assert len(str(caught.value)) <= 600
    assert "\n" not in str(caught.value)


# --- adapters -----------------------------------------------------------------------------------------------------


# --- what is no model ---------------------------------------------------------------------------------------------


def t5() -> Any:
    size = len(tiny_masked("bert")[1])
    config = transformers.T5Config(
        d_model=8, d_ff=8, num_layers=1, num_heads=2, d_kv=4, vocab_size=size, decoder_start_token_id=0
    )
    return transformers.T5ForConditionalGeneration(config)


def test_an_encoder_decoder_model_is_refused_and_its_encoder_taken(tmp_path: Path) -> None:
    model, tokenizer = t5(), tiny_masked("bert")[1]
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    for spec in ((model, tokenizer), tmp_path):
        with pytest.raises(ModelError, match="is an encoder-decoder model") as caught:
            eb.load_model(spec)
        assert "get_encoder(), tokenizer" in str(caught.value)
    encoder = eb.load_model((model.get_encoder(), tokenizer))
    (found,) = encoder.embed_in_context([TEXTS[0]], None, ["sentence_mean"])  # type: ignore[attr-defined]
    assert np.isfinite(found).all()


def test_what_only_looks_like_a_model_is_told_in_a_sentence() -> None:
    from sentence_transformers import CrossEncoder

    model, tokenizer = tiny_masked("bert")
    with pytest.raises(ModelError, match=r"is a tokenizer: pass the pair \(model, tokenizer\)"):
        eb.load_model(tokenizer)
    with pytest.raises(ModelError, match="a CrossEncoder is not a model"):
        eb.load_model(CrossEncoder.__new__(CrossEncoder))
    with pytest.raises(InputError, match=r"a pair must be \(model, tokenizer\)"):
        eb.load_model((tokenizer, model))
    with pytest.raises(InputError, match="revision, file and token belong to a Hub id or a folder"):
        eb.load_model({"a": [1.0]}, token="hf_x")


@pytest.mark.parametrize("dtype", ["torch.bfloat16", "bfloat16", torch.bfloat16])
def test_a_dtype_is_written_in_any_of_its_ways(folder: Path, dtype: Any) -> None:
    assert eb.load_model(folder, dtype=dtype).provenance()["dtype"] == "bfloat16"


# --- on the command line ------------------------------------------------------------------------------------------
