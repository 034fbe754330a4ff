"""Signatures as callers see them: a method takes the options of p-values and intervals one by one."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import griffe

_KINDS = {
    inspect.Parameter.POSITIONAL_OR_KEYWORD: griffe.ParameterKind.positional_or_keyword,
    inspect.Parameter.KEYWORD_ONLY: griffe.ParameterKind.keyword_only,
}


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
