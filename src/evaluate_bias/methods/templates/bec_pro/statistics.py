"""The arithmetic of BEC-Pro on arrays: paired tests within a group of professions, and the score over two of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ....stats.distributions import SHAPIRO_MOST, shapiro_wilk

ROUNDING = 1e-5
"""Associations closer than this, in nats, are equal: that is how far models in single precision round."""
_NORMAL = 0.05
_BATCH_NUMBERS = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """Outcome of :func:`paired_test`.

    Attributes:
        n: number of pairs.
        mean: mean difference.
        shapiro_p: p-value of the Shapiro-Wilk test of the differences; ``None`` for fewer than three or more than
            5,000.
        test: the test that it chose, ``"paired t"`` or ``"Wilcoxon"``.
        statistic: t, or the smaller of the two sums of ranks.
        p_value: two-sided.
        z: normal score of Wilcoxon's test, positive where the first of a pair is larger.
        r: effect size Z / sqrt(n) of Wilcoxon's test; for the t test t / sqrt(t² + n - 1). In [-1, 1].
    """

    n: int
    mean: float
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
        InputError: shapes differ, or a number is not finite.
        UndefinedScoreError: fewer than two pairs, or no pair differs by more than :data:`ROUNDING`.

    Examples:
        >>> t = paired_test([1.1, 2.3, 2.9, 4.2, 5.5], [1.0, 2.0, 3.0, 4.0, 5.0])
        >>> t.test, round(t.statistic, 4), round(t.p_value, 4), round(t.r, 4)
        ('paired t', 2.0, 0.1161, 0.7071)
        >>> w = paired_test([0.1, 0.2, 0.3, 0.4, 0.5, 30.0], [0.0] * 6)
        >>> w.test, w.statistic, w.p_value, round(w.z, 4), round(w.r, 4)
        ('Wilcoxon', 0.0, 0.03125, 2.2014, 0.8987)
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise InputError(f"pairs need two lists of equal length, not of shapes {a.shape} and {b.shape}")
    d = a - b  # shape (n,)
    if not np.isfinite(d).all():
        raise InputError("pairs must be finite numbers")
    n = len(d)
    if n < 2:
        raise UndefinedScoreError(f"a paired test needs at least two pairs, got {n}")
    if np.abs(d).max() <= ROUNDING:
        raise UndefinedScoreError("the paired test is undefined: no pair differs")
    varies = np.ptp(d) > ROUNDING
    shapiro = shapiro_wilk(d).p_value if varies and 3 <= n <= SHAPIRO_MOST else None
    z = _rank_score(d)
    test: Literal["paired t", "Wilcoxon"] = "Wilcoxon"
    outcome: Any
    if shapiro is not None and shapiro >= _NORMAL:
        from scipy.stats import ttest_1samp

        test, outcome = "paired t", ttest_1samp(d, 0.0)
        r = float(outcome.statistic) / math.sqrt(float(outcome.statistic) ** 2 + n - 1)
    else:
        from scipy.stats import wilcoxon

        outcome, r = wilcoxon(d), z / math.sqrt(n)
    return PairedTest(
        n=n,
        mean=float(d.mean()),
        shapiro_p=shapiro,
        test=test,
        statistic=float(outcome.statistic),
        p_value=float(outcome.pvalue),
        z=z,
        r=r,
    )


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


def stereotypical_score(in_female: FloatArray, in_male: FloatArray) -> float:
    """Half the difference of the mean female-minus-male association in female and in male professions.

    Args:
        in_female: female minus male association of every female profession, shape (professions,).
        in_male: of every male profession.

    Examples:
        >>> stereotypical_score(np.array([0.5, 0.25]), np.array([-0.25, -0.5]))
        0.375
    """
    # S = (mean over female professions of d − mean over male professions of d) / 2
    return float(in_female.mean() - in_male.mean()) / 2


def stereotypical_interval(
    in_female: tuple[FloatArray, FloatArray],
    in_male: tuple[FloatArray, FloatArray],
    *,
    paired: bool = False,
    n_resamples: int,
    level: float,
    seed: int,
) -> stats.Interval:
    """Bootstrap interval of the score: professions of both groups are drawn anew, and words of both genders.

    Args:
        in_female: associations in the female professions of the female and of the male words, each of shape
            (professions, words).
        in_male: those in the male professions.
        paired: the female and the male words belong together in their order, and are drawn in pairs.
        n_resamples: number of bootstrap samples.
        level: confidence level.
        seed: of the bootstrap.
    """
    (ff, fm), (mf, mm) = in_female, in_male
    words = (ff.shape[1],) if paired else (ff.shape[1], fm.shape[1])
    sizes = (len(ff), len(mf), *words)

    # S = ((ff − fm) − (mf − mm)) / 2 of the means over drawn professions and words; indices are of shapes
    # (samples, professions) and (samples, words).
    def score(indices: list[NDArray[np.intp]]) -> FloatArray:
        in_f, in_m, female, *others = indices
        male = others[0] if others else female
        difference = _mean(ff, in_f, female) - _mean(fm, in_f, male)
        return np.asarray((difference - _mean(mf, in_m, female) + _mean(mm, in_m, male)) / 2)

    return stats.bootstrap_ci(
        sizes,
        score,
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        batch=max(1, _BATCH_NUMBERS // (ff.size + fm.size + mf.size + mm.size)),
    )


def _mean(table: FloatArray, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> FloatArray:
    """Mean over drawn rows and columns of a table, one number per sample.

    ``table`` has shape (R, C), ``rows`` (samples, R) and ``columns`` (samples, C).
    """
    return np.asarray(table[rows[:, :, None], columns[:, None, :]].mean(axis=(1, 2)))
