"""docs/replication.csv has every row of the ledger with our number and its status; docs/replication.md counts them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
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

TEMPLATE = """---
hide: [toc]
---

# Published numbers

Does this library give the numbers that papers, theses and packages report?
[replication.csv](replication.csv) lists {rows}
numbers, each with the call, the printed number and ours. The status follows from the two numbers and the tolerance:

| status | meaning | rows |
|---|---|---:|
{statuses}

{sources}

`source` names the file `benchmarks/ledger/SOURCE.yaml`. `call` gives the `result` and `value` our number; `fields` are
the variables in both. `reason` says why two numbers differ or why a row cannot be computed. `date` is the date of our
number if the row needs files of others.

Cards and reports show some of these numbers [next to the same measurement](reports.md#other-models) of another model.
`yardstick` in the YAML file says what must be the same, and `known_as` names the models.

## Compute a row again

`make ledger` computes every row that needs no files of others, and so does the test suite. For the other rows, clone
the repository that the YAML file names:

```sh
git clone https://github.com/nyu-mll/BBQ clones/nyu-mll/BBQ
make ledger SOURCES=clones
```

To run one call by hand, start Python in the checkout. Run these lines, the `setup` of the YAML file, and the call:

```python
from pathlib import Path

import evaluate_bias as eb
from benchmarks.ledger.files import golden, readers

globals().update(readers(Path("clones"), "nyu-mll/BBQ", "bea11bd97d79217245b5871acd247b9d6eb24598"))
```
"""

MEANINGS = {
    "equal": "equal to the last printed digit",
    "within rounding": "at most one unit of the last digit apart, or within the row's tolerance",
    DIFFERS: "further apart, with the reason",
    NEEDED: "the model or the data are not available",
    PENDING: "not run yet",
}


def write_page(sources: Sequence[Source], computed: dict[str, dict[str, dict[str, Any]]]) -> str:
    """Return the text of the page.

    Raises:
        ValueError: a row differs without a reason, or has a reason and does not differ.
    """
    totals: Counter[str] = Counter()
    listed = []
    for source in sources:
        counts = Counter(row["status"] for row in _rows(source, computed))
        totals += counts
        split = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        listed.append(f"- [{source.title}]({source.url}): {split}")
    return TEMPLATE.format(
        rows=sum(totals.values()),
        statuses="\n".join(f"| {s} | {MEANINGS[s]} | {totals[s]} |" for s in STATUSES if totals[s]),
        sources="\n".join(listed),
    )


def write_csv(sources: Sequence[Source], computed: dict[str, dict[str, dict[str, Any]]]) -> str:
    """Return the text of the table with every row."""
    rows = [row for source in sources for row in _rows(source, computed)]
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_yardsticks(sources: Sequence[Source]) -> str:
    """Return the scores of well-known models that cards and reports show next to those of other models, as JSON.

    A table is a yardstick only for results of its method on the same whole data set and by the same protocol. Its
    ``yardstick`` has

    - ``data`` and ``config``: the data set, and the facts of the result's data that say which configuration it is,
    - ``n``: the number of items, all of which must have been scored,
    - ``settings``: the settings that decide the score, with their values (``auto`` is what follows from the model),
    - ``other_options``: the options of the method that do not change the score, which a test compares with its record,
    - ``model``: facts of the model, such as its kind, and ``row``, the name of the row, if not the overall score.
    """
    found: dict[str, dict[str, Any]] = {}
    for source in sources:
        for table in source.tables:
            if table.yardstick is None:
                continue
            conditions = {k: v for k, v in table.yardstick.items() if k != "other_options"}
            for row in table.rows:
                if row.known_as is None:
                    continue
                (method,) = _methods(source, table, row)
                name = str(conditions.get("row", "overall")).format_map(row.fields)
                facts = {"method": method, **conditions, "row": name, "n": conditions["n"].get(name)}
                key = json.dumps({"source": source.key, **facts})
                found.setdefault(key, {"source": source.key, **facts, "scores": {}})
                found[key]["scores"][row.known_as] = row.printed
    return json.dumps(list(found.values()), indent=1, ensure_ascii=False) + "\n"


def _rows(source: Source, computed: dict[str, dict[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    numbers = computed.get(source.key, {})
    rows = []
    for table in source.tables:
        for row in table.rows:
            number = numbers.get(f"{table.name}: {row.cell}", {})
            ours = number.get("ours")
            rows.append(
                {
                    "source": source.key,
                    "table": table.name,
                    "cell": row.cell,
                    "method": " ".join(_methods(source, table, row)),
                    "call": table.call.strip(),
                    "value": row.value,
                    "fields": json.dumps(row.fields, ensure_ascii=False) if row.fields else "",
                    "printed": row.printed,
                    "ours": _shown(row, ours),
                    "status": status_of(row, ours),
                    "reason": row.because or (f"needs {row.needs}" if row.needs else ""),
                    "tolerance": "" if row.tolerance is None else f"{row.tolerance:g}",
                    "date": number.get("date", ""),
                }
            )
    return rows


def _methods(source: Source, table: Table, row: Row) -> list[str]:
    """Return the methods that a row uses: called by name, named by its fields, or their functions on arrays."""
    code = f"{table.call} {row.value}"
    helpers = re.split(r"^def ", source.setup, flags=re.M)[1:]
    code += "".join(helper for helper in helpers if re.search(rf"\b{helper.partition('(')[0]}\(", code))
    named = re.findall(r"eb\.measure\(\s*\"(\w+)\"", code)
    named += [row.fields[name] for name in row.fields if name == "method"]
    for package, function in re.findall(
        r"^from evaluate_bias\.methods\.(\S+) import (\w+)$", source.setup, re.M
    ):
        named += [package.split(".")[1]] * (function in code)
    return list(dict.fromkeys(named))


def _shown(row: Row, ours: float | None) -> str:
    """Return our number with two digits more than are printed."""
    if ours is None:
        return ""
    digits = 2 - round(math.log10(last_digit(row.printed)))
    if "e" in row.printed:
        return f"{ours:.{len(row.printed.partition('e')[0].replace('.', '').lstrip('-')) + 1}e}"
    return f"{ours:.{max(digits, 0)}f}"
