"""Compute the rows of the ledger and write docs/replication.csv, docs/replication.md and the yardsticks of reports.

    python -m benchmarks.ledger.run [--sources FOLDER] [SOURCE ...]

Rows that read files of a repository run where FOLDER has a clone of it; elsewhere their last number stands.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import evaluate_bias as eb
from benchmarks.ledger.files import ROOT, golden, readers
from benchmarks.ledger.page import write_csv, write_page, write_yardsticks
from benchmarks.ledger.rows import Row, Source, Table, load_sources, status_of

COMPUTED = Path(__file__).parent / "computed.json"
PAGE = ROOT / "docs" / "replication.md"
TABLE = ROOT / "docs" / "replication.csv"
YARDSTICKS = ROOT / "src" / "evaluate_bias" / "report" / "yardsticks.json"

Numbers = dict[str, dict[str, dict[str, Any]]]
"""Our number of each row by source and "table: cell", with the date of its run where it read files."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("only", nargs="*", metavar="SOURCE", help="name of a YAML file; all by default")
    parser.add_argument("--sources", type=Path, help="folder with clones: FOLDER/OWNER/NAME or FOLDER/NAME")
    given = parser.parse_args()
    computed = read_computed()
    sources = load_sources()
    keys = [source.key for source in sources]
    if unknown := [key for key in given.only if key not in keys]:
        parser.error(f"no source is called {unknown[0]}: choose from {', '.join(keys)}")
    if given.sources and not given.sources.is_dir():
        parser.error(f"there is no folder {given.sources}")
    for source in sources:
        if not given.only or source.key in given.only:
            try:
                numbers = run_source(source, given.sources)
            except FileNotFoundError as error:
                parser.error(str(error))
            kept = {row_id(t, r) for t in source.tables for r in t.rows}
            before = {k: v for k, v in computed.get(source.key, {}).items() if k in kept}
            computed[source.key] = merged(before, numbers)
            print(f"{source.key}: {len(numbers)} of {len(kept)} rows run")
    computed = {source.key: computed[source.key] for source in sources if source.key in computed}
    if wrong := list(complaints(sources, computed)):
        raise SystemExit("\n".join(wrong))
    PAGE.write_text(write_page(sources, computed), encoding="utf-8")
    TABLE.write_text(write_csv(sources, computed), encoding="utf-8")
    YARDSTICKS.write_text(write_yardsticks(sources), encoding="utf-8")
    COMPUTED.write_text(json.dumps(computed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_computed() -> Numbers:
    return json.loads(COMPUTED.read_text(encoding="utf-8")) if COMPUTED.exists() else {}


def merged(
    before: dict[str, dict[str, Any]], numbers: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Put new numbers among those of the last run; an old one stays where only last digits differ on this machine."""
    for name, number in numbers.items():
        old = before.get(name, number)["ours"]
        if math.isclose(number["ours"], old, rel_tol=1e-9, abs_tol=1e-12):
            number["ours"] = old
    return dict(sorted({**before, **numbers}.items()))


def complaints(sources: list[Source], computed: Numbers) -> Iterator[str]:
    """Rows that differ without a reason, or have one and do not differ."""
    for source in sources:
        for table in source.tables:
            for row in table.rows:
                try:
                    status_of(row, computed.get(source.key, {}).get(row_id(table, row), {}).get("ours"))
                except ValueError as error:
                    yield f"{source.key}, {table.name}, {error}"


def row_id(table: Table, row: Row) -> str:
    return f"{table.name}: {row.cell}"


def run_source(source: Source, folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return our number of each row that runs here."""
    names: dict[str, Any] = {"eb": eb, "golden": golden}
    if folder and source.repository:
        names |= readers(folder, source.repository, source.commit)
    exec(source.setup, names)
    numbers: dict[str, dict[str, Any]] = {}
    for table in source.tables:
        if table.reads == "repository" and "csv_rows" not in names:
            continue
        today = {} if table.reads == "nothing" else {"date": datetime.date.today().isoformat()}
        for row, ours in _run_table(table, names):
            numbers[row_id(table, row)] = {"ours": ours, **today}
    return numbers


def _run_table(table: Table, names: dict[str, Any]) -> Iterator[tuple[Row, float]]:
    """Rows with the same fields in the call share its result."""
    called = compile(table.call, table.name, "eval")
    results: dict[str, Any] = {}
    for row in table.rows:
        if row.needs is not None:
            continue
        scope = {**names, **row.fields}
        used = repr({name: row.fields[name] for name in _all_names(called) if name in row.fields})
        try:
            if used not in results:
                results[used] = eval(called, scope)
            yield row, float(eval(row.value, {**scope, "result": results[used]}))
        except Exception as error:
            error.add_note(f"{table.name}, {row.cell}")
            raise


def _all_names(code: Any) -> set[str]:
    """Names in a piece of code and in the comprehensions within it."""
    inner = [_all_names(c) for c in code.co_consts if hasattr(c, "co_names")]
    return set(code.co_names).union(*inner)


if __name__ == "__main__":
    main()
