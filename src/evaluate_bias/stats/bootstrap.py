"""Stratified bootstrap confidence intervals: percentile and BCa on index arrays only, and studentised ones of a mean.

The caller keeps the data. Here only positions are drawn, so that a statistic of any shape (an effect size
over four word lists, a difference of proportions) needs one vectorised function of index arrays and nothing
else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError, bad_option, check_whole
from ._checks import check_choice, check_confidence_level, check_seed, finite_numbers
from .draws import Names, count_items, item_streams, lean
from .permutation import sampled_p
from .threads import on_one_thread

IndexArray: TypeAlias = npt.NDArray[np.intp]
IntervalMethod: TypeAlias = Literal["bca", "percentile"]
Statistic: TypeAlias = Callable[[list[IndexArray]], npt.ArrayLike]

NO_WIDTH: Final = "all or nearly all bootstrap samples have the same score, so the interval is undefined"
"""What is said of a score whose interval does not :func:`has_width`."""
_ROUNDING = 1e-12
"""Bounds nearer to each other than this share of them differ by rounding."""
_BATCH_CELLS = 1 << 18
"""Positions drawn at once: what is made of them stays in the processor's cache."""
_MOST_UNDEFINED = 0.05
"""Share of undefined resamples above which the interval is undefined."""


def has_width(low: float, high: float, rounding: float = 0.0) -> bool:
    """True if the bounds of an interval differ by more than rounding. Without a width they would look like certainty.

    Args:
        low: the lower bound.
        high: the upper bound.
        rounding: how far equal scores may differ, if that is more than a few units in the last place.

    Examples:
        >>> has_width(0.1, 0.2), has_width(0.3, 0.1 + 0.2), has_width(-1e-17, 1e-17, rounding=1e-12)
        (True, False, False)
    """
    return high - low > max(rounding, _ROUNDING * max(abs(low), abs(high)))


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """A bootstrap confidence interval.

    Attributes:
        low, high: the bounds.
        method: the method that gave the bounds: ``"percentile"`` also where BCa was asked for and does not
            exist, ``"student"`` (Student's t interval) if the studentised one does not exist (``note`` then says
            why), or ``"fisher"`` for a correlation, see :func:`~.rank_correlation.rank_correlation_interval`.
        estimate: the statistic of the data.
        note: empty, or what a reader should know about a degenerate case.
        p: of a studentised interval and Student's, the two-sided p-value of a mean of 0 and its Monte Carlo error. It
            is below 1 - confidence_level if the interval excludes 0, but for rounding.
        replicates: the statistic of every resample, NaN where undefined, shape (n_resamples,). ``None`` for intervals
            of a mean.
    """

    low: float
    high: float
    method: Literal["studentised", "student", "fisher", "bca", "percentile"]
    estimate: float
    note: str = ""
    p: tuple[float, float] | None = None
    replicates: FloatArray | None = field(default=None, repr=False)

    @property
    def n_undefined(self) -> int:
        """Number of resamples on which the statistic was undefined. They are excluded from the interval."""
        return 0 if self.replicates is None else int(np.isnan(self.replicates).sum())


