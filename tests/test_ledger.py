"""The ledger of published numbers: rows that need no files are computed again, and page and table are up to date."""

from __future__ import annotations

import ast
import csv
import re
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks.ledger.files import readers
from benchmarks.ledger.page import write_csv, write_page
from benchmarks.ledger.r_data import read_r
from benchmarks.ledger.rows import Row, load_sources, status_of
from benchmarks.ledger.run import PAGE, TABLE, complaints, read_computed, row_id, run_source
from evaluate_bias.registry import METHODS, get_method

SOURCES = load_sources()
COMPUTED = read_computed()


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.key)
def test_rows_that_need_no_files(source) -> None:
    kept = COMPUTED.get(source.key, {})
    for name, row in run_source(source).items():
        assert kept[name]["ours"] == pytest.approx(row["ours"], rel=1e-9, abs=1e-12), name


def test_page_and_table_are_up_to_date() -> None:
    assert list(complaints(SOURCES, COMPUTED)) == []
    assert PAGE.read_text(encoding="utf-8") == write_page(SOURCES, COMPUTED), "run make ledger"
    assert TABLE.read_text(encoding="utf-8") == write_csv(SOURCES, COMPUTED), "run make ledger"


def test_readme_counts_the_rows_of_the_table() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        found = [row["status"] for row in csv.DictReader(file)]
    met, different = found.count("equal") + found.count("within rounding"), found.count("different")
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    assert (
        f"Of {met + different} published numbers that can be computed, {met} are equal or within rounding"
        in readme
    )


def test_the_table_has_every_row_with_its_methods() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(r["source"], r["table"], r["cell"], r["printed"]) for r in rows] == [
        (s.key, t.name, row.cell, row.printed) for s in SOURCES for t in s.tables for row in t.rows
    ]
    assert {name for r in rows for name in r["method"].split()} <= set(METHODS)
    without = {(r["source"], r["table"]) for r in rows if not r["method"]}
    assert {source for source, _ in without} == {"bias_pmi"}  # functions on arrays alone
    assert all(r["reason"] for r in rows if r["status"] in ("different", "not available"))
    assert all(r["ours"] for r in rows if r["status"] != "not available")


def test_only_what_runs_has_a_number() -> None:
    for source in SOURCES:
        rows = {row_id(t, r): (t, r) for t in source.tables for r in t.rows}
        numbers = COMPUTED.get(source.key, {})
        assert set(numbers) == {name for name, (_, row) in rows.items() if row.needs is None}
        for name, number in numbers.items():
            assert ("date" in number) == (rows[name][0].reads == "repository"), name


@pytest.mark.parametrize(
    ("printed", "ours", "options", "status"),
    [
        ("0.53", 0.5309, {}, "equal"),
        ("0.53", 0.5361, {}, "within rounding"),
        ("0.53", 0.55, {"tolerance": 0.03}, "within rounding"),
        ("0.53", 0.55, {"because": "other words"}, "different"),
        ("1.5e-10", 1.52e-10, {}, "equal"),
        ("0.53", None, {"needs": "the model"}, "not available"),
        ("0.53", None, {}, "not run yet"),
    ],
)
def test_a_status_is_computed(printed: str, ours: float | None, options: dict, status: str) -> None:
    assert status_of(Row(cell="c", printed=printed, value="v", **options), ours) == status


@pytest.mark.parametrize(
    ("ours", "because", "wrong"), [(0.55, None, "does not say why"), (0.53, "other words", "any more")]
)
def test_a_reason_stands_where_numbers_differ_and_nowhere_else(ours, because, wrong) -> None:
    with pytest.raises(ValueError, match=wrong):
        status_of(Row(cell="c", printed="0.53", value="v", because=because), ours)


