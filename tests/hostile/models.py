"""The models in memory that bad calls are made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

__all__ = ["MODELS", "REFUSED", "WORDS"]

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
    "NaN": lambda m: float("nan"),
    "lone surrogate": lambda m: "a\ud800/b",
    "bidi override": lambda m: "org/\u202ex\x1b[0m",
    "Hub id with a blank": lambda m: "org/na me",
    "unknown Hub id": lambda m: "org/nothing",
    "address": lambda m: "https://127.0.0.1:1/model",
    "bytes": lambda m: b"glove.txt",
    "empty dict": lambda m: {},
    "vectors of None": _vectors(None),
    "vectors of texts": _vectors("rose"),
    "vectors of NaN": _vectors([float("nan"), 1.0]),
    "vectors of inf": _vectors([float("inf"), 1.0]),
    "vectors of zeros": _vectors([0.0, 0.0]),
    "huge vectors": _vectors([1e308, 1e308]),
    "no dimension": _vectors([]),
    "complex vectors": _vectors([1j, 1.0]),
    "vectors on meta": _vectors(torch.empty(2, device="meta")),
    "vectors of two lengths": lambda m: {"rose": [1.0], "ant": [1.0, 2.0]},
    "words with surrogates": lambda m: {"\ud800": [1.0, 2.0], "": [2.0, 1.0]},
    "list": lambda m: [1.0, 2.0],
    "generator": lambda m: (x for x in "ab"),
    "object": lambda m: object(),
    "pair of None": lambda m: (None, None),
    "model alone": lambda m: _pair("masked", m)[0],
    "no tokenizer": lambda m: (_pair("masked", m)[0], None),
    "pair the wrong way round": lambda m: _pair("masked", m)[::-1],
    "another tokenizer": lambda m: (_pair("masked", m)[0], _pair("causal", m)[1]),
    "short vocabulary": _short_vocabulary,
    "no mask": _no_mask,
    "weights of NaN": _filled(float("nan")),
    "weights of inf": _filled(float("inf")),
    "weights of zero": _filled(0.0),
    "model on meta": _on_meta,
    "embedder of NaN": lambda m: Embedder(lambda items: np.full((len(items), 2), np.nan)),
    "embedder of None": lambda m: Embedder(lambda items: None),
    "embedder of one row": lambda m: Embedder(lambda items: np.ones((1, 2))),
    "embedder of texts": lambda m: Embedder(lambda items: [["a", "b"] for _ in items]),
    "scorer of NaN": lambda m: Scorer(lambda _: np.array([np.nan])),
    "scorer of None": lambda m: Scorer(lambda _: None),
    "scorer that fails": lambda m: Loud(RuntimeError("x\n" * 2000)),
    "scorer with a bad name": lambda m: Scorer(lambda _: None, provenance=5),
}

REFUSED = (
    *("empty", "blank", "vectors of NaN", "vectors of inf", "vectors on meta"),
    *("weights of NaN", "weights of inf", "model on meta", "embedder of NaN", "scorer of NaN"),
)
"""Models that no number may come of."""
