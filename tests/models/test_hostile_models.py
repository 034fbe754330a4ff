"""Damaged, hostile and misunderstood models: one of our errors in a sentence, soon, and never a wrong number."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, InputError, ModelError
from evaluate_bias.models import pretrained
from evaluate_bias.models._vectors import matrices, streams
from evaluate_bias.models.load import load_model
from evaluate_bias.models.masked import MaskedLM
from evaluate_bias.models.static import StaticVectors
from evaluate_bias.models.transformer import load_transformer
from tests.support import vector_files as write
from tests.support.tiny_models import SENTENCES, tiny_causal, tiny_masked

VECTORS = write.sample(["poppy", "rose", "ant", "wasp"], dimension=3)


def answer(spec: Any, **options: Any) -> str:
    """What is said about ``spec``, by loading or by the first look-up; empty where it was read."""
    try:
        model = load_model(spec, **options)
        if isinstance(model, StaticVectors):
            model.embed_words(["rose", "ant"])
    except BiasError as error:
        return str(error)
    return ""


def refused(spec: Any, **options: Any) -> str:
    """What is said about ``spec``, which must be refused in one sentence."""
    said = answer(spec, **options)
    assert said, "it was read"
    assert 10 < len(said) <= 600, said
    said.encode()
    return said


# --- options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["False", "", 0, 1, None, []])
def test_only_true_allows_pickles(value, tmp_path):
    path = tmp_path / "v.kv"
    path.write_bytes(b"\x80\x04N.")
    for load in (load_model, StaticVectors, load_transformer):
        with pytest.raises(InputError, match="`allow_pickle` must be true or false, got "):
            load(path, allow_pickle=value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"allow_pickel": True}, "no option 'allow_pickel'; did you mean 'allow_pickle'?"),
        ({"revision": 3}, "`revision` must be a string or None, got 3"),
        ({"dtype": "float64"}, "`dtype` must be 'auto', 'float32', 'bfloat16' or 'float16', got 'float64'"),
        ({"vocabulary": 3}, "`vocabulary` must be a string, a path, a list of strings or None, got 3"),
        ({"case": "x" * 10_000}, "`case` must be 'as_is'"),
    ],
)
def test_options_are_checked_before_anything_is_looked_for(given, expected):
    assert expected in refused("no-such-owner/no-such-model", **given)


# --- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["", " ", "\n", ".", " . ", Path()])
def test_an_empty_name_is_not_the_working_directory(spec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write.glove(tmp_path / "v.txt", VECTORS)
    for load in (load_model, StaticVectors, load_transformer):
        with pytest.raises(InputError, match="names no model, and would measure whatever lies in the"):
            load(spec)
    assert "rose" in load_model("./v.txt")


# --- vector files ------------------------------------------------------------------------------------------


WRITERS: dict[str, Callable[[Path, write.Vectors], Path]] = {
    "glove": write.glove,
    "word2vec": write.word2vec_text,
    "binary": write.word2vec_binary,
    "npy": write.npy,
    "npz": write.npz,
    "packed npz": lambda path, vectors: write.npz(path, vectors, np.savez_compressed),
    "safetensors": write.safetensors,
}


@pytest.mark.parametrize("format", WRITERS)
def test_damaged_vector_files_are_ours_to_refuse(format, tmp_path):
    """A byte replaced by a letter, some dropped, or the end cut off: read as vectors, or refused by one of ours.

    No number in a header grows by that, so that no reader is made to wait or to fill the memory.
    """
    path = tmp_path / f"v{'.npy' if format == 'npy' else '.npz' if 'npz' in format else ''}"
    whole = WRITERS[format](path, VECTORS).read_bytes()
    rng = random.Random(format)
    for _ in range(60):
        data = bytearray(whole)
        place = rng.randrange(min(len(data), rng.choice([12, 100, 10**9])))
        change = rng.choice(["set", "drop", "cut"])
        if change == "set":
            data[place] = rng.choice(b"x \n\0")
        else:
            del data[place : None if change == "cut" else place + rng.randint(1, 9)]
        path.write_bytes(data)
        assert len(answer(path)) <= 600


@pytest.mark.parametrize(
    ("format", "module", "limits", "expected"),
    [
        ("packed npz", matrices, {"_LARGE": 1, "_MOST_PACKED": 0}, "made to fill the memory"),
        ("glove", streams, {"_LONGEST_LINE": 8}, "contains a line of more than 8 bytes"),
    ],
)
def test_a_file_above_a_limit_is_refused(format, module, limits, expected, tmp_path, monkeypatch):
    path = WRITERS[format](tmp_path / ("v.npz" if "npz" in format else "v"), VECTORS)
    assert answer(path) == ""
    for name, value in limits.items():
        monkeypatch.setattr(module, name, value)
    assert expected in refused(path)


# --- transformers ------------------------------------------------------------------------------------------


def configure(place: Path, **changes: Any) -> None:
    path = place / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("asked", ["no--such/kernel", "flash_attention_2"])
@pytest.mark.parametrize("key", ["attn_implementation", "_attn_implementation", "experts_implementation"])
def test_a_configuration_chooses_no_kernels(asked, key, bert_folder):
    expected: Any = load_model(bert_folder)
    configure(bert_folder, **{key: asked})
    model: Any = load_model(bert_folder)
    assert model.model.config._attn_implementation in ("eager", "sdpa")
    for a, b in zip(*(m.token_logprobs(m.encode(SENTENCES)) for m in (model, expected)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"quantization_config": {"quant_method": "mxfp4"}}, "which may load compiled code"),
        ({"quantization_config": {}}, "quantised with None \\(quant_method\\), which may|cannot load tiny"),
        ({"transformers_weights": "adapter_model.bin"}, "asks for pickled weights, 'adapter_model.bin'"),
        ({"is_decoder": True}, "says is_decoder"),
    ],
)
def test_what_a_configuration_may_not_choose(changes, expected, bert_folder):
    configure(bert_folder, **changes)
    assert re.search(expected, refused(bert_folder))


@pytest.mark.parametrize("kind", ["masked", "encoder"])
def test_layers_that_the_configuration_leaves_out(kind, bert_folder):
    configure(bert_folder, num_hidden_layers=2)
    said = refused(bert_folder, kind=kind)
    assert "omits 16 of their tensors, among them 'bert.encoder.layer.2" in said
    configure(bert_folder, num_hidden_layers=4)
    assert "are incomplete: 16 tensors are missing" in refused(bert_folder, kind=kind)
    tiny_masked("bert")[0].bert.save_pretrained(bert_folder)  # an encoder's own checkpoint
    assert load_model(bert_folder).warnings == []
    configure(bert_folder, num_hidden_layers=2)
    assert "omits 16 of their tensors, among them 'encoder.layer.2" in refused(bert_folder)


@pytest.mark.parametrize(
    "config",
    [{"num_hidden_layers": 10**9}, {"text_config": {"n_layer": 10**6}}, {"num_labels": 10**9}],
)
def test_a_model_that_would_fill_the_memory_is_refused_before_it_is_built(config, bert_folder, monkeypatch):
    import transformers

    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", None)
    configure(bert_folder, **config)
    with pytest.raises(
        ModelError, match=r"has (num_hidden_layers|n_layer|num_labels)=10*, more than its weights allow"
    ):
        load_model(bert_folder)


@pytest.mark.parametrize(
    ("config", "fits"),
    [
        ({"hidden_size": 8}, True),
        ({"hidden_size": 9}, False),
        ({"text_config": {"d_model": 9}}, False),
        ({"hidden_size": 4, "intermediate_size": 20}, True),
        ({"hidden_size": 4, "intermediate_size": 21}, False),
        ({"hidden_size": 8, "vocab_size": 11}, False),
        ({"hidden_size": 8, "embedding_size": 2, "vocab_size": 40}, True),
        ({"max_position_embeddings": 81}, False),
        ({"num_hidden_layers": "many"}, True),
    ],
)
def test_a_weight_takes_a_bit_at_least(config, fits, tmp_path):
    """Weights of 10 bytes contain at most 80 of them."""
    (tmp_path / "weights").write_bytes(bytes(10))
    with nullcontext() if fits else pytest.raises(ModelError, match="more than its weights allow"):
        pretrained.check_implied_size(config, [tmp_path / "weights"], "bert")


@pytest.mark.parametrize(
    ("name", "value", "tensor", "shapes"),
    [
        ("vocab_size", 100, "embeddings.word_embeddings.weight", "220 x 32 and should be 100 x 32"),
        ("intermediate_size", 7, "encoder.layer.0.intermediate.dense.bias", "48 and should be 7"),
    ],
)
def test_a_size_that_does_not_fit_is_named_with_its_tensor(name, value, tensor, shapes, bert_folder):
    configure(bert_folder, **{name: value})
    said = refused(bert_folder)
    assert f"{tensor}', which is {shapes} by the configuration's {name}={value}" in said


def test_other_weights_of_the_body_are_warned_about_next_to_the_number(bert_folder):
    path = bert_folder / "model.safetensors"
    weights = load_file(path)
    optional = {
        "bert.pooler.dense.weight": torch.ones(32, 32),
        "cls.seq_relationship.weight": torch.ones(2, 32),
    }
    save_file(weights | optional, path, metadata={"format": "pt"})
    assert load_model(bert_folder).warnings == []
    save_file(weights | {"bert.adapter.weight": torch.ones(2)}, path, metadata={"format": "pt"})
    model = load_model(bert_folder)
    (warning,) = model.warnings
    assert "no place for 1 of its weights, among them 'bert.adapter.weight'" in warning
    pairs = [{"sent_more": f"{SENTENCES[0]} {i}", "sent_less": f"{SENTENCES[1]} {i}"} for i in range(3)]
    assert warning in eb.measure("pll", model, data=pairs).warnings


ODD_CONFIGS: list[dict[str, Any]] = [
    {"architectures": [5]}, {"model_type": None}, {"vocab_size": "many"}, {"hidden_size": 0},
    {"num_attention_heads": 5}, {"num_hidden_layers": "2"}, {"hidden_act": "nothing"}, {"dtype": 5},
    {"pad_token_id": 999}, {"id2label": 5}, {"quantization_config": 5}, {"model_type": "gpt2"},
]  # fmt: skip


@pytest.mark.parametrize("config", ODD_CONFIGS, ids=lambda c: "-".join(f"{k}={v}"[:30] for k, v in c.items()))
def test_odd_configurations_are_read_or_refused_by_one_of_ours(config, bert_folder):
    configure(bert_folder, **config)
    said = ""
    try:
        model: Any = load_model(bert_folder)
        items = [item for item in model.encode(SENTENCES) if not isinstance(item, eb.Skipped)]
        model.embed_in_context(SENTENCES, None, ["sentence_mean"])
        if isinstance(model, MaskedLM):
            model.token_logprobs(items)
    except BiasError as error:
        said = str(error)
    assert len(said) <= 600


def test_a_file_of_a_folder_lies_within_it(tmp_path):
    (tmp_path / "in").mkdir()
    for path in (tmp_path / "out.txt", tmp_path / "in" / "v.txt"):
        write.glove(path, VECTORS)
    (tmp_path / "in" / "linked.txt").symlink_to("../out.txt")
    for file in ("v.txt", "./v.txt", "linked.txt"):  # a Hub cache holds links
        assert answer(tmp_path / "in", file=file) == ""
    for file in ("../out.txt", "x/../../out.txt", "..", str(tmp_path / "out.txt")):
        assert "`file` must be the name of a file within" in refused(tmp_path / "in", file=file)


def test_a_gguf_file_cut_anywhere_is_said_to_be_cut(tmp_path):
    gguf = pytest.importorskip("gguf")
    path = tmp_path / "v.gguf"
    writer = gguf.GGUFWriter(str(path), "gpt2")
    writer.add_context_length(8)
    writer.add_tensor("token_embd.weight", np.zeros((50, 4), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    whole = path.read_bytes()
    for cut in (4, 20, 30, 50, 100, len(whole) - 100):
        path.write_bytes(whole[:cut])
        assert refused(path) == "cannot load v.gguf: the GGUF file is damaged or was cut short"
    for place in (b"gpt2", b"general.architecture", b"token_embd"):  # the header, and no other part of it
        at = whole.index(place)
        path.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
        assert refused(path) == "cannot load v.gguf: the GGUF file is damaged or was cut short"


def test_a_tokenizer_of_another_model_is_refused_by_name():
    model, _ = tiny_causal("gpt2")
    small = type(model)(type(model.config)(**{**model.config.to_dict(), "vocab_size": 20}))
    loaded = load_transformer((small, tiny_causal("gpt2")[1]))
    with pytest.raises(ModelError, match=r"the tokenizer does not belong to .*: it gives token \d+,"):
        loaded.encode(SENTENCES)


def test_what_a_model_raises_while_it_runs_is_ours():
    model, tokenizer = tiny_masked("bert")

    class Odd(type(model)):
        def forward(self, *_, **__):
            raise IndexError("index 7 is out of bounds")

    loaded = load_transformer((Odd(model.config), tokenizer), name="odd")
    with pytest.raises(ModelError, match=r"odd cannot be run: index 7 is out of bounds") as caught:
        loaded.token_logprobs(loaded.encode(SENTENCES))
    assert isinstance(caught.value.__cause__, IndexError)
