"""How the numbers of a row are written: scores, intervals, p-values and secondary values."""

from __future__ import annotations

import math

from ..result import Estimate, Row, format_p

__all__ = ["ci_cell", "decimals", "estimate_cell", "p_cell", "plain_p", "score_cell"]

_EXACT = 5e-3
"""Bounds of a p-value nearer to each other than this share of it are not worth reporting."""

_SMALL = 1e-3
"""Numbers nearer to 0 are written with a power of ten, as p-values are."""


def p_cell(row: Row) -> str:
    """Write a row's p-value for a table in any language; a dash when there is none.

    One that is known between two bounds is written as these, one that was sampled with its interval.
    """
    if row.p_value is None:
        return "—"
    low, high = row.p_low, row.p_high
    if low is None or high is None or high - low <= _EXACT * high:
        return plain_p(row.p_value)
    bounds = f"[{low:.3g}, {high:.3g}]"
    return f"≈ {row.p_value:.3g} {bounds}" if low < row.p_value < high else f"in {bounds}"


def plain_p(p: float | None) -> str:
    """Write a p-value without its bounds; a dash when there is none."""
    return "—" if p is None else format_p(p).removeprefix("p = ")


def score_cell(row: Row) -> str:
    """Write a row's score, with its interval where it has one."""
    score = "—" if row.score is None else decimals(row.score)
    return score if row.ci_low is None or row.ci_high is None else f"{score} {ci_cell(row)}"


def ci_cell(row: Row, digits: int = 2) -> str:
    """Write a row's confidence interval; a dash when there is none."""
    if row.ci_low is None or row.ci_high is None:
        return "—"
    return f"[{decimals(row.ci_low, digits)}, {decimals(row.ci_high, digits)}]"


def decimals(value: float, digits: int = 2) -> str:
    """Write a number with so many decimals; one that would be shown as 0 with two digits of its own.

    Examples:
        >>> decimals(1.236), decimals(-0.00042), decimals(-0.0)
        ('1.24', '-0.00042', '0.00')
    """
    text = f"{value + 0.0:.{digits}f}"
    return text if float(text) or not value else f"{value:.2g}"


def estimate_cell(estimate: Estimate | None) -> str:
    """Write a secondary value with its interval; a dash when there is none.

    Examples:
        >>> estimate_cell(Estimate(0.0018, -0.0013, 0.0049))
        '0.0018 [-0.0013, 0.0049]'
        >>> estimate_cell(Estimate(58.754)), estimate_cell(Estimate(5.8e-7)), estimate_cell(Estimate(3))
        ('58.75', '5.8e-07', '3')
    """
    if estimate is None:
        return "—"
    value, low, high = estimate.value, estimate.low, estimate.high
    if isinstance(value, int):
        return str(value)
    if low is None or high is None:
        small = 0 < abs(value) < _SMALL
        return f"{value:.2g}" if small else f"{value:.{_decimals(value)}f}"
    digits = _decimals(value, low, high)
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _decimals(*values: float) -> int:
    """Two, or as many as leave two digits of the largest value: its scale is the method's own."""
    largest = max(map(abs, values))
    return 2 if largest == 0 else max(2, 1 - math.floor(math.log10(largest)))
