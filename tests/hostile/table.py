"""What bad calls are drawn from: cells, whole columns, whole data, options, by name. Models stand in ``models.py``.

Every value is made anew for each call, so that no call sees what another did to it.
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import fractions
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import torch

__all__ = ["CELLS", "COLUMNS", "DATA", "FILES", "JSON_CELLS", "OPTIONS", "OPTION_TEXTS", "REFUSED_COLUMNS"]

DIGITS = 5000


def deep(depth: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


CELLS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "0": lambda: 0,
    "5": lambda: 5,
    "-0.5": lambda: -0.5,
    "True": lambda: True,
    "NaN": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "whole number of 5,000 digits": lambda: 10**DIGITS,
    "text of 5,000 digits": lambda: "9" * DIGITS,
    "complex": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("NaN"),
    "Fraction": lambda: fractions.Fraction(1, 3),
    "numpy NaN": lambda: np.float64("nan"),
    "numpy text": lambda: np.str_("rose"),
    "numpy whole number": lambda: np.int64(-1),
    "numpy bytes": lambda: np.bytes_(b"rose"),
    "bytes": lambda: b"rose\xff",
    "bytearray": lambda: bytearray(b"rose"),
    "empty": lambda: "",
    "blanks": lambda: " \t ",
    "lone surrogate": lambda: "a\ud800b",
    "zero byte": lambda: "a\0b",
    "control characters": lambda: "\x1b[31mred\x07\r\n\x7f",
    "bidi override": lambda: "a\u202etxt\u2066b",
    "combining": lambda: "a" + "\u0301" * 500,
    "long word": lambda: "x" * 200_000,
    "long sentence": lambda: "word " * 40_000,
    "masks": lambda: "[MASK] [MASK] <mask> [UNK]",
    "marks": lambda: "[CLS] [SEP] </s> [PAD]",
    "no known letter": lambda: "\U0001f468\u200d\U0001f469 \u0e01\u0e02 \ufffd",
    "braces": lambda: "{target} {attribute} {} {0} {mask",
    "markup": lambda: "<script>alert(1)</script> | ]( `x` $x$ \\input{x}",
    "list": lambda: ["rose", "ant"],
    "empty list": list,
    "list of None": lambda: [None],
    "list of numbers": lambda: [1, 2.5],
    "list of an empty text": lambda: [""],
    "list of one word twice": lambda: ["rose", "rose"],
    "nested list": lambda: [[["rose"]]],
    "deep list": lambda: deep(3000),
    "tuple": lambda: ("rose", 5),
    "dict": lambda: {"rose": 1},
    "dict of an option": lambda: {"sentence": None, "gold_label": 5},
    "list of dicts": lambda: [{"sentence": "a"}, {"gold_label": "stereotype"}, {}],
    "set": lambda: {"rose", "ant"},
    "frozenset": lambda: frozenset({"rose"}),
    "generator": lambda: (word for word in ("rose", "ant")),
    "range": lambda: range(3),
    "array": lambda: np.array([0.5, np.nan]),
    "array without axes": lambda: np.array(0.5),
    "object array": lambda: np.array(["rose", None, 5], dtype=object),
    "tensor": lambda: torch.tensor(-1.0),
    "tensor with gradient": lambda: torch.ones(2, requires_grad=True),
    "tensor on meta": lambda: torch.empty(2, device="meta"),
    "Series": lambda: pd.Series(["rose", "ant"], index=[7, 3]),
    "frame": lambda: pd.DataFrame({"a": [1]}),
    "pandas NA": lambda: pd.NA,
    "pandas NaT": lambda: pd.NaT,
    "date": lambda: datetime.date(2020, 1, 1),
    "path": lambda: Path("rose"),
    "arrow scalar": lambda: pa.scalar("rose"),
    "class": lambda: int,
    "function": lambda: len,
    "object": object,
    "Ellipsis": lambda: ...,
}

JSON_CELLS: dict[str, str] = {
    "null": "null",
    "5": "5",
    "-0.5": "-0.5",
    "true": "true",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "1e999": "1e999",
    "number of 5,000 digits": "9" * DIGITS,
    "text of 5,000 digits": json.dumps("9" * DIGITS),
    "empty": '""',
    "blanks": '" \\t "',
    "lone surrogate": '"a\\ud800b"',
    "zero byte": '"a\\u0000b"',
    "control characters": '"\\u001b[31mred\\u0007\\r\\n"',
    "bidi override": '"a\\u202etxt\\u2066b"',
    "long word": json.dumps("x" * 200_000),
    "list": '["rose", "ant"]',
    "empty list": "[]",
    "list of null": "[null]",
    "nested list": '[[["rose"]]]',
    "deep list": "[" * 100_000 + "]" * 100_000,
    "object": '{"rose": 1}',
    "key twice": '{"a": 1, "a": 2}',
    "cut": '"ro',
    "nothing": "",
    "word": "rose",
}
"""Cells of a JSON file, as they stand in it."""


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
    "5": lambda v: 5,
    "text": lambda v: "rose",
    "bytes": lambda v: b"rose",
    "dict": lambda v: dict(enumerate(v)),
    "dict of values": lambda v: {"a": v},
    "set": _set,
    "frozenset": lambda v: frozenset(_set(v)),
    "generator": lambda v: (x for x in v),
    "iterator": iter,
    "map": lambda v: map(str, v),
    "keys": lambda v: dict(enumerate(v)).keys(),
    "values": lambda v: dict(enumerate(v)).values(),
    "tuple": tuple,
    "deque": collections.deque,
    "no sequence": Plain,
    "Series with another index": lambda v: pd.Series(v, index=list(range(len(v), 0, -1)), dtype=object),
    "Series with an index twice": lambda v: pd.Series(v, index=[0] * len(v), dtype=object),
    "Series of categories": lambda v: pd.Series([str(x) for x in v], dtype="category"),
    "frame": lambda v: pd.DataFrame({"a": [str(x) for x in v]}),
    "object array": _objects,
    "array of texts": lambda v: np.array([str(x) for x in v]),
    "array of two axes": lambda v: np.array([[str(x)] for x in v]),
    "array without axes": lambda v: np.array("rose"),
    "masked array": lambda v: np.ma.masked_all(len(v)),
    "arrow array": lambda v: pa.array([str(x) for x in v]),
    "array of the array module": lambda v: array.array("d", [0.5] * len(v)),
    "tensor": lambda v: torch.zeros(len(v)),
    "tensor with gradient": lambda v: torch.ones(len(v), requires_grad=True),
    "tensor on meta": lambda v: torch.empty(len(v), device="meta"),
    "range": lambda v: range(len(v)),
    "bytearray": lambda v: bytearray(len(v)),
    "memoryview": lambda v: memoryview(bytes(len(v))),
    "empty": lambda v: [],
    "one less": lambda v: v[:-1],
    "one more": lambda v: [*v, v[0]],
    "each in a list": lambda v: [[x] for x in v],
    "all None": lambda v: [None] * len(v),
    "all NaN": lambda v: [float("nan")] * len(v),
    "all empty": lambda v: [""] * len(v),
    "all the same": lambda v: [v[0]] * len(v),
    "reversed": lambda v: v[::-1],
    "5,000 times": lambda v: v * 5000,
    "the first a number": lambda v: [1.5, *v[1:]],
    "the last a text": lambda v: [*v[:-1], "rose"],
    "numbers and None": lambda v: [0.5 if i % 2 else None for i in range(len(v))],
    "numbers as texts": lambda v: [str(float(i)) for i in range(len(v))],
    "object": lambda v: object(),
}
"""A whole column in the place of the list ``v``."""

REFUSED_COLUMNS = ("5", "text", "bytes", "dict", "dict of values", "set", "frozenset", "empty", "object")
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
    "NaN": lambda rows, folder: float("nan"),
    "True": lambda rows, folder: True,
    "empty text": lambda rows, folder: "",
    "text": lambda rows, folder: "rose",
    "bytes": lambda rows, folder: b"rose",
    "object": lambda rows, folder: object(),
    "class": lambda rows, folder: dict,
    "path": _file,
    "text of a path": lambda rows, folder: str(_file(rows, folder)),
    "FIFO": _pipe,
    "folder": lambda rows, folder: folder,
    "missing path": lambda rows, folder: folder / "nothing.jsonl",
    "empty dict": lambda rows, folder: {},
    "dict of columns": lambda rows, folder: {k: [row.get(k) for row in rows] for k in rows[0]},
    "one row": lambda rows, folder: rows[0],
    "generator": lambda rows, folder: (row for row in rows),
    "iterator": lambda rows, folder: iter(rows),
    "tuple": lambda rows, folder: tuple(rows),
    "set": lambda rows, folder: {"a", "b"},
    "frame": lambda rows, folder: pd.DataFrame(rows),
    "array": lambda rows, folder: np.array([[1.0, 2.0]]),
    "object array": lambda rows, folder: _objects(rows),
    "arrow table": lambda rows, folder: pa.table({"a": [1]}),
    "tensor with gradient": lambda rows, folder: torch.ones(3, requires_grad=True),
    "list of None": lambda rows, folder: [None],
    "list of 5": lambda rows, folder: [5, 5],
    "list of texts": lambda rows, folder: ["rose", "ant"],
    "list of lists": lambda rows, folder: [list(row.values()) for row in rows],
    "list of pairs": lambda rows, folder: [list(row.items()) for row in rows],
    "list of empty dicts": lambda rows, folder: [{}, {}],
    "deep list": lambda rows, folder: deep(3000),
    "rows in a list": lambda rows, folder: [rows],
    "no row": lambda rows, folder: [],
    "each row 300 times": lambda rows, folder: rows * 300,
    "rows and None": lambda rows, folder: [*rows, None],
    "rows and 5": lambda rows, folder: [5, *rows],
    "another kind of row": lambda rows, folder: [{"a": 1, "b": "x"}] * 3,
    "numbers as names": lambda rows, folder: [dict(enumerate(row.values())) for row in rows],
    "None as a name": lambda rows, folder: [{**row, None: 1} for row in rows],
    "unknown column": lambda rows, folder: [{**row, "sent_mroe": "x"} for row in rows],
    "unknown long column": lambda rows, folder: [{**row, "x" * 100_000: "x"} for row in rows],
    "unknown bidi column": lambda rows, folder: [{**row, "\u202ex\x1b\n": "x"} for row in rows],
    "10,000 unknown columns": lambda rows, folder: [
        {**row, **{f"c{i}": 1 for i in range(10_000)}} for row in rows
    ],
    "name in capitals": lambda rows, folder: [{k.upper(): v for k, v in row.items()} for row in rows],
    "the first column missing": lambda rows, folder: [dict(list(row.items())[1:]) for row in rows],
    "the last column missing": lambda rows, folder: [dict(list(row.items())[:-1]) for row in rows],
    "one row without its columns": lambda rows, folder: [*rows, {}],
    "columns in turn": lambda rows, folder: [
        dict(zip(row, [*list(row.values())[1:], next(iter(row.values()))], strict=True)) for row in rows
    ],
}
"""All of ``data=`` in the place of good rows."""


def _lines(rows: list[Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _arrow(rows: list[Any]) -> bytes:
    import io

    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.table({k: [json.dumps(row.get(k)) for row in rows] for k in rows[0]}), out)
    return out.getvalue()


_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)

FILES: dict[str, tuple[str, Callable[[list[dict[str, Any]]], bytes | str | None]]] = {
    "empty": ("rows.jsonl", lambda rows: b""),
    "zero bytes": ("rows.jsonl", lambda rows: bytes(1000)),
    "UTF-16": ("rows.jsonl", lambda rows: _lines(rows).encode("utf-16")),
    "no UTF-8": ("rows.jsonl", lambda rows: b'{"name": "\xff\xfe"}\n'),
    "cut line": ("rows.jsonl", lambda rows: _lines(rows)[:-9]),
    "blank lines": ("rows.jsonl", lambda rows: "\n\n \n"),
    "line of a number": ("rows.jsonl", lambda rows: _lines(rows) + "5\n"),
    "number": ("rows.json", lambda rows: "5"),
    "NaN": ("rows.json", lambda rows: "NaN"),
    "object": ("rows.json", lambda rows: '{"a": {"b": 1}}'),
    "list of numbers": ("rows.json", lambda rows: "[1, 2]"),
    "deep": ("rows.json", lambda rows: "[" * 100_000),
    "deep lines": ("rows.jsonl", lambda rows: '{"a":' * 50_000 + "1" + "}" * 50_000),
    "number of 5,000 digits": ("rows.json", lambda rows: "9" * DIGITS),
    "YAML bomb": ("rows.yaml", lambda rows: _BOMB),
    "YAML tag": ("rows.yaml", lambda rows: "- !!python/object/apply:os.getcwd []\n"),
    "YAML deep": ("rows.yaml", lambda rows: "[" * 5000),
    "YAML merge": ("rows.yaml", lambda rows: "- &a {<<: *a}\n"),
    "YAML number": ("rows.yaml", lambda rows: "- {name: " + "9" * DIGITS + "}\n"),
    "CSV of another kind": ("rows.csv", lambda rows: "a,b\n1,2\n"),
    "CSV with a wide cell": ("rows.csv", lambda rows: ",".join(rows[0]) + "\n" + "x" * 500_000 + "\n"),
    "CSV with an open quote": ("rows.csv", lambda rows: ",".join(rows[0]) + '\n"x,y\n'),
    "CSV with a name twice": ("rows.csv", lambda rows: "name,name\nx,y\n"),
    "CSV with zero bytes": ("rows.csv", lambda rows: b"a,b\0\n\0,\0\n"),
    "TSV": ("rows.tsv", lambda rows: "\t".join(rows[0]) + "\n\t\t\n"),
    "cut Parquet": ("rows.parquet", lambda rows: _arrow(rows)[:-20]),
    "Parquet of texts": ("rows.parquet", _arrow),
    "no Parquet": ("rows.parquet", lambda rows: b"PAR1" + bytes(100)),
    "cut gzip": ("rows.jsonl.gz", lambda rows: b"\x1f\x8b\x08\x00" + bytes(10)),
    "no known format": ("rows.xlsx", lambda rows: b"PK\x03\x04"),
    "no suffix": ("rows", _lines),
    "FIFO": ("rows.jsonl", lambda rows: None),
    "rows": ("rows.jsonl", _lines),
    "rows as CSV": (
        "rows.csv",
        lambda rows: ",".join(rows[0]) + "\n" + "\n".join("rose," * len(rows[0]) for _ in rows),
    ),
}
"""Files of rows: their name and content; ``None`` for a pipe."""

OPTIONS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "text of a boolean": lambda: "False",
    "no": lambda: "no",
    "0": lambda: 0,
    "-1": lambda: -1,
    "1.5": lambda: 1.5,
    "NaN": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "a thousand million": lambda: 10**9,
    "whole number of 5,000 digits": lambda: 10**DIGITS,
    "empty": lambda: "",
    "text": lambda: "rose",
    "long text": lambda: "x" * 200_000,
    "lone surrogate": lambda: "\ud800",
    "zero byte": lambda: "a\0b",
    "bidi override": lambda: "\u202ex\x1b[0m\n",
    "bytes": lambda: b"x",
    "empty list": list,
    "list of None": lambda: [None],
    "list of texts": lambda: ["rose", "ant"],
    "list of 100,000": lambda: ["x"] * 100_000,
    "nested list": lambda: [[["rose"]]],
    "deep list": lambda: deep(3000),
    "empty dict": dict,
    "dict": lambda: {"rose": 1},
    "set": lambda: {"rose", "ant"},
    "generator": lambda: (x for x in "ab"),
    "array": lambda: np.array([0.5, np.nan]),
    "object array": lambda: np.array(["a", None], dtype=object),
    "numpy NaN": lambda: np.float64("nan"),
    "numpy whole number": lambda: np.int64(3),
    "tensor": lambda: torch.ones(2, requires_grad=True),
    "Series": lambda: pd.Series(["a"], index=[4]),
    "complex": lambda: 1j,
    "Decimal": lambda: decimal.Decimal("NaN"),
    "path": lambda: Path("nothing"),
    "class": lambda: int,
    "function": lambda: len,
    "object": object,
}

OPTION_TEXTS: dict[str, str] = {
    "nothing": "",
    "null": "null",
    "true": "true",
    "False": "False",
    "no": "no",
    "0": "0",
    "-1": "-1",
    "1.5": "1.5",
    "NaN": "NaN",
    "Infinity": "Infinity",
    "1e999": "1e999",
    "a thousand million": "1000000000",
    "whole number of 5,000 digits": "9" * DIGITS,
    "text": "rose",
    "long text": "x" * 100_000,
    "lone surrogate": '"\\ud800"',
    "broken bytes": "a\udcffb",
    "zero byte": '"a\\u0000b"',
    "bidi override": "\u202ex\x1b[0m\n",
    "empty list": "[]",
    "list of null": "[null]",
    "list of texts": '["rose", "ant"]',
    "nested list": '[[["rose"]]]',
    "deep list": "[" * 20_000 + "]" * 20_000,
    "object": '{"rose": 1}',
    "cut": '["rose',
}
"""Values of options at the command."""
