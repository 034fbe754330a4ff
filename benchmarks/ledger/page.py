"""docs/replication.md: every row of the ledger with its call, our number and what became of it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.ledger.rows import (
    DIFFERS,
    NEEDED,
    PENDING,
    STATUSES,
    Row,
    Source,
    Table,
    last_digit,
    status_of,
)

HEAD = """---
hide: [toc]
---

# Published numbers

{rows} numbers that papers, theses and packages print, each with the call of this library that gives it. Each status is
computed from our number, the printed one and the row's tolerance:

| status | meaning | rows |
|---|---|---|
{counts}

The sources:

{sources}

The rows stand in `benchmarks/ledger`, one file a source. `make ledger` computes those that need no files of others and
writes this page; the test suite computes them too. Data of others are not part of the repository: rows that read them
name the repository and the commit. To run them, clone the repositories into one folder:

```sh
git clone https://github.com/nyu-mll/BBQ clones/nyu-mll/BBQ
make ledger SOURCES=clones
```

Without the clone the number of the last run stands, with its date. To run a call by hand, begin in the folder of the
checkout with these lines, then the code of the source, then the call:

```python
from pathlib import Path

import evaluate_bias as eb
from benchmarks.ledger.files import golden, readers

globals().update(readers(Path("clones"), "nyu-mll/BBQ", "bea11bd97d79217245b5871acd247b9d6eb24598"))
```

`readers` gives `text`, `csv_rows`, `json_file`, `json_lines` and `r_objects`, which read a file of the repository at
that commit. `result` is what the call above a table returns. A name that heads a column takes its value from the row.
"""

MEANINGS = {
    "equal": "Our number lies within half a unit of the last printed digit.",
    "within rounding": (
        "The distance is at most one unit of the last printed digit, or a tolerance that the row states: the input is "
        "printed rounded, or the source computes with single precision or stops a fit elsewhere near the same optimum."
    ),
    DIFFERS: "The row says why.",
    NEEDED: "The call stands; the model, vectors or data it needs cannot be had here.",
    PENDING: "The row has not been run yet.",
}


def write_page(sources: Sequence[Source], computed: dict[str, dict[str, dict[str, Any]]]) -> str:
    """Return the text of the page.

    Raises:
        ValueError: a row differs without a reason, or has one and does not.
    """
    totals: Counter[str] = Counter()
    listed, sections = [], []
    for source in sources:
        numbers = computed.get(source.key, {})
        counts: Counter[str] = Counter()
        sections.append("\n".join(_section(source, numbers, counts)))
        totals += counts
        split = ", ".join(f"{counts[s]} {s}" for s in STATUSES if counts[s])
        listed.append(f"- [{source.title}](#{slug(source.title)}): {split}")
    table = "\n".join(f"| {s} | {MEANINGS[s]} | {totals[s]} |" for s in STATUSES if totals[s])
    head = HEAD.format(rows=sum(totals.values()), counts=table, sources="\n".join(listed))
    return "\n".join([head, *(f"{section}\n" for section in sections)])


def _section(source: Source, numbers: dict[str, Any], counts: Counter[str]) -> Iterator[str]:
    yield f"## {source.title}\n"
    yield f"{source.reference} [Source]({source.url})"
    if source.repository:
        at = f"https://github.com/{source.repository}/tree/{source.commit}"
        yield f"\nFiles: [{source.repository}]({at}) at commit `{source.commit[:12]}`, {source.licence}."
    if source.setup:
        yield f"\n```python\n{source.setup.rstrip()}\n```"
    for table in source.tables:
        yield from _table(table, numbers, counts)


def slug(title: str) -> str:
    """The anchor that the site and GitHub give to a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


def _table(table: Table, numbers: dict[str, Any], counts: Counter[str]) -> Iterator[str]:
    yield f"\n### {table.name}\n"
    data = f"Reads the data set `{table.dataset}` besides." if table.dataset else ""
    if note := " ".join(filter(None, [table.note.rstrip(), data])):
        yield f"{note}\n"
    yield f"```python\nresult = {table.call.rstrip()}\n```\n"
    found = {row.cell: numbers.get(f"{table.name}: {row.cell}", {}) for row in table.rows}
    fields = list(dict.fromkeys(name for row in table.rows for name in row.fields))
    values = {row.value for row in table.rows}
    remarks = {_remark(row) for row in table.rows}
    said = [f"Our number is `{min(values)}`."] * (len(values) == 1)
    said += [_sentence(remark) for remark in remarks if remark and len(remarks) == 1]
    if dates := sorted({number["date"] for number in found.values() if "date" in number}):
        said.append(f"Computed on {dates[-1]}.")
    if said:
        yield " ".join(said) + "\n"
    columns = ["cell", *(f"`{f}`" for f in fields), *(["our number is"] * (len(values) > 1))]
    columns += ["printed", "ours", "status"]
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in table.rows:
        ours = found[row.cell].get("ours")
        status = status_of(row, ours)
        counts[status] += 1
        cells = [row.cell, *(f"`{row.fields[f]!r}`" if f in row.fields else "" for f in fields)]
        cells += [f"`{row.value}`"] * (len(values) > 1)
        cells += [_minus(row.printed), _minus(_shown(row, ours))]
        cells.append(f"{status}: {_remark(row)}" if _remark(row) and len(remarks) > 1 else status)
        yield "| " + " | ".join(cells) + " |"


def _remark(row: Row) -> str:
    """What a status alone does not say."""
    tolerance = "" if row.tolerance is None else f"tolerance {row.tolerance:g}"
    needed = f"needs {row.needs}" if row.needs else ""
    return ", ".join(filter(None, [row.because, needed, tolerance]))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _minus(number: str) -> str:
    return number.replace("-", "−", 1) if number.startswith("-") else number


def _shown(row: Row, ours: float | None) -> str:
    """Our number with two digits more than are printed."""
    if ours is None:
        return ""
    digits = 2 - round(math.log10(last_digit(row.printed)))
    if "e" in row.printed:
        return f"{ours:.{len(row.printed.partition('e')[0].replace('.', '').lstrip('-')) + 1}e}"
    return f"{ours:.{max(digits, 0)}f}"
