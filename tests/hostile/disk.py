"""The models on disk that bad calls are made with, spoilt from good ones that :func:`make_material` makes once."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from tests.hostile.models import WORDS
from tests.support import tiny_models, vector_files

__all__ = ["FILES", "REFUSED", "WARNED", "make_material"]


def make_material(folder: Path) -> None:
    """Write the good models that others are spoilt from."""
    for name, (model, tokenizer) in {
        "masked": tiny_models.tiny_masked("bert"),
        "causal": tiny_models.tiny_causal("gpt2"),
    }.items():
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    vectors = vector_files.sample(WORDS)
    vector_files.glove(folder / "glove.txt", vectors)
    vector_files.word2vec_binary(folder / "word2vec.bin", vectors)
    vector_files.npz(folder / "vectors.npz", vectors)
    vector_files.npz(folder / "packed.npz", vectors, save=np.savez_compressed)
    vector_files.npy(folder / "vectors.npy", vectors)
    vector_files.safetensors(folder / "vectors.safetensors", vectors)
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    text = [WORDS, WORDS[::-1]] * 3
    trained = FastText(text, vector_size=8, min_count=1, bucket=50, epochs=1, workers=1, seed=1)
    save_facebook_model(trained, str(folder / "fasttext.bin"))


def _bytes(name: str, content: bytes | Callable[[Path], bytes]) -> Callable[[Path, Path], Path]:
    def make(folder: Path, material: Path) -> Path:
        (folder / name).write_bytes(content(material) if callable(content) else content)
        return folder / name

    return make


def _cut(name: str, share: float) -> Callable[[Path, Path], Path]:
    def make(folder: Path, material: Path) -> Path:
        whole = (material / name).read_bytes()
        (folder / name).write_bytes(whole[: int(len(whole) * share)])
        return folder / name

    return make


def _npy(header: str, data: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header.encode("latin-1") + data


def _with_sizes(fasttext: bytes, size: int) -> bytes:
    """A fastText model whose dictionary is said to have so many words."""
    return fasttext[:68] + struct.pack("<ii", size, size) + fasttext[76:]


def _zip(members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


_WORDS_NPY = io.BytesIO()
np.save(_WORDS_NPY, np.array(WORDS))
_HEADER = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}\n"
_SIX_GB = _npy(_HEADER.format("<f8", "(8, 100000000)"))
_ZEROS = _npy(_HEADER.format("<f4", "(8, 5000000)"), bytes(160_000_000))


def _folder(**files: bytes | str) -> Callable[[Path, Path], Path]:
    """A copy of the masked model with some files replaced; a file of ``"-"`` is removed."""

    def make(folder: Path, material: Path) -> Path:
        target = folder / "model"
        shutil.copytree(material / "masked", target)
        for key, content in files.items():
            path = target / _NAMES[key]
            if content == "-":
                path.unlink()
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    return make


_NAMES = {
    "config": "config.json",
    "weights": "model.safetensors",
    "pickled": "pytorch_model.bin",
    "tokenizer": "tokenizer.json",
    "settings": "tokenizer_config.json",
}


def _config(**changes: Any) -> Callable[[Path, Path], Path]:
    def make(folder: Path, material: Path) -> Path:
        target = _folder()(folder, material)
        path = target / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
        return target

    return make


def _weights(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Path, Path], Path]:
    def make(folder: Path, material: Path) -> Path:
        from safetensors.torch import load_file, save_file

        target = _folder()(folder, material)
        tensors = change(load_file(target / "model.safetensors"))
        save_file(tensors, target / "model.safetensors", metadata={"format": "pt"})
        return target

    return make


def _special(kind: str) -> Callable[[Path, Path], Path]:
    def make(folder: Path, material: Path) -> Path:
        path = folder / "model.txt"
        match kind:
            case "FIFO":
                os.mkfifo(path)
            case "loop":
                path.symlink_to(path)
            case "dangling":
                path.symlink_to(folder / "nothing")
            case "folder":
                path.mkdir()
            case "config FIFO":
                path.mkdir()
                os.mkfifo(path / "config.json")
            case "config folder":
                (path / "config.json").mkdir(parents=True)
        return path

    return make


class _Touch:
    """Pickled, it makes a file when it is read."""

    def __reduce__(self) -> Any:
        return os.mkdir, ("pickle-was-read",)


_LONG_LINE = gzip.compress(b"8 2\nrose " + b"0" * 100_000_000, 1)
_SAFE = struct.pack("<Q", 2**62) + b"{}"
_SAFE_LYING = json.dumps(
    {"a": {"dtype": "F32", "shape": [10**9, 10], "data_offsets": [0, 4 * 10**10]}}
).encode()

FILES: dict[str, Callable[[Path, Path], Path]] = {
    "FIFO": _special("FIFO"),
    "link to itself": _special("loop"),
    "link to nothing": _special("dangling"),
    "empty folder": _special("folder"),
    "config is a FIFO": _special("config FIFO"),
    "config is a folder": _special("config folder"),
    "empty file": _bytes("model.txt", b""),
    "zero bytes": _bytes("model.bin", bytes(5000)),
    "noise": _bytes("model.bin", np.random.default_rng(0).bytes(5000)),
    "UTF-16": _bytes("model.txt", "rose 1.0 2.0\n".encode("utf-16")),
    "text of NaN": _bytes("model.txt", b"rose nan 1.0\nant 1.0 inf\n"),
    "text of two lengths": _bytes("model.txt", b"rose 1.0 2.0\nant 1.0\n"),
    "text of words": _bytes("model.txt", b"rose is red\nant is small\n"),
    "text of huge numbers": _bytes("model.txt", b"rose 1e999 1.0\nant " + b"9" * 5000 + b" 1\n"),
    "text with a lying header": _bytes("model.txt", b"1000000000 1000000000\nrose 1.0\n"),
    "text with a negative header": _bytes("model.txt", b"5 -3\nrose 1.0\n"),
    "header of 5,000 digits": _bytes("model.txt", b"9" * 5000 + b" 3\nrose 1 2 3\n"),
    "one long line": _bytes("model.txt.gz", _LONG_LINE),
    "cut gzip": _bytes("model.txt.gz", gzip.compress(b"rose 1.0 2.0\n" * 1000)[:-20]),
    "broken gzip": _bytes("model.txt.gz", b"\x1f\x8b" + bytes(100)),
    "cut word2vec": _cut("word2vec.bin", 0.6),
    "word2vec with a lying header": _bytes("model.bin", b"2000000000 2000000000\nrose " + bytes(16)),
    "word2vec with a negative header": _bytes("model.bin", b"-5 4\nrose " + bytes(16)),
    "word2vec header of 5,000 digits": _bytes("model.bin", b"9" * 5000 + b" 4\nrose " + bytes(16)),
    "fastText cut in its header": _cut("fasttext.bin", 0.02),
    "fastText cut in its dictionary": _cut("fasttext.bin", 0.1),
    "fastText cut in its vectors": _cut("fasttext.bin", 0.6),
    "fastText with a lying header": _bytes(
        "fasttext.bin",
        lambda m: _with_sizes((m / "fasttext.bin").read_bytes(), 2**31 - 1),
    ),
    "fastText of another version": _bytes("fasttext.bin", struct.pack("<ii", 793712314, 99) + bytes(400)),
    "cut npz": _cut("vectors.npz", 0.5),
    "cut packed npz": _cut("packed.npz", 0.5),
    "npz of 6 GB": _bytes("model.npz", _zip({"vectors.npy": _SIX_GB, "words.npy": _WORDS_NPY.getvalue()})),
    "npz of zeros": _bytes("model.npz", _zip({"vectors.npy": _ZEROS, "words.npy": _WORDS_NPY.getvalue()})),
    "npz of nothing": _bytes("model.npz", _zip({})),
    "npz of texts": _bytes("model.npz", _zip({"vectors.npy": b"rose", "words.npy": b"ant"})),
    "npz of pickles": _bytes("model.npz", _zip({"vectors.npy": pickle.dumps(_Touch()), "words.npy": b"x"})),
    "cut npy": _cut("vectors.npy", 0.5),
    "npy header that is none": _bytes("model.npy", _npy("import os")),
    "npy header that is deep": _bytes("model.npy", _npy("(" * 30_000)),
    "npy of 6 GB": _bytes("model.npy", _SIX_GB),
    "npy of a negative shape": _bytes("model.npy", _npy(_HEADER.format("<f8", "(-1, 3)"))),
    "npy of objects": _bytes("model.npy", _npy(_HEADER.format("|O", "(2, 2)"), bytes(50))),
    "npy of version 9": _bytes("model.npy", _npy("{}", version=b"\x09\x00")),
    "cut safetensors": _cut("vectors.safetensors", 0.5),
    "safetensors with a huge header": _bytes("model.safetensors", _SAFE),
    "safetensors with a lying header": _bytes(
        "model.safetensors", struct.pack("<Q", len(_SAFE_LYING)) + _SAFE_LYING
    ),
    "safetensors of no JSON": _bytes("model.safetensors", struct.pack("<Q", 4) + b"rose"),
    "pickle": _bytes("model.kv", pickle.dumps(_Touch())),
    "cut GGUF": _bytes("model.gguf", b"GGUF" + struct.pack("<IQQ", 3, 2**40, 2**40)),
    "GGUF of 8 bytes": _bytes("model.gguf", b"GGUF" + bytes(4)),
    "image": _bytes("model.png", b"\x89PNG\r\n\x1a\n" + bytes(100)),
    "config is empty": _folder(config=""),
    "config is a list": _folder(config="[]"),
    "config is a number": _folder(config="5"),
    "config is deep": _folder(config='{"a":' * 50_000),
    "config is no JSON": _folder(config="{model_type: bert}"),
    "config with 5,000 digits": _folder(config='{"model_type": "bert", "hidden_size": ' + "9" * 5000 + "}"),
    "config of an unknown type": _config(model_type="nonsense"),
    "config of type 5": _config(model_type=5),
    "config of another type": _config(model_type="t5"),
    "config of a decoder": _config(model_type="gpt2"),
    "config with a negative vocabulary": _config(vocab_size=-5),
    "config with a huge vocabulary": _config(vocab_size=10**12),
    "config with a text for a number": _config(hidden_size="x"),
    "config with another width": _config(hidden_size=64),
    "config with no layer": _config(num_hidden_layers=0),
    "config with more layers": _config(num_hidden_layers=5),
    "config with no heads": _config(num_attention_heads=0),
    "config with heads that do not divide": _config(num_attention_heads=5),
    "config with short positions": _config(max_position_embeddings=4),
    "config with code": _config(auto_map={"AutoConfig": "code.Config", "AutoModelForMaskedLM": "code.Model"}),
    "config with a kernel": _config(attn_implementation="kernels-community/flash-attn"),
    "config with a private kernel": _config(_attn_implementation="kernels-community/flash-attn"),
    "config with an unknown activation": _config(hidden_act="nonsense"),
    "config with an odd dtype": _config(dtype="float7", torch_dtype="float7"),
    "config with quantisation": _config(quantization_config={"quant_method": "nonsense"}),
    "config with odd architectures": _config(architectures=[5, None]),
    "no weights": _folder(weights="-"),
    "weights are empty": _folder(weights=b""),
    "weights are noise": _folder(weights=np.random.default_rng(1).bytes(4000)),
    "weights are a pickle": _folder(weights="-", pickled=pickle.dumps(_Touch())),
    "weights of NaN": _weights(lambda t: {k: torch.full_like(v, torch.nan) for k, v in t.items()}),
    "weights of inf": _weights(lambda t: {k: torch.full_like(v, torch.inf) for k, v in t.items()}),
    "weights missing": _weights(lambda t: dict(list(t.items())[: len(t) // 2])),
    "weights of another shape": _weights(lambda t: {k: v[:1].clone() for k, v in t.items()}),
    "weights with others among them": _weights(lambda t: {**t, "bert.encoder.layer.9.x": torch.ones(2)}),
    "no tokenizer": _folder(tokenizer="-", settings="-"),
    "tokenizer is empty": _folder(tokenizer=""),
    "tokenizer is a list": _folder(tokenizer="[]"),
    "tokenizer of an odd class": _folder(settings='{"tokenizer_class": "Nonsense"}'),
    "tokenizer settings are a list": _folder(settings="[]"),
    "tokenizer with code": _folder(settings='{"auto_map": {"AutoTokenizer": ["code.T", null]}}'),
}

REFUSED = (
    *("empty", "blank", "path of nothing", "FIFO", "one long line", "vectors of NaN", "vectors of inf"),
    *(
        "weights of NaN",
        "weights of inf",
        "embedder of NaN",
        "scorer of NaN",
        "model on meta",
        "vectors on meta",
    ),
    *("text of NaN", "cut word2vec", "fastText cut in its vectors", "cut npz", "cut safetensors", "pickle"),
    *("weights are a pickle", "weights are empty", "config with another width"),
)
"""Models that no number may come of."""

WARNED = ("weights missing", "weights with others among them", "config with more layers")
"""Models whose number needs a warning beside it, where there is one."""
