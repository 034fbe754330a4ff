"""Test of a mean of zero by flipping signs: exact if the sign patterns can be counted, else sampled."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import UndefinedScoreError, check_whole
from ._checks import batches, check_seed, finite_numbers
from .permutation import DRAWS, TIE_TOLERANCE, RandomisationTest, draw_on, sampled_p

MOST_COUNTED = 32
"""Up to this many numbers other than 0 all sign patterns are counted, by the sums of two halves."""

_BATCH_CELLS = 1 << 22


def sign_flip_test(
    values: npt.ArrayLike, *, n_resamples: int | None = None, seed: int = 0
) -> RandomisationTest:
    """Share of the sign patterns under which the mean is at least as far from 0 as the observed one.

    The null hypothesis is that every number is as likely as its negative, independently of the others (Fisher's
    randomisation test of one sample). The observed pattern is one of them, so p is never 0. With n numbers
    other than 0 it is at least 2 / 2ⁿ, which needs six of them to fall below 5%.

    If more than 32 numbers are not 0, ``n_resamples`` sign patterns are drawn, and p is (1 + patterns at
    least as far) / (1 + ``n_resamples``). If no number is given, 99,999 are drawn, and 999,999 if the p-value
    lies within three of its errors of 5%.

    Raises:
        InputError: the values are not a flat list of finite numbers, or an option is out of range.
        UndefinedScoreError: the list of values is empty.

    References:
        Fisher (1935): The Design of Experiments, section 21.

    Examples:
        >>> sign_flip_test([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).p_value
        0.03125
        >>> sign_flip_test([1.0, -1.0, 0.0]).p_value
        1.0
    """
    array = finite_numbers(values, "values")
    check_whole("n_resamples", DRAWS if n_resamples is None else n_resamples, 1)
    check_seed(seed)
    if not array.size:
        raise UndefinedScoreError("the mean of an empty list is undefined")
    mean, null_sd = float(array.mean()), float(np.linalg.norm(array)) / len(array)
    # Sorted, so that the same numbers in another order give the same sampled p.
    array = np.sort(array[array != 0])
    sizes = np.sort(np.abs(array))
    # Sums that differ by rounding alone are ties.
    least = abs(float(array.sum())) - TIE_TOLERANCE * float(sizes.sum())
    if least <= 0:
        return RandomisationTest(mean, 1.0, 0.0, "exact", len(sizes), null_sd)
    if len(sizes) <= MOST_COUNTED:
        # Signed sums of two halves, counted if together they reach the observed one.
        half = len(sizes) // 2
        first, second = _signed_sums(sizes[:half]), np.sort(_signed_sums(sizes[half:]))
        n_beyond = int((len(second) - np.searchsorted(second, least - first)).sum())
        p = 2 * n_beyond / 2 ** len(sizes)
        return RandomisationTest(mean, p, 0.0, "exact", len(sizes), null_sd)
    rng = np.random.default_rng(seed)

    def sample(n: int) -> int:
        return _sampled_beyond(sizes, least, n, rng)

    n_draws = n_resamples or DRAWS
    beyond = sample(n_draws)
    if n_resamples is None:
        beyond, n_draws = draw_on(beyond, n_draws, sample)
    p, error = sampled_p(beyond, n_draws)
    return RandomisationTest(mean, p, error, "monte_carlo", len(sizes), null_sd)


def without_rounding(values: npt.ArrayLike, scale: float = 0.0) -> FloatArray:
    """Return differences of scores, of any shape. Those that come from rounding alone are 0.

    A sign-flip test of what rounding leaves of equal scores would take its signs for a finding.

    Args:
        values: the differences. NaN stays NaN.
        scale: largest absolute score that they are differences of.

    Examples:
        >>> without_rounding([0.1 + 0.2 - 0.3, 0.5]).tolist(), without_rounding([0.1 + 0.2 - 0.3], scale=0.3).tolist()
        ([0.0, 0.5], [0.0])
    """
    array = np.asarray(values, np.float64)
    rounding = TIE_TOLERANCE * max(scale, float(np.nanmax(np.abs(array), initial=0.0)))
    return np.where(np.abs(array) <= rounding, 0.0, array)


def _signed_sums(sizes: FloatArray) -> FloatArray:
    """Return all 2ⁿ signed sums."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    return sums


def _sampled_beyond(sizes: FloatArray, least: float, n: int, rng: np.random.Generator) -> int:
    """Return how many of ``n`` random sign patterns have a sum of at least ``least`` on either side."""
    width = -(-len(sizes) // 8)
    beyond = 0
    for batch in batches(n, len(sizes), _BATCH_CELLS):
        rows = rng.integers(0, 256, (batch, width), dtype=np.uint8)
        plus = np.unpackbits(rows, axis=1, count=len(sizes))
        # Σ ±size = 2 · (sum of the sizes with a plus) - (sum of all sizes)
        sums = 2 * (plus @ sizes) - sizes.sum()
        beyond += int(np.count_nonzero(np.abs(sums) >= least))
    return beyond
