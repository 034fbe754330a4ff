"""The models in memory that bad calls are made with, and options of loading good ones; those on disk: ``disk.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

__all__ = ["HERE", "LOAD_OPTIONS", "LOAD_TEXTS", "MODELS", "NAMES", "WORDS"]

WORDS = ["poppy", "rose", "ant", "wasp", "good", "nice", "bad", "vile"]


# --- in memory ------------------------------------------------------------------------------------------------


def _pair(name: str, material: Path) -> tuple[Any, Any]:
    import transformers

    kind = transformers.AutoModelForMaskedLM if name == "masked" else transformers.AutoModelForCausalLM
    return kind.from_pretrained(material / name), transformers.AutoTokenizer.from_pretrained(material / name)


def _filled(value: float) -> Callable[[Path], Any]:
    def make(material: Path) -> Any:
        model, tokenizer = _pair("masked", material)
        with torch.no_grad():
            for weights in model.parameters():
                weights.fill_(value)
        return model, tokenizer

    return make


def _on_meta(material: Path) -> Any:
    model, tokenizer = _pair("masked", material)
    return model.to("meta"), tokenizer


def _short_vocabulary(material: Path) -> Any:
    model, tokenizer = _pair("masked", material)
    model.resize_token_embeddings(20)
    return model, tokenizer


def _no_mask(material: Path) -> Any:
    model, tokenizer = _pair("masked", material)
    tokenizer.mask_token = None
    return model, tokenizer


class Embedder:
    """Embeds words and texts as it is told, however badly."""

    name = "embedder"

    def __init__(self, answer: Callable[[Sequence[Any]], Any]) -> None:
        self._answer = answer

    def provenance(self) -> dict[str, Any]:
        return {"kind": "embedder"}

    def embed_words(self, words: Sequence[str]) -> Any:
        return self._answer(words), []

    def embed_in_context(self, texts: Sequence[str], spans: Any, representations: Any) -> Any:
        return [self._answer(representations) for _ in texts]


class Scorer:
    """Scores as it is told."""

    name = "scorer"
    warnings = ()
    mask_token = "[MASK]"

    def __init__(self, answer: Callable[[Any], Any], provenance: Any = None) -> None:
        self._answer, self._provenance = answer, provenance

    def provenance(self) -> Any:
        return {"kind": "scorer"} if self._provenance is None else self._provenance

    def encode(self, texts: Sequence[str]) -> Any:
        return [self._answer(text) for text in texts]

    def pseudo_logprobs(self, encoded: Any, positions: Any = "all") -> Any:
        return [self._answer(e) for e in encoded]

    masked_logprobs = token_logprobs = sequence_logprobs = mask_distributions = pseudo_logprobs


class Loud(Scorer):
    """Fails in the middle."""

    def __init__(self, error: Exception) -> None:
        def fail(_: Any) -> Any:
            raise error

        super().__init__(fail)


def _vectors(value: Any) -> Callable[[Path], Any]:
    return lambda material: dict.fromkeys(
        [*WORDS, "north", "up", "east", "right", "top", "side", "down", "left"], value
    )


MODELS: dict[str, Callable[[Path], Any]] = {
    "None": lambda m: None,
    "empty": lambda m: "",
    "blank": lambda m: "  ",
    ".": lambda m: ".",
    "..": lambda m: "..",
    "/": lambda m: "/",
    "~": lambda m: "~",
    "5": lambda m: 5,
    "NaN": lambda m: float("nan"),
    "True": lambda m: True,
    "zero byte": lambda m: "a\0b",
    "lone surrogate": lambda m: "a\ud800/b",
    "long text": lambda m: "x" * 100_000,
    "long path": lambda m: "/" + "x" * 5000,
    "bidi override": lambda m: "org/\u202ex\x1b[0m",
    "Hub id with a blank": lambda m: "org/na me",
    "Hub id of three parts": lambda m: "a/b/c",
    "unknown Hub id": lambda m: "org/nothing",
    "address": lambda m: "https://127.0.0.1:1/model",
    "bytes": lambda m: b"glove.txt",
    "path of nothing": lambda m: Path(),
    "empty dict": lambda m: {},
    "vectors of None": _vectors(None),
    "vectors of texts": _vectors("rose"),
    "vectors of NaN": _vectors([float("nan"), 1.0]),
    "vectors of inf": _vectors([float("inf"), 1.0]),
    "vectors of zeros": _vectors([0.0, 0.0]),
    "huge vectors": _vectors([1e308, 1e308]),
    "tiny vectors": _vectors([5e-324, 5e-324]),
    "no dimension": _vectors([]),
    "single numbers": _vectors(1.0),
    "matrices": _vectors([[1.0], [2.0]]),
    "complex vectors": _vectors([1j, 1.0]),
    "boolean vectors": _vectors([True, False]),
    "vectors of objects": _vectors(np.array([None, 1.0], dtype=object)),
    "vectors of huge whole numbers": _vectors([10**400, 1]),
    "vectors with gradient": _vectors(torch.ones(2, requires_grad=True)),
    "vectors on meta": _vectors(torch.empty(2, device="meta")),
    "vectors of two lengths": lambda m: {"rose": [1.0], "ant": [1.0, 2.0]},
    "words that are numbers": lambda m: {5: [1.0, 2.0], None: [2.0, 1.0]},
    "words with surrogates": lambda m: {"\ud800": [1.0, 2.0], "": [2.0, 1.0]},
    "list": lambda m: [1.0, 2.0],
    "set": lambda m: {"a"},
    "generator": lambda m: (x for x in "ab"),
    "array": lambda m: np.eye(3),
    "object": lambda m: object(),
    "class": lambda m: dict,
    "function": lambda m: len,
    "empty pair": lambda m: (),
    "pair of None": lambda m: (None, None),
    "pair of texts": lambda m: ("a", "b"),
    "one of a pair": lambda m: _pair("masked", m)[:1],
    "model alone": lambda m: _pair("masked", m)[0],
    "tokenizer alone": lambda m: _pair("masked", m)[1],
    "three": lambda m: (*_pair("masked", m), 5),
    "no tokenizer": lambda m: (_pair("masked", m)[0], None),
    "pair the wrong way round": lambda m: _pair("masked", m)[::-1],
    "another tokenizer": lambda m: (_pair("masked", m)[0], _pair("causal", m)[1]),
    "short vocabulary": _short_vocabulary,
    "no mask": _no_mask,
    "weights of NaN": _filled(float("nan")),
    "weights of inf": _filled(float("inf")),
    "weights of zero": _filled(0.0),
    "huge weights": _filled(1e30),
    "model on meta": _on_meta,
    "embedder of NaN": lambda m: Embedder(lambda items: np.full((len(items), 2), np.nan)),
    "embedder of None": lambda m: Embedder(lambda items: None),
    "embedder of one row": lambda m: Embedder(lambda items: np.ones((1, 2))),
    "embedder of too many rows": lambda m: Embedder(lambda items: np.ones((len(items) + 3, 2))),
    "embedder of texts": lambda m: Embedder(lambda items: [["a", "b"] for _ in items]),
    "embedder of tensors": lambda m: Embedder(lambda items: torch.ones(len(items), 2, requires_grad=True)),
    "scorer of NaN": lambda m: Scorer(lambda _: np.array([np.nan])),
    "scorer of inf": lambda m: Scorer(lambda _: np.array([-np.inf])),
    "scorer of None": lambda m: Scorer(lambda _: None),
    "scorer of texts": lambda m: Scorer(lambda _: "rose"),
    "scorer that fails": lambda m: Loud(RuntimeError("x\n" * 2000)),
    "scorer with a bad name": lambda m: Scorer(lambda _: None, provenance=5),
    "method object": lambda m: __import__("evaluate_bias").measure,
}

HERE = ("empty", "blank", ".", "path of nothing")
"""Names of the working directory: word vectors are put there."""

NAMES = (
    "empty",
    "blank",
    ".",
    "..",
    "/",
    "~",
    "long text",
    "long path",
    "Hub id with a blank",
    "unknown Hub id",
)
"""What the command can be given."""

# --- options of loading -----------------------------------------------------------------------------------------

LOAD_OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    f"{model}: {name}={value!r}": (model, {name: value})
    for model in ("glove.txt", "masked")
    for name, value in [
        ("device", "meta"),
        ("device", "cuda:99"),
        ("device", "nonsense"),
        ("device", ""),
        ("device", 5),
        ("device", None),
        ("dtype", "float8"),
        ("dtype", "int8"),
        ("dtype", 5),
        ("dtype", None),
        ("kind", "nonsense"),
        ("kind", 5),
        ("kind", None),
        ("kind", ["masked"]),
        ("kind", "causal"),
        ("kind", "static"),
        ("revision", 5),
        ("revision", ""),
        ("revision", "main"),
        ("file", 5),
        ("file", ""),
        ("file", "../x"),
        ("file", "/etc/hostname"),
        ("file", "a\0b"),
        ("allow_pickle", "False"),
        ("allow_pickle", "no"),
        ("allow_pickle", 1),
        ("allow_pickle", None),
        ("case", "nonsense"),
        ("case", 5),
        ("case", []),
        ("accents", "x"),
        ("multiword", 5),
        ("subwords", "yes"),
        ("vocabulary", 5),
        ("vocabulary", "nothing.txt"),
        ("vocabulary", ["a"]),
        ("name", 5),
        ("name", ""),
        ("name", "\x1b\n\u202e"),
        ("batch_tokens", 0),
        ("batch_tokens", -1),
        ("batch_tokens", "x"),
        ("batch_tokens", 1.5),
        ("batch_tokens", float("nan")),
        ("batch_tokens", 10**30),
        ("progress", "no"),
        ("progress", 5),
        ("identity", 5),
        ("kidn", "masked"),
        ("x" * 5000, 1),
    ]
}
LOAD_TEXTS = {
    name: (model, option)
    for name, (model, option) in LOAD_OPTIONS.items()
    if all(isinstance(v, (str, int, float)) and "\0" not in str(v) for v in option.values())
}
