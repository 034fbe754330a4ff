"""The methods, one folder each in its family's: pure functions from numbers, or a model and data, to a result.

Nothing here opens a file or a connection: data come in as arrays or as the schemas of :mod:`evaluate_bias.data`,
models as objects with a capability of :mod:`evaluate_bias.models.base`. What several families share lies here. The
functions of a method are at hand under its name, whatever its family: ``from evaluate_bias.methods import weat``.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from . import record_parts as record_parts


def __getattr__(name: str) -> ModuleType:
    from ..registry import METHODS

    if name not in METHODS:
        raise AttributeError(f"evaluate_bias.methods has no method {name!r}")
    return importlib.import_module(f"{METHODS[name].package}.method")
