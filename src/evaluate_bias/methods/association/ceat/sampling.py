"""The arithmetic of CEAT: effect sizes of many samples, each with one context per word. Pure functions over arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ...word_lists.cosines import TOLERANCE

Vectors = Sequence[NDArray[np.floating[Any]]]
Draws = Sequence[NDArray[np.integer[Any]]]

_MAX_UNDEFINED = 0.05
_BLOCK_CELLS = 1 << 23
"""Numbers in the largest array."""
_STEP_CELLS = 1 << 17
"""Numbers gathered at once; small enough for the processor's cache."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Outcome of :func:`sampled_effect_sizes`.

    Attributes:
        effect_sizes: effect size d of every sample in which it is defined, shape (N,).
        variances: variance of the associations of all targets in these samples, with ddof 1, shape (N,).
        means_x, means_y: mean association of every target word over these samples.
        n_undefined: number of samples left out, because all targets were equally associated.
    """

    effect_sizes: FloatArray
    variances: FloatArray
    means_x: FloatArray
    means_y: FloatArray
    n_undefined: int


def sampled_effect_sizes(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors], draws: tuple[Draws, Draws, Draws, Draws]
) -> Samples:
    """Effect size of the association test in every sample of contexts.

    The mean cosine to a set of attributes is the scalar product with the mean of their unit vectors, so a sample costs
    one vector per word, whatever the number of pairs.

    Args:
        vectors: for X, Y, A and B, one array per word, of shape (contexts, dimension).
        draws: for each of them one integer array a word, of shape (N,): the context it has in each sample.

    Returns:
        Effect sizes with ddof 1, their variances, and the mean association of every word.

    Raises:
        InputError: a vector is zero.
        UndefinedScoreError: more than 5% of the samples have no
            effect size.

    References:
        Guo and Caliskan (2021), AIES 2021, 122-133.

    Examples:
        Two samples; in the second one the words x and y have changed places.

        >>> x, y, a, b = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]
        >>> first, both = np.array([0, 1]), np.array([0, 0])
        >>> sampled_effect_sizes(([np.array(x)], [np.array(y)], [np.array(a)], [np.array(b)]),
        ...                      ([first], [first], [both], [both])).effect_sizes.round(6).tolist()
        [1.414214, -1.414214]
    """
    n = len(draws[0][0])
    rows = max(1, _BLOCK_CELLS // vectors[0][0].shape[1])
    blocks = [
        _associations(vectors, draws, slice(start, min(start + rows, n))) for start in range(0, n, rows)
    ]
    return _standardised(np.concatenate(blocks), len(vectors[0]))


def _associations(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors], draws: tuple[Draws, Draws, Draws, Draws], block: slice
) -> FloatArray:
    """Association of every target in every sample of a block, shape (samples, targets)."""
    n, dimension = block.stop - block.start, vectors[0][0].shape[1]
    towards = np.zeros((n, dimension))
    for kind, sign in ((2, 1.0), (3, -1.0)):
        for word, drawn in zip(vectors[kind], draws[kind], strict=True):
            scaled = unit(word) * (sign / len(vectors[kind]))
            for part, drawn_vectors in _gathered(scaled, drawn[block]):
                towards[part] += drawn_vectors
    columns = []
    for kind in (0, 1):
        for word, drawn in zip(vectors[kind], draws[kind], strict=True):
            column = np.empty(n)
            for part, drawn_vectors in _gathered(unit(word), drawn[block]):
                column[part] = np.einsum("nd,nd->n", drawn_vectors, towards[part])
            columns.append(column)
    return np.column_stack(columns)


def _gathered(vectors: FloatArray, drawn: NDArray[np.integer[Any]]) -> Iterator[tuple[slice, FloatArray]]:
    """The drawn vectors, some rows at a time, in one buffer that stays in the processor's cache."""
    rows = max(1, _STEP_CELLS // vectors.shape[1])
    buffer = np.empty((min(rows, len(drawn)), vectors.shape[1]))
    for start in range(0, len(drawn), rows):
        part = slice(start, min(start + rows, len(drawn)))
        out = buffer[: part.stop - part.start]
        # "clip" spares a copy of the buffer; every draw is in range.
        np.take(vectors, drawn[part], axis=0, out=out, mode="clip")
        yield part, out


def unit(word: NDArray[np.floating[Any]]) -> FloatArray:
    """The vectors of a word, of length 1; refuses those that have no direction."""
    array = word.astype(np.float64)
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    if not norms.all():
        raise InputError("an embedding is zero, so its cosine is undefined")
    return np.asarray(array / norms)


def _standardised(s: FloatArray, n_x: int) -> Samples:
    sd = s.std(axis=1, ddof=1)
    defined = sd > TOLERANCE
    n_undefined = int(len(s) - defined.sum())
    if n_undefined > _MAX_UNDEFINED * len(s):
        raise UndefinedScoreError(
            f"the effect size is undefined in {n_undefined} of {len(s)} samples: all targets are equally associated, "
            "so the standard deviation is 0"
        )
    s, sd = s[defined], sd[defined]
    return Samples(
        effect_sizes=(s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)) / sd,
        variances=sd**2,
        means_x=s[:, :n_x].mean(axis=0),
        means_y=s[:, n_x:].mean(axis=0),
        n_undefined=n_undefined,
    )
