"""Adjusted p-values for a family of tests."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control

from ..arrays import FloatArray
from ..errors import InputError
from ._checks import flat_numbers


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values: rejecting where they are <= a keeps the family-wise error at a.

    Valid under any dependence of the tests. With p sorted ascending, the adjusted i-th (from 1) of m is the
    running maximum of (m - i + 1) p_i, capped at 1.

    Args:
        p_values: p-values in [0, 1], shape (m,); m may be 0.

    Returns:
        Adjusted p-values in the order of the input, shape (m,).

    Raises:
        InputError: the input is not a flat list of numbers in [0, 1].

    References:
        Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        array([0.03, 0.06, 0.06])
    """
    p = _check_p_values(p_values)
    # Running maximum over i of (m − i + 1) p_(i), i from 1, at most 1; p and the result of shape (m,).
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Benjamini-Hochberg adjusted p-values: rejecting where they are <= q keeps the false discovery rate at
    q.

    Valid for independent or positively dependent tests. With p sorted ascending, the adjusted i-th (from 1)
    of m is the running minimum, from the largest down, of p_i m / i, capped at 1.

    Args:
        p_values: p-values in [0, 1], shape (m,); m may be 0.

    Returns:
        Adjusted p-values in the order of the input, shape (m,).

    Raises:
        InputError: the input is not a flat list of numbers in [0, 1].

    References:
        Benjamini and Hochberg (1995), Controlling the false discovery rate.

    Examples:
        >>> benjamini_hochberg([0.01, 0.04, 0.03])
        array([0.03, 0.04, 0.04])
    """
    p = _check_p_values(p_values)
    return np.asarray(false_discovery_control(p), dtype=np.float64)


def _check_p_values(p_values: npt.ArrayLike) -> FloatArray:
    p = flat_numbers(p_values, "p_values")
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError("p_values contains a number outside [0, 1] or NaN: every p-value must lie in [0, 1]")
    return p
