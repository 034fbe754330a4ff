"""Damaged model cards and result files: drawn with a seed, edited or read, and held to the contract.

Keys are ``card/17`` (a damaged README), ``result/score/NaN`` (a line of results.jsonl), ``lines/cut`` (a damaged
file), ``pipe/card`` (a FIFO where a file should be). ``python -m tests.hostile.cards KEY`` makes one again.
"""

from __future__ import annotations

import json
import os
import random
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import evaluate_bias as eb
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.report.card.block import BEGIN, END
from evaluate_bias.report.card.edit import plan_card
from evaluate_bias.report.latex import to_latex
from evaluate_bias.report.lines import report_lines
from evaluate_bias.report.row_tables import to_csv, to_markdown
from tests.hostile.calls import command
from tests.hostile.contract import Contract, brief, fault_of
from tests.hostile.table import JSON_CELLS
from tests.hostile.toy import write_toy

__all__ = ["keys", "perform"]

CARDS = 80
CELLS_READ = 120
WORDS = (
    ("poppy", "rose", "iris", "lily"),
    ("ant", "wasp", "moth", "gnat"),
    ("good", "nice"),
    ("bad", "vile"),
)
SEED = 11


@cache
def results() -> tuple[Any, ...]:
    """Results with a breakdown, an interval and a p-value."""
    sides = ([1.0, 0.1], [0.2, 0.9], [1.0, 0.2], [0.1, 1.0])
    vectors = {word: side for words, side in zip(WORDS, sides, strict=True) for word in words}
    vectors = {w: [x + 0.01 * i, y - 0.01 * i * i] for i, (w, (x, y)) in enumerate(vectors.items())}
    lists = ("targets_x", "targets_y", "attributes_a", "attributes_b")
    rows = [
        {"name": name, **dict(zip(lists, words, strict=True))}
        for name, words in (("toy", WORDS), ("yot", WORDS[::-1]))
    ]
    measured = eb.measure("weat", eb.load_model(vectors, name="org/model"), data=rows)
    pairs = {
        "sent_more": [-1.0, -2.0, -3.0],
        "sent_less": [-1.5, -2.2, -2.5],
        "bias_type": ["age", "age", "gender"],
    }
    data = [dict(zip(pairs, row, strict=True)) for row in zip(*pairs.values(), strict=True)]
    return measured, eb.measure("pll", None, data=data)


# --- cards ---------------------------------------------------------------------------------------------------------

_FRONT = """---
language: en
license: mit
tags:
- embeddings  # a comment
model-index:
- name: org/model
  results:
  - task: {type: text-classification}
    dataset: {name: GLUE, type: glue}
    metrics:
    - {type: accuracy, value: 0.9}
---
"""
_BODY = """\
# Model card for org/model

Text.

## Bias, Risks, and Limitations

Ours.

## Uses

```yaml
a: 1
```
"""
_BEFORE = f"# model\n\n## Bias\n\n{BEGIN}\nold\n{END}\n\nafter\n"
CARD_SEEDS = (
    _FRONT + _BODY,
    (_FRONT + _BODY).replace("\n", "\r\n"),
    _BODY,
    "\ufeff" + _FRONT + _BODY,
    _FRONT + _BEFORE,
    "",
    "---\n---\n" + _BODY,
)
PIECES = (
    "model-index: 5",
    "model-index: []",
    "model-index:\n- name: org/model\n  results: 5",
    "model-index:\n- name: [1]\n  results: [null, 5, {metrics: {a: 1}}]",
    "- list",
    "\ttab: 1",
    "license: gpl",
    "? complex\n: key",
    "c: 'open",
    "s: |\n  model-index:\n  - name: x",
    "---",
    "...",
    BEGIN,
    END,
    f"{END}\n{BEGIN}",
    f"{BEGIN}\n{BEGIN}\n{END}",
    f"`{BEGIN}`",
    f"    {BEGIN}",
    f"> {BEGIN}",
    f"```\n{BEGIN}\n{END}",
    "<!-- evaluate-bias:begin v99 -->",
    "<!-- evaluate-bias:begin",
    "<!--",
    "-->",
    "<details>",
    "~~~",
    "```",
    "## Bias",
    "Bias\n----",
    "\0",
    "\x1b[31m\u202e\u2066",
    "\u2028\u2029\x85\x0b\x0c",
    "\r",
    "<script>alert(1)</script>",
)


