"""How the numbers of a row are written: scores, intervals, p-values and secondary values."""

from __future__ import annotations

import math
import re

from ..result import OWN_PART, RAW, Estimate, Row
from ..text import plain_p

_SMALL = 1e-3
"""Numbers nearer to 0 are written with a power of ten."""
_ROUNDING = 1e-12
"""Numbers nearer to 0 are 0 but for the rounding of floating point."""


def score_cell(row: Row) -> str:
    """Return a row's score, with its interval if it has one, and with the two values that it is the difference of.

    Examples:
        >>> score_cell(Row(name="ceat6", kind="test", score=1.05964, ci_low=1.05551, ci_high=1.06377))
        '1.0596 [1.0555, 1.0638]'
    """
    interval = "" if row.ci_low is None or row.ci_high is None else f" {ci_cell(row)}"
    return f"{_score(row)}{interval}{_parts(row)}"


def score_text(row: Row) -> str:
    """Return a row's score without its interval, but with as many digits as the interval makes meaningful, or a dash.

    Examples:
        >>> parts = {RAW: Estimate(2.0), OWN_PART: Estimate(1.5)}
        >>> score_text(Row(name="length", kind="test", score=0.5, estimates=parts))
        '0.50 (2.00 raw − 1.50 own part)'
    """
    return f"{_score(row)}{_parts(row)}"


def _score(row: Row) -> str:
    return "—" if row.score is None else decimals(row.score, _digits(row))


def _parts(row: Row) -> str:
    if OWN_PART not in row.estimates:
        return ""
    raw, own_part = (decimals(row.estimates[key].value, _digits(row)) for key in (RAW, OWN_PART))
    return f" ({raw} raw − {own_part} own part)"


def ci_cell(row: Row) -> str:
    """Return a row's confidence interval as text, or a dash."""
    if row.ci_low is None or row.ci_high is None:
        return "—"
    return f"[{decimals(row.ci_low, _digits(row))}, {decimals(row.ci_high, _digits(row))}]"


def _digits(row: Row) -> int:
    """Return 2, or as many decimals as show two digits of the interval's width, so that its ends look different."""
    width = 0.0 if row.ci_low is None or row.ci_high is None else row.ci_high - row.ci_low
    return min(8, max(2, 1 - math.floor(math.log10(width)))) if 0 < width < math.inf else 2


def decimals(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals. If it would be shown as 0, it has two significant digits instead.

    Examples:
        >>> decimals(1.236), decimals(-0.00042), decimals(-0.0), decimals(-2.8e-17)
        ('1.24', '-0.00042', '0.00', '0.00')
    """
    text = f"{value + 0.0:.{digits}f}"
    if float(text):
        return text
    return text.removeprefix("-") if abs(value) < _ROUNDING else f"{value:.2g}"


def estimate_cell(estimate: Estimate | None, key: str = "") -> str:
    """Return a secondary value with its interval, or a dash. If its key says so, it is written as a p-value.

    Examples:
        >>> estimate_cell(Estimate(0.0018, -0.0013, 0.0049))
        '0.0018 [-0.0013, 0.0049]'
        >>> estimate_cell(Estimate(58.754)), estimate_cell(Estimate(5.8e-7)), estimate_cell(Estimate(3))
        ('58.75', '5.8e-07', '3')
        >>> estimate_cell(Estimate(0.0023), "p_items")
        '.002'
    """
    if estimate is None:
        return "—"
    if key.startswith("p_") or key.endswith("_p_value"):
        return plain_p(float(estimate.value))
    value, low, high = estimate.value, estimate.low, estimate.high
    if isinstance(value, int):
        return str(value)
    if low is None or high is None:
        small = _ROUNDING <= abs(value) < _SMALL
        return f"{value:.2g}" if small else f"{value:.{_decimals(value)}f}"
    digits = _decimals(value, low, high)
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _decimals(*values: float) -> int:
    """Return 2, or as many decimals as show two digits of the largest value, whose scale is the method's own."""
    largest = max(map(abs, values))
    return 2 if largest < _ROUNDING else max(2, 1 - math.floor(math.log10(largest)))


def procedure(name: str) -> str:
    """Write how a p-value or an interval was made as people write it.

    Examples:
        >>> procedure("monte_carlo permutation test, two-sided"), procedure("bca")
        ('Monte Carlo permutation test, two-sided', 'BCa')
    """
    return re.sub(r"\bbca\b", "BCa", name.replace("monte_carlo", "Monte Carlo"))
