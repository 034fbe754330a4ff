"""WEFAT: do the associations of words follow a statistic of the world? (Caliskan, Bryson and Narayanan 2017)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....errors import InputError, UndefinedScoreError
from ...cosine_association import check_vectors, cosine_similarity

__all__ = ["Wefat", "wefat"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wefat:
    """Outcome of :func:`wefat`.

    Attributes:
        correlation: Pearson correlation of association and statistic, in [-1, 1]; 0 is ideal.
        p_value: two-sided, of no linear relation.
        ci_low, ci_high, ci_level: Fisher interval of the correlation.
        slope, intercept: least-squares line, statistic = slope · association + intercept.
        associations: normalised association of every word.
        n: number of words.
    """

    correlation: float
    p_value: float
    ci_low: float
    ci_high: float
    ci_level: float
    slope: float
    intercept: float
    associations: NDArray[np.float64]
    n: int


def wefat(
    words: ArrayLike, a: ArrayLike, b: ArrayLike, statistic: ArrayLike, *, ddof: int = 1, level: float = 0.95
) -> Wefat:
    """Word Embedding Factual Association Test: do associations follow a real-world statistic?

    The association of a word is (mean cos to A - mean cos to B) / sd of its cosines over A and B; for occupations
    and gendered attributes, for example, the statistic is the share of women in the occupation.

    Args:
        words: vectors of the words, shape (n, dimension), n >= 4.
        a: first attributes, shape (n_a, dimension).
        b: second attributes, shape (n_b, dimension); together at least two attributes.
        statistic: one real-world number a word, shape (n,).
        ddof: 1 for the sample standard deviation, 0 for the population's.
        level: confidence level of the interval.

    Returns:
        Pearson correlation, range -1 to 1, ideal 0, positive when words closer to A have the larger statistic; its
        two-sided p-value and Fisher's interval, which assume values that are about normal; the fitted line, and every
        word's association.

    Raises:
        InputError: lengths differ, values are not finite, or fewer than four words.
        UndefinedScoreError: associations or statistic do not vary, or a word is equally close to all attributes.

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186, supplement.

    Examples:
        >>> jobs = [[0.2, 1.0, 0.1], [0.5, 0.9, 0.4], [0.7, 0.6, 0.2], [0.9, 0.5, 0.9], [1.0, 0.1, 0.3]]
        >>> women, men = [[1.0, 0.2, 0.9], [0.8, 0.1, 0.0]], [[0.2, 1.0, 0.7], [0.1, 1.0, 0.0]]
        >>> fit = wefat(jobs, women, men, [0.05, 0.3, 0.5, 0.6, 0.9])
        >>> round(fit.correlation, 3), round(fit.p_value, 3)
        (0.879, 0.05)
    """
    from scipy.stats import linregress, pearsonr

    if ddof not in (0, 1):
        raise InputError(f"ddof must be 1 (sample standard deviation) or 0 (population), not {ddof!r}")
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, such as 0.95, not {level!r}")
    words_, a_, b_ = check_vectors(words=words, attributes_a=a, attributes_b=b)
    try:
        values = np.asarray(statistic, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("statistic must be one number a word") from None
    cosines = cosine_similarity(words_, np.concatenate([a_, b_]))
    n_a = len(a_)
    if values.shape != (len(cosines),):
        raise InputError(
            f"statistic must have one number a word, shape ({len(cosines)},), not {values.shape}"
        )
    if not np.isfinite(values).all():
        raise InputError("statistic has NaN or infinity; leave out the words whose statistic is unknown")
    if len(values) < 4:
        raise InputError(f"wefat needs at least four words for an interval, got {len(values)}")
    sd = cosines.std(axis=1, ddof=ddof)
    if (sd <= 1e-12).any():
        raise UndefinedScoreError(
            f"word {int(np.argmin(sd))} is equally close to every attribute: no association"
        )
    s = (cosines[:, :n_a].mean(axis=1) - cosines[:, n_a:].mean(axis=1)) / sd
    if np.ptp(s) <= 1e-12 or np.ptp(values) <= 1e-12 * np.abs(values).max():
        raise UndefinedScoreError(
            "associations or statistic are the same for every word: no correlation is defined"
        )
    fit = pearsonr(s, values)
    interval = fit.confidence_interval(level)
    line = linregress(s, values)
    return Wefat(
        correlation=float(fit.statistic),
        p_value=float(fit.pvalue),
        ci_low=float(interval.low),
        ci_high=float(interval.high),
        ci_level=level,
        slope=float(line.slope),
        intercept=float(line.intercept),
        associations=s,
        n=len(values),
    )