def _damaged(rng: random.Random) -> str:
    text = rng.choice(CARD_SEEDS)
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        place = rng.randrange(len(lines)) if rng.random() < 0.5 else rng.randrange(min(len(lines), 6))
        match rng.randrange(8):
            case 0 | 1 | 2 | 3:
                lines.insert(place, rng.choice(PIECES))
            case 4:
                del lines[place]
            case 5:
                lines.insert(rng.randrange(len(lines)), lines[place])
            case 6:
                lines[place] = lines[place][: len(lines[place]) // 2] + rng.choice(
                    ("", ":", "'", "\t", "{", "\r", "é")
                )
            case _:
                lines = lines[: place + 1]
        text = "\n".join(lines)
    return text


def _outside(text: str) -> list[str]:
    """The lines of a card that are nobody's but the author's: not the block, not the front matter, no blank ones."""
    before, begun, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    kept = before + after if begun and ended else text
    return [line.strip() for line in kept.splitlines() if line.strip()]


def _others(front: str) -> Any:
    """The author's fields of a front matter, but for the one that is written to."""
    try:
        held = yaml.safe_load(front)
    except Exception:
        return None
    return (
        repr({k: v for k, v in held.items() if k != "model-index"}) if isinstance(held, dict) else repr(held)
    )


def _parts(text: str) -> tuple[str, str]:
    """Front matter and body; no front matter where it is not closed."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0] != "---" or "---" not in lines[1:]:
        return "", text
    end = lines.index("---", 1)
    return "".join(f"{line}\n" for line in lines[1:end]), "\n".join(lines[end + 1 :])


def _edit(number: str) -> None:
    text = _damaged(random.Random(f"{SEED}/{number}"))
    update = plan_card(text, results(), picture=True)
    if update.text.count(BEGIN) < 1 or "\0" in update.text:
        raise Contract("the card has no section afterwards")
    lost = iter(_outside(update.text))
    # Unless a mark was damaged, what is the author's stands there as before and in the same order.
    front, body = _parts(text)
    if text.count(BEGIN) == text.count(END) == update.text.count(BEGIN) - (BEGIN not in text):
        for line in _outside(body):
            if line not in lost:
                raise Contract(f"the line {brief(line)!r} is lost")
    if front and _others(front) not in (None, _others(_parts(update.text)[0])):
        raise Contract("another field of the front matter changed")
    again = plan_card(update.text, results(), picture=True)
    if again.changed:
        raise Contract("a second run changes the card again")
    for warning in update.warnings:
        _check_warning(warning)


def _check_warning(text: str) -> None:
    if len(text) > 600:
        raise Contract(f"warning of {len(text)} characters: {brief(text)}")


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
    return json.loads(results()[0].to_json())  # type: ignore[no-any-return]


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
    if result.n < 0 or not 0 < result.ci_level < 1:
        raise Contract(f"taken: n = {result.n}, level = {result.ci_level}")
    report_lines([result])
    to_markdown([result]), to_latex([result]), to_csv([result]), result._repr_html_(), str(result)
    plan_card(_BODY, [result], picture=True).text.encode("utf-8")


_LINE = '{"schema_version": 2'
LINES: dict[str, Callable[[str], bytes]] = {
    "empty": lambda good: b"",
    "blank": lambda good: b"\n\n",
    "cut": lambda good: good.encode()[:-30],
    "cut in the second": lambda good: (good + good[: len(good) // 2]).encode(),
    "no UTF-8": lambda good: b"\xff\xfe" + good.encode("utf-16"),
    "zero bytes": lambda good: bytes(1000),
    "number": lambda good: b"5\n",
    "NaN": lambda good: b"NaN\n",
    "list": lambda good: b"[]\n",
    "null": lambda good: b"null\n",
    "object": lambda good: b"{}\n",
    "p = 5": lambda good: good.replace('"p_value": 0', '"p_value": 5', 1).encode(),
    "n = -5": lambda good: good.replace('"n": ', '"n": -', 1).encode(),
    "version 99": lambda good: good.replace('"schema_version": 2', '"schema_version": 99').encode(),
    "version text": lambda good: good.replace('"schema_version": 2', '"schema_version": "x"').encode(),
    "carriage returns": lambda good: good.replace("\n", "\r").encode(),
    "two on a line": lambda good: (good.strip() + good).encode(),
    "1,000 rows": lambda good: good.replace('"rows": [', '"rows": [' + "5," * 1000).encode(),
}


def _read_lines(name: str) -> None:
    good = "".join(f"{r.to_json()}\n" for r in results())
    changed = LINES[name](good)
    if changed == good.encode():
        raise Contract("nothing was damaged")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "results.jsonl").write_bytes(changed)
        read_results(folder)
    raise Contract("a damaged file was taken")


# --- pipes and other things that are no files -------------------------------------------------------------------------


def _good_folder(folder: Path) -> Path:
    out = folder / "out"
    out.mkdir()
    (out / "results.jsonl").write_text("".join(f"{r.to_json()}\n" for r in results()), encoding="utf-8")
    return out


def _toy(folder: Path) -> list[str]:
    write_toy(folder, "vectors")
    model, lists = folder / "vectors.txt", folder / "lists.jsonl"
    return ["run", "-m", str(model), "--method", "weat", "--data", str(lists)]


def _at(folder: Path, *parts: str) -> str:
    """The path at which the thing that is no file will stand."""
    path = folder.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    return str(path)


PIPES: dict[str, Callable[[Path], tuple[list[str], Path]]] = {
    "card": lambda f: (["card", str(_good_folder(f)), "--card", _at(f, "README.md")], f / "README.md"),
    "picture beside the card": lambda f: (
        ["card", str(_good_folder(f)), "--card", _at(f, "README.md")],
        f / "evaluate-bias.svg",
    ),
    "preview": lambda f: (
        ["card", str(_good_folder(f)), "--card", _at(f, "README.md"), "--preview", _at(f, "p.html")],
        f / "p.html",
    ),
    "results of a card": lambda f: (
        ["card", _at(f, "r.jsonl"), "--card", _at(f, "README.md")],
        f / "r.jsonl",
    ),
    "results of a report": lambda f: (["report", _at(f, "r.jsonl")], f / "r.jsonl"),
    "results in a folder": lambda f: (
        ["report", str(Path(_at(f, "in", "results.jsonl")).parent)],
        f / "in/results.jsonl",
    ),
    "report": lambda f: (["report", str(_good_folder(f)), "--out", str(f)], f / "report.md"),
    "table of a report": lambda f: (["report", str(_good_folder(f)), "--out", str(f)], f / "report.csv"),
    "picture of a report": lambda f: (
        ["report", str(_good_folder(f)), "--out", str(f)],
        f / "effect_sizes-weat.svg",
    ),
    "folder of a report": lambda f: (["report", str(_good_folder(f)), "--out", str(f / "x")], f / "x"),
    "results of a run": lambda f: ([*_toy(f), "--out", str(f)], f / "results.jsonl"),
    "results of a run to replace": lambda f: (
        [*_toy(f), "--out", str(f), "--overwrite"],
        f / "results.jsonl",
    ),
    "results of a run to add to": lambda f: ([*_toy(f), "--out", str(f), "--append"], f / "results.jsonl"),
    "folder of a run": lambda f: ([*_toy(f), "--out", str(f / "x")], f / "x"),
    "model of a run": lambda f: (
        ["run", "-m", str(f / "m.txt"), "--method", "weat", "--out", str(f / "out")],
        f / "m.txt",
    ),
}


def _pipe(name: str, kind: str) -> None:
    """Run a command where a FIFO, a folder or a link to itself stands: an error, and it stays what it was."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        arguments, target = PIPES[name](folder)
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
        if fault := fault_of({**ended, "exit": ended["exit"] or 2}):
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
        *(f"lines/{name}" for name in LINES),
        *(f"result/{p}/{c}" for p, c in drawn[:CELLS_READ]),
        *(f"card/{i}" for i in range(CARDS)),
    ]


def perform(key: str, *, show: bool = False) -> tuple[str, str]:
    """Do one: what is wrong with the outcome (empty: nothing), and whether it was a result or an error."""
    kind, _, rest = key.partition("/")
    place, _, cell = rest.rpartition("/")
    try:
        match kind:
            case "card":
                _edit(rest)
            case "result":
                _read_damaged(place.replace("|", "/"), cell)
            case "lines":
                _read_lines(rest)
            case _:
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
