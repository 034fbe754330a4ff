"""What ECT and RND are scores of: how attributes lie to the mean vectors of two lists of targets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray
from ...errors import UndefinedScoreError
from ...stats import Interval, PermutationTest, batches, item_streams
from ..word_lists.cosines import TOLERANCE, draw_weights
from ..word_lists.inference import Alternative, Inference, bootstrap_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanVectors:
    """Attributes next to the mean vectors of X and of Y.

    Attributes:
        x, y, a: vectors of the targets X and Y and of the attributes, each of shape (words, dimension).
        words: the words of these three, which say what is drawn.
        measure: of means (k, dimension), what lies between them and every attribute, (k, attributes).
        score: the scores (k,) of what was measured of k means of X and of k means of Y.
        rounding: how far scores that are equal may differ.
    """

    x: FloatArray
    y: FloatArray
    a: FloatArray
    words: tuple[Sequence[str], Sequence[str], Sequence[str]]
    measure: Callable[[FloatArray], FloatArray]
    score: Callable[[FloatArray, FloatArray], FloatArray]
    rounding: float = TOLERANCE

    @property
    def _cells(self) -> int:
        return len(self.x) + len(self.y) + 2 * len(self.a) + int(self.x.shape[1])

    def interval(self, inference: Inference) -> Interval | None:
        """Bootstrap interval over the words of all three lists."""

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            in_x, in_y, in_a = indices
            sides = (
                self.measure(draw_weights(i, len(vectors)) @ vectors)
                for i, vectors in ((in_x, self.x), (in_y, self.y))
            )
            return self.score(*(np.take_along_axis(side, in_a, axis=1) for side in sides))

        return bootstrap_interval(self.words, resampled, inference, cells=self._cells, rounding=self.rounding)

    def permutation(
        self, alternative: Alternative, inference: Inference, undefined: str
    ) -> tuple[PermutationTest, float]:
        """Test whether the words of X and Y are exchangeable, and the mean score of the splits of both together.

        All splits into parts of their sizes are counted if they are not more than ``n_resamples``, else so
        many are drawn. The two-sided test compares distances from the mean of the splits, which need not be
        the ideal value if the sizes differ.

        Raises:
            UndefinedScoreError: a split has no score, for the reason ``undefined``.
        """
        pool, n_x = np.concatenate([self.x, self.y]), len(self.x)
        splits = math.comb(len(pool), n_x)
        exact = splits <= inference.n_resamples
        x, y = self.words[:2]
        scores = []
        for first in _parts(x, y, exact, inference, self._cells):
            inside = np.zeros((len(first), len(pool)))
            np.put_along_axis(inside, first, 1.0, axis=1)
            means = inside @ pool / n_x, (1.0 - inside) @ pool / len(self.y)
            scores.append(self.score(*map(self.measure, means)))
        statistics = np.concatenate(scores)
        if not np.isfinite(statistics).all():
            raise UndefinedScoreError(undefined)
        # The observed split is the first one in both cases.
        centre = float(statistics.mean())
        sign = -1.0 if alternative == "less" else 1.0
        extremes = np.abs(statistics - centre) if alternative == "two-sided" else sign * statistics
        count = int((extremes >= extremes[0] - self.rounding).sum())
        counts = (count, splits) if exact else (count - 1, inference.n_resamples)
        test = PermutationTest.of_counts(float(statistics[0]), *counts, alternative=alternative, exact=exact)
        return dataclasses.replace(test, n_partitions=splits if splits < 10**300 else None), centre


def _parts(
    x: Sequence[str], y: Sequence[str], exact: bool, inference: Inference, cells: int
) -> Iterator[NDArray[Any]]:
    """Places of the words of X in every split, the observed one first, shape (some, n_x) at a time."""
    n_x, n = len(x), len(x) + len(y)
    if exact:
        every = combinations(range(n), n_x)
        for size in batches(math.comb(n, n_x), cells, 1 << 22):
            yield np.array(list(islice(every, size)))
        return
    yield np.arange(n_x)[None, :]
    # Drawn are the words of one list, the same one whichever is called X.
    ((order, rng),) = item_streams([[*x, *y]], inference.seed)
    of_x = slice(n_x) if (n_x, min(x)) < (len(y), min(y)) else slice(len(y), None)
    for size in batches(inference.n_resamples, cells, 1 << 22):
        yield order[np.argsort(rng.random((size, n)), axis=1)[:, of_x]]
