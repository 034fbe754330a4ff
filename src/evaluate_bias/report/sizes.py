"""Sizes in words, by a convention with a source, and what a test of so many units would have found."""

from __future__ import annotations

from .. import stats
from ..method_record import MethodRecord
from ..registry import METHODS
from ..result import Result
from .lines import ReportRow


def size_in_words(line: ReportRow) -> str:
    """Return "large", "medium", "small" or "below small" by Cohen (1988); empty where the method has no such scale.

    The score of several tests together has none: their sizes without signs are above 0 by chance alone.
    """
    record = _with_scale(line)
    if record is None or not record.scale or line.illustrative:
        return ""
    return stats.size_in_words((line.score - line.ideal) / _unit(line), record.scale)


def scale_in_words(scale: stats.Scale) -> str:
    """Return where small, medium and large begin on a scale.

    Examples:
        >>> scale_in_words("cohen_d"), scale_in_words("cohen_g")
        ('small from d = 0.2, medium from 0.5, large from 0.8',
         'small from 5 points off one half, medium from 15, large from 25')
    """
    small, medium, large = stats.SIZES[scale]
    if scale == "cohen_g":
        first = f"{100 * small:.0f} points off one half"
        return f"small from {first}, medium from {100 * medium:.0f}, large from {100 * large:.0f}"
    return f"small from {scale[-1]} = {small}, medium from {medium}, large from {large}"


def _with_scale(line: ReportRow) -> MethodRecord | None:
    """The record of a line's method where its scale is one for this score: not if the score bears another name."""
    record = METHODS.get(line.method)
    if record is None or line.headline or record.name_of(line.score_range) != record.score_name:
        return None
    return record if record.scale else None


def detectable(line: ReportRow, result: Result) -> tuple[float | None, float | None]:
    """Return the scores below and above the ideal that the line's test finds in 80 % of cases, before any adjustment.

    ``None`` at an end that is never found so often, or where the method's test has no such answer.

    Args:
        line: of a report, with the share of the decided units where the method counts ties.
        result: the result that it is a line of.
    """
    record = _with_scale(line)
    nothing = (None, None)
    if record is None or line.row.p_value is None:
        return nothing
    if record.scale == "cohen_g":
        units = record.units_of(result)
        if not line.tested or line.tested < 1 or units is None or units.clusters or not units.outcomes:
            return nothing
        share = _unit(line)
        low, high = stats.detectable_share(line.tested, line.ideal / share)
        return low if low is None else share * low, high if high is None else share * high
    if record.scale == "cohen_r":
        size = stats.detectable_correlation(line.row.n) if line.row.n else None
        return (None if size is None else -size), size
    n_x, n_y = (line.row.details.get(name) for name in ("n_x", "n_y"))
    if not (isinstance(n_x, int) and isinstance(n_y, int) and n_x and n_y):
        return nothing
    alternative = result.settings.get("alternative", "two-sided")
    size = stats.detectable_effect(n_x, n_y, two_sided=alternative == "two-sided")
    if size is None:
        return nothing
    return None if alternative == "greater" else -size, None if alternative == "less" else size


def _unit(line: ReportRow) -> float:
    """What a whole is on the line's axis: 100 where it is in percent."""
    return 100.0 if line.score_range[1] == 100 else 1.0