@pytest.mark.parametrize(
    ("table", "wrong"),
    [
        ("{name: t, call: '1', rows: [{cell: c, printed: 0.5}]}", "quotation marks"),
        ("{name: t, call: '1', rows: [{cell: c, printed: '1'}, {cell: c, printed: '2'}]}", "twice"),
        ("{name: t, call: '1', reads: repository, rows: [{cell: c, printed: '1'}]}", "does not name"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, table: str, wrong: str) -> None:
    (tmp_path / "s.yaml").write_text(f"title: S\nreference: R\nurl: U\ntables:\n  - {table}\n")
    with pytest.raises((TypeError, ValueError), match=wrong):
        load_sources(tmp_path)


def test_a_row_runs_on_a_file_of_the_pinned_commit(tmp_path: Path) -> None:
    clone = tmp_path / "clones" / "who" / "what"
    clone.mkdir(parents=True)
    for text in ("a\n1\n", "a\n2\n"):
        (clone / "f.csv").write_text(text)
        for command in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"],
        ):
            subprocess.run(["git", "-C", str(clone), *command], check=True)
    shown = subprocess.run(["git", "-C", str(clone), "rev-parse", "HEAD~"], capture_output=True, check=True)
    (tmp_path / "s.yaml").write_text(
        f"title: S\nreference: R\nurl: U\nrepository: who/what\ncommit: {shown.stdout.decode().strip()}\n"
        "tables:\n  - name: t\n    reads: repository\n    call: float(csv_rows('f.csv')[0]['a'])\n"
        "    value: result + plus\n    rows: [{cell: c, plus: 3, printed: '4'}]\n"
    )
    (source,) = load_sources(tmp_path)
    assert run_source(source) == {}
    assert run_source(source, tmp_path / "clones")["t: c"]["ours"] == 4
    assert readers(tmp_path, "who/else", "HEAD") == {}
    with pytest.raises(FileNotFoundError, match="what has no f.csv at commit 000000: clone who/what anew"):
        readers(tmp_path / "clones", "who/what", "000000")["text"]("f.csv")


def test_a_matrix_of_r() -> None:
    def text(word: str) -> bytes:
        return struct.pack(">II", 9, len(word)) + word.encode()

    def symbol(name: str) -> bytes:
        return struct.pack(">I", 1) + text(name)

    null = struct.pack(">I", 254)
    names = struct.pack(">III", 19, 2, 16) + struct.pack(">I", 2) + text("he") + text("she") + null
    dim = struct.pack(">IIII", 13, 2, 2, 2)
    numbers = struct.pack(">II4d", 0x200 | 14, 4, 1, 2, 3, 4)
    pair = struct.pack(">I", 0x400 | 2)
    matrix = numbers + pair + symbol("dim") + dim + pair + symbol("dimnames") + names + null
    content = b"RDX2\nX\n" + struct.pack(">III", 2, 0, 0) + pair + symbol("m") + matrix + null
    found = read_r(content)["m"]
    assert {word: np.asarray(row).tolist() for word, row in found.items()} == {"he": [1, 3], "she": [2, 4]}
    with pytest.raises(ValueError, match="not a file"):
        read_r(b"something else")


def calls_in(text: str) -> list[ast.Call]:
    found = [ast.walk(ast.parse(code, mode="eval")) for code in re.findall(r"`(eb\.[^`]+)`", text)]
    return [node for nodes in found for node in nodes if isinstance(node, ast.Call) and node.keywords]


def checked(call: ast.Call) -> bool:
    """Whether a call of ``eb.measure`` names a method, and options that it has."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "measure"):
        return False
    if not isinstance(call.args[0], ast.Constant):
        return False
    record = get_method(call.args[0].value)
    given = {k.arg for k in call.keywords} - {None, "data", "limit"}
    assert given <= {*record.options(), *record.data_choices()}, (record.name, given)
    return True


def test_calls_of_the_ledger_name_methods_and_options() -> None:
    tables = [t for s in SOURCES for t in s.tables]
    nodes = [n for t in tables for n in ast.walk(ast.parse(t.call.strip(), mode="eval"))]
    assert sum(checked(n) for n in nodes if isinstance(n, ast.Call)) > 30


@pytest.mark.parametrize("page", sorted((PAGE.parent / "sources").glob("[!i]*.md")), ids=lambda p: p.stem)
def test_calls_of_a_source_name_methods_and_options(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [checked(call) for call in calls_in(text)].count(True) >= 1
