"""YAML read so that nothing in it means another thing to another reader."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import yaml

from ...errors import DataError
from ...files import unique_keys
from ..card.front_matter import shares_nodes


class _Loader(yaml.SafeLoader):
    """Takes for a number only what every reader of YAML takes for the same one, and no key twice."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        whole = partial(self.construct_object, deep=True)
        return unique_keys([(whole(key), whole(value)) for key, value in node.value])


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+][0-9]+)?)?\Z")
_TAG = "tag:yaml.org,2002:"
_Loader.add_implicit_resolver(f"{_TAG}float", _NUMBER, list("-0123456789"))
_Loader.add_implicit_resolver(f"{_TAG}bool", re.compile(r"(?:true|false)\Z"), list("tf"))
_Loader.add_implicit_resolver(f"{_TAG}null", re.compile(r"(?:~|null|)\Z"), ["~", "n", ""])
_Loader.add_constructor(f"{_TAG}map", _Loader.construct_mapping)
for _name in ("float", "int"):  # also where a tag calls other text a number
    _Loader.add_constructor(
        f"{_TAG}{_name}",
        lambda loader, node: float(node.value) if _NUMBER.match(str(node.value)) else str(node.value),
    )


def strict_yaml(text: str, key: str = "") -> Any:
    """Read YAML, or what stands under one of its keys, ``None`` where that is not there.

    Raises:
        DataError: a key stands there twice, an alias repeats a part, or it is no YAML that can be read.

    Examples:
        >>> strict_yaml("a: {value: 1.5, other: 062}", "a")
        {'value': 1.5, 'other': '062'}
    """
    try:
        node = yaml.compose(text, Loader=_Loader)
        if key and node is not None:
            values = [value for name, value in node.value if name.value == key]
            if len(values) > 1:
                raise DataError(f"the key '{key}' is given twice")
            node = values[0] if values else None
        if node is not None and shares_nodes(node):
            raise DataError("an alias repeats a part of it")
        return None if node is None else _Loader("").construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"it is no YAML that can be read: {' '.join(str(error).split())[:200]}") from error
