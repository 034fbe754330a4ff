"""Which revision of its method a result was measured by, and what is to be said where the method has changed since."""

from __future__ import annotations

from collections.abc import Mapping

from ..registry import revisions_of
from ..result import Result


def revisions(result: Result) -> dict[str, int]:
    """Return the revisions of the methods that a result was measured by; 1 where it was kept before there were any."""
    known = result.provenance.get("revisions")
    found = known if isinstance(known, Mapping) else {}
    names = revisions_of(result.method, result.settings)
    return {name: n if type(n := found.get(name)) is int else 1 for name in names}


def outdated(result: Result) -> str:
    """Return a sentence where the method has another revision today than the one that measured; else nothing.

    Examples:
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"revisions": {"weat": 99}})
        >>> outdated(result).partition(",")[0]
        'measured by revision 99 of weat'
    """
    now = revisions_of(result.method, result.settings)
    for name, was in revisions(result).items():
        if was < now[name]:
            return f"measured by revision {was} of {name}, now {now[name]}: measure it again"
        if was > now[name]:
            return f"measured by revision {was} of {name}, and this library has {now[name]}: upgrade evaluate-bias"
    return ""
