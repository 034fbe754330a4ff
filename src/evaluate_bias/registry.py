"""All methods: the records in the folders of :mod:`evaluate_bias.methods`.

Cards, command-line tables, documentation, modules and tests are made from these records, so they cannot drift apart.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .data.kinds import DataKind
from .errors import UnknownNameError
from .method_record import MethodRecord as MethodRecord

FAMILIES = (
    "association",
    "direction",
    "corpus",
    "templates",
    "pairs",
    "prompting",
    "downstream",
    "agreement",
)
"""Families of methods in the order in which lists name them. One that is not named here comes last."""

_MAX_NAME_CHARS = 500
"""Characters of the longest name that is looked at."""


def _record_files() -> dict[str, MethodRecord]:
    """Return the record of every ``methods/<family>/<name>/record.py``, in the order of families and names."""
    here = Path(__file__).parent / "methods"
    packages = [path.parent.relative_to(here).parts for path in here.glob("*/*/record.py")]
    order = {family: place for place, family in enumerate(FAMILIES)}
    records = {}
    for family, name in sorted(packages, key=lambda p: (order.get(p[0], len(order)), p)):
        package = f"{__package__}.methods.{family}.{name}"
        record: MethodRecord = importlib.import_module(f"{package}.record").RECORD
        records[record.name] = dataclasses.replace(record, package=package)
    return records


METHODS: dict[str, MethodRecord] = _record_files()
"""All methods by name."""


def get_method(name: str) -> MethodRecord:
    """Return the record of a method. Hyphens and capitals do not matter.

    Raises:
        UnknownNameError: no method has that name, or the name is not a string. The error offers near matches.

    Examples:
        >>> get_method("WEAT").score_range
        (-2.0, 2.0)
    """
    key = name[:_MAX_NAME_CHARS].strip().lower().replace("-", "_") if isinstance(name, str) else ""
    if key not in METHODS:
        raise UnknownNameError("method", name, METHODS, option="method")
    return METHODS[key]


def revisions_of(method: str, settings: Mapping[str, Any]) -> dict[str, int]:
    """Return the revision of a method, and of the method that it measures with these settings, by their names.

    Examples:
        >>> sorted(revisions_of("seed_sensitivity", {"measured_method": "mac"}))
        ['mac', 'seed_sensitivity']
    """
    names = (method, settings.get("measured_method"))
    return {name: METHODS[name].revision for name in names if isinstance(name, str) and name in METHODS}


def published_with(kind: DataKind) -> MethodRecord:
    """Return the method that the usual data set of a kind was published with: the one that bears its name.

    Raises:
        UnknownNameError: the data set bears no method's name.

    Examples:
        >>> from evaluate_bias.data.kinds import STEREOSET
        >>> published_with(STEREOSET).title
        'StereoSet Context Association Test (CAT)'
    """
    return get_method(kind.dataset.rpartition("/")[2])
