"""Damaged result files and things that are no files: drawn with a seed, read or written to, and held to the contract.

Keys are ``result/score/NaN`` (a line of results.jsonl) and ``pipe/card`` (a FIFO where a file should be).
``python -m tests.hostile.damaged KEY`` makes one again.
"""

from __future__ import annotations

import json
import os
import random
import stat
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import Any

from evaluate_bias.experiments.sources import read_results
from evaluate_bias.report.card.edit import plan_card
from evaluate_bias.report.latex import to_latex
from evaluate_bias.report.row_tables import to_csv, to_markdown
from tests.hostile.calls import command
from tests.hostile.contract import Contract, fault_of
from tests.hostile.table import JSON_CELLS
from tests.hostile.toy import write_toy
from tests.report.samples import pairs_result, report_lines, weat_item, weat_result

__all__ = ["keys", "perform"]

CELLS_READ = 120
SEED = 11


@cache
def results() -> tuple[Any, ...]:
    """Results with a breakdown, an interval and a p-value."""
    return weat_result([weat_item("weat6"), weat_item("weat7")]), pairs_result()


# --- results -------------------------------------------------------------------------------------------------------

MORE_CELLS = {**JSON_CELLS, "-5": "-5", "5.5": "5.5", "[[]]": "[[]]", "1e308": "1e308", "missing": ""}


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to the values of a result, one element of each list."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _places(inner, (*path, key))
    elif isinstance(value, list) and value:
        found += _places(value[0], (*path, 0))
    return found


@cache
def _stored() -> dict[str, Any]:
    return json.loads(results()[0].to_json())


def _read_damaged(place: str, cell: str) -> None:
    """Read a line with one value replaced; where it is taken, everything that is made of results must work."""
    held = json.loads(json.dumps(_stored()))
    path = next(p for p in _places(held) if "/".join(map(str, p)) == place)
    at = held
    for step in path[:-1]:
        at = at[step]
    if cell == "missing":
        del at[path[-1]]
        line = json.dumps(held)
    else:
        at[path[-1]] = "SPOILT"
        line = json.dumps(held).replace('"SPOILT"', MORE_CELLS[cell])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.jsonl")
        file.write_text(line + "\n", encoding="utf-8")
        (result,) = read_results(file)
    if fault := fault_of(result):
        raise Contract(f"taken: {fault}")
    if result.n < 0 or not 0 < result.confidence_level < 1:
        raise Contract(f"taken: n = {result.n}, level = {result.confidence_level}")
    report_lines([result])
    to_markdown([result]), to_latex([result]), to_csv([result]), result._repr_html_(), str(result)
    plan_card("# Model\n\nText.\n", [result], picture=True).text.encode("utf-8")


# --- pipes and other things that are no files -------------------------------------------------------------------------


def _good_folder(folder: Path) -> Path:
    out = folder / "out"
    out.mkdir()
    (out / "results.jsonl").write_text("".join(f"{r.to_json()}\n" for r in results()), encoding="utf-8")
    return out


PIPES: dict[str, tuple[str, str]] = {
    "card": ("card GOOD --card F/README.md", "README.md"),
    "picture beside the card": ("card GOOD --card F/README.md", "evaluate-bias.svg"),
    "preview": ("card GOOD --card F/README.md --preview F/p.html", "p.html"),
    "results of a card": ("card F/r.jsonl --card F/README.md", "r.jsonl"),
    "results of a report": ("report F/r.jsonl", "r.jsonl"),
    "results in a folder": ("report F/in", "in/results.jsonl"),
    "report": ("report GOOD --out F", "report.md"),
    "table of a report": ("report GOOD --out F", "report.csv"),
    "picture of a report": ("report GOOD --out F", "effect_sizes-weat.svg"),
    "folder of a report": ("report GOOD --out F/x", "x"),
    "results of a run": ("TOY --out F", "results.jsonl"),
    "results of a run to replace": ("TOY --out F --overwrite", "results.jsonl"),
    "results of a run to add to": ("TOY --out F --append", "results.jsonl"),
    "folder of a run": ("TOY --out F/x", "x"),
    "model of a run": ("run -m F/m.txt --method weat --out F/out", "m.txt"),
}
"""Commands, and the place in their folder F at which the thing that is no file stands."""


def _pipe(name: str, kind: str) -> None:
    """Run a command where a FIFO, a folder or a link to itself stands: an error, and it stays what it was."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        words, place_in_folder = PIPES[name]
        target = folder / place_in_folder
        target.parent.mkdir(exist_ok=True)
        write_toy(folder, "vectors")
        toy = f"run -m {folder}/vectors.txt --method weat --source {folder}/lists.jsonl"
        good = str(_good_folder(folder))
        arguments = words.replace("TOY", toy).replace("GOOD", good).replace("F/", f"{folder}/").split()
        arguments = [str(folder) if word == "F" else word for word in arguments]
        match kind:
            case "FIFO":
                os.mkfifo(target)
            case "folder":
                target.mkdir()
            case _:
                target.symlink_to(target)
        before = stat.S_IFMT(target.lstat().st_mode)
        ended = command(arguments, folder / "nothing")
        if stat.S_IFMT(target.lstat().st_mode) != before:
            raise Contract(f"the {kind} was replaced (exit code {ended['exit']})")
        if ended["exit"] and (fault := fault_of(ended)):
            raise Contract(fault)
        if ended["exit"] == 0 and not (kind == "folder" and "folder" in name) and (kind, name) not in ALLOWED:
            raise Contract("no error")


ALLOWED = {("folder", "card"), ("folder", "results of a card"), ("folder", "results of a report")}
"""Where a folder is as good as the file in it."""


# --- all of them -----------------------------------------------------------------------------------------------------


def keys() -> list[str]:
    """All of them."""
    rng = random.Random(SEED)
    places = ["|".join(map(str, p)) for p in _places(_stored())]
    drawn = [(p, c) for p in places for c in MORE_CELLS]
    rng.shuffle(drawn)
    return [
        *(f"pipe/{name}/{('FIFO', 'folder', 'loop')[i % 3]}" for i, name in enumerate(PIPES)),
        *(f"result/{p}/{c}" for p, c in drawn[:CELLS_READ]),
    ]


def perform(key: str, *, show: bool = False) -> tuple[str, str]:
    """Do one: what is wrong with the outcome (empty: nothing), and whether it was a result or an error."""
    kind, _, rest = key.partition("/")
    place, _, cell = rest.rpartition("/")
    try:
        if kind == "result":
            _read_damaged(place.replace("|", "/"), cell)
        else:
            _pipe(place, cell)
    except Contract as fault:
        return str(fault), "result"
    except Exception as error:
        if show:
            traceback.print_exc()
        return fault_of(error), "error"
    return "", "result"


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        print(asked, *perform(asked, show=True), sep="\n  ")
