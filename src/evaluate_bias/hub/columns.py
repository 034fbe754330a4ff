"""The columns that people hand to ``compute()``: lists of them, and where they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ..errors import InputError

__all__ = ["listed", "origin_of"]

_HUB_FILE = re.compile(r"^hf://datasets/(?P<id>[^@]+)@(?P<revision>[^/]+)/")


def listed(name: str, values: Any) -> list[Any]:
    """Return a column as a list.

    Args:
        name: its name, for the error.
        values: a list, a tuple, a numpy array, a pandas Series (in its order, whatever its index), a column of a
            data set, or an Arrow array.

    Raises:
        InputError: it is a text, a mapping, a set, or no sequence at all.

    Examples:
        >>> import numpy as np
        >>> listed("sent_more", np.array([-1.5, -2.0]))
        [-1.5, -2.0]
        >>> listed("sent_more", {"a": 1})
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: column 'sent_more' must be a list with one value per row, not a dict
    """
    if isinstance(values, (str, bytes, Mapping, set, frozenset)):
        _refuse(name, values)
    for convert in ("tolist", "to_pylist"):
        if hasattr(values, convert):
            values = getattr(values, convert)()
    if not (isinstance(values, Sequence) or type(values).__name__ == "Column"):
        _refuse(name, values)
    return list(values)


def _refuse(name: str, values: Any) -> NoReturn:
    raise InputError(f"column {name!r} must be a list with one value per row, not a {type(values).__name__}")


def origin_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of the data that columns were taken from.

    Columns of a :class:`datasets.Dataset` lead to its Hub id, revision, configuration and split; columns of this
    library's row sets carry it themselves. Others are "columns given to compute()".
    """
    for values in columns.values():
        own = getattr(values, "provenance", None)
        if isinstance(own, Mapping):
            return dict(own)
        source = values
        while type(source).__name__ == "Column" and hasattr(source, "source"):
            source = source.source
        if (info := getattr(source, "info", None)) is not None and source is not values:
            return _of_dataset(info, getattr(source, "split", None))
    return {"source": "columns given to compute()"}


def _of_dataset(info: Any, split: Any) -> dict[str, Any]:
    """What a data set of ``datasets`` tells of itself; the files' addresses name repository and revision."""
    facts: dict[str, Any] = {"source": info.dataset_name or "a data set given to compute()"}
    for address in info.download_checksums or ():
        if found := _HUB_FILE.match(address):
            facts |= {"source": found["id"], "revision": found["revision"]}
            break
    if info.config_name and info.config_name != "default":
        facts["config"] = info.config_name
    if split is not None:
        facts["split"] = str(split)
    return facts
