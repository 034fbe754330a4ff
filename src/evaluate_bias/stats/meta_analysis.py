"""Random-effects meta-analysis (DerSimonian and Laird 1986), and the sampling variance of an effect size."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ._checks import Alternative, check_alternative, check_confidence_level, finite_numbers, normal_p

SMALLEST_P = sys.float_info.min
"""A p-value too small to be written as a number is given as this one, never as 0."""


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """The outcome of :func:`random_effects`.

    Attributes:
        effect: the combined effect, a weighted mean of the effects.
        standard_error: of the combined effect.
        low, high: bounds of its confidence interval.
        z: the combined effect in standard errors.
        p_value: of the null hypothesis that the combined effect is 0, from the normal distribution, at least
            ``SMALLEST_P``.
        q: Cochran's Q, the weighted sum of squared deviations from the fixed-effect mean.
        q_p_value: p-value of the null hypothesis that all effects are equal, from Q's chi-squared distribution
            with n - 1 degrees of freedom, at least ``SMALLEST_P``.
        tau2: estimated variance of the true effects, 0 or more.
        i2: share of the variation that is not sampling error, (Q - (n - 1)) / Q, in [0, 1).
        n: number of effects.
    """

    effect: float
    standard_error: float
    low: float
    high: float
    z: float
    p_value: float
    q: float
    q_p_value: float
    tau2: float
    i2: float
    n: int


def random_effects(
    effects: npt.ArrayLike,
    variances: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> RandomEffects:
    """Combine effects whose true values vary around a common mean, after DerSimonian and Laird.

    With weights w = 1/V, N effects e and their weighted mean m, Q = Σ w (e - m)² and c = Σ w - Σ w² / Σ w. The variance
    of the true effects is τ² = max(0, (Q - (N - 1)) / c). With weights w* = 1 / (V + τ²), the combined effect is Σ w* e
    / Σ w* and its standard error 1 / sqrt(Σ w*).

    The p-value and the interval take the effects as independent of each other and the variances as known. More
    effects make both of them smaller, whatever the effects are drawn from.

    Args:
        effects: the effects, shape (N,), at least two.
        variances: their sampling variances, shape (N,), all above 0, in the squared unit of the effects.
        alternative: ``"two-sided"``, ``"greater"`` or ``"less"``.
        confidence_level: level of the confidence interval, between 0 and 1.

    Returns:
        The combined effect with its test, interval and heterogeneity.

    Raises:
        InputError: the lists differ in length, a number is not finite, a variance is not above 0, or an option is
            out of range.
        UndefinedScoreError: fewer than two effects.

    References:
        DerSimonian and Laird (1986): Meta-analysis in clinical trials. Controlled Clinical Trials 7, 177-188.
        I²: Higgins and Thompson (2002), Statistics in Medicine 21, 1539-1558.

    Examples:
        Weights 1, 1 and 1/2: m = 1.4, Q = 3.6, c = 1.6, so τ² = 1, w* = 1/2, 1/2, 1/3 and the effect is 3/2.

        >>> combined = random_effects([0.0, 2.0, 3.0], [1.0, 1.0, 2.0])
        >>> round(combined.q, 9), round(combined.tau2, 9), round(combined.effect, 9)
        (3.6, 1.0, 1.5)
    """
    e, v = finite_numbers(effects, "effects"), finite_numbers(variances, "variances")
    if len(e) != len(v):
        raise InputError(f"there are {len(e)} effects and {len(v)} variances", hint="give one each")
    if len(e) < 2:
        raise UndefinedScoreError(f"{len(e)} effects cannot be combined: at least two are needed")
    if not (v > 0).all():
        raise InputError(f"a variance is {v.min():g}: every variance must be above 0")
    check_alternative(alternative)
    check_confidence_level(confidence_level)
    effect, error, q, tau2 = (float(number[0]) for number in _combined(e, v))
    freedom = len(e) - 1
    z = effect / error
    half = float(special.ndtri((1 + confidence_level) / 2)) * error
    return RandomEffects(
        effect=effect,
        standard_error=error,
        low=effect - half,
        high=effect + half,
        z=z,
        p_value=max(normal_p(z, alternative), SMALLEST_P),
        q=q,
        q_p_value=max(float(special.chdtrc(freedom, q)), SMALLEST_P),
        tau2=tau2,
        i2=max(0.0, (q - freedom) / q) if q > 0 else 0.0,
        n=len(e),
    )


def random_effects_mean(effects: FloatArray, variances: FloatArray) -> FloatArray:
    """Combined effect of each of many sets of effects, shape (…, N) to (…), as :func:`random_effects` computes it.

    Examples:
        >>> random_effects_mean(np.array([[0.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([1.0, 1.0, 2.0])).round(9)
        array([1.5, 1. ])
    """
    return _combined(effects, variances)[0][..., 0]


def _combined(e: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Effect, standard error, Q and τ² of sets of effects, shape (…, N), each of shape (…, 1)."""

    def total(values: FloatArray) -> FloatArray:
        return np.asarray(values.sum(axis=-1, keepdims=True))

    w = 1 / v
    # The deviations are squared after the mean is taken off: Σ w e² - (Σ w e)² / Σ w would cancel.
    q = total(w * (e - total(w * e) / total(w)) ** 2)
    tau2 = np.maximum(0.0, (q - (e.shape[-1] - 1)) / (total(w) - total(w**2) / total(w)))
    w_star = 1 / (v + tau2)
    return total(w_star * e) / total(w_star), 1 / np.sqrt(total(w_star)), q, tau2


def effect_size_variance(effects: npt.ArrayLike, n_x: int, n_y: int) -> FloatArray:
    """Large-sample variance of a standardised difference of two means, (n_x + n_y) / (n_x n_y) + d² / (2 (n_x + n_y)).

    For an effect size d that divides by the standard deviation of both samples around their common mean, with ddof 1,
    the first term is exactly its variance if the samples do not differ, whatever the distribution of the
    values. Far from 0, where such a d approaches its bound, the sum is too large rather than too small.

    Args:
        effects: effect sizes d, any shape.
        n_x: size of the first sample.
        n_y: size of the second sample.

    Returns:
        Variances, of the shape of ``effects``.

    References:
        Hedges and Olkin (1985): Statistical Methods for Meta-Analysis, chapter 5.

    Examples:
        >>> effect_size_variance([0.0, 1.0], 8, 8).tolist()
        [0.25, 0.28125]
    """
    d = np.asarray(effects, dtype=np.float64)
    n = n_x + n_y
    return np.asarray(n / (n_x * n_y) + d**2 / (2 * n), dtype=np.float64)
