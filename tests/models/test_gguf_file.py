"""GGUF files: read as what they say, or refused; written here from tiny random models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import ModelError
from tests.support.refusals import refused

gguf = pytest.importorskip("gguf")
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

LETTERS = [chr(c) for c in range(33, 127)] + ["Ġ"]
MERGES = ["t h", "th e", "Ġ the"]
VOCABULARY = ["<s>", "</s>", "<unk>", *LETTERS, "th", "the", "Ġthe"]
TEXT = "the nurse said that the doctor was late for the third time"
SIZES: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "vocab_size": len(VOCABULARY), "max_position_embeddings": 64,
    "tie_word_embeddings": False, "rope_theta": 10_000.0,
}  # fmt: skip


def tiny(kind: str = "Llama", **options: Any) -> Any:
    """A random model of one of transformers' classes with large weights, so that positions matter."""
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**{**SIZES, **options})
    model = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name:
                weight.mul_(12)
    return model


def permuted(weights: np.ndarray, heads: int) -> np.ndarray:
    """The rows of a projection in llama.cpp's order of a head's dimensions."""
    split = weights.reshape(heads, 2, weights.shape[0] // heads // 2, *weights.shape[1:])
    return split.swapaxes(1, 2).reshape(weights.shape)


def written(
    path: Path,
    model: Any,
    architecture: str = "llama",
    fields: Mapping[str, Any] | None = None,
    change: Callable[[dict[str, np.ndarray]], None] = lambda tensors: None,
) -> Path:
    """A GGUF file with the weights of a model in float32."""
    c = model.config
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_name("tiny")
    writer.add_context_length(c.max_position_embeddings)
    writer.add_embedding_length(c.hidden_size)
    writer.add_block_count(c.num_hidden_layers)
    writer.add_feed_forward_length(c.intermediate_size)
    writer.add_head_count(c.num_attention_heads)
    writer.add_head_count_kv(c.num_key_value_heads)
    writer.add_layer_norm_rms_eps(c.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    if architecture == "llama":
        writer.add_rope_dimension_count(c.hidden_size // c.num_attention_heads)
    else:
        writer.add_key_length(c.head_dim)
        writer.add_value_length(c.head_dim)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(VOCABULARY)
    writer.add_token_types([3, 3, 2, *[1] * (len(VOCABULARY) - 3)])
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    for name, value in (fields or {}).items():
        add = {int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}[type(value)]
        add(name.format(arch=architecture), value)
    names = gguf.get_tensor_name_map(
        {"llama": gguf.MODEL_ARCH.LLAMA, "qwen3": gguf.MODEL_ARCH.QWEN3}[architecture], c.num_hidden_layers
    )
    tensors = {}
    for name, weight in model.state_dict().items():
        stem, _, end = name.rpartition(".")
        array = weight.float().numpy()
        if architecture == "llama" and ("q_proj" in name or "k_proj" in name):
            array = permuted(array, c.num_attention_heads if "q_proj" in name else c.num_key_value_heads)
        tensors[f"{names.get_name(stem)}.{end}"] = array
    change(tensors)
    for name, array in tensors.items():
        writer.add_tensor(name, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def scores(model: Any) -> np.ndarray:
    """Log-probabilities of the tokens of a text."""
    return model.sequence_logprobs(model.encode([TEXT]))[0]


def expected(model: Any, loaded: Any) -> np.ndarray:
    """The same of the model that a file was written from, with the tokenizer that was loaded."""
    return scores(eb.load_model((model, loaded.tokenizer), kind="causal"))


def test_a_file_gives_the_scores_of_the_model_that_it_was_written_from(tmp_path):
    model = tiny()
    loaded = eb.load_model(written(tmp_path / "a.gguf", model))
    np.testing.assert_allclose(scores(loaded), expected(model, loaded), atol=1e-4)


@pytest.mark.parametrize(
    ("fields", "rope"),
    [
        ({"{arch}.rope.scaling.type": "linear", "{arch}.rope.scaling.factor": 4.0},
         {"rope_type": "linear", "factor": 4.0}),
        ({"{arch}.rope.scale_linear": 4.0}, {"rope_type": "linear", "factor": 4.0}),
        ({"{arch}.rope.scaling.type": "yarn", "{arch}.rope.scaling.factor": 4.0,
          "{arch}.rope.scaling.original_context_length": 16},
         {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}),
    ],
    ids=["linear", "linear of older files", "yarn"],
)  # fmt: skip
def test_scaled_positions_are_applied(tmp_path, fields, rope):
    plain, scaled = tiny(), tiny(rope_scaling=rope)
    loaded = eb.load_model(written(tmp_path / "a.gguf", plain, fields=fields))
    np.testing.assert_allclose(scores(loaded), expected(scaled, loaded), atol=1e-4)
    assert np.abs(scores(loaded) - expected(plain, loaded)).max() > 0.01


def test_factors_of_frequencies_are_applied(tmp_path):
    """Llama 3's scaling: the converter writes it as a tensor."""
    rope = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": 16}  # fmt: skip
    plain, scaled = tiny(), tiny(rope_scaling=rope)
    factors = plain.model.rotary_emb.inv_freq / scaled.model.rotary_emb.inv_freq
    assert factors.max() > 1

    def add(tensors):
        tensors["rope_freqs.weight"] = factors.numpy().astype(np.float32)

    loaded = eb.load_model(written(tmp_path / "a.gguf", plain, change=add))
    np.testing.assert_allclose(scores(loaded), expected(scaled, loaded), atol=1e-4)
    assert np.abs(scores(loaded) - expected(plain, loaded)).max() > 0.01


def test_the_width_of_heads_is_the_file_s(tmp_path):
    model = tiny("Qwen3", head_dim=16)
    loaded = eb.load_model(written(tmp_path / "a.gguf", model, "qwen3"))
    np.testing.assert_allclose(scores(loaded), expected(model, loaded), atol=1e-4)


@pytest.mark.parametrize(
    ("fields", "change", "fact"),
    [
        ({}, lambda t: t.pop("blk.1.ffn_up.weight"), "1 tensors are missing"),
        ({}, lambda t: t.update({"blk.1.attn_q.bias": t["blk.1.attn_norm.weight"]}), "blk.1.attn_q.bias"),
        ({}, lambda t: t.update({"rope_freqs.weight": np.ones(3, np.float32)}), "rope_freqs.weight"),
        ({"{arch}.rope.scaling.type": "longrope", "{arch}.rope.scaling.factor": 4.0}, lambda t: None, "longrope"),
        ({"split.count": 2, "split.no": 0}, lambda t: None, "one of 2 parts"),
        ({}, lambda t: t.update({"rope_factors_long.weight": np.ones(4, np.float32)}), "rope_factors_long"),
        ({"{arch}.attention.scale": 0.5}, lambda t: None, "attention.scale"),
    ],
    ids=[
        "missing tensor", "tensor without a place", "factors that do not fit", "unknown scaling", "split file",
        "factors by length", "scale of attention",
    ],
)  # fmt: skip
def test_a_file_that_would_be_another_model_is_refused(tmp_path, fields, change, fact):
    path = written(tmp_path / "a.gguf", tiny(), fields=fields, change=change)
    refused(ModelError, fact, eb.load_model, path)


def test_positions_in_a_part_of_a_head_are_refused(tmp_path):
    fields = {"{arch}.rope.dimension_count": 8}
    path = written(tmp_path / "a.gguf", tiny("Qwen3", head_dim=16), "qwen3", fields=fields)
    with pytest.raises(ModelError, match="8 dimensions of a head"):
        eb.load_model(path)


def test_a_tensor_outside_the_layers_is_named(tmp_path):
    def add(tensors):
        tensors["v.patch_embd.weight"] = np.ones((2, 2), np.float32)

    loaded = eb.load_model(written(tmp_path / "a.gguf", tiny(), change=add))
    assert any("v.patch_embd.weight" in warning for warning in loaded.warnings)
