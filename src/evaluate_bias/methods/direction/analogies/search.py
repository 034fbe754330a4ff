"""Analogies over a whole vocabulary: a is to b as c is to which word?

The vocabulary comes in blocks, so that memory is bounded by a block times the questions and not by both together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....errors import InputError

Solver = Literal["3cosadd", "3cosmul", "pair_distance", "3cosavg", "lrcos"]
"""How an answer is found."""
Vectors = NDArray[np.float32]

EPSILON = 0.001
"""Keeps the quotient of 3CosMul finite, as Levy and Goldberg write it."""
_CELLS = 1 << 24
_NEAR, _SAME = 0.01, 1e-6
"""Squared distance below which two words are near one another; distance up to which they are the same."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The best words for every question, those with the highest value first.

    Attributes:
        ids: rows of the vocabulary, shape (questions, k).
        values: what the solver gives them, of the same shape.
    """

    ids: NDArray[np.int64]
    values: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Unit vectors of many questions, each of shape (questions, dimension), and what some solvers learn from pairs.

    Attributes:
        a, b, c: a is to b as c is to the answer.
        offsets: mean of b − a over the pairs of the question's relation (3CosAvg).
        weights, intercepts: logistic regression that tells the relation's b from its a (LRCos).
    """

    a: Vectors
    b: Vectors
    c: Vectors
    offsets: Vectors | None = None
    weights: Vectors | None = None
    intercepts: Vectors | None = None


def solve(questions: Questions, vocabulary: Iterable[NDArray[Any]], solver: Solver, k: int = 10) -> Answers:
    """The k best words of a vocabulary for every question, no word left out.

    With unit vectors, · the scalar product and d a word of the vocabulary:

    - ``"3cosadd"`` (Mikolov et al. 2013): d · (b − a + c)
    - ``"3cosmul"`` (Levy and Goldberg 2014): s(d, b) s(d, c) / (s(d, a) + 0.001) with s = (cos + 1) / 2
    - ``"pair_distance"`` (Levy and Goldberg 2014): cos(d − c, b − a)
    - ``"3cosavg"`` (Drozd et al. 2016): d · (c + mean of b − a over the relation's pairs)
    - ``"lrcos"`` (Drozd et al. 2016): P(d is of the class of b) · cos(d, c)

    Args:
        questions: their unit vectors.
        vocabulary: blocks of unit vectors, each of shape (words, dimension).
        solver: see above.
        k: number of words.

    Returns:
        Rows of the vocabulary, counted over all blocks, and their values; of equal values the first row comes first.

    Raises:
        InputError: ``k`` is more than there are words.
    """
    n = len(questions.a)
    ids = np.zeros((n, 0), dtype=np.int64)
    values = np.zeros((n, 0), dtype=np.float32)
    start = 0
    for block in vocabulary:
        rows = max(1, _CELLS // max(n, 1))
        for at in range(0, len(block), rows):
            words = np.asarray(block[at : at + rows], dtype=np.float32)
            block_values = _values(questions, words, solver)
            top, worth = _candidates(block_values, values, k)
            ids = np.concatenate([ids, top + start + at], axis=1)
            values = np.concatenate([values, worth], axis=1)
            order = np.lexsort((ids, -values), axis=1)[:, :k]
            ids = np.take_along_axis(ids, order, axis=1)
            values = np.take_along_axis(values, order, axis=1)
        start += len(block)
    if start < k:
        raise InputError(f"{start} words are searched, and {k} are needed: give a smaller k, or more words")
    return Answers(ids, values)


def _candidates(block_values: Vectors, values: Vectors, k: int) -> tuple[NDArray[np.int64], Vectors]:
    """Places of a block, shape (questions, some), that can be among the k best, and what they are worth."""
    if values.shape[1] < k:
        best = min(k, block_values.shape[1])
        top = np.argpartition(-block_values, best - 1, axis=1)[:, :best].astype(np.int64)
        return top, np.take_along_axis(block_values, top, axis=1)
    # Few words beat the worst of the k best so far; an equal one comes later and does not.
    rows, places = np.nonzero(block_values > values[:, -1:])
    counts = np.bincount(rows, minlength=len(block_values))
    column = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    top = np.zeros((len(block_values), int(counts.max(initial=0))), dtype=np.int64)
    worth = np.full(top.shape, -np.inf, dtype=np.float32)
    top[rows, column], worth[rows, column] = places, block_values[rows, places]
    return top, worth


def _values(q: Questions, words: Vectors, solver: Solver) -> Vectors:
    """What the solver gives every word, shape (questions, words)."""
    if solver == "3cosadd":
        return np.asarray((q.b - q.a + q.c) @ words.T)
    if solver == "3cosavg":
        assert q.offsets is not None
        return np.asarray((q.c + q.offsets) @ words.T)
    to_c = q.c @ words.T
    if solver == "3cosmul":
        value = (q.b @ words.T + 1) / 2 * (to_c + 1) / 2
        value /= (q.a @ words.T + 1) / 2 + np.float32(EPSILON)
        return np.asarray(value)
    if solver == "lrcos":
        assert q.weights is not None
        assert q.intercepts is not None
        odds = q.weights @ words.T + q.intercepts[:, None]
        return np.asarray(to_c / (1 + np.exp(-odds.clip(-80, 80))))
    offset = q.b - q.a
    lengths = np.linalg.norm(offset, axis=1)
    # ‖d − c‖² = 2 − 2 d·c
    squared_distance = 2 - 2 * to_c
    near = squared_distance < _NEAR
    value = offset @ words.T - (offset * q.c).sum(axis=1)[:, None]
    value /= np.sqrt(np.where(near, 1, squared_distance)) * lengths[:, None]
    # Of words beside c the products above lose their digits; c itself has no direction from c, and the lowest value.
    rows, places = np.nonzero(near)
    gap = words[places].astype(np.float64) - q.c[rows]
    far = np.linalg.norm(gap, axis=1)
    exact = (gap * offset[rows]).sum(axis=1) / (np.maximum(far, _SAME) * lengths[rows])
    value[rows, places] = np.where(far > _SAME, exact, -1)
    return np.asarray(value)
