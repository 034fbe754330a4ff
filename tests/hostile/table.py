"""What bad calls are drawn from: cells, whole columns, whole data, options, by name. Models stand in ``models.py``.

Every value is made anew for each call, so that no call sees what another did to it.
"""

from __future__ import annotations

import decimal
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch

__all__ = ["CELLS", "COLUMNS", "DATA", "OPTIONS", "REFUSED_COLUMNS"]

DIGITS = 5000


CELLS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "0": lambda: 0,
    "5": lambda: 5,
    "-0.5": lambda: -0.5,
    "True": lambda: True,
    "NaN": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "whole number of 5,000 digits": lambda: 10**DIGITS,
    "text of 5,000 digits": lambda: "9" * DIGITS,
    "Decimal": lambda: decimal.Decimal("NaN"),
    "bytes": lambda: b"rose\xff",
    "empty": lambda: "",
    "blanks": lambda: " \t ",
    "lone surrogate": lambda: "a\ud800b",
    "zero byte": lambda: "a\0b",
    "control characters": lambda: "\x1b[31mred\x07\r\n\x7f",
    "bidi override": lambda: "a\u202etxt\u2066b",
    "long word": lambda: "x" * 200_000,
    "long sentence": lambda: "word " * 40_000,
    "braces": lambda: "{target} {attribute} {} {0} {mask",
    "markup": lambda: "<script>alert(1)</script> | ]( `x` $x$ \\input{x}",
    "list": lambda: ["rose", "ant"],
    "empty list": list,
    "list of None": lambda: [None],
    "list of numbers": lambda: [1, 2.5],
    "list of one word twice": lambda: ["rose", "rose"],
    "dict": lambda: {"rose": 1},
    "list of dicts": lambda: [{"sentence": "a"}, {"gold_label": "stereotype"}, {}],
    "set": lambda: {"rose", "ant"},
    "generator": lambda: (word for word in ("rose", "ant")),
    "array": lambda: np.array([0.5, np.nan]),
    "tensor": lambda: torch.tensor(-1.0),
    "tensor on meta": lambda: torch.empty(2, device="meta"),
    "Series": lambda: pd.Series(["rose", "ant"], index=[7, 3]),
    "pandas NA": lambda: pd.NA,
    "object": object,
}


def _set(values: list[Any]) -> Any:
    try:
        return set(values)
    except TypeError:
        return {str(v) for v in values}


class Plain:
    """Has a length and items, and is no sequence."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: int) -> Any:
        return self.values[place]


def _objects(values: list[Any]) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "None": lambda v: None,
    "text": lambda v: "rose",
    "dict": lambda v: dict(enumerate(v)),
    "set": _set,
    "generator": lambda v: (x for x in v),
    "tuple": tuple,
    "no sequence": Plain,
    "Series with another index": lambda v: pd.Series(v, index=list(range(len(v), 0, -1)), dtype=object),
    "Series of categories": lambda v: pd.Series([str(x) for x in v], dtype="category"),
    "object array": _objects,
    "array of two axes": lambda v: np.array([[str(x)] for x in v]),
    "masked array": lambda v: np.ma.masked_all(len(v)),
    "arrow array": lambda v: pa.array([str(x) for x in v]),
    "tensor": lambda v: torch.zeros(len(v)),
    "tensor on meta": lambda v: torch.empty(len(v), device="meta"),
    "empty": lambda v: [],
    "one less": lambda v: v[:-1],
    "one more": lambda v: [*v, v[0]],
    "each in a list": lambda v: [[x] for x in v],
    "all None": lambda v: [None] * len(v),
    "all empty": lambda v: [""] * len(v),
    "all the same": lambda v: [v[0]] * len(v),
    "reversed": lambda v: v[::-1],
    "the last a text": lambda v: [*v[:-1], "rose"],
    "numbers and None": lambda v: [0.5 if i % 2 else None for i in range(len(v))],
    "object": lambda v: object(),
}
"""A whole column in the place of the list ``v``."""

REFUSED_COLUMNS = ("text", "dict", "set", "empty", "object")
"""Those whose rows nobody can know: a result would be one of other data."""


def _pipe(rows: list[Any], folder: Path) -> Path:
    os.mkfifo(folder / "rows.jsonl")
    return folder / "rows.jsonl"


def _file(rows: list[Any], folder: Path) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


DATA: dict[str, Callable[[list[dict[str, Any]], Path], Any]] = {
    "5": lambda rows, folder: 5,
    "text": lambda rows, folder: "rose",
    "path": _file,
    "FIFO": _pipe,
    "folder": lambda rows, folder: folder,
    "missing path": lambda rows, folder: folder / "nothing.jsonl",
    "dict of columns": lambda rows, folder: {k: [row.get(k) for row in rows] for k in rows[0]},
    "one row": lambda rows, folder: rows[0],
    "generator": lambda rows, folder: (row for row in rows),
    "tuple": lambda rows, folder: tuple(rows),
    "set": lambda rows, folder: {"a", "b"},
    "frame": lambda rows, folder: pd.DataFrame(rows),
    "object array": lambda rows, folder: _objects(rows),
    "list of None": lambda rows, folder: [None],
    "list of texts": lambda rows, folder: ["rose", "ant"],
    "rows in a list": lambda rows, folder: [rows],
    "no row": lambda rows, folder: [],
    "rows and None": lambda rows, folder: [*rows, None],
    "another kind of row": lambda rows, folder: [{"a": 1, "b": "x"}] * 3,
    "None as a name": lambda rows, folder: [{**row, None: 1} for row in rows],
    "unknown column": lambda rows, folder: [{**row, "sent_mroe": "x"} for row in rows],
    "unknown bidi column": lambda rows, folder: [{**row, "\u202ex\x1b\n": "x"} for row in rows],
    "name in capitals": lambda rows, folder: [{k.upper(): v for k, v in row.items()} for row in rows],
    "the first column missing": lambda rows, folder: [dict(list(row.items())[1:]) for row in rows],
    "one row without its columns": lambda rows, folder: [*rows, {}],
    "columns in turn": lambda rows, folder: [
        dict(zip(row, [*list(row.values())[1:], next(iter(row.values()))], strict=True)) for row in rows
    ],
}
"""All of ``data=`` in the place of good rows."""


OPTIONS: dict[str, Callable[[], Any]] = CELLS | {
    "no": lambda: "no",
    "-1": lambda: -1,
    "1.5": lambda: 1.5,
    "text": lambda: "rose",
    "bidi override": lambda: "\u202ex\x1b[0m\n",
    "empty dict": dict,
}
