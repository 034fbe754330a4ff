"""Values read from JSON with another value in one place."""

from __future__ import annotations

import copy
import functools
from typing import Any

Path = tuple[str | int, ...]


def paths_in(value: Any, path: Path = ()) -> list[Path]:
    """The paths to all that a value holds, by the first element of each list."""
    found = [path] if path else []
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    return found + [one for key, held in inner for one in paths_in(held, (*path, key))]


def with_value(value: Any, path: Path, odd: Any) -> Any:
    """A copy with another value at a path."""
    changed = copy.deepcopy(value)
    *way, last = path
    functools.reduce(lambda at, key: at[key], way, changed)[last] = odd
    return changed
