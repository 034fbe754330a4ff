"""What the interval and the p-value of a score are about: what is drawn, and what is taken as given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import DataError, quoted
from ..text import joined, singular


@dataclass(frozen=True, slots=True)
class Sampled:
    """What an interval and a p-value generalise to, so that compare, gate and every sentence say the same.

    Attributes:
        clusters: plural names of what is drawn: one, two that cross, or none if nothing is drawn.
        fixed: plural names of what is taken as given, each with its number.

    Raises:
        DataError: there are more than two clusters, or a name or a number is none.

    Examples:
        >>> Sampled(("names", "templates"), {"prompt variants": 4}).phrase()
        'for other names and templates, for these 4 prompt variants'
        >>> Sampled(("templates",), {"prompt variants": 1}).phrase()
        'for other templates, for this prompt variant'
        >>> Sampled(("templates",)).draws("template"), Sampled(("templates",), {"names": 4}).draws("name")
        (True, False)
    """

    clusters: tuple[str, ...] = ()
    fixed: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.clusters, (tuple, list)) or len(self.clusters) > 2:
            raise DataError(f"sampled.clusters must be at most two names, got {quoted(self.clusters)}")
        if not isinstance(self.fixed, Mapping):
            raise DataError(f"sampled.fixed must map names to numbers, got {quoted(self.fixed)}")
        for name in (*self.clusters, *self.fixed):
            if not isinstance(name, str) or not name:
                raise DataError(f"sampled must name things in the plural, got {quoted(name)}")
        for name, n in self.fixed.items():
            if type(n) is not int or n < 1:
                raise DataError(f"sampled.fixed.{name} must be an integer, at least 1, got {quoted(n)}")
        object.__setattr__(self, "clusters", tuple(self.clusters))
        object.__setattr__(self, "fixed", dict(self.fixed))

    def draws(self, key: str) -> bool:
        """True if clusters are drawn whose key in an item is this one: ``"template"`` for ``"templates"``."""
        return key in map(singular, self.clusters)

    def phrase(self) -> str:
        """Return what a conclusion holds for, in words."""
        parts = [f"for other {joined(self.clusters)}"] if self.clusters else []
        parts += [
            f"for these {n:,} {name}" if n > 1 else f"for this {singular(name)}"
            for name, n in self.fixed.items()
        ]
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"clusters", "fixed"}``."""
        return {"clusters": list(self.clusters), "fixed": dict(self.fixed)}


def sampled_of(value: Any) -> Sampled | None:
    """Rebuild the declaration from its dictionary; ``None`` if the result has none.

    Raises:
        DataError: it is something else.
    """
    if value is None or isinstance(value, Sampled):
        return value
    if not isinstance(value, Mapping) or not value.keys() <= {"clusters", "fixed"}:
        raise DataError(f"sampled must contain 'clusters' and 'fixed', got {quoted(value)}")
    return Sampled(**value)
