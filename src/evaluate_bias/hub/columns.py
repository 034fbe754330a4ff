"""The columns passed to ``compute()``: checks of their values, and their origin."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NoReturn

from ..data.data_kind import Holds
from ..data.predictions import as_label
from ..data.table_files import is_absent
from ..errors import InputError, quoted
from ..text import row_place

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
    what = f"column {name!r} must be a list with one value per row"
    return _listed(values, what)


def _listed(values: Any, what: str) -> list[Any]:
    kind = type(values).__name__
    if isinstance(values, (set, frozenset)):
        raise InputError(f"{what}, not a {kind}, which has no order")
    if not isinstance(values, (str, bytes, bytearray, memoryview, Mapping)):
        for convert in ("tolist", "to_pylist"):
            if hasattr(values, convert):
                try:
                    values = getattr(values, convert)()
                except Exception as error:  # such as a tensor on the device "meta"
                    raise InputError(f"{what}; the values of this {kind} cannot be read") from error
        if isinstance(values, Sequence) or type(values).__name__ == "Column":
            return list(values)
    raise InputError(f"{what}, not a {kind}")


def checked_column(name: str, values: Any, holds: Holds) -> list[Any]:
    """Return a column as a list of plain values, each of them what the column holds.

    Args:
        name: its name, for the error.
        values: as for :func:`listed`.
        holds: what a value is; an absent one (``None``, or NaN as in a table of pandas) passes.

    Raises:
        InputError: it is no list, or a value is of another kind; the text names the row and what would work.

    Examples:
        >>> checked_column("targets_x", [("rose", "lily")], "words")
        [['rose', 'lily']]
        >>> checked_column("targets_x", [["rose", 5]], "words")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: targets_x, row 1 of 1 (counted from 1), word 2: 5 is no text
    """
    cells = listed(name, values)
    return [_cell(value, holds, f"{name}, {row_place(i, len(cells))}") for i, value in enumerate(cells)]


def _cell(value: Any, holds: Holds, where: str) -> Any:
    if holds == "words":
        words = _listed(value, f"{where}: the words must be a list of texts")
        return [_text(word, f"{where}, word {place}") for place, word in enumerate(words, 1)]
    if holds == "options":
        return [_option(option, where) for option in _listed(value, f"{where}: the options must be a list")]
    if is_absent(value) and not isinstance(value, Real):
        return None
    if holds == "sentence":
        return _sentence(value, where)
    if holds == "number":
        return _number(value, f"{where}: {quoted(value)} is not a number")
    if holds == "label":
        label = as_label(value, where)
        return None if label is None else _text(label, where)
    return None if is_absent(value) else _text(value, where)


def _option(option: Any, where: str) -> dict[str, Any]:
    if not isinstance(option, Mapping):
        _refuse(option, where, "no option: give {'sentence': …, 'gold_label': …}")
    fields: dict[str, Holds] = {"sentence": "sentence", "gold_label": "text"}
    return {name: _cell(option.get(name), holds, where) for name, holds in fields.items()}


def _sentence(value: Any, where: str) -> str | float:
    if isinstance(value, str):
        return _text(value, where)
    return _number(value, f"{where}: {quoted(value)} is neither a sentence nor a score")


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        _refuse(value, where, "no text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        _refuse(value, where, "no text that can be stored: it holds half a character")
    return str(value)


def _number(value: Any, refusal: str) -> float:
    if type(value) is bool or not isinstance(value, Real):
        raise InputError(refusal)
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{refusal}: it is too large") from None


def _refuse(value: Any, where: str, what: str) -> NoReturn:
    raise InputError(f"{where}: {quoted(value)} is {what}")


def refuse_misaligned(columns: Mapping[str, Any]) -> None:
    """Refuse Series of pandas whose rows have other labels, or the same in another order.

    Raises:
        InputError: their rows do not belong together.
    """
    indexes = {name: values.index for name, values in columns.items() if type(values).__name__ == "Series"}
    for name, index in indexes.items():
        if not index.equals(indexes[first := next(iter(indexes))]):
            raise InputError(
                f"columns {first!r} and {name!r} are Series with different indexes",
                hint="align them in one DataFrame, or give .tolist() of each to pair them by position",
            )


def refuse_unequal(columns: Mapping[str, list[Any]]) -> None:
    """Refuse columns of unequal lengths, or with no row.

    Raises:
        InputError: the columns do not belong together row by row.
    """
    (first, rows), *others = columns.items()
    if not rows:
        raise InputError("no row was given")
    for name, values in others:
        if len(values) != len(rows):
            raise InputError(
                f"column {name!r} has {len(values)} values and {first!r} has {len(rows)}",
                hint="give one value per row",
            )


def origin_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of the data that columns were taken from.

    Columns of a :class:`datasets.Dataset` lead to its Hub id, revision, configuration and split; columns of this
    library's row sets carry it themselves. Others are "columns given to compute()".
    """
    for values in columns.values():
        provenance = getattr(values, "provenance", None)
        if isinstance(provenance, Mapping):
            return dict(provenance)
        source = values
        while type(source).__name__ == "Column" and hasattr(source, "source"):
            source = source.source
        if (info := getattr(source, "info", None)) is not None and source is not values:
            return _dataset_facts(info, getattr(source, "split", None))
    return {"source": "columns given to compute()"}


def _dataset_facts(info: Any, split: Any) -> dict[str, Any]:
    """What a data set of ``datasets`` says of itself; the files' addresses name repository and revision."""
    facts: dict[str, Any] = {"source": info.dataset_name or "a data set given to compute()"}
    for address in info.download_checksums or ():
        if match := _HUB_FILE.match(address):
            facts |= {"source": match["id"], "revision": match["revision"]}
            break
    if info.config_name and info.config_name != "default":
        facts["config"] = info.config_name
    if split is not None:
        facts["split"] = str(split)
    return facts
