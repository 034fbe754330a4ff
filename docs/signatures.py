"""Docstrings and signatures as readers of the site see them."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe

_KINDS = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}


_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr|exc|obj):`~?\.*([^`]+)`")
"""A name as Sphinx would link it."""

_JOINED = re.compile(r"^\s+(\w+(?:, \w+)+)(?=: )", re.MULTILINE)
"""Names that share their description, as "low, high"; with plain spaces the second is read as the type of the first."""


def _written(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


class PlainNames(griffe.Extension):
    """Writes the names in docstrings as code: of a path that begins with ``~`` or a dot, its last part."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(self._name, obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Keep names that share a description together, with their types."""

        def together(names: re.Match[str]) -> str:
            members = [cls.members.get(name) for name in names[1].split(", ")]
            kinds = " | ".join(str(getattr(member, "annotation", None) or "Any") for member in members)
            return names[0].replace(", ", ",\u00a0") + f" ({' | '.join(dict.fromkeys(kinds.split(' | ')))})"

        if cls.docstring is not None:
            cls.docstring.value = _JOINED.sub(together, cls.docstring.value)

    @staticmethod
    def _name(role: re.Match[str]) -> str:
        is_short = "~" in role[0] or "`." in role[0]
        return f"`{role[1].rpartition('.')[2] if is_short else role[1]}`"


class CallersSignature(griffe.Extension):
    """Takes the parameters of a method's entry from the function that callers get."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Replace the one object that the entry is handed by the options that it is made of."""
        if "inference" not in func.parameters or func.name != "evaluate":
            return
        entry = getattr(importlib.import_module(func.module.canonical_path), func.name)
        func.parameters = griffe.Parameters(
            *(
                griffe.Parameter(
                    name,
                    kind=_KINDS[given.kind],
                    annotation=None if given.annotation is given.empty else _written(given.annotation),
                    default=None if given.default is given.empty else repr(given.default),
                )
                for name, given in inspect.signature(entry).parameters.items()
            )
        )
