"""The arithmetic of BEC-Pro on arrays: paired tests within a group of professions, and the score over two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....stats.distributions import SHAPIRO_MOST, shapiro_wilk

ROUNDING = 1e-5
"""Associations closer than this, in nats, are equal: that is how far models in single precision round."""
_NORMAL = 0.05


class PairedTest(NamedTuple):
    """Outcome of :func:`paired_test`.

    Attributes:
        n: number of pairs.
        shapiro_p: p-value of the Shapiro-Wilk test of the differences. ``None`` for fewer than three or more
            than 5,000.
        test: the test that it chose, ``"paired t"`` or ``"Wilcoxon"``.
        statistic: t, or the smaller of the two sums of ranks.
        p_value: two-sided.
        z: normal score of Wilcoxon's test, positive if the first of a pair is larger.
        r: effect size Z / sqrt(n) of Wilcoxon's test. For the t test it is t / sqrt(t² + n - 1). In [-1, 1].
    """

    n: int
    shapiro_p: float | None
    test: Literal["paired t", "Wilcoxon"]
    statistic: float
    p_value: float
    z: float
    r: float


def paired_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """Test whether the first of each pair is larger: by t if the differences look normal, else by ranks.

    The Shapiro-Wilk test of the differences chooses, at 5%, as in Bartl et al. (2020). Their code divides the sum of
    ranks by sqrt(n) for an effect size. Here it is the normal score that is divided, so that it lies in [-1,
    1].

    Args:
        first: shape (n,), n >= 2.
        second: shape (n,).

    Raises:
        UndefinedScoreError: fewer than two pairs, or no pair differs by more than :data:`ROUNDING`.

    Examples:
        >>> t = paired_test([1.1, 2.3, 2.9, 4.2, 5.5], [1.0, 2.0, 3.0, 4.0, 5.0])
        >>> t.test, round(t.statistic, 4), round(t.p_value, 4), round(t.r, 4)
        ('paired t', 2.0, 0.1161, 0.7071)
        >>> w = paired_test([0.1, 0.2, 0.3, 0.4, 0.5, 30.0], [0.0] * 6)
        >>> w.test, w.statistic, w.p_value, round(w.z, 4), round(w.r, 4)
        ('Wilcoxon', 0.0, 0.03125, 2.2014, 0.8987)
    """
    from scipy.stats import ttest_1samp, wilcoxon

    d = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)  # shape (n,)
    n = len(d)
    if n < 2:
        raise UndefinedScoreError(f"a paired test needs at least two pairs, got {n}")
    if np.abs(d).max() <= ROUNDING:
        raise UndefinedScoreError("the paired test is undefined: no pair differs")
    shapiro = shapiro_wilk(d).p_value if np.ptp(d) > ROUNDING and 3 <= n <= SHAPIRO_MOST else None
    z = _rank_score(d)
    if shapiro is None or shapiro < _NORMAL:
        outcome: Any = wilcoxon(d)
        statistic, p = float(outcome.statistic), float(outcome.pvalue)
        return PairedTest(n, shapiro, "Wilcoxon", statistic, p, z, z / math.sqrt(n))
    t, p = map(float, ttest_1samp(d, 0.0))
    return PairedTest(n, shapiro, "paired t", t, p, z, t / math.sqrt(t**2 + n - 1))


def _rank_score(differences: FloatArray) -> float:
    """Normal score of Wilcoxon's signed-rank sum, with its variance corrected for ties. Zeros are omitted."""
    from scipy.stats import rankdata

    # z = (W⁺ − n(n+1)/4) / sqrt(n(n+1)(2n+1)/24 − Σ(t³ − t)/48), W⁺ the ranks of |d| summed where d > 0, t the sizes
    # of the groups of equal |d|.
    d = differences[differences != 0]
    n = len(d)
    ranks = rankdata(np.abs(d))
    ties = np.unique(ranks, return_counts=True)[1]
    variance = n * (n + 1) * (2 * n + 1) / 24 - float(np.sum(ties**3 - ties)) / 48
    return float((ranks[d > 0].sum() - n * (n + 1) / 4) / np.sqrt(variance))


def cells_of(
    means: FloatArray, words: Sequence[Sequence[int]], groups: Sequence[Sequence[int]], *, paired: bool
) -> FloatArray:
    """Return what each profession with each word, or each pair of words, adds to the totals of :func:`stereotypical`.

    Args:
        means: associations, shape (words, professions).
        words: the female words and the male ones, by number.
        groups: the female professions and the male ones.
        paired: whether the words of both genders are pairs in their order.

    Returns:
        Shape (professions of both groups, words, 8).
    """
    sizes, n_columns = [len(places) for places in groups], len(words[0]) + (0 if paired else len(words[1]))
    cells = np.zeros((sum(sizes), n_columns, 2, 2, 2))
    for group, professions in enumerate(groups):
        for gender, places in enumerate(words):
            row, column = group * sizes[0], 0 if paired else gender * len(words[0])
            block = cells[row : row + sizes[group], column : column + len(places), group, gender]
            block[..., 0], block[..., 1] = means[np.ix_(places, professions)].T, 1.0
    return cells.reshape(sum(sizes), n_columns, 8)


def stereotypical(totals: FloatArray) -> FloatArray:
    """Half the difference of d in female and in male professions, d the female words' mean less the male words'.

    ``totals`` are sums and numbers of associations by group of professions and gender of words, shape (batch, 8).
    """
    sums, n = np.moveaxis(totals.reshape(-1, 2, 2, 2), -1, 0)
    d = (sums / n)[:, :, 0] - (sums / n)[:, :, 1]
    return np.asarray((d[:, 0] - d[:, 1]) / 2)
