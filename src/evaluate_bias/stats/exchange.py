"""Any score of two measurements of the same units, tested by exchanging the two measurements unit by unit."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy import stats as distributions

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ._checks import batches, check_level, check_seed
from .bootstrap import NO_WIDTH, _bca_tails, _NoBCaError, has_width
from .paired import Difference, detectable_of
from .permutation import TIE_TOLERANCE, sampled_p

TotalsScore: TypeAlias = Callable[[FloatArray], npt.ArrayLike]

_RESAMPLES = 9_999
_MOST_EXACT = 8_192
"""Up to this many different exchanges are all made: those of 13 units, or of more where some are alike."""
_MOST_UNDEFINED = 0.05
_BATCH_CELLS = 1 << 22


def paired_totals(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    score: TotalsScore,
    *,
    strata: Sequence[Any] | None = None,
    less_mean: bool = False,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """Difference between a score of two measurements of the same units, where the score is one of their totals.

    A unit gives a few numbers in each measurement, such as whether it is counted and whether it is a hit; the score is
    a function of their sums over the units. The test exchanges the two measurements of each unit and computes both
    scores anew, in all ways where these are few, else in 9,999 random ones: under its null hypothesis it is chance
    which of the two a unit got. The interval is a bootstrap (BCa) of the units, within strata where they are given, its
    tails widened for few units (Hesterberg). Units that are clusters give the sums of their members.

    Args:
        first: numbers of every unit, shape (n, …).
        second: those of the same units in the other measurement.
        score: function of totals, shape (batch, …), that returns (batch,) scores, NaN where they are undefined.
        strata: what the bootstrap holds fixed: for every unit the stratum it is drawn from.
        less_mean: whether the mean of the units was taken from their numbers, of each measurement its own. What is left
            varies less by a factor of (n − 1) / n, which the exchanges make up for; else of 16 units 6 % are rejected.
        level: nominal coverage of the interval.
        seed: seed of exchanges and resamples.

    Raises:
        InputError: the measurements differ in shape, or hold something else than finite numbers.
        UndefinedScoreError: there is no unit, or a score is undefined.

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
    check_level(level)
    check_seed(seed)
    if a.shape != b.shape or a.ndim < 2:
        raise InputError(
            f"the measurements have the shapes {a.shape} and {b.shape}: give the same units in both"
        )
    if not len(a):
        raise UndefinedScoreError("there is no unit to compare")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError("the measurements must be finite numbers")
    shape, n = a.shape[1:], len(a)
    _, places = np.unique(["" if strata is None else str(s) for s in (strata or a)], return_inverse=True)
    # Units that are alike are one kind of them, counted: what is drawn is how many of a kind. The kinds are in the
    # order of their numbers, so that the units' order changes nothing.
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
        raise UndefinedScoreError("the score is undefined on the units that both have")
    tolerance = TIE_TOLERANCE * max(1.0, abs(before), abs(after)) * 100
    moved = (one != two).any(axis=1)
    least = abs(after - before) * ((n - 1) / n if less_mean else 1.0) ** 0.5 - tolerance

    def beyond(exchanged: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Whether exchanging so many units of each kind, shape (batch, kinds), gives as large a change."""
        shift = exchanged @ (two - one)[moved]
        # An exchange on which a score is undefined speaks against a change.
        return np.asarray(~(np.abs(of(sums[1] - shift) - of(sums[0] + shift)) < least))

    p = _exchanged(counts[moved], beyond, seed)
    ends, words = _intervals(one, two, counts, stratum, of, (before, after), level, seed)
    (low, high), total = ends
    return Difference(
        after - before,
        low,
        high,
        *p[:3],
        f"exchange of the units' two answers, {p[3]}",
        words,
        n,
        detectable_of(low, high, level),
        *total,
    )


def _exchanged(
    counts: npt.NDArray[np.intp], beyond: Callable[[npt.NDArray[Any]], npt.NDArray[np.bool_]], seed: int
) -> tuple[float, float, float, str]:
    """The p-value of exchanging units of these kinds, its bounds, and how it was found."""
    if not len(counts):
        return 1.0, 1.0, 1.0, "exact"
    if np.prod(counts + 1.0) <= _MOST_EXACT:
        ways = np.indices(tuple(int(c) + 1 for c in counts)).reshape(len(counts), -1).T
        shares = np.asarray(distributions.binom.pmf(ways, counts, 0.5)).prod(axis=1)
        p = min(1.0, float(shares[beyond(ways)].sum()))
        return p, p, p, "exact"
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
    level: float,
    seed: int,
) -> tuple[tuple[_Ends, _Ends], str]:
    """Bootstrap intervals of difference and sum of two scores of units of these kinds, and how they were made."""
    parts = [np.flatnonzero(stratum == s) for s in np.unique(stratum)]
    if all(counts[part].sum() < 2 for part in parts):
        return _NO_ENDS, "none: one unit of each kind cannot be resampled"

    def both(weights: npt.NDArray[Any]) -> FloatArray:
        """Difference and sum, shape (2, batch)."""
        first, second = of(weights @ one), of(weights @ two)
        return np.stack([second - first, second + first])

    rng, samples = np.random.default_rng([seed, 1]), []
    for size in batches(_RESAMPLES, len(counts), _BATCH_CELLS):
        weights = np.empty((size, len(counts)))
        for part in parts:
            part_counts = counts[part]
            weights[:, part] = rng.multinomial(part_counts.sum(), part_counts / part_counts.sum(), size)
        samples.append(both(weights))
    replicates = np.concatenate(samples, axis=1)
    defined = replicates[:, np.isfinite(replicates).all(axis=0)]
    if defined.shape[1] < (1 - _MOST_UNDEFINED) * _RESAMPLES:
        return _NO_ENDS, "none: the score is undefined on too many resamples"
    # Resamples of few units vary too little: Student's quantiles for normal ones, and √(n / (n − strata)), mend that.
    n, freedom = counts.sum(), counts.sum() - len(parts)
    wide = np.sqrt(n / freedom) * special.stdtrit(freedom, np.array([(1 - level) / 2, (1 + level) / 2]))
    left_out = [
        (int(counts[part].sum()), counts[part], _left_out(part, counts, both))
        for part in parts
        if counts[part].sum() > 1
    ]
    ends: list[_Ends] = []
    words: list[str] = []
    for k, estimate in enumerate((estimates[1] - estimates[0], estimates[1] + estimates[0])):
        tails, how = special.ndtr(wide), "percentile"
        inside = tails[0] > 0 and tails[1] < 1  # Student's quantiles of three units lie beyond all replicates
        if inside and np.ptp(defined[k]) > 0:
            with contextlib.suppress(_NoBCaError):
                acceleration = _acceleration(
                    [(size, part_counts, values[k]) for size, part_counts, values in left_out]
                )
                tails, how = _bca_tails(tails, defined[k], estimate, acceleration), "bca"
        low, high = (float(end) for end in np.quantile(defined[k], tails))
        wide_enough = has_width(low, high, TIE_TOLERANCE * max(map(abs, estimates)))
        ends.append((low, high) if wide_enough else (None, None))
        words.append(f"{how} bootstrap of the units" if wide_enough else f"none: {NO_WIDTH}")
    return (ends[0], ends[1]), words[0]


def _left_out(
    part: npt.NDArray[np.intp],
    counts: npt.NDArray[np.intp],
    statistic: Callable[[npt.NDArray[Any]], FloatArray],
) -> FloatArray:
    """The statistic without one unit of each kind of a stratum in turn, shape (…, kinds)."""
    batches = np.array_split(part, -(-len(part) * len(counts) // _BATCH_CELLS))
    return np.concatenate([statistic(_without(counts, batch)) for batch in batches], axis=-1)


def _acceleration(strata: Sequence[tuple[int, npt.NDArray[np.intp], FloatArray]]) -> float:
    """Acceleration of BCa from the influence of every unit, as in :mod:`evaluate_bias.stats.bootstrap`.

    Of every stratum its size, the counts of its kinds, and the statistic without one of each.
    """
    third = second = 0.0
    for size, weights, values in strata:
        if not np.isfinite(values).all():
            raise _NoBCaError("the score is undefined without one of the units")
        influence = (size - 1) * (np.average(values, weights=weights) - values)
        third += float(weights @ influence**3) / size**3
        second += float(weights @ influence**2) / size**2
    return third / (6 * second**1.5) if second > 0 else 0.0


def _without(counts: npt.NDArray[np.intp], kinds: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The counts less a unit of each of these kinds in turn, shape (kinds left out, kinds)."""
    reduced_counts = np.tile(counts, (len(kinds), 1))
    reduced_counts[np.arange(len(kinds)), kinds] -= 1
    return reduced_counts
