"""Any score of two measurements of the same units, tested by exchanging the two measurements unit by unit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy import stats as distributions

from ..arrays import FloatArray
from ..errors import UndefinedScoreError
from ._checks import batches
from .bootstrap import NO_WIDTH, NoBCaError, bca_tails, has_width
from .paired import Difference, error_of
from .permutation import TIE_TOLERANCE, sampled_p

TotalsScore: TypeAlias = Callable[[FloatArray], npt.ArrayLike]

_RESAMPLES = 9_999
_MOST_EXACT = 8_192
"""Up to this many different exchanges are all made: the exchanges of 13 units, or of more if some are equal."""
_MOST_UNDEFINED = 0.05
_BATCH_CELLS = 1 << 22
_EXCESS_RESAMPLES = 1_999
_EXCESS_BATCH_CELLS = 1 << 21


def paired_totals(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    score: TotalsScore,
    *,
    strata: Sequence[Any] | None = None,
    less_mean: bool = False,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Return the difference between the scores of two measurements of the same units, which are functions of totals.

    A unit gives a few numbers in each measurement, such as whether it is counted and whether it is a hit. The
    score is a function of their sums over the units. The test exchanges the two measurements of each unit and
    computes both scores again, in all ways if these are few, else in 9,999 random ones: under its null
    hypothesis it is chance which of the two a unit got. The interval is a bootstrap (BCa) of the units,
    within strata if they are given, its tails widened for few units (Hesterberg). Units that are clusters
    give the sums of their members.

    Args:
        first: numbers of every unit, shape (n, …).
        second: the numbers of the same units in the other measurement.
        score: function of totals, shape (batch, …), that returns (batch,) scores, NaN if they are undefined.
        strata: for every unit the stratum that it is drawn from, whose size the bootstrap keeps fixed.
        less_mean: whether each measurement's mean over the units was subtracted from its numbers. What is left varies
            less by a factor of (n − 1) / n. The exchanges correct for this. Otherwise 6% of tests of 16 units would
            reject.
        confidence_level: nominal coverage of the interval.
        seed: seed of exchanges and resamples.

    Raises:
        UndefinedScoreError: units are missing, or a score is undefined.

    References:
        Fisher (1935): The Design of Experiments, section 21. Efron (1987): Better bootstrap confidence intervals.
        Journal of the American Statistical Association 82. Hesterberg (2015): What teachers should know about the
        bootstrap. The American Statistician 69, section 3.4.

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
    # Units with the same numbers form one kind and are counted: what is drawn is how many of each kind. Kinds are in
    # the order of their numbers, so that the units' order changes nothing.
    rows = np.column_stack([places.reshape(n), a.reshape(n, -1), b.reshape(n, -1)])
    kinds: FloatArray
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    width = a[0].size
    stratum, one, two = kinds[:, 0], kinds[:, 1 : 1 + width], kinds[:, 1 + width :]

    def of(totals: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray(score(totals.reshape(-1, *shape)), dtype=np.float64)

    sums = counts @ one, counts @ two
    before, after = (float(of(total[None])[0]) for total in sums)
    if not np.isfinite([before, after]).all():
        raise UndefinedScoreError("the score is undefined on the items that both have")
    tolerance = TIE_TOLERANCE * max(1.0, abs(before), abs(after)) * 100
    moved = (one != two).any(axis=1)
    least = abs(after - before) * ((n - 1) / n if less_mean else 1.0) ** 0.5 - tolerance

    def beyond(exchanged: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """True if exchanging so many units of each kind, shape (batch, kinds), gives as large a change."""
        shift = exchanged @ (two - one)[moved]
        # An exchange on which a score is undefined speaks against a change.
        return np.asarray(~(np.abs(of(sums[1] - shift) - of(sums[0] + shift)) < least))

    p = _test_exchange(counts[moved], beyond, seed)
    ends, words = _intervals(one, two, counts, stratum, of, (before, after), confidence_level, seed)
    (low, high), total = ends
    return Difference(
        after - before,
        low,
        high,
        *p[:2],
        f"exchange of the items' two answers, {p[2]}",
        words,
        n,
        error=error_of(low, high, confidence_level),
        sum_low=total[0],
        sum_high=total[1],
    )


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


_Ends: TypeAlias = tuple[float, float] | tuple[None, None]
_NO_ENDS: tuple[_Ends, _Ends] = ((None, None), (None, None))


def _intervals(
    one: FloatArray,
    two: FloatArray,
    counts: npt.NDArray[np.intp],
    stratum: FloatArray,
    of: Callable[[FloatArray], FloatArray],
    estimates: tuple[float, float],
    confidence_level: float,
    seed: int,
) -> tuple[tuple[_Ends, _Ends], str]:
    """Bootstrap intervals of difference and sum of two scores of units of these kinds, and how they were made."""
    parts = [np.flatnonzero(stratum == s) for s in np.unique(stratum)]
    if all(counts[part].sum() < 2 for part in parts):
        return _NO_ENDS, "none: one item of each kind cannot be resampled"

    def both(weights: npt.NDArray[Any]) -> FloatArray:
        """Difference and sum, shape (2, batch)."""
        first, second = of(weights @ one), of(weights @ two)
        return np.stack([second - first, second + first])

    samples = _count_resampled(counts, parts, _RESAMPLES, [seed, 1], _BATCH_CELLS)
    replicates = np.concatenate([both(weights) for weights in samples], axis=1)
    defined = replicates[:, np.isfinite(replicates).all(axis=0)]
    if defined.shape[1] < (1 - _MOST_UNDEFINED) * _RESAMPLES:
        return _NO_ENDS, "none: the score is undefined on too many resamples"
    # Resamples of few units vary too little: Student's quantiles for normal ones, and √(n / (n − strata)), mend that.
    n, freedom = counts.sum(), counts.sum() - len(parts)
    wide = np.sqrt(n / freedom) * special.stdtrit(
        freedom, np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    )
    left_out = [(counts[part], _left_out(part, counts, both)) for part in parts if counts[part].sum() > 1]
    ends: list[_Ends] = []
    words: list[str] = []
    for k, estimate in enumerate((estimates[1] - estimates[0], estimates[1] + estimates[0])):
        tails, how = special.ndtr(wide), "percentile"
        inside = tails[0] > 0 and tails[1] < 1  # Student's quantiles of three units lie beyond all replicates
        if inside and np.ptp(defined[k]) > 0:
            with contextlib.suppress(NoBCaError):
                acceleration = _acceleration([(part_counts, values[k]) for part_counts, values in left_out])
                tails, how = bca_tails(tails, defined[k], estimate, acceleration), "bca"
        low, high = (float(end) for end in np.quantile(defined[k], tails))
        wide_enough = has_width(low, high, TIE_TOLERANCE * max(map(abs, estimates)))
        ends.append((low, high) if wide_enough else (None, None))
        words.append(f"{how} bootstrap of the items" if wide_enough else f"none: {NO_WIDTH}")
    return (ends[0], ends[1]), words[0]


def _left_out(
    part: npt.NDArray[np.intp],
    counts: npt.NDArray[np.intp],
    statistic: Callable[[npt.NDArray[Any]], FloatArray],
) -> FloatArray:
    """Return the statistic without one unit of each kind of a stratum in turn, shape (…, kinds)."""
    outcomes = []
    for kinds in np.array_split(part, -(-len(part) * len(counts) // _BATCH_CELLS)):
        reduced_counts = np.tile(counts, (len(kinds), 1))
        reduced_counts[np.arange(len(kinds)), kinds] -= 1
        outcomes.append(statistic(reduced_counts))
    return np.concatenate(outcomes, axis=-1)


def _acceleration(strata: Sequence[tuple[npt.NDArray[np.intp], FloatArray]]) -> float:
    """Acceleration of BCa from the influence of every unit, as in :mod:`evaluate_bias.stats.bootstrap`.

    Of every stratum the counts of its kinds, and the statistic without one of each.
    """
    third = second = 0.0
    for weights, values in strata:
        size = int(weights.sum())
        if not np.isfinite(values).all():
            raise NoBCaError("the score is undefined without one of the items")
        influence = (size - 1) * (np.average(values, weights=weights) - values)
        third += float(weights @ influence**3) / size**3
        second += float(weights @ influence**2) / size**2
    return third / (6 * second**1.5) if second > 0 else 0.0


def _count_resampled(
    counts: npt.NDArray[np.intp],
    parts: Sequence[npt.NDArray[np.intp]],
    n: int,
    seed: int | Sequence[int],
    cells: int,
) -> Iterator[FloatArray]:
    """Yield how many units of each kind n bootstrap samples contain, drawn within the strata, shape (batch, kinds)."""
    rng = np.random.default_rng(seed)
    for size in batches(n, len(counts), cells):
        weights = np.empty((size, len(counts)))
        for part in parts:
            weights[:, part] = rng.multinomial(counts[part].sum(), counts[part] / counts[part].sum(), size)
        yield weights


def excess_interval(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    excess: Callable[[FloatArray], FloatArray],
    *,
    strata: Sequence[Any],
    confidence_level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Return the interval of the change of a score less its mean under chance, from measurements of the same units.

    Noise raises such a score, and resamples, which contain the noise of the sample once more, raise it again.
    The percentile interval of the bootstrap is therefore centred at the observed difference.

    Args:
        first: numbers of every unit, shape (n, …).
        second: the numbers of the same units in the other measurement.
        excess: function of totals, shape (batch, …), that returns (batch,) values, NaN if they are undefined.
        strata: for every unit the stratum it is drawn from.
        confidence_level: nominal coverage of the interval.
        seed: seed of the resamples.

    Returns:
        The ends of the interval, ``None`` if the score is undefined on the units or on too many resamples.

    Examples:
        >>> units = [[1.0, hit] for hit in (0, 1, 1, 1, 0, 1, 1, 0)]
        >>> better = [[1.0, 1.0] for _ in units]
        >>> low, high = excess_interval(units, better, lambda t: t[:, 1] / t[:, 0], strata=["all"] * 8)
        >>> low < 0.375 < high
        True
    """
    one, two = (np.asarray(side, dtype=np.float64) for side in (first, second))
    n, shape = len(one), one.shape[1:]
    _, places = np.unique([str(s) for s in strata], return_inverse=True)
    rows = np.column_stack([places, one.reshape(n, -1), two.reshape(n, -1)])
    rows = rows[np.lexsort(rows.T)]  # so that the units' order changes nothing
    stratum, sides = rows[:, 0], np.split(rows[:, 1:], 2, axis=1)

    def change(weights: npt.NDArray[Any]) -> FloatArray:
        with np.errstate(all="ignore"):
            before, after = (excess((weights @ side).reshape(-1, *shape)) for side in sides)
        return np.asarray(after - before, dtype=np.float64)

    parts = [np.flatnonzero(stratum == s) for s in np.unique(stratum)]
    samples = _count_resampled(np.ones(n, dtype=np.intp), parts, _EXCESS_RESAMPLES, seed, _EXCESS_BATCH_CELLS)
    replicates = np.concatenate([change(weights) for weights in samples])
    replicates, estimate = replicates[np.isfinite(replicates)], float(change(np.ones((1, n)))[0])
    if len(replicates) < (1 - _MOST_UNDEFINED) * _EXCESS_RESAMPLES or not np.isfinite(estimate):
        return None
    low, high = estimate + np.quantile(
        replicates - replicates.mean(), [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    )
    return float(low), float(high)
