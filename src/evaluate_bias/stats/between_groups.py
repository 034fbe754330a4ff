"""One test of several groups of numbers: the largest effect size of any pair, against relabelled numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError, bad_option, check_whole
from ._checks import batches, check_seed, finite_numbers
from .draws import lean
from .permutation import TIE_TOLERANCE, sampled_p

_BATCH_CELLS = 1 << 20


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

    The numbers of all groups are dealt out anew to groups of the same sizes; the statistic is the largest
    \\|d\\| of a pair, d = (mean of one - mean of the other) / sd of both pooled into one list. As the test is of the
    largest one, it holds its level for all pairs together, whatever the sizes of the groups.

    Args:
        groups: two groups or more, each a flat list of finite numbers.
        ddof: 1 for the sample standard deviation, 0 for that of the population.
        n_resamples: number of relabellings.
        seed: of these.

    Raises:
        InputError: there are fewer than two groups, one is empty or holds what is no finite number, or an option is out
            of range.
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
