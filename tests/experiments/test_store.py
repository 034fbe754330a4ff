"""The store: every result once and never changed, locks that end with their run, damaged files."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from evaluate_bias.errors import BiasError, DataError, OutputError
from evaluate_bias.experiments.store import SCHEMA, STORE_FILE, DamagedResultWarning, Failure, Store
from evaluate_bias.experiments.unit import Unit, latest
from evaluate_bias.result import Result, Row
from tests.support.refusals import refused


def unit(key: str = "k", **changes) -> Unit:
    return Unit(**{"key": key, "model": "m", "method": "weat", "data": "d", "language": "en", "seed": 0,
                   "options": {"ddof": 1}, **changes})  # fmt: skip


def result(score: float = 1.0, rows: int = 2) -> Result:
    return Result(
        method="weat", score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=4,
        rows=[Row(name=f"t{i}", kind="test", score=score, n=4) for i in range(rows)],
    )  # fmt: skip


def test_what_is_added_comes_back(tmp_path):
    with Store(tmp_path) as store:
        assert store.add(unit("a", model="z"), result(1.5), seconds=0.1)
        assert store.add(unit("b", model="a"), result(0.5), seconds=0.1)
        assert [(u.model, r) for u, r in store.results()] == [("a", result(0.5)), ("z", result(1.5))]
        assert [len(r.rows) for _, r in store.results(rows=False)] == [0, 0]
    with Store(tmp_path / STORE_FILE, read_only=True) as again:
        assert [u.key for u in again.units()] == ["b", "a"]
        assert again.results()[1][0] == unit("a", model="z")


def test_runs_that_start_at_once_may_all_make_the_store(tmp_path):
    """Some were refused: they saw half of the tables, or the log being switched."""

    def opens(folder):
        at_once.wait()
        with Store(folder) as store:
            return store.lock("m")

    at_once = threading.Barrier(4)
    with ThreadPoolExecutor(4) as runs:
        for i in range(40):
            assert any(runs.map(opens, [tmp_path / str(i)] * 4))


def test_the_first_result_of_a_key_stays(tmp_path):
    with Store(tmp_path) as store:
        assert store.add(unit(), result(1.0), seconds=0)
        assert not store.add(unit(), result(1.5), seconds=0)
        assert [r.score for _, r in store.results()] == [1.0]


def test_results_cannot_be_changed_or_removed(tmp_path):
    with Store(tmp_path) as store:
        store.add(unit(), result(), seconds=0)
    db = sqlite3.connect(tmp_path / STORE_FILE)
    for statement in ("UPDATE results SET seconds = 5", "DELETE FROM results"):
        refused(sqlite3.IntegrityError, "a result is never", db.execute, statement)
    db.close()


def test_a_changed_measurement_replaces_the_earlier_one_and_history_has_both(tmp_path):
    with Store(tmp_path) as store:
        store.add(unit("old"), result(1.0), seconds=0)
        store.add(unit("new"), result(1.5), seconds=0)
        store.add(unit("other", seed=1), result(0.1), seconds=0)
        assert [u.key for u in store.units()] == ["new", "other"]
        assert sorted(u.key for u in store.units(history=True)) == ["new", "old", "other"]


def test_failures_are_kept_until_there_is_a_result(tmp_path):
    with Store(tmp_path) as store:
        store.add_failure(Failure(unit("broken"), "failed", "first"))
        store.add_failure(Failure(unit("broken"), "failed", "second"))
        assert [f.reason for f in store.failures()] == ["second"]
        assert store.states([unit("broken"), unit("x")]) == {"broken": "failed", "x": "missing"}
        store.add(unit("repaired"), result(), seconds=0)  # the same measurement, of files that have changed
        assert store.failures() == []
        store.add_failure(Failure(unit("never", method="aul"), "unsuitable", "cannot"))
        assert store.settled([unit("never", method="aul"), unit("broken", seed=3)]) == {"never"}


def test_a_test_counts_once_in_its_last_measurement():
    both, chosen, part = (
        dataclasses.replace(result(score, rows), settings={"tests": tests})
        for score, rows, tests in ((1.0, 2, None), (1.5, 2, ["t0", "t1"]), (0.5, 1, ["t0"]))
    )
    assert latest([both, chosen, part]) == [chosen]
    assert latest([part, chosen, both]) == [both]


# --- locks ----------------------------------------------------------------------------------------------------


def test_two_runs_never_get_the_same_model(tmp_path):
    with Store(tmp_path) as one, Store(tmp_path) as other:
        assert [one.lock("a"), one.lock("a"), other.lock("a"), other.lock("b")] == [True, False, False, True]
        one.unlock("a")
        assert other.lock("a")
    with Store(tmp_path) as later:
        assert later.lock("a")
        assert later.lock("b")
    assert list(tmp_path.glob("*.lock")) == list(tmp_path.glob(".*.lock")) == []


HOLDER = """
import os, sys
from evaluate_bias.experiments.store import Store
store = Store(sys.argv[1])
print(store.lock("m"), flush=True)
sys.stdin.read()
"""


def test_the_lock_of_a_killed_run_is_free_at_once_and_failures_beside_a_living_one_count(tmp_path):
    with Store(tmp_path) as store:
        store.add_failure(Failure(unit(), "failed", "of the run beside it"))
    holder = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLDER), str(tmp_path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline() == "True\n"
    with Store(tmp_path) as store:
        assert not store.lock("m")
        store.note_plan([])
        assert len(store.failures()) == 1
        holder.kill()
        holder.wait()
        store.note_plan([])
        assert store.failures() == []
        assert list(tmp_path.glob(".*.lock")) == []
        assert store.lock("m")
    assert list(tmp_path.glob(".*.lock")) == []


# --- files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [1, SCHEMA - 1, SCHEMA + 1])
def test_a_store_of_another_schema_is_refused_and_left_as_it_is(tmp_path, schema):
    Store(tmp_path).close()
    with contextlib.closing(sqlite3.connect(tmp_path / STORE_FILE)) as db:
        db.execute(f"PRAGMA user_version = {schema}")
    before = (tmp_path / STORE_FILE).read_bytes()
    for read_only in (True, False):
        with pytest.raises(
            DataError, match=f"schema {schema}, and this version .* reads schema {SCHEMA}; measure"
        ):
            Store(tmp_path, read_only=read_only)
    assert (tmp_path / STORE_FILE).read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be one" * 5, b"SQLite format 3\0" + b"x" * 600]
)
def test_what_is_no_store_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / STORE_FILE
    path.write_bytes(content)
    for read_only in (True, False):
        refused(BiasError, "", Store, path, read_only=read_only)
    assert path.read_bytes() == content


def test_a_damaged_result_is_named_and_the_others_are_read(tmp_path):
    units = [unit(f"key{i}", seed=i) for i in range(3)]
    with Store(tmp_path) as store:
        for one in units:
            store.add(one, result(), seconds=0)
    spoil(tmp_path / STORE_FILE, "rows = x'00' WHERE key = 'key0'")
    with Store(tmp_path) as store:
        with pytest.warns(DamagedResultWarning, match=r"is ignored: weat on m \(d, en, ddof=1\); "):
            assert [u.key for u, _ in store.results()] == ["key1", "key2"]
        assert store.drop_damaged(units[1:]) == []
        assert store.drop_damaged(units) == units[:1]
        assert store.settled(units) == {"key1", "key2"}
        store.add(units[0], result(0.5), seconds=0)
        assert [r.score for _, r in store.results()] == [0.5, 1.0, 1.0]
    with (
        pytest.raises(sqlite3.IntegrityError, match="never removed"),
        sqlite3.connect(tmp_path / STORE_FILE) as db,
    ):
        db.execute("DELETE FROM results")


def spoil(path: Path, change: str) -> None:
    """Change rows behind the back of what keeps them."""
    db = sqlite3.connect(path)
    db.execute("DROP TRIGGER IF EXISTS results_stay")
    db.execute(f"UPDATE results SET {change}")
    db.commit()
    db.close()


@pytest.mark.filterwarnings("ignore::evaluate_bias.experiments.store.DamagedResultWarning")
def test_any_changed_byte_is_one_sentence_or_leaves_the_other_results(tmp_path):
    with Store(tmp_path) as store:
        for i in range(4):
            store.add(unit(f"key{i}", seed=i), result(rows=20), seconds=0)
    whole = (tmp_path / STORE_FILE).read_bytes()
    copy, read = tmp_path / "copy.sqlite", []
    for at in [i for i, byte in enumerate(whole) if byte][::17]:
        copy.write_bytes(whole[:at] + bytes([whole[at] ^ 0x80]) + whole[at + 1 :])
        with contextlib.suppress(DataError), Store(copy, read_only=True) as store:
            read.append(len(store.results()))
            store.failures()
    assert min(read) > 0
    assert read.count(3) > 50


READS_ONLY = """
import os, sys
from evaluate_bias.experiments.store import Store
from evaluate_bias.errors import DataError, OutputError
Store.results, sys.argv  # everything is imported before the rights are given up
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with Store(sys.argv[1], read_only=True) as store:
        print(len(store.results()))
