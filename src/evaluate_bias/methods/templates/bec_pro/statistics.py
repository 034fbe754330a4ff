"""The arithmetic of BEC-Pro on arrays: paired tests within a group of professions, and the score over two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....stats.distributions import SHAPIRO_MOST, shapiro_wilk
from ...word_lists.inference import Inference

ROUNDING = 1e-5
"""Associations closer than this, in nats, are equal: that is how far models in single precision round."""
_NORMAL = 0.05
_BATCH_NUMBERS = 1 << 22


class PairedTest(NamedTuple):
    """Outcome of :func:`paired_test`.

    Attributes:
        n: number of pairs.
        shapiro_p: p-value of the Shapiro-Wilk test of the differences; ``None`` for fewer than three or more than
            5,000.
        test: the test that it chose, ``"paired t"`` or ``"Wilcoxon"``.
        statistic: t, or the smaller of the two sums of ranks.
        p_value: two-sided.
        z: normal score of Wilcoxon's test, positive where the first of a pair is larger.
        r: effect size Z / sqrt(n) of Wilcoxon's test; for the t test t / sqrt(t² + n - 1). In [-1, 1].
    """

    n: int
    shapiro_p: float | None
    test: Literal["paired t", "Wilcoxon"]
    statistic: float
    p_value: float
    z: float
    r: float


def paired_test(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """Test whether the first of each pair is larger: by t where the differences look normal, else by ranks.

    The Shapiro-Wilk test of the differences chooses, at 5 %, as in Bartl et al. (2020). Their code divides the sum of
    ranks by sqrt(n) for an effect size; here it is the normal score that is divided, so that it lies in [-1, 1].

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
    """Normal score of Wilcoxon's signed-rank sum, with its variance corrected for ties; zeros are left out."""
    from scipy.stats import rankdata

    # z = (W⁺ − n(n+1)/4) / sqrt(n(n+1)(2n+1)/24 − Σ(t³ − t)/48), W⁺ the ranks of |d| summed where d > 0, t the sizes
    # of the groups of equal |d|.
    d = differences[differences != 0]
    n = len(d)
    ranks = rankdata(np.abs(d))
    ties = np.unique(ranks, return_counts=True)[1]
    variance = n * (n + 1) * (2 * n + 1) / 24 - float(np.sum(ties**3 - ties)) / 48
    return float((ranks[d > 0].sum() - n * (n + 1) / 4) / np.sqrt(variance))


def stereotypical_interval(
    in_female: tuple[FloatArray, FloatArray],
    in_male: tuple[FloatArray, FloatArray],
    inference: Inference,
    *,
    professions: tuple[stats.Names, stats.Names],
    words: Sequence[stats.Names],
) -> stats.Interval:
    """Bootstrap interval of the score: professions of both groups are drawn anew, and words of both genders.

    Args:
        in_female: associations in the female professions of the female and of the male words, each of shape
            (professions, words).
        in_male: those in the male professions.
        inference: number of bootstrap samples, level and seed.
        professions: names of the female and of the male professions.
        words: names of the female and of the male words; or, if these belong together in their order and are drawn in
            pairs, of the pairs.
    """
    (ff, fm), (mf, mm) = in_female, in_male

    # S = ((ff − fm) − (mf − mm)) / 2 of the means over drawn professions and words; indices are of shapes
    # (samples, professions) and (samples, words).
    def score(indices: list[NDArray[np.intp]]) -> FloatArray:
        in_f, in_m, female, *others = indices
        male = others[0] if others else female
        difference = _mean(ff, in_f, female) - _mean(fm, in_f, male)
        return np.asarray((difference - _mean(mf, in_m, female) + _mean(mm, in_m, male)) / 2)

    return stats.bootstrap_ci(
        [*professions, *words],
        score,
        n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
        batch=max(1, _BATCH_NUMBERS // (ff.size + fm.size + mf.size + mm.size)),
    )


def _mean(table: FloatArray, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> FloatArray:
    """Mean over drawn rows and columns of a table, one number per sample.

    ``table`` has shape (R, C), ``rows`` (samples, R) and ``columns`` (samples, C).
    """
    return np.asarray(table[rows[:, :, None], columns[:, None, :]].mean(axis=(1, 2)))
