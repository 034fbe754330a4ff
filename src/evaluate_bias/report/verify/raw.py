"""Structures as they stand in a file: nothing that a reader would pass over is lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from ...errors import DataError
from ...files import unique_keys


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()
"""In place of a value that is not there."""


class _StrictLoader(yaml.SafeLoader):
    """Refuses what other readers of YAML may read otherwise."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        return unique_keys(
            [
                (self.construct_object(k, deep=True), self.construct_object(v, deep=True))
                for k, v in node.value
            ]
        )


_StrictLoader.add_constructor("tag:yaml.org,2002:map", _StrictLoader.construct_mapping)


def strict_yaml(text: str, key: str = "") -> Any:
    """Read YAML in which no key stands twice, or what stands under one of its keys, ``None`` where that is not there.

    Raises:
        DataError: a key stands there twice, or it is no YAML that can be read.

    Examples:
        >>> strict_yaml("a: {value: 1.5}", "a")
        {'value': 1.5}
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if key and node is not None:
            node = next((value for name, value in node.value if name.value == key), None)
        return None if node is None else _StrictLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"it is no YAML that can be read: {' '.join(str(error).split())[:200]}") from error


def leaves(a: Any, b: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every value of two structures side by side, with its place; what one lacks is ``ABSENT``."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            yield from leaves(a.get(key, ABSENT), b.get(key, ABSENT), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from leaves(x, y, f"{path}[{i}]")
    else:
        yield path, a, b


def same(a: Any, b: Any) -> bool:
    """Whether two values of JSON are one, 1 and 1.0 too."""
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, (int, float)):
        return type(a) is type(b) and bool(a == b)
    return isinstance(b, (int, float)) and a == b
