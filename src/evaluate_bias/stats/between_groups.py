"""Groups of numbers: the largest effect size of any pair, and the difference or ratio of the means of two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError, bad_option, check_whole
from ._checks import batches, check_seed, finite_numbers
from .bootstrap import has_width
from .draws import lean
from .permutation import TIE_TOLERANCE, sampled_p

_BATCH_CELLS = 1 << 20
_LARGEST_LOG = 700.0
"""A number whose exponential a float can represent."""


@dataclass(frozen=True, slots=True)
class LargestEffect:
    """The outcome of :func:`largest_effect_test`.

    Attributes:
        statistic: the largest absolute effect size of any pair of groups.
        pair: positions of the two groups.
        p_value: share of the relabellings with one as large, the observed one counted.
        p_error: its Monte Carlo error.
        null_mean: its mean over the relabellings.
    """

    statistic: float
    pair: tuple[int, int]
    p_value: float
    p_error: float
    null_mean: float


def largest_effect_test(
    groups: Sequence[npt.ArrayLike], *, ddof: int = 1, n_resamples: int = 9_999, seed: int = 0
) -> LargestEffect:
    """Test whether several groups of numbers are exchangeable, by the largest effect size of any two.

    The numbers of all groups are reassigned at random to groups of the same sizes. The statistic is the largest
    \\|d\\| of a pair, d = (mean of one - mean of the other) / sd of both pooled into one list. As the test is of the
    largest one, it keeps its level for all pairs together, whatever the sizes of the groups.

    Args:
        groups: two groups or more, each a flat list of finite numbers.
        ddof: 1 for the sample standard deviation, 0 for the population's.
        n_resamples: number of relabellings.
        seed: of these.

    Raises:
        InputError: there are fewer than two groups, one is empty or contains something other than finite numbers, or an
            option is out of range.
        UndefinedScoreError: a pair has no spread, observed or relabelled.

    Examples:
        >>> test = largest_effect_test([[1.0, 1.2, 0.9, 1.1], [0.1, 0.3, 0.2, 0.0], [0.5, 0.6, 0.4, 0.7]])
        >>> round(test.statistic, 2), test.pair, test.p_value < 0.01
        (1.82, (0, 1), True)
    """
    if isinstance(groups, (str, bytes)) or not isinstance(groups, Sequence) or len(groups) < 2:
        raise InputError("`groups` must be a list of at least two lists of numbers", option="groups")
    check_whole("ddof", ddof, 0)
    if ddof > 1:
        raise bad_option("ddof", ddof, "1 (sample standard deviation) or 0 (population)")
    check_whole("n_resamples", n_resamples, 1)
    check_seed(seed)
    arrays = [finite_numbers(values, f"groups[{k}]") for k, values in enumerate(groups)]
    sizes = [a.size for a in arrays]
    if 0 in sizes:
        raise InputError("every group must be a list of finite numbers, at least one", option="groups")
    observed = _effects(np.concatenate(arrays)[None, :], sizes, ddof)[0]
    pairs = list(combinations(range(len(arrays)), 2))
    if not np.isfinite(observed).all():
        raise UndefinedScoreError(
            "two groups have no spread: all their numbers are equal, or each contains a single one"
        )
    best = int(observed.argmax())
    # Sorted, so that neither the order of the numbers and groups nor the sign of all numbers changes a draw.
    values = np.concatenate(arrays)
    values, dealt_sizes = np.sort(values if lean(values) >= 0 else -values), sorted(sizes)
    rng = np.random.default_rng(seed)
    dealt = (
        rng.permuted(np.tile(values, (n, 1)), axis=1) for n in batches(n_resamples, len(values), _BATCH_CELLS)
    )
    largest = np.concatenate([_effects(batch, dealt_sizes, ddof).max(axis=1) for batch in dealt])
    if not np.isfinite(largest).all():
        raise UndefinedScoreError("two relabelled groups have no spread: too many of the numbers are equal")
    slack = TIE_TOLERANCE * max(1.0, float(observed[best])) * 1e3
    p, error = sampled_p(int((largest >= observed[best] - slack).sum()), n_resamples)
    return LargestEffect(float(observed[best]), pairs[best], p, error, float(largest.mean()))


def _effects(values: FloatArray, sizes: Sequence[int], ddof: int) -> FloatArray:
    """|d| of every pair of neighbouring blocks of columns, NaN without spread, shape (rows, pairs)."""
    # With n, m and q the sizes, means and mean squares of two blocks: pooled variance = N / (N - ddof) · (mean of the
    # squares - square of the mean), from sums about the row's mean, so that rounding stays small.
    ends = np.cumsum([0, *sizes])
    centred = values - values.mean(axis=1, keepdims=True)
    sums, squares = (
        np.stack([table[:, a:b].sum(axis=1) for a, b in pairwise(ends)], axis=1)
        for table in (centred, centred**2)
    )
    effects = []
    for i, j in combinations(range(len(sizes)), 2):
        n = sizes[i] + sizes[j]
        mean = (sums[:, i] + sums[:, j]) / n
        spread = squares[:, i] + squares[:, j] - n * mean**2
        flat = (spread <= 1e-12 * (centred**2).sum(axis=1)) | (n <= ddof)
        sd = np.sqrt(np.where(flat, np.nan, spread) / max(n - ddof, 1))
        effects.append(np.abs(sums[:, i] / sizes[i] - sums[:, j] / sizes[j]) / sd)
    return np.stack(effects, axis=1)


def split_test(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[float, float]:
    """Two-sided test of a difference of means: Welch's t, permuted over all splits of the values into these sizes.

    The plain difference rejects too often if the sides differ in spread as well as in size.

    Args:
        first: values of one side, shape (n,), two or more.
        second: values of the other.

    Returns:
        The p-value, and the standard deviation of the difference over the splits.

    References:
        Janssen (1997): Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher
        problem. Statistics & Probability Letters 36, 9-21.

    Examples:
        >>> [round(number, 4) for number in split_test([0.6, 0.7, 0.8, 0.75], [0.3, 0.4, 0.2])]
        [0.0286, 0.1801]
    """
    values = np.concatenate([np.asarray(first, np.float64), np.asarray(second, np.float64)])
    values = values - values.mean()
    n, k = len(values), np.size(first)
    inside = _splits(n, k)
    # Sums of the values, which add up to 0, and of their squares, over the k inside, shape (splits,)
    total, squares = inside @ values, inside @ values**2
    mean, other = total / k, -total / (n - k)
    error = (squares / k - mean**2) / (k - 1) + ((np.sum(values**2) - squares) / (n - k) - other**2) / (
        n - k - 1
    )
    difference = mean - other
    # Without any spread within both sides t is infinite, or 0 if nothing varies at all.
    spread, floor = np.abs(values).max(), TIE_TOLERANCE * np.abs(values).max() ** 2
    unbounded = np.where(np.abs(difference) > TIE_TOLERANCE * spread, np.inf, 0.0)
    t = np.where(error > floor, np.abs(difference) / np.sqrt(np.maximum(error, floor or 1.0)), unbounded)
    extreme = t >= t[0] * (1 - 1e-9)
    return float(extreme.mean()), float(difference.std())


@cache
def _splits(n: int, k: int) -> FloatArray:
    """Return every way to choose k of n, one per row, with 1 for what is chosen. The first row chooses the first k."""
    chosen = np.array(list(combinations(range(n), k)))
    inside = np.zeros((len(chosen), n))
    inside[np.arange(len(chosen))[:, None], chosen] = 1.0
    return inside


def welch_interval(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence_level: float = 0.95, *, ratio: bool = False
) -> tuple[float, float] | None:
    """Return Welch's interval of the difference of two means, or of their ratio, ``None`` if nothing varies.

    The interval of a ratio is made on the log scale, where the variance of a mean is divided by its square. It is
    ``None`` if a mean is not positive, or if the interval is too wide for its end to be a number.

    Args:
        first: values of one side, shape (n,), two or more.
        second: values of the other.
        confidence_level: nominal coverage.
        ratio: whether it is of the ratio.

    References:
        Welch (1947): The generalization of "Student's" problem when several different population variances are
        involved. Biometrika 34, 28-35.

    Examples:
        >>> [round(end, 4) for end in welch_interval([0.6, 0.7, 0.8, 0.75], [0.3, 0.4, 0.2])]
        [0.2129, 0.6121]
        >>> [round(end, 4) for end in welch_interval([0.6, 0.7, 0.8, 0.75], [0.3, 0.4, 0.2], ratio=True)]
        [1.1281, 4.9999]
    """
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    means = [float(side.mean()) for side in sides]
    variances = [float(side.var(ddof=1)) / side.size for side in sides]
    value = means[0] - means[1]
    if ratio:
        if min(means) <= 0:
            return None
        value = math.log(means[0] / means[1])
        variances = [v / m**2 for v, m in zip(variances, means, strict=True)]
    variance = sum(variances)
    if variance <= 0:
        return None
    # Of the variances' shares, as the square of a small variance would be 0.
    freedom = 1 / sum((v / variance) ** 2 / (side.size - 1) for v, side in zip(variances, sides, strict=True))
    half = math.sqrt(variance) * float(special.stdtrit(freedom, (1 + confidence_level) / 2))
    low, high = value - half, value + half
    if not has_width(low, high) or (ratio and high >= _LARGEST_LOG):
        return None
    return (math.exp(low), math.exp(high)) if ratio else (low, high)
