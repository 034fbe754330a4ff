"""Comparison of two samples of scores as distributions: Gaussian divergences and the tests next to them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize, special
from scipy import stats as sps

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError, quoted
from ._checks import Alternative, finite_numbers, normal_p

SHAPIRO_MOST = 5_000
"""The approximation of the Shapiro-Wilk p-value is valid up to this number of values (Royston 1995)."""


@dataclass(frozen=True, slots=True)
class SampleTest:
    """A statistic and its p-value."""

    statistic: float
    p_value: float


@dataclass(frozen=True, slots=True)
class GevFit:
    """A generalised extreme value distribution fitted by maximum likelihood.

    Attributes:
        shape: ξ in the convention where ξ > 0 has a heavy upper tail (Fréchet). SciPy's ``c`` is -ξ.
        location, scale: μ and σ.
        statistic, p_value: one-sample Kolmogorov-Smirnov test of the sample against the fit. The parameters come
            from the same sample, so the p-value is too large. A small one still speaks against the fit.
    """

    shape: float
    location: float
    scale: float
    statistic: float
    p_value: float


def sample(values: npt.ArrayLike, name: str = "values", minimum: int = 2) -> FloatArray:
    """Return ``values`` as a finite one-dimensional array.

    Raises:
        InputError: not one-dimensional, or NaN or infinite.
        UndefinedScoreError: fewer than ``minimum`` values.
    """
    array = finite_numbers(values, name)
    if len(array) < minimum:
        raise UndefinedScoreError(f"{name} has {len(array)} values and at least {minimum} are needed")
    return array


def moments(values: npt.ArrayLike, name: str = "values") -> tuple[float, float]:
    """Mean and sample standard deviation (ddof 1), the latter above 0.

    Raises:
        InputError: not one-dimensional, or NaN or infinite.
        UndefinedScoreError: fewer than two values, or all are equal.

    Examples:
        >>> moments([1.0, 2.0, 3.0])
        (2.0, 1.0)
    """
    array = sample(values, name)
    sd = float(array.std(ddof=1))
    # Of values that are equal up to rounding the formula gives the noise of the summation.
    if not sd > 1e-12 * np.abs(array).max():
        raise UndefinedScoreError(f"{name} are all equal: their standard deviation is 0")
    return float(array.mean()), sd


def gaussian_kl(
    mean_p: npt.ArrayLike, sd_p: npt.ArrayLike, mean_q: npt.ArrayLike, sd_q: npt.ArrayLike
) -> FloatArray:
    """Kullback-Leibler divergence KL(P || Q) of normal distributions, in nats, element by element.

    The range is 0 to ∞, with 0 for equal distributions. It is not symmetric. Standard deviations must be above 0, and
    NaN gives NaN.

    Examples:
        >>> round(float(gaussian_kl(0.0, 1.0, 1.0, 2.0)), 6)
        0.443147
    """
    p, q = np.asarray(sd_p, dtype=np.float64), np.asarray(sd_q, dtype=np.float64)
    shift = (np.asarray(mean_p, dtype=np.float64) - np.asarray(mean_q, dtype=np.float64)) / q
    # log(q/p) + p²/(2q²) - 1/2, written so that little cancels if the two are close.
    excess = (p - q) * (p + q) / q**2
    near = np.log1p(np.clip(excess, -0.5, 0.5))
    return np.asarray((excess - np.where(np.abs(excess) < 0.5, near, 2 * np.log(p / q)) + shift**2) / 2)


def shapiro_wilk(values: npt.ArrayLike, name: str = "values") -> SampleTest:
    """Shapiro-Wilk test of normality, for 3 to 5,000 values.

    Raises:
        UndefinedScoreError: fewer than three values or more than 5,000, or all are equal.
    """
    array = sample(values, name, minimum=3)
    if len(array) > SHAPIRO_MOST:
        raise UndefinedScoreError(
            f"{name} has {len(array)} values, and the p-value of the Shapiro-Wilk test is known for {SHAPIRO_MOST} at "
            "most"
        )
    moments(array, name)
    outcome = sps.shapiro(array)
    return SampleTest(float(outcome.statistic), float(outcome.pvalue))


def kolmogorov_smirnov(first: npt.ArrayLike, second: npt.ArrayLike) -> SampleTest:
    """Two-sample Kolmogorov-Smirnov test of equal distributions, two-sided.

    The p-value is exact up to 10,000 values a sample, for independent samples without ties. With ties, and for the two
    scores of a pair, which rise and fall together, it is too large.

    Raises:
        UndefinedScoreError: a sample is empty.
    """
    a, b = sample(first, "first sample", 1), sample(second, "second sample", 1)
    with warnings.catch_warnings():
        # Rounding can take the exact probability just above 1. SciPy then uses the limit's, and says so.
        warnings.filterwarnings("ignore", "ks_2samp: Exact calculation unsuccessful", RuntimeWarning)
        outcome = sps.ks_2samp(a, b)
    return SampleTest(float(outcome.statistic), float(outcome.pvalue))


def fit_gev(values: npt.ArrayLike, name: str = "values") -> GevFit:
    """Fit a generalised extreme value distribution by maximum likelihood and test the fit.

    The likelihood is maximised over ξ > -1 (below, it has no maximum) from two starts: Hosking's L-moment estimates
    and the moments of a Gumbel distribution.

    Raises:
        UndefinedScoreError: fewer than ten values, all equal, or the likelihood has no maximum.

    Examples:
        Annual maxima of a Gumbel distribution with location 10 and scale 2, at its plotting positions:

        >>> fit = fit_gev([10 - 2 * np.log(-np.log((k + 0.5) / 200)) for k in range(200)])
        >>> round(fit.location, 1), round(fit.scale, 1), round(fit.shape, 1) + 0.0
        (10.0, 2.0, 0.0)
    """
    array = sample(values, name, minimum=10)
    mean, sd = moments(array, name)
    z = (array - mean) / sd
    fits = [
        optimize.minimize(
            _gev_loss, start, (z,), "Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2_000}
        )
        for start in _gev_starts(z)
    ]
    best = min(fits, key=lambda f: float(f.fun))
    location, scale, shape = float(best.x[0]), float(np.exp(best.x[1])), float(best.x[2])
    # Without a maximum the search runs off: to ξ = -1, or to a spike on one tied value.
    if not (best.success and scale > 1e-4 and -0.999 < shape < 10):
        raise UndefinedScoreError(
            f"no generalised extreme value distribution fits {name}: the likelihood has no maximum"
        )
    outcome = sps.kstest(z, "genextreme", args=(-shape, location, scale))
    place, spread = mean + sd * location, sd * scale
    return GevFit(shape, place, spread, float(outcome.statistic), float(outcome.pvalue))


@dataclass(frozen=True, slots=True)
class DistributionFit:
    """A distribution of scipy fitted by maximum likelihood.

    Attributes:
        parameters: shapes, ``loc`` and ``scale``, by scipy's names.
        log_likelihood: of the sample.
        statistic, p_value: one-sample Kolmogorov-Smirnov test against the fit. The p-value is too large, as the
            parameters come from the same sample.
    """

    parameters: dict[str, float]
    log_likelihood: float
    statistic: float
    p_value: float


def continuous_distribution(family: str) -> Any:
    """Return the continuous distribution of ``scipy.stats`` that has this name, and nothing else of that module.

    Raises:
        InputError: the family is unknown.

    Examples:
        >>> continuous_distribution("skewnorm").name
        'skewnorm'
    """
    distribution = getattr(sps, family, None)
    if not isinstance(distribution, sps.rv_continuous):
        raise InputError(
            f"scipy.stats has no continuous distribution {quoted(family)}",
            option="distributions",
            hint="use names such as 'norm', 'skewnorm', 'gamma', 'lognorm', 'beta' or 'burr'",
        )
    return distribution


def fit_distribution(values: npt.ArrayLike, family: str, name: str = "values") -> DistributionFit:
    """Fit a continuous distribution of ``scipy.stats`` by maximum likelihood and test the fit.

    Args:
        values: shape (n,), n >= 10.
        family: scipy's name, such as ``"skewnorm"``.
        name: of the values, for errors.

    Raises:
        InputError: scipy has no such continuous distribution, or values are not finite.
        UndefinedScoreError: fewer than ten values, all equal, or scipy's search finds no fit.

    Examples:
        >>> fit = fit_distribution([float(k % 7) for k in range(50)], "norm")
        >>> {key: round(value, 2) for key, value in fit.parameters.items()}
        {'loc': 2.94, 'scale': 2.02}
    """
    distribution = continuous_distribution(family)
    array = sample(values, name, minimum=10)
    moments(array, name)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            parameters = distribution.fit(array)
            log_likelihood = float(distribution.logpdf(array, *parameters).sum())
            outcome = sps.kstest(array, family, args=parameters)
    except (ValueError, ArithmeticError, sps.FitError) as error:
        raise UndefinedScoreError(f"scipy fits no {family} distribution to {name}: {error}") from None
    if not np.isfinite([*parameters, log_likelihood]).all():
        raise UndefinedScoreError(f"scipy fits no {family} distribution to {name}")
    shapes = (distribution.shapes or "").replace(" ", "").split(",") if distribution.shapes else []
    by_name = dict(zip([*shapes, "loc", "scale"], map(float, parameters), strict=True))
    return DistributionFit(by_name, log_likelihood, float(outcome.statistic), float(outcome.pvalue))


def _gev_loss(parameters: FloatArray, z: FloatArray) -> float:
    """Negative log-likelihood at (location, log of the scale, shape)."""
    location, log_scale, shape = parameters
    y = (z - location) * np.exp(-log_scale)
    if abs(shape) > 1e-9:
        support = shape * y
        if shape <= -1 or support.min() <= -1:
            return np.inf
        y = np.log1p(support) / shape
    with np.errstate(over="ignore"):
        return float(len(z) * log_scale + (1 + shape) * y.sum() + np.exp(-y).sum())


def _gev_starts(z: FloatArray) -> list[FloatArray]:
    """Return Hosking's (1985) L-moment estimates if they fit the sample, and a Gumbel distribution of equal moments."""
    scale = np.sqrt(6) / np.pi
    starts = [np.array([-np.euler_gamma * scale, np.log(scale), 0.0])]
    ordered, n = np.sort(z), len(z)
    rank = np.arange(n)
    b1 = float(np.sum(rank * ordered)) / (n * (n - 1))
    b2 = float(np.sum(rank * (rank - 1) * ordered)) / (n * (n - 1) * (n - 2))
    l1, l2 = float(z.mean()), 2 * b1 - float(z.mean())
    ratio = 2 / (3 + (6 * b2 - 6 * b1 + l1) / l2) - np.log(2) / np.log(3)
    k = 7.859 * ratio + 2.9554 * ratio**2
    if -1 < k < 1 and abs(k) > 1e-6:
        gamma = float(special.gamma(1 + k))
        spread = l2 * k / ((1 - 2**-k) * gamma)
        starts.append(np.array([l1 - spread * (1 - gamma) / k, np.log(spread), -k]))
    return [s for s in starts if np.isfinite(_gev_loss(s, z))]


