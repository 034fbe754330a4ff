"""What KLDivS is without any difference, and how far it can be trusted: swaps within pairs, and the bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .... import stats
from ....arrays import FloatArray
from ...word_lists.cosines import draw_weights
from ...word_lists.inference import Inference, batch_sizes, percentile_interval

Pairs = tuple[FloatArray, FloatArray, FloatArray]
"""Scores of the more and of the less stereotypical sentences of some different pairs, and how often each pair is there;
all of shape (n,)."""
Score = Callable[[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike], FloatArray]
"""A score of mean and sd of the one and mean and sd of the other sample, element by element; NaN where undefined."""

_TIE = 1e-8
"""Scores of two swaps that differ by less are equal: they differ by rounding."""
_ROUNDING = 1e-13
"""Variances below this share of the mean square are what rounding leaves of 0."""
_CELLS = 1 << 18


@dataclass(frozen=True, slots=True)
class Null:
    """A score among those of the same pairs with their two sentences swapped at random.

    Attributes:
        p_value: share of the swaps whose score is at least the observed one.
        p_error: its Monte Carlo error; 0 if all swaps were made.
        mean: mean of the score over the swaps.
        n_swaps: number of swaps, the observed order included.
        exact: whether these are all.
    """

    p_value: float
    p_error: float
    mean: float
    n_swaps: int
    exact: bool


def swap_tests(
    groups: Mapping[str, Pairs], score: Score, inference: Inference
) -> tuple[Null, dict[str, Null]]:
    """Test of the mean score of groups, weighted by their pairs, and of every group's own.

    The statistic is T = Σ_g (n_g / n) · score(group g), g over the groups, n_g of the n pairs in each; p is the share
    of the swaps s with T(s) >= T. Pairs that are there several times are swapped together.

    Where it does not matter which sentence of a pair is the stereotypical one, swapping the two of any pairs leaves the
    distribution of the scores as it is. Swaps with which the score is undefined are left out. All swaps are made where
    they are no more than ``n_resamples``, otherwise as many are drawn.
    """
    n_resamples = inference.n_resamples
    group_nulls: dict[str, Null] = {}
    observed, size = 0.0, sum(float(times.sum()) for *_, times in groups.values())
    every: FloatArray | None = np.zeros(1)
    null_scores = np.zeros(n_resamples)
    for name, pairs in sorted(groups.items()):
        sums = _sums(pairs)
        ((_, rng),) = stats.item_streams([[name]], inference.seed, "swaps")
        scores, exact = _swapped(sums, score, n_resamples, rng)
        weight, mine = float(sums[:, 4].sum()) / size, float(_score_of(sums.sum(axis=0), score))
        group_nulls[name] = _null(mine, scores, exact)
        observed += weight * mine
        null_scores += weight * (rng.choice(scores, n_resamples) if exact else scores)
        if every is not None:
            few = exact and len(every) * len(scores) <= n_resamples
            every = (every[:, None] + weight * scores).ravel() if few else None
    return _null(observed, null_scores if every is None else every, every is not None), group_nulls


def debiased_interval(groups: Mapping[str, Pairs], score: Score, inference: Inference) -> tuple[float, float]:
    """Bootstrap interval of the mean score of groups: pairs are drawn within each group, both sentences together.

    Resampling adds the noise of the sample once more, and noise raises a score that cannot fall below its ideal. The
    upper end is that of the percentile interval, the lower one less the bias, the replicates' mean minus the score:
    [q_(α/2) - max(0, mean(T*) - T), q_(1-α/2)] with T* the replicates of T, see :func:`swap_tests`.

    Raises:
        UndefinedScoreError: too many resamples have no score.
    """
    sums = [_sums(pairs) for pairs in groups.values()]
    names = [
        [f"{name} {i:06}" for i in range(len(of_group))] for name, of_group in zip(groups, sums, strict=True)
    ]
    n_pairs = [float(group_sums[:, 4].sum()) for group_sums in sums]

    def statistic(indices: list[npt.NDArray[np.intp]]) -> FloatArray:
        # Of each group the drawn pairs, shape (resamples, pairs of the group); T* has shape (resamples,).
        total: FloatArray = np.zeros(len(indices[0]))
        for n, group_sums, places in zip(n_pairs, sums, indices, strict=True):
            m = len(group_sums)
            total += n / sum(n_pairs) * _score_of(draw_weights(places, m) * m @ group_sums, score)
        return total

    interval = percentile_interval(names, statistic, inference)
    assert interval.replicates is not None
    bias = max(0.0, float(np.nanmean(interval.replicates)) - interval.estimate)
    return interval.low - bias, interval.high


def _sums(pairs: Pairs) -> FloatArray:
    """more, more², less, less² and 1 of every pair, times how often it is there, shape (n, 5).

    Their totals have the moments of any sample of pairs. From the median on, so that squares do not cancel; a
    divergence does not see where both samples lie. The pairs are in an order that does not depend on which of their two
    sentences is the more stereotypical one.
    """
    more, less, times = np.array(sorted(zip(*pairs, strict=True), key=lambda p: (*sorted(p[:2]), p[2]))).T
    more, less = np.stack([more, less]) - np.median([more, less])
    return np.asarray(times[:, None] * np.stack([more, more**2, less, less**2, np.ones_like(more)], axis=1))


def _score_of(totals: FloatArray, score: Score) -> FloatArray:
    return of_totals(totals[..., :4], totals[..., 4], score)


def of_totals(totals: FloatArray, n: Any, score: Score) -> FloatArray:
    """Scores of samples of n pairs by their totals of more, more², less and less², shape (…, 4) to (…)."""
    more, more2, less, less2 = np.moveaxis(totals, -1, 0)

    def sd(sums: FloatArray, squares: FloatArray) -> FloatArray:
        # What is left of squares that cancel is rounding, and a divergence computed from it would be too.
        variance = (squares - sums**2 / n) / (n - 1)
        return np.sqrt(np.where(variance > _ROUNDING * squares / n, variance, np.nan))

    return score(more / n, sd(more, more2), less / n, sd(less, less2))


def _swapped(
    sums: FloatArray, score: Score, n_resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, bool]:
    """Scores with sentences swapped, shape (swaps,), and whether these are all; undefined ones are left out of all,
    and NaN among those that were drawn."""
    n, moved, total = len(sums), sums[:, [2, 3, 0, 1, 4]] - sums, sums.sum(axis=0)

    def scores(swap: npt.NDArray[np.bool_]) -> FloatArray:
        return _score_of(total + swap.astype(np.float64) @ moved, score)

    # A swap of all pairs exchanges the samples, which changes no score: the last pair need never be swapped.
    if 2 ** (n - 1) <= n_resamples:
        all_scores = scores((np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1 == 1)
        return all_scores[~np.isnan(all_scores)], True
    swaps = (rng.integers(0, 2, (k, n), dtype=np.uint8) == 1 for k in batch_sizes(n_resamples, n, _CELLS))
    return np.concatenate([scores(swap) for swap in swaps]), False


def _null(observed: float, scores: FloatArray, exact: bool) -> Null:
    defined = scores[~np.isnan(scores)]
    extreme = int(np.count_nonzero(defined >= observed - _TIE))
    if exact:
        p = extreme / len(defined)
        return Null(p, 0.0, float(defined.mean()), len(defined), True)
    p, error = stats.sampled_p(extreme, len(defined))
    total = len(defined) + 1
    return Null(p, error, float(defined.sum() + observed) / total, total, False)
