"""Bad calls: drawn with a seed from the tables, made in Python or of the evaluate module, and held to the contract.

A call has a key such as ``weat/module/cell/3``; ``python -m tests.hostile.calls KEY`` makes it again and shows what
happens, with the whole traceback.
"""

from __future__ import annotations

import copy
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import evaluate_bias as eb
from evaluate_bias.hub.golden import module_cases
from evaluate_bias.models.base import Capability
from evaluate_bias.registry import METHODS
from tests.hostile import table
from tests.hostile.contract import fault_of, is_result
from tests.support import tiny_models

__all__ = ["DRAWS", "Call", "draw", "keys", "perform"]

SEED = 11

DRAWS: dict[str, dict[str, int]] = {
    "measure": {"cell": 3, "rows": 2, "option": 2},
    "module": {"cell": 1, "column": 3, "asked": 1},
}
"""How many calls of each kind are drawn for each method."""

Rows = list[dict[str, Any]]


@dataclass
class Call:
    """A bad call: what it says of itself, and what makes it in an empty folder.

    Attributes:
        refused: whether a result, however sane, would be one of something else than was asked.
    """

    key: str
    said: str = ""
    refused: bool = False
    make: Callable[[Path], Any] = field(default=lambda folder: None, repr=False)


def keys(method: str) -> list[str]:
    """The calls of a method; those of ``-`` are of no method that there is."""
    if method == "-":
        return [f"-/measure/name/{i}" for i in range(len(table.CELLS))]
    return [
        f"{method}/{door}/{kind}/{i}"
        for door, kinds in DRAWS.items()
        for kind, count in kinds.items()
        for i in range(count)
    ]


# --- what a good call has ----------------------------------------------------------------------------------------


