"""Results of a store as tables: one line per unit, or per row of its breakdown, and files of them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import InputError, quoted
from ..files import atomic_write, short_path
from ..result import Result
from ..text import spreadsheet
from .unit import Unit, is_like

if TYPE_CHECKING:
    import pandas as pd

FORMATS = (".csv", ".jsonl", ".parquet")
_ABOUT = ("model", "method", "data", "language", "seed", "settings")
_NUMBERS = ("score", "ideal", "expected_by_chance", "ci_low", "ci_high", "p_value", "n", "ties")

Pair = tuple[Unit, Result]
T = TypeVar("T")


def chosen(
    pairs: Iterable[tuple[Unit, T]],
    *,
    model: str = "*",
    method: str = "*",
    data: str = "*",
    language: str = "*",
    seed: int | None = None,
) -> list[tuple[Unit, T]]:
    """Return the results (or whatever comes with a unit) whose units match all patterns. ``*`` matches anything.

    Examples:
        >>> unit = Unit(key="k", model="bert", method="pll", data="d", language="en", seed=0, options={})
        >>> len(chosen([(unit, None)], model="be*")), len(chosen([(unit, None)], language="de"))
        (1, 0)
    """
    patterns = {"model": model, "method": method.replace("-", "_"), "data": data, "language": language}
    return [
        (unit, result)
        for unit, result in pairs
        if all(is_like(getattr(unit, name), pattern) for name, pattern in patterns.items())
        and seed in (None, unit.seed)
    ]


def lines(pairs: Iterable[Pair], *, items: bool = False) -> list[dict[str, Any]]:
    """Return plain dictionaries: one per unit, or with ``items`` one per row of its breakdown too.

    Everything in them follows from config, models and data, so that two runs of a grid give the same lines.
    """
    out = []
    for unit, result in pairs:
        about = {name: getattr(unit, name) for name in _ABOUT}
        for row in (result.overall, *result.rows) if items else (result.overall,):
            facts: dict[str, Any] = {name: getattr(row, name) for name in _NUMBERS}
            facts |= {name: getattr(row.coverage, name, None) for name in ("found", "asked")}
            facts["ideal"] = result.ideal if row.ideal is None else row.ideal
            if items:
                facts = {"row": row.name, "kind": row.kind, **facts}
                for key, estimate in row.estimates.items():
                    facts |= estimate.flat(key)
            else:
                facts |= {"warnings": len(result.warnings), "key": unit.key}
            out.append({**about, **facts})
    return out


def csv_text(frame: pd.DataFrame) -> str:
    """Return a frame as CSV in which no text is a formula or spans lines, as anybody may name models and tests.

    Examples:
        >>> import pandas as pd
        >>> csv_text(pd.DataFrame({"model": ["=1+1"], "score": [-0.5]}))
        "model,score\\n'=1+1,-0.5\\n"
    """
    texts = frame.rename(columns=spreadsheet)
    return texts.map(lambda cell: spreadsheet(cell) if isinstance(cell, str) else cell).to_csv(
        index=False, lineterminator="\n"
    )


def export(pairs: Sequence[Pair], path: str | Path, *, items: bool = False) -> Path:
    """Write results to a file, whole or not at all: ``.csv`` and ``.parquet`` as tables, ``.jsonl`` as results.

    A ``.jsonl`` file is what ``evaluate-bias report`` and ``evaluate-bias card`` read.

    Raises:
        InputError: another ending, or there is nothing to write.
        OutputError: the file cannot be written.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise InputError(
            f"{short_path(path)} ends in {quoted(ending)}",
            hint="write .csv, .jsonl, .parquet, or a folder named eee",
        )
    if not pairs:
        raise InputError("no result matches: there is nothing to export")
    if ending == ".jsonl":
        entries = (
            [json.dumps(line, ensure_ascii=False) for line in lines(pairs, items=True)]
            if items
            else [r.to_json() for _, r in pairs]
        )
        return atomic_write(path, "".join(f"{entry}\n" for entry in entries))
    import pandas as pd

    frame = pd.DataFrame(lines(pairs, items=items))
    for name in ("seed", "n", "ties", "found", "asked"):
        if name in frame:
            frame[name] = frame[name].astype("Int64")
    if ending == ".csv":
        return atomic_write(path, csv_text(frame))
    out = io.BytesIO()
    frame.to_parquet(out, index=False)
    return atomic_write(path, out.getvalue())