@on_one_thread
def bootstrap_ci(
    strata: Sequence[Names],
    statistic: Statistic,
    *,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    method: IntervalMethod = "bca",
    seed: int = 0,
    batch: int | None = None,
    left_out: Sequence[npt.ArrayLike] | None = None,
) -> Interval:
    """Confidence interval of a statistic of independent strata, each resampled with replacement on its own.

    The percentile interval takes quantiles of the replicates. BCa (Efron 1987) corrects them for bias, by the
    share of replicates below the estimate (ties half), and for skewness, by the acceleration of the
    multi-sample jackknife (Davison and Hinkley 1997, section 5.3.2), in which one element of one stratum is
    omitted at a time.

    Degenerate cases of BCa: replicates that are all equal give an interval of width 0. A jackknife without
    spread gives acceleration 0. If all replicates lie on one side of the estimate, or the statistic is
    undefined with an element omitted, BCa does not exist and the percentile interval is returned, with a
    note. A stratum of one element is the same in every resample and takes no part in the jackknife.

    Args:
        strata: the names of the elements of each stratum, at least one each. What is drawn depends on the names alone,
            not on the order of elements or strata, see :func:`.draws.item_streams`. If the caller has put the elements
            in an order of their own, their number will do.
        statistic: vectorised function. It gets one integer array a stratum, of shape (batch, elements), with
            positions in that stratum, and returns (batch,) values, NaN where undefined. Elements equal the
            size of the stratum, less one for the stratum of which the jackknife omits one.
        n_resamples: number of resamples, at least 1.
        confidence_level: nominal coverage, between 0 and 1.
        method: ``"bca"`` or ``"percentile"``.
        seed: seed of the resamples. The batch size does not change them.
        batch: number of resamples evaluated at once, by default about a quarter of a million positions.
        left_out: for each stratum, the statistic without each of its elements in turn, NaN where undefined, for a
            caller that knows it. By default BCa evaluates ``statistic`` for it.

    Returns:
        The interval.

    Raises:
        InputError: an option is out of range, or the statistic returns an array of the wrong shape.
        UndefinedScoreError: the statistic is undefined on the data, or on more than 5% of the resamples.

    Examples:
        >>> x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
        >>> y = np.array([0.0, 1.0, 1.0, 2.0])
        >>> ci = bootstrap_ci([6, 4], lambda i: x[i[0]].mean(axis=1) - y[i[1]].mean(axis=1), method="percentile")
        >>> ci.estimate, round(ci.low, 2), round(ci.high, 2)
        (2.5, 1.0, 4.0)
    """
    if isinstance(strata, str) or not isinstance(strata, Sequence) or not strata:
        raise bad_option("strata", strata, "a list with at least one stratum")
    for items in strata:
        check_whole("strata", len(items) if isinstance(items, Sequence) else items, 1)
        if isinstance(items, Sequence) and not all(isinstance(name, str) for name in items):
            raise bad_option("strata", items, "names or a number of elements")
    sizes = [count_items(items) for items in strata]
    check_whole("n_resamples", n_resamples, 1)
    check_confidence_level(confidence_level)
    check_choice(method, "method", get_args(IntervalMethod))
    check_seed(seed)
    rows = batch or max(1, _BATCH_CELLS // sum(sizes))
    streams = item_streams(strata, seed)
    estimate = float(_evaluate(statistic, [order[None, :] for order, _ in streams])[0])
    if not np.isfinite(estimate):
        raise UndefinedScoreError("no confidence interval: the statistic is undefined on the data themselves")
    draws = _resamples(streams, n_resamples, rows)
    replicates = np.concatenate([_evaluate(statistic, indices) for indices in draws])
    defined = replicates[np.isfinite(replicates)]
    n_undefined = n_resamples - len(defined)
    if n_undefined > _MOST_UNDEFINED * n_resamples:
        raise UndefinedScoreError(
            f"no confidence interval: the statistic is undefined on {n_undefined} of {n_resamples} "
            f"resamples, more than {_MOST_UNDEFINED:.0%}. It needs larger lists, or no interval"
        )

    tails, note = np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]), ""
    if method == "bca" and np.ptp(defined) > 0:
        try:
            influences = left_out or [_left_out(statistic, sizes, k, rows) for k in range(len(sizes))]
            tails = bca_tails(tails, defined, estimate, _acceleration(influences))
        except NoBCaError as reason:
            method, note = "percentile", f"percentile interval, because BCa does not exist: {reason}"
    low, high = np.quantile(defined, tails)
    return Interval(
        low=float(low),
        high=float(high),
        method=method,
        estimate=estimate,
        note=note,
        replicates=replicates,
    )


