"""What a score would be if the answers that were not read were all at either end of its range (Manski)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...result import Estimate

KEY = "bounds"


def with_bounds(
    facts: Mapping[str, Any], low: Mapping[str, Any], high: Mapping[str, Any], *, what: str = "the score"
) -> dict[str, Any]:
    """A finding's facts with the bounds of its score.

    Args:
        facts: what is reported, with the ``score``.
        low: ``score`` and ``ci_low`` if every unread answer lowered the score as far as it can.
        high: ``score`` and ``ci_high`` if every one raised it.
        what: what is bounded, in words.

    Returns:
        The facts with the estimate ``bounds``, whose ends are those of the two intervals, and with the two scores in
        ``details["bounds"]``.

    Examples:
        >>> facts = with_bounds({"score": 0.6}, {"score": 0.5, "ci_low": 0.4}, {"score": 0.7, "ci_high": None})
        >>> facts["estimates"]["bounds"], facts["details"]["bounds"]
        (Estimate(value=0.6, low=0.4, high=0.7, p=None), {'low': 0.5, 'high': 0.7, 'of': 'the score'})
    """
    ends = (low["score"], high["score"])
    wide = (low["ci_low"], high["ci_high"])
    estimate = Estimate(
        facts["score"],
        *(end if sampled is None else sampled for end, sampled in zip(ends, wide, strict=True)),
    )
    return {
        **facts,
        "estimates": {**facts.get("estimates", {}), KEY: estimate},
        "details": {**facts.get("details", {}), KEY: {"low": ends[0], "high": ends[1], "of": what}},
    }
