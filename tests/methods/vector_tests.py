"""What the tests of methods over word vectors share: random vectors and lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import evaluate_bias as eb

LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
IN_SENTENCES = {
    "name": "tiny",
    "language": "en",
    "targets_x": ["nurse", "grandmother", "daughters", "patient", "neighbour"],
    "targets_y": ["engineer", "doctor", "bridge", "football", "people"],
    "attributes_a": ["she", "her", "woman"],
    "attributes_b": ["he", "his", "man"],
}
"""Words that the tiny models know."""


def made(
    seed: int = 0, sizes: Sequence[int] = (4, 4, 3, 2), dimension: int = 5
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Vectors and one test with lists of these sizes."""
    rng = np.random.default_rng(seed)
    test = {
        name: [f"{name[-1]}{i}" for i in range(size)] for name, size in zip(LISTS, sizes, strict=True) if size
    }
    vectors = {w: rng.normal(size=dimension) for words in test.values() for w in words}
    return vectors, {"name": "toy", **test}


def run(method: str, vectors: Any, *tests: Any, **options: Any) -> eb.Result:
    return eb.measure(method, vectors, data=list(tests), **{"ci": "none", **options})


def dot(u: Sequence[float], v: Sequence[float]) -> float:
    return sum(p * q for p, q in zip(u, v, strict=True))


def cos(u: Sequence[float], v: Sequence[float]) -> float:
    return dot(u, v) / math.hypot(*u) / math.hypot(*v)


def mean_vector(vectors: Sequence[Sequence[float]]) -> list[float]:
    return [sum(v[k] for v in vectors) / len(vectors) for k in range(len(vectors[0]))]


class Listless:
    """Embeds words and does not list them."""

    name = "listless"

    def provenance(self) -> dict[str, str]:
        return {"kind": "test"}

    def embed_words(self, words: Sequence[str]) -> tuple[Any, list[int]]:
        return np.ones((len(words), 3)), []


class Constant:
    """A model whose every embedding is the same, or what it is told."""

    name = "constant"

    def __init__(self, value: Any = 1.0) -> None:
        self.value = value

    def provenance(self) -> dict[str, str]:
        return {"kind": "double", "name": self.name}

    def embed_in_context(self, texts: Any, spans: Any, representations: Any) -> list[Any]:
        return [np.full((len(representations), 3), self.value) for _ in texts]
