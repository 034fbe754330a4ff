"""The range of a score, whatever the unread answers say."""

from __future__ import annotations

from ..result import Result
from .numbers import decimals

_ENOUGH = 0.9
"""Share of what was asked from which on the score stands without its bounds."""


def unread_sentence(result: Result) -> str:
    """The bounds of a score of which less than 90 % could be read, as a sentence; empty for any other.

    Examples:
        >>> from dataclasses import replace
        >>> from evaluate_bias.result import Coverage, Estimate
        >>> bounds = {"low": 0.5, "high": 0.75, "of": "the score"}
        >>> result = Result(method="relative_decision", score=0.667, score_range=(0, 1), direction="two_sided",
        ...                 ideal=0.5, n=30, coverage=Coverage(30, 40), details={"bounds": bounds},
        ...                 estimates={"bounds": Estimate(0.667, 0.36, 0.86), "readable": Estimate(0.7512)})
        >>> unread_sentence(result)
        'Only 75% of what was asked could be read; whatever the other answers are, the score lies between 0.50 and 0.75
        (between 0.36 and 0.86 with the uncertainty of sampling).'

        Where the score has no interval, the uncertainty of sampling is not known and not named.

        >>> unread_sentence(replace(result, estimates={**result.estimates, "bounds": Estimate(0.667, 0.5, 0.75)}))
        'Only 75% of what was asked could be read; whatever the other answers are, the score lies between 0.50 and
        0.75.'
    """
    bounds, estimate = result.details.get("bounds"), result.estimates.get("bounds")
    readable = result.estimates.get("readable")
    share = min(1.0 if readable is None else readable.value, result.coverage.share)
    if bounds is None or estimate is None or share >= _ENOUGH:
        return ""
    ends = (bounds["low"], bounds["high"], estimate.low or 0.0, estimate.high or 0.0)
    low, high, wide_low, wide_high = map(decimals, ends)
    widened = f" (between {wide_low} and {wide_high} with the uncertainty of sampling)"
    if ends[:2] == ends[2:]:  # no interval, so nothing is known of the uncertainty
        widened = ""
    return (
        f"Only {int(100 * share)}% of what was asked could be read; whatever the other answers are, {bounds['of']} "
        f"lies between {low} and {high}{widened}."
    )
