"""Any score of two measurements of the same units, tested by exchanging the two measurements unit by unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy import stats as distributions

from ..arrays import FloatArray
from ..errors import UndefinedScoreError
from ._checks import batches
from .bootstrap import has_width
from .paired import Difference
from .permutation import TIE_TOLERANCE, sampled_p

TotalsScore: TypeAlias = Callable[[FloatArray], npt.ArrayLike]

_RESAMPLES = 9_999
_MOST_EXACT = 8_192
"""Up to this many different exchanges are all made: the exchanges of 13 units, or of more if some are equal."""
_BATCH_CELLS = 1 << 22


def paired_totals(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    score: TotalsScore,
    *,
    strata: Sequence[Any] | None = None,
    less_mean: bool = False,
    null_mean: TotalsScore | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Return the difference between the scores of two measurements of the same units, which are functions of totals.

    A unit gives a few numbers in each measurement, such as whether it is counted and whether it is a hit. The
    score is a function of their sums over the units. The test exchanges the two measurements of each unit and
    computes both scores again, in all ways if these are few, else in 9,999 random ones: under its null
    hypothesis it is chance which of the two a unit got. The interval is Student's, with the standard error of
    the jackknife, which omits one unit at a time, and n - 1 degrees of freedom, less one for every further stratum.
    Changes between two measurements are close to symmetric, so that intervals of the bootstrap, which follow the
    skewness of the sample, would be too narrow. Units that are clusters give the sums of their members.

    Args:
        first: numbers of every unit, shape (n, …).
        second: the numbers of the same units in the other measurement.
        score: function of totals, shape (batch, …), that returns (batch,) scores, NaN if they are undefined.
        strata: for every unit the stratum that it is drawn from, whose size is fixed. For the interval, strata of one
            unit are one stratum together.
        less_mean: whether each measurement's mean over the units was subtracted from its numbers. What is left varies
            less by a factor of (n − 1) / n. The exchanges correct for this. Otherwise 6% of tests of 16 units would
            reject.
        null_mean: for a score that is compared with its mean under chance, this mean as a function of the totals. The
            difference then has the interval of the change of what the score exceeds it by.
        confidence_level: nominal coverage of the interval.
        seed: seed of the exchanges.

    Raises:
        UndefinedScoreError: units are missing, or a score is undefined.

    References:
        Fisher (1935): The Design of Experiments, section 21. Tukey (1958): Bias and confidence in not quite large
        samples. Annals of Mathematical Statistics 29. Efron and Stein (1981): The jackknife estimate of variance.
        Annals of Statistics 9.

    Examples:
        Hits among hits and misses, of two models on the same eight items:

        >>> one = [[1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
        >>> two = [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]]
        >>> difference = paired_totals(one, two, lambda t: t[:, 0] / t.sum(axis=1))
        >>> difference.difference, round(difference.p_value, 6)
        (-0.75, 0.03125)
    """
    a, b = (np.asarray(side, dtype=np.float64) for side in (first, second))
    if not len(a):
        raise UndefinedScoreError("no item to compare")
    shape, n = a.shape[1:], len(a)
    _, places = np.unique([str(s) for s in strata or [""] * n], return_inverse=True)
    # Units with the same numbers form one kind and are counted. Kinds are in the order of their numbers, so that the
    # units' order changes nothing.
    rows = np.column_stack([places.reshape(n), a.reshape(n, -1), b.reshape(n, -1)])
    kinds: FloatArray
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    width = a[0].size
    stratum, one, two = kinds[:, 0], kinds[:, 1 : 1 + width], kinds[:, 1 + width :]

    def of(totals: FloatArray, function: TotalsScore = score) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray(function(totals.reshape(-1, *shape)), dtype=np.float64)

    sums = counts @ one, counts @ two
    before, after = (float(of(total[None])[0]) for total in sums)
    if not np.isfinite([before, after]).all():
        raise UndefinedScoreError("the score is undefined on the items that both have")
    tolerance = TIE_TOLERANCE * max(1.0, abs(before), abs(after)) * 100
    least = abs(after - before) * ((n - 1) / n if less_mean else 1.0) ** 0.5 - tolerance

    def statistics(totals: tuple[FloatArray, FloatArray]) -> FloatArray:
        """Difference and sum of the scores and, with a mean under chance, the difference of what exceeds it."""
        scores = [of(side) for side in totals]
        with np.errstate(invalid="ignore"):
            rows = [scores[1] - scores[0], scores[1] + scores[0]]
            if null_mean is not None:
                by_chance = [of(side, null_mean) for side in totals]
                rows.append(rows[0] - (by_chance[1] - by_chance[0]))
        return np.stack(rows)

    estimates = statistics((sums[0][None], sums[1][None]))[:, 0]
    # Kinds are drawn in the order of how much one unit of them changes the difference, which is the same if groups or
    # measurements are exchanged.
    moves = np.abs(statistics((sums[0] - one, sums[1] - two))[0] - estimates[0])
    moves[np.isinf(moves)] = np.nan
    order = np.lexsort([counts, np.round(moves / max(float(np.nanmax(moves, initial=0.0)), 1e-300), 9)])
    order = order[(one != two).any(axis=1)[order]]

    def beyond(exchanged: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """True if exchanging so many units of each kind, shape (batch, kinds), gives as large a change."""
        shift = exchanged @ (two - one)[order]
        # An exchange on which a score is undefined speaks against a change.
        return np.asarray(~(np.abs(of(sums[1] - shift) - of(sums[0] + shift)) < least))

    p_value, p_error, how = _test_exchange(counts[order], beyond, seed)

    # Var = Σ over strata (m - 1) / m · Σ_i (T_(-i) - mean of T_(-i))², m the number of units of the stratum, T_(-i) the
    # statistics of n - 1 units without unit i, in which each stratum keeps its share: else a stratum of m units would
    # count for ((m - 1) / m)² of its variance.
    variance, freedom = np.zeros(len(estimates)), 0
    for part in _strata_of_several(stratum, counts):
        m, of_part = int(counts[part].sum()), counts[part]
        weight, weight_of_others = m * (n - 1) / (n * (m - 1)), (n - 1) / n
        without_one = statistics(
            (
                weight_of_others * (counts[~part] @ one[~part]) + weight * (of_part @ one[part] - one[part]),
                weight_of_others * (counts[~part] @ two[~part]) + weight * (of_part @ two[part] - two[part]),
            )
        )
        freedom += m - 1
        with np.errstate(invalid="ignore"):
            mean = np.average(without_one, axis=1, weights=of_part)
            variance += (m - 1) / m * ((without_one - mean[:, None]) ** 2 @ of_part)
    errors = np.sqrt(variance)
    half = errors * special.stdtrit(max(freedom, 1), (1 + confidence_level) / 2)
    ends: list[tuple[float, float]] = []
    words = "Student's t with the error of the jackknife over the items"
    if not freedom:
        words = "none: one item has no interval"
    elif not np.isfinite(half).all():
        words = "none: the score is undefined without one of the items"
    elif not has_width(estimates[0] - half[0], estimates[0] + half[0], tolerance / 100):
        words = "none: nothing varies"
    else:
        ends = list(zip((estimates - half).tolist(), (estimates + half).tolist(), strict=True))
    return Difference(
        after - before,
        ends[0][0] if ends else None,
        ends[0][1] if ends else None,
        p_value,
        p_error,
        f"exchange of the items' two answers, {how}",
        words,
        n,
        error=float(errors[0]) if ends else None,
        sum_low=ends[1][0] if ends else None,
        sum_high=ends[1][1] if ends else None,
        excess=ends[2] if len(ends) > 2 else None,
    )


def _strata_of_several(
    stratum: npt.NDArray[Any], counts: npt.NDArray[np.intp]
) -> list[npt.NDArray[np.bool_]]:
    """Return which kinds are of each stratum of two units or more.

    Strata of one unit, whose spread cannot be seen, form one together. A lone one joins the smallest others.
    """
    names, places = np.unique(stratum, return_inverse=True)
    sizes = np.bincount(places, counts)
    pooled = sizes == 1
    if pooled.sum() == 1 and len(names) > 1:
        pooled |= sizes == sizes[~pooled].min()
    groups = [np.flatnonzero(pooled), *np.flatnonzero(~pooled)[:, None]]
    parts = [np.isin(places, group) for group in groups]
    return [part for part in parts if counts[part].sum() > 1]


def _test_exchange(
    counts: npt.NDArray[np.intp], beyond: Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]], seed: int
) -> tuple[float, float, str]:
    """Return the p-value of exchanging units of these kinds, its Monte Carlo error, and how it was computed."""
    if not len(counts):
        return 1.0, 0.0, "exact"
    if np.prod(counts + 1.0) <= _MOST_EXACT:
        ways = np.indices(tuple(int(c) + 1 for c in counts)).reshape(len(counts), -1).T
        shares = np.asarray(distributions.binom.pmf(ways, counts, 0.5)).prod(axis=1)
        p = min(1.0, float(shares[beyond(ways)].sum()))
        return p, 0.0, "exact"
    rng, n_extreme = np.random.default_rng(seed), 0
    for size in batches(_RESAMPLES, len(counts), _BATCH_CELLS):
        n_extreme += int(np.count_nonzero(beyond(rng.binomial(counts, 0.5, (size, len(counts))))))
    return *sampled_p(n_extreme, _RESAMPLES), "monte carlo"
