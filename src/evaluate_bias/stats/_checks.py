"""Checks of arguments that the statistics share: one clear sentence instead of whatever numpy would say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, bad_option, check_whole, quoted

Alternative: TypeAlias = Literal["greater", "less", "two-sided"]


def flat_numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return ``values`` as an array of one dimension, in double precision.

    Raises:
        InputError: they are not a flat list of real numbers.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"`{name}` must be a list of numbers, got {quoted(values)}", option=name) from None
    if array.ndim != 1:
        raise InputError(f"`{name}` must be a flat list of numbers, got {array.ndim} dimensions", option=name)
    return array


def finite_numbers(values: npt.ArrayLike, name: str) -> FloatArray:
    """As :func:`flat_numbers`, all of them finite."""
    array = flat_numbers(values, name)
    if not np.isfinite(array).all():
        raise InputError(f"all numbers of `{name}` must be finite, got NaN or infinity", option=name)
    return array


def check_choice(value: Any, name: str, known: Sequence[str]) -> None:
    """Raise InputError unless ``value`` is one of ``known``."""
    if not isinstance(value, str) or value not in known:
        raise bad_option(name, value, f"one of {', '.join(map(repr, known))}")


def check_number(value: Any, name: str) -> None:
    """Raise InputError unless ``value`` is a finite number."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(float(value)):
        raise bad_option(name, value, "a finite number")


def check_confidence_level(confidence_level: Any) -> None:
    """Raise InputError unless ``confidence_level`` is a confidence level."""
    check_number(confidence_level, "confidence_level")
    if not 0 < confidence_level < 1:
        raise bad_option("confidence_level", confidence_level, "between 0 and 1, for example 0.95")


def check_alternative(alternative: Any) -> None:
    """Raise InputError unless ``alternative`` is the name of an alternative hypothesis."""
    check_choice(alternative, "alternative", get_args(Alternative))


def normal_p(z: float, alternative: Alternative) -> float:
    """P-value of a statistic that is standard normal under the null hypothesis."""
    if alternative == "two-sided":
        return float(2 * special.ndtr(-abs(z)))
    return float(special.ndtr(-z if alternative == "greater" else z))


def check_seed(seed: Any) -> None:
    """Raise InputError unless ``seed`` is an integer, 0 or more."""
    check_whole("seed", seed, 0)


def batches(n: int, width: int, cells: int = 1 << 21) -> Iterator[int]:
    """Return the sizes of batches of ``n`` resamples of ``width`` numbers, with at most ``cells`` numbers each."""
    most = max(1, cells // max(1, width))
    return (min(most, n - start) for start in range(0, n, most))
