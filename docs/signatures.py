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


class PlainNames(griffe.Extension):
    """Writes the names in docstrings as code: of a path that begins with ``~`` or a dot, its last part."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(self._name, obj.docstring.value)

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
                    annotation=None if given.annotation is given.empty else str(given.annotation),
                    default=None if given.default is given.empty else repr(given.default),
                )
                for name, given in inspect.signature(entry).parameters.items()
            )
        )