def bootstrap_mean_ci(
    values: npt.ArrayLike, *, n_resamples: int = 9_999, confidence_level: float = 0.95, seed: int = 0
) -> Interval:
    """Studentised bootstrap confidence interval of the mean of one list of numbers.

    The interval (bootstrap-t, Efron and Tibshirani 1993, section 12.5) takes quantiles of every resample's
    (mean - estimate) / standard error, and keeps its level with 10 to 60 values, also skewed ones, where
    percentile and BCa intervals are too narrow. It does not exist if more resamples than the
    level leaves in a tail consist of equal values, as with two or three values. Then Student's t interval is returned,
    with a note.

    Args:
        values: the numbers, at least two.
        n_resamples: number of resamples, at least 1.
        confidence_level: nominal coverage, between 0 and 1.
        seed: seed of the resamples.

    Raises:
        InputError: values are not one-dimensional finite numbers, or an option is out of range.
        UndefinedScoreError: fewer than two values.

    Examples:
        >>> ci = bootstrap_mean_ci([0.2, 0.9, 0.4, 1.3, 3.1, 0.1, 0.6, 1.0, 0.3, 2.1])
        >>> round(ci.estimate, 2), round(ci.low, 2), round(ci.high, 2)
        (1.0, 0.48, 2.29)
    """
    array = finite_numbers(values, "values")
    check_whole("n_resamples", n_resamples, 1)
    check_confidence_level(confidence_level)
    check_seed(seed)
    n = len(array)
    if n < 2:
        raise UndefinedScoreError(
            "fewer than two values have no standard error, and so no studentised interval"
        )
    # Sorted, so that their order changes nothing, on the side on which values and their negatives are one list.
    side, array = lean(array), np.sort(array)
    array = array if side >= 0 else -array[::-1]
    estimate = float(array.mean())
    # (m − r_high e, m − r_low e), r the quantiles of (mean* − m) / e* over resamples of the values (n,), e = sd / √n.
    centred = array - estimate
    error = float(centred.std(ddof=1) / np.sqrt(n))
    draws = _resamples(item_streams([n], seed), n_resamples, max(1, _BATCH_CELLS // n))
    samples = (centred[indices] for (indices,) in draws)
    mean, spread = np.concatenate(
        [np.stack([s.mean(axis=1), s.std(axis=1, ddof=1) / np.sqrt(n)]) for s in samples], axis=1
    )
    # A sample of equal values has a spread of rounding units at most, and its ratio is infinite.
    flat = spread <= 1e-12 * np.abs(centred).max()
    ratios = np.sort(np.where(flat, np.copysign(np.inf, mean), mean / np.where(flat, 1.0, spread)))
    in_tail = round((1 - confidence_level) / 2 * n_resamples)
    lowest, highest = float(ratios[in_tail]), float(ratios[-1 - in_tail])
    is_student = not np.isfinite([lowest, highest]).all()
    note = "Student's t interval, because too many resamples consist of equal values to studentise them"
    if is_student:
        highest = float(special.stdtrit(n - 1, (1 + confidence_level) / 2))
        lowest = -highest
    elif side == 0:  # symmetric values have a symmetric interval
        highest = (highest - lowest) / 2
        lowest = -highest
    low, high = estimate - highest * error, estimate - lowest * error
    return Interval(
        low=low if side >= 0 else -high,
        high=high if side >= 0 else -low,
        method="student" if is_student else "studentised",
        estimate=estimate if side >= 0 else -estimate,
        note=note if is_student else "",
        p=_p_of_zero(estimate / error, None if is_student else ratios, n) if error > 0 else None,
    )


def _p_of_zero(t: float, ratios: FloatArray | None, n: int) -> tuple[float, float]:
    """Two-sided p-value of a mean of 0 and its error: among sorted ratios of resamples, else in Student's t."""
    if ratios is None:
        p = 2 * float(special.stdtr(n - 1, -abs(t)))
        return p, 0.0
    # The tail in which the observed ratio is rarer, doubled: what decides whether the interval includes 0.
    beyond = min(len(ratios) - np.searchsorted(ratios, t), np.searchsorted(ratios, t, side="right"))
    p, error = sampled_p(int(beyond), len(ratios))
    return min(1.0, 2 * p), 2 * error


class NoBCaError(Exception):
    """BCa does not exist for these replicates. The text says why."""


def bca_tails(tails: FloatArray, defined: FloatArray, estimate: float, acceleration: float) -> FloatArray:
    """Return the tails of the percentile interval, corrected for bias and skewness."""
    # Φ(z0 + (z0 + z_α) / (1 − a (z0 + z_α))) for both tails α, z0 = Φ⁻¹(share of the replicates (n_resamples,) below).
    # The same sample in another order differs by a rounding unit and is still a tie.
    slack = 1e-12 * max(abs(estimate), float(np.abs(defined).max()))
    below = (np.mean(defined < estimate - slack) + np.mean(defined <= estimate + slack)) / 2
    if below in (0.0, 1.0):
        raise NoBCaError("all resamples lie on one side of the estimate")
    bias = special.ndtri(below)
    shifted = bias + special.ndtri(tails)
    scale = 1 - acceleration * shifted
    if (scale <= 0).any():
        raise NoBCaError("the acceleration is too large for this level")
    return np.asarray(special.ndtr(bias + shifted / scale))


def _left_out(statistic: Statistic, sizes: Sequence[int], stratum: int, rows: int) -> FloatArray:
    """Return the statistic without each element of a stratum in turn. It is empty for a stratum of one."""
    size, values = sizes[stratum], [np.empty(0)]
    places = np.arange(size - 1)
    for start in range(0, size if size > 1 else 0, rows):
        out = np.arange(start, min(start + rows, size))[:, None]
        indices = [
            places + (places >= out) if i == stratum else np.broadcast_to(np.arange(n), (len(out), n))
            for i, n in enumerate(sizes)
        ]
        values.append(_evaluate(statistic, indices))
    return np.concatenate(values)


def _acceleration(left_out: Sequence[npt.ArrayLike]) -> float:
    """Acceleration from the jackknife influence values of every stratum."""
    # a = Σ_s Σ_i l³ / n_s³ / (6 (Σ_s Σ_i l² / n_s²)^1.5), l = (n_s − 1)(mean of T_(−i) − T_(−i)), shape (n_s,), the
    # influence of element i of stratum s.
    third = second = 0.0
    for values in map(np.asarray, left_out):
        size = len(values)
        if size < 2:
            continue
        if not np.isfinite(values).all():
            raise NoBCaError("the statistic is undefined with one element removed")
        influence = (size - 1) * (values.mean() - values)
        third += float(np.sum(influence**3)) / size**3
        second += float(np.sum(influence**2)) / size**2
    return third / (6 * second**1.5) if second > 0 else 0.0


def _resamples(
    streams: Sequence[tuple[IndexArray, np.random.Generator]], n_resamples: int, rows: int
) -> Iterator[list[IndexArray]]:
    # Each stream is read in row order, so the batch size does not matter.
    for start in range(0, n_resamples, rows):
        n = min(rows, n_resamples - start)
        yield [order[rng.integers(0, len(order), (n, len(order)))] for order, rng in streams]


def _evaluate(statistic: Statistic, indices: list[IndexArray]) -> FloatArray:
    values = np.asarray(statistic(indices), dtype=np.float64)
    rows = len(indices[0])
    if values.shape != (rows,):
        raise InputError(
            f"the statistic returned shape {values.shape} for a batch of {rows}: it must be ({rows},)"
        )
    return values