@cache
def material() -> Path:
    """The folder with the good models."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    for name, (model, tokenizer) in {
        "masked": tiny_models.tiny_masked("bert"),
        "causal": tiny_models.tiny_causal("gpt2"),
    }.items():
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder


@cache
def tiny(name: str) -> Any:
    return eb.load_model(str(material() / name))


SENTENCES = ["The nurse said she left.", "The engineer said he left.", "Nobody believed the doctor.", "he"]


def _needs_only_words(method: str) -> bool:
    return METHODS[method].needs == (Capability.EMBEDS_WORDS,)


def _good(method: str, base: str) -> tuple[Any, Rows, dict[str, Any]]:
    """Model, rows and options of the first golden case; with ``base="tiny"`` sentences and a tiny transformer."""
    columns = module_cases(method)[0]["inputs"]
    record = METHODS[method]
    options = {k: v for k, v in columns.items() if k in record.options() and k not in record.data.columns}
    given = {k: v for k, v in columns.items() if k not in options and k != "model"}
    rows = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    rows = copy.deepcopy(rows)
    model = columns.get("model")
    if base == "worked":
        return model, rows, options
    for i, row in enumerate(rows):
        for j, (column, cell) in enumerate(row.items()):
            text = SENTENCES[(i + j) % len(SENTENCES)]
            match record.data.columns[column].holds:
                case "sentence":
                    row[column] = text
                case "options":
                    row[column] = [{**o, "sentence": f"{text} {k}"} for k, o in enumerate(cell)]
    masked = any(
        need in ("scores masked tokens", "fills a mask", "embeds words in context") for need in record.needs
    )
    return tiny("masked" if masked else "causal"), rows, options


# --- drawing -----------------------------------------------------------------------------------------------------


def draw(key: str) -> Call:
    """The call of a key; the same key is the same call, whatever other methods there are."""
    method, door, kind, _ = key.split("/")
    rng = random.Random(f"{SEED}/{key}")
    if kind == "name":
        return _wrong_name(key)
    base = "worked" if _needs_only_words(method) else rng.choice(("worked", "worked", "tiny"))
    return getattr(sys.modules[__name__], f"_{kind}")(key, method, door, base, rng)


def _wrong_name(key: str) -> Call:
    name = list(table.CELLS)[int(key.rpartition("/")[2])]
    return Call(
        key,
        f"the method is called {name}",
        make=lambda folder: eb.measure(table.CELLS[name](), None, data=[]),
    )


def _ask(
    door: str,
    method: str,
    model: Any,
    rows: Any,
    options: Mapping[str, Any],
    *,
    batch: bool = False,
) -> Any:
    """Measure through the door of Python or the evaluate module; rows of the module are columns."""
    if door == "measure":
        return eb.measure(method, model, data=rows, **options)
    module = eb.load(method)
    given = {} if model is None else {"model": model}
    if batch:
        module.add_batch(**rows)
        return module.compute(**given, **options)
    return module.compute(**rows, **given, **options)


def _columns(rows: Rows) -> dict[str, list[Any]]:
    return {
        column: [row.get(column) for row in rows] for column in dict.fromkeys(k for row in rows for k in row)
    }


def _cell(key: str, method: str, door: str, base: str, rng: random.Random) -> Call:
    record = METHODS[method]
    name = rng.choice(list(table.CELLS))
    _, rows, _ = _good(method, "worked")
    asked = [*rows[0], *record.optional_columns]
    others = [c for c in record.data.columns if c not in asked]
    column = rng.choice(others) if others and rng.random() < 0.15 else rng.choice(asked)
    everywhere, inside = rng.random() < 0.25, rng.random() < 0.5
    batch = door == "module" and rng.random() < 0.3
    place, deeper, slot = rng.randrange(len(rows)), rng.randrange(3), rng.choice(("sentence", "gold_label"))
    where = "every row" if everywhere else f"row {place}"
    inside = inside and isinstance(rows[place].get(column), list) and bool(rows[place][column])
    said = f"{base}: {column}{f'[{deeper}]' if inside else ''} of {where} is {name}{', by add_batch' if batch else ''}"

    def spoil(rows: Rows, value: Callable[[], Any]) -> None:
        for row in rows if everywhere else [rows[place]]:
            held = row.get(column)
            if inside and isinstance(held, list) and held:
                i = deeper % len(held)
                if isinstance(held[i], dict):
                    held[i][slot] = value()
                else:
                    held[i] = value()
            else:
                row[column] = value()

    def make(folder: Path) -> Any:
        model, rows, options = _good(method, base)
        spoil(rows, table.CELLS[name])
        return _ask(door, method, model, rows if door == "measure" else _columns(rows), options, batch=batch)

    return Call(key, said, make=make)


def _rows(key: str, method: str, door: str, base: str, rng: random.Random) -> Call:
    name = rng.choice(list(table.DATA))

    def make(folder: Path) -> Any:
        model, rows, options = _good(method, base)
        return _ask(door, method, model, table.DATA[name](rows, folder), options)

    return Call(key, f"{base}: data is {name}", make=make)


def _column(key: str, method: str, door: str, base: str, rng: random.Random) -> Call:
    record, name = METHODS[method], rng.choice(list(table.COLUMNS))
    columns = _columns(_good(method, "worked")[1])
    column, batch, every = rng.choice(list(columns)), rng.random() < 0.3, rng.random() < 0.25
    batch = batch and (every or column in record.columns)

    def make(folder: Path) -> Any:
        model, rows, options = _good(method, base)
        given = _columns(rows)
        for c in list(given) if every else [column]:
            given[c] = table.COLUMNS[name](given[c])
        if batch:
            given = {c: v for c, v in given.items() if c in record.columns}
        return _ask(door, method, model, given, options, batch=batch)

    said = f"{base}: {'every column' if every else column} is {name}{', by add_batch' if batch else ''}"
    refused = name in table.REFUSED_COLUMNS or (
        name in ("one less", "one more") and not every and len(columns) > 1
    )
    return Call(key, said, refused, make=make)


ASKED: dict[str, Callable[[Any, Any, dict[str, list[Any]], dict[str, Any]], Any]] = {
    "nothing": lambda m, model, columns, options: m.compute(),
    "no model": lambda m, model, columns, options: m.compute(**columns, **options),
    "unknown column": lambda m, model, columns, options: m.compute(
        **columns, model=model, sent_mroe=["x"], **options
    ),
    "bidi unknown column": lambda m, model, columns, options: m.compute(**columns, **{"\u202ex\x1b\n": 1}),
    "missing column": lambda m, model, columns, options: m.compute(
        **dict(list(columns.items())[1:]), model=model, **options
    ),
    "add_batch of nothing": lambda m, model, columns, options: (m.add_batch(), m.compute(model=model))[1],
    "add_batch with a model": lambda m, model, columns, options: m.add_batch(**columns, model=model),
    "add of numbers": lambda m, model, columns, options: (m.add(**dict.fromkeys(columns, 5)), m.compute())[1],
    "sentences, then scores": lambda m, model, columns, options: (
        m.add_batch(**{c: ["a"] for c in columns}),
        m.add_batch(**{c: [0.5] for c in columns}),
    )[1],
    "no rows": lambda m, model, columns, options: m.compute(**{c: [] for c in columns}, model=model),
    "two lengths": lambda m, model, columns, options: m.compute(
        **{c: v * (i + 1) for i, (c, v) in enumerate(columns.items())}, model=model
    ),
}


def _asked(key: str, method: str, door: str, base: str, rng: random.Random) -> Call:
    name = rng.choice(list(ASKED))

    def make(folder: Path) -> Any:
        model, rows, options = _good(method, base)
        return ASKED[name](eb.load(method), model, _columns(rows), options)

    return Call(key, f"{base}: {name}", make=make)


def _option(key: str, method: str, door: str, base: str, rng: random.Random) -> Call:
    record = METHODS[method]
    known = [*record.options(), *(record.data_choices() if door != "module" else ()), "sede", "x" * 3000]
    option = rng.choice(known)
    name = rng.choice(list(table.OPTIONS))

    def make(folder: Path) -> Any:
        model, rows, options = _good(method, base)
        options = {**options, option: table.OPTIONS[name]()}
        if option in record.data_choices():
            return eb.measure(method, model, **options)
        return _ask(door, method, model, rows if door == "measure" else _columns(rows), options)

    return Call(key, f"{base}: {option[:40]} = {name}", make=make)


# --- making them ------------------------------------------------------------------------------------------------


def perform(key: str, *, show: bool = False) -> tuple[str, str, str]:
    """Make a call in a folder of its own; what it was, what is wrong with the outcome, result or error."""
    call = draw(key)
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="call-", ignore_cleanup_errors=True) as name:
        os.chdir(name)
        try:
            outcome: Any = call.make(Path(name))
        except Exception as error:
            if show:
                traceback.print_exc()
            outcome = error
        finally:
            os.chdir(before)
        if show and not isinstance(outcome, Exception):
            print(outcome)
        fault = fault_of(outcome)
        sane = not fault and is_result(outcome)
        if sane and call.refused:
            fault = "a result came of it"
    return call.said, fault, "result" if sane else "error"


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        print(asked, *perform(asked, show=True), sep="\n  ")