def mean_z_test(values: npt.ArrayLike, alternative: Alternative = "two-sided") -> SampleTest:
    """Z test that a mean is 0, with the sample variance (ddof 1).

    For paired scores the values are the differences of the pairs, as in Maddalozzo's thesis (chapter 4): the two
    scores of a pair rise and fall together, and a test for independent samples would miss most differences.

    Raises:
        InputError: not one-dimensional, or NaN or infinite.
        UndefinedScoreError: fewer than two values, or all are equal.

    Examples:
        >>> t = mean_z_test([1.0, 2.0, 3.0, -1.0])
        >>> round(t.statistic, 4), round(t.p_value, 4)
        (1.4639, 0.1432)
    """
    mean, sd = moments(values, "the differences")
    z = mean / (sd / np.sqrt(np.size(values)))
    return SampleTest(float(z), normal_p(z, alternative))


def without_outliers(values: FloatArray) -> FloatArray:
    """Values within 1.5 interquartile ranges of the quartiles (Tukey's rule), in their order.

    Quartiles are interpolated linearly between order statistics.

    Examples:
        >>> without_outliers([1.0, 2.0, 3.0, 4.0, 50.0]).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    low, high = np.quantile(values, [0.25, 0.75])
    reach = 1.5 * (high - low)
    return _within(values, low - reach, high + reach)


def within_quantiles(values: FloatArray) -> FloatArray:
    """Return the values between the 1% and the 99% quantile, in order, as trimmed in Maddalozzo's thesis (Table 4.7).

    Quantiles are interpolated linearly between order statistics, so that both extremes of any list without ties go.
    Trimming moves the mean of values that are not symmetric.

    Examples:
        >>> within_quantiles([1.0, 2.0, 3.0, 4.0, 50.0]).tolist()
        [2.0, 3.0, 4.0]
    """
    low, high = np.quantile(values, [0.01, 0.99])
    return _within(values, low, high)


def _within(values: FloatArray, low: float, high: float) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    return np.asarray(array[(array >= low) & (array <= high)])