except DataError as error:
    print("wal" if "left results.sqlite-wal next to it" in str(error) else "cannot be read" in str(error))
try:
    Store(sys.argv[1])
except OutputError as error:
    print("refused", len(str(error)) < 600)
"""


@pytest.mark.parametrize(
    ("killed", "mode", "read"), [(False, 0o444, "1"), (True, 0o444, "wal"), (False, 0o000, "True")]
)
def test_a_store_in_a_folder_that_cannot_be_written_is_read(tmp_path, killed, mode, read):
    """Unless a killed run left a log, which has its units: SQLite cannot read that without writing."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with Store(tmp_path) as store:
            store.add(unit(), result(), seconds=0)
            if killed:  # what lies there until the store is closed
                shutil.copy(tmp_path / f"{STORE_FILE}-wal", folder)
                shutil.copy(tmp_path / STORE_FILE, folder)
        if not killed:
            shutil.copy(tmp_path / STORE_FILE, folder)
        for file in folder.iterdir():
            file.chmod(mode)
        folder.chmod(0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", READS_ONLY, made], capture_output=True, text=True, check=False
            )
        finally:
            folder.chmod(0o755)
        assert done.stdout.split() == [read, "refused", "True"], done.stderr


def test_reading_leaves_nothing_beside_the_store_and_changes_no_byte(tmp_path):
    def content(folder):
        return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.endswith("-shm")}

    killed = tmp_path / "killed"
    killed.mkdir()
    with Store(tmp_path / "whole") as store:
        store.add(unit(), result(), seconds=0)
        for name in (STORE_FILE, f"{STORE_FILE}-wal"):
            shutil.copy(tmp_path / "whole" / name, killed)
        with Store(tmp_path / "whole", read_only=True) as again:  # beside a run that is alive
            assert len(again.results()) == 1
        store.add(unit("b", seed=1), result(), seconds=0)
    whole = tmp_path / "whole"
    assert [p.name for p in whole.iterdir()] == [STORE_FILE]
    for folder, n in ((whole, 2), (killed, 1)):
        before = content(folder)
        with Store(folder, read_only=True) as again:
            assert len(again.results()) == n
            refused(OutputError, "", lambda: again.add(unit("c", seed=2), result(), seconds=0))
        assert content(folder) == before
    assert [p.name for p in whole.iterdir()] == [STORE_FILE]
