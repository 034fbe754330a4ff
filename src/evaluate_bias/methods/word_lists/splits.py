"""A permutation test over splits of two lists of words, for any statistic of the two parts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray
from ...errors import UndefinedScoreError
from ...stats import PermutationTest, sampled_p
from .inference import Alternative


def split_test(
    statistic: Callable[[NDArray[np.intp]], FloatArray],
    n_x: int,
    n_y: int,
    *,
    alternative: Alternative,
    n_resamples: int,
    seed: int,
    batch: int,
    tolerance: float,
    undefined: str,
) -> tuple[PermutationTest, float]:
    """Test whether the words of X and Y are exchangeable, and the mean of the statistic over the splits.

    All splits into parts of their sizes are counted where they are no more than ``n_resamples``, else so many are
    drawn. The two-sided test compares distances from the mean of the splits, which need not be the ideal value where
    the sizes differ.

    Args:
        statistic: of splits: positions of the first part in X followed by Y, shape (splits, n_x), to shape (splits,).
        n_x: size of the first list.
        n_y: size of the second.
        alternative: which statistics count: ``"greater"`` or ``"less"`` ones, or ones as far off.
        n_resamples: number of random splits.
        seed: of these.
        batch: number of splits computed at once.
        tolerance: statistics closer than this are equal.
        undefined: why the statistic of a split may be NaN.

    Raises:
        UndefinedScoreError: it is.
    """
    n = n_x + n_y
    splits = math.comb(n, n_x)
    exact = splits <= n_resamples
    found = np.concatenate([statistic(some) for some in _parts(n, n_x, splits, n_resamples, seed, batch)])
    if not np.isfinite(found).all():
        raise UndefinedScoreError(undefined)
    # The observed split is the first one in both cases.
    centre = found.mean()
    sign = -1.0 if alternative == "less" else 1.0
    extremes = np.abs(found - centre) if alternative == "two-sided" else sign * found
    count = int((extremes >= extremes[0] - tolerance).sum())
    p, low, high = (count / splits,) * 3 if exact else sampled_p(count - 1, n_resamples)
    digits = math.log10(splits)
    return PermutationTest(
        statistic=float(found[0]),
        p_value=p,
        p_low=low,
        p_high=high,
        bracket="exact" if exact else "confidence",
        method="exact" if exact else "monte_carlo",
        alternative=alternative,
        n_partitions=splits if digits < 300 else None,
        log10_partitions=digits,
        count=count if exact else None,
        n_resamples=None if exact else n_resamples,
    ), float(centre)


def in_first_part(first: NDArray[Any], n: int) -> FloatArray:
    """1 where a word is in the first part of a split, else 0: positions (splits, n_x) of n words to (splits, n)."""
    inside = np.zeros((len(first), n))
    np.put_along_axis(inside, first, 1.0, axis=1)
    return inside


def _parts(n: int, n_x: int, splits: int, n_resamples: int, seed: int, batch: int) -> Iterator[NDArray[Any]]:
    """Positions of the first part in every split, the observed one first, shape (some, n_x) at a time."""
    if splits <= n_resamples:
        every = np.array(list(combinations(range(n), n_x)))
        yield from (every[start : start + batch] for start in range(0, splits, batch))
        return
    yield np.arange(n_x)[None, :]
    rng = np.random.default_rng(seed)
    for start in range(0, n_resamples, batch):
        size = min(batch, n_resamples - start)
        yield np.argsort(rng.random((size, n)), axis=1)[:, :n_x]
