"""Which software produced a result."""

from __future__ import annotations

import functools
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

_ALWAYS = ("evaluate-bias", "numpy", "scipy")


def software_versions(*packages: str) -> dict[str, str]:
    """Return the versions of Python, this library, numpy, scipy and the named distributions.

    Args:
        packages: further distribution names. One that is not installed is reported as ``"not installed"``.

    Examples:
        >>> sorted(software_versions("no-such-package"))
        ['evaluate-bias', 'no-such-package', 'numpy', 'python', 'scipy']
    """
    return {"python": platform.python_version(), **{name: _version(name) for name in (*_ALWAYS, *packages)}}


@functools.cache  # a version is read from a file, which takes longer than many a measurement
def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


NO_MODEL = "scores given by the caller"
"""What replaces a model's name if scores were given."""


def provenance_of(model: Any) -> dict[str, Any]:
    """Return what identifies a model and the software behind its scores. ``None`` means precomputed scores.

    Examples:
        >>> provenance_of(None)["model"]
        {'name': 'scores given by the caller'}
    """
    facts: Mapping[str, Any] = {"name": NO_MODEL} if model is None else model.provenance()
    return {"model": dict(facts), "versions": {**software_versions(), **facts.get("versions", {})}}
