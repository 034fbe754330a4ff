"""Several association tests as one number: the mean absolute effect size, what chance alone gives it, its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import FloatArray
from ...stats import sampled_p
from .cosines import TOLERANCE

_BATCH_CELLS = 1 << 21


@dataclass(frozen=True, slots=True)
class TargetSplit:
    """What the permutation test of one association test splits.

    Attributes:
        words: the words of X, then those of Y.
        n_x: number of words of X.
        scores: association of every word.
        weights: weight of every word in the mean of its side, such as the number of its sentences.
        sd: standard deviation that the effect size is divided by; no split changes it.
    """

    words: tuple[str, ...]
    n_x: int
    scores: FloatArray
    weights: FloatArray
    sd: float

    def effect_sizes(self, chosen: NDArray[np.intp]) -> FloatArray:
        """Effect size where the words at these places, shape (batch, n_x), are the first side."""
        weighted = self.weights * self.scores
        weight, total = self.weights[chosen].sum(axis=1), weighted[chosen].sum(axis=1)
        rest = (weighted.sum() - total) / (self.weights.sum() - weight)
        return np.asarray((total / weight - rest) / self.sd)

    @property
    def null_sd(self) -> float:
        """Standard deviation of the effect size over all splits; over 9,999 random ones where weights differ."""
        n, n_y = len(self.scores), len(self.scores) - self.n_x
        if np.ptp(self.weights) == 0:
            # Var(mean of X - mean of Y) = S² (1/n_x + 1/n_y), S² = sum of squared deviations / (n - 1).
            return float(self.scores.std(ddof=1) * np.sqrt(1 / self.n_x + 1 / n_y) / self.sd)
        order = np.random.default_rng(0).random((9_999, n))[:, np.argsort(np.argsort(self.words))]
        return float(self.effect_sizes(np.argpartition(order, self.n_x - 1, axis=1)[:, : self.n_x]).std())


class MeanTest(NamedTuple):
    """Mean absolute effect size, its mean over random splits, and the share of these with as large a mean."""

    score: float
    null_mean: float
    p_value: float
    p_low: float
    p_high: float


def mean_absolute_test(
    splits: Sequence[TargetSplit], *, n_resamples: int = 99_999, strict: bool = False, seed: int = 0
) -> MeanTest:
    """Permutation test of the mean absolute effect size of several tests.

    Every draw puts all words of all tests into one random order, and each test takes the first of its own words as one
    side. A word thus has the same place in every test, and tests on the same words are split alike.

    Args:
        splits: one a test.
        n_resamples: number of draws.
        strict: count only draws above the observed mean; the default also counts equal ones.
        seed: of the draws.

    Examples:
        Two tests that point in opposite directions do not cancel:

        >>> up = TargetSplit(("p", "q", "r", "s"), 2, np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4), (4 / 3) ** 0.5)
        >>> down = TargetSplit(("t", "u", "v", "w"), 2, np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4), (4 / 3) ** 0.5)
        >>> found = mean_absolute_test([up, down], n_resamples=9_999)
        >>> round(found.score, 3), round(found.null_mean, 2), round(found.p_value, 2)  # exactly √3, √3/3 and 1/9
        (1.732, 0.58, 0.11)
    """
    place = {word: i for i, word in enumerate(sorted({w for split in splits for w in split.words}))}
    places = [np.array([place[word] for word in split.words]) for split in splits]
    score = float(np.mean([abs(s.effect_sizes(np.arange(s.n_x)[None])[0]) for s in splits]))
    tie = float(np.mean([TOLERANCE / s.sd for s in splits]))
    rng = np.random.default_rng(seed)
    rows = max(1, _BATCH_CELLS // len(place))
    extreme, total = 0, 0.0
    for start in range(0, n_resamples, rows):
        order = rng.random((min(rows, n_resamples - start), len(place)))
        means = np.mean([np.abs(_drawn(s, order[:, p])) for s, p in zip(splits, places, strict=True)], axis=0)
        extreme += int(np.count_nonzero(means > score + tie if strict else means >= score - tie))
        total += float(means.sum())
    return MeanTest(score, total / n_resamples, *sampled_p(extreme, n_resamples))


def _drawn(split: TargetSplit, order: FloatArray) -> FloatArray:
    # Which side takes the first words must not depend on what a test calls X, for sides of unequal size.
    n_first = split.n_x
    if min(split.words[n_first:]) < min(split.words[:n_first]):
        order = -order
    return split.effect_sizes(np.argpartition(order, n_first - 1, axis=1)[:, :n_first])


def mean_absolute_interval(
    score: float, replicates: ArrayLike, level: float, highest: float
) -> tuple[float, float]:
    """Percentile interval of the mean absolute effect size, moved so that its replicates have the score as their mean.

    A bootstrap sample is on average further from 0 than the data, because it adds its own chance to theirs.

    Args:
        score: mean absolute effect size.
        replicates: effect sizes of bootstrap samples, shape (tests, samples), NaN where undefined.
        level: confidence level.
        highest: largest possible score; the interval ends there, and at 0.

    Examples:
        >>> low, high = mean_absolute_interval(1.0, [[-2.0, 1.0, 1.2], [0.0, -1.0, -1.4]], 0.95, 2.0)
        >>> round(low, 3), round(high, 3)
        (0.9, 1.185)
    """
    means = np.abs(np.asarray(replicates, dtype=np.float64)).mean(axis=0)
    ends = np.nanquantile(means, [(1 - level) / 2, (1 + level) / 2]) - (np.nanmean(means) - score)
    low, high = np.clip(ends, 0.0, highest)
    return float(low), float(high)
