"""Running a grid: nothing lost or doubled whatever happens, what fails is told, a rerun does only what is missing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from evaluate_bias import api
from evaluate_bias.errors import OutputError
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.plan import ModelTask, make_plan
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import STORE_FILE, Store
from evaluate_bias.experiments.unit import Unit
from evaluate_bias.experiments.worker import Outcome
from evaluate_bias.result import Result
from tests.experiments.toy_grid import exported, make_files, tiny_grid, toy_grid
from tests.support.refusals import refused

SEED = 5
UNITS = 5


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return make_files(tmp_path_factory.mktemp("files"))


def count(out: Path) -> int:
    with Store(out, read_only=True) as store:
        return len(store.results())


def numbers(value) -> list[float]:
    """All numbers in nested lists and dictionaries, in order."""
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers(value[key])]
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


def measured(monkeypatch) -> list[tuple[str, str]]:
    """The measurements that are made from now on."""
    calls = []
    measure = api.measure

    def watched(method, model, **options):
        calls.append((method, model.name))
        return measure(method, model, **options)

    monkeypatch.setattr(api, "measure", watched)
    return calls


def test_a_rerun_does_only_what_is_missing_or_changed(files, tmp_path, monkeypatch):
    calls = measured(monkeypatch)
    work = tmp_path / "files"
    shutil.copytree(files, work)
    first = run_grid(toy_grid(work), tmp_path / "out")
    assert (first.measured, first.already_stored, len(calls)) == (4, 0, 4)
    again = run_grid(toy_grid(work), tmp_path / "out")
    assert (again.measured, again.already_stored, len(calls)) == (0, 4, 4)
    more = run_grid(toy_grid(work, seeds=[0, 1]), tmp_path / "out")
    assert (more.measured, more.already_stored, len(calls)) == (4, 4, 8)
    vectors = work / "first.txt"
    vectors.write_text(vectors.read_text().replace("poppy 1.0", "poppy 1.1"))
    changed = run_grid(toy_grid(work), tmp_path / "out")
    assert (changed.measured, changed.already_stored) == (2, 2)
    assert {name for _, name in calls[8:]} == {"first.txt"}
    assert count(tmp_path / "out") == 8
    with Store(tmp_path / "out", read_only=True) as store:
        assert len(store.units(history=True)) == 10


def test_shared_passes_give_the_numbers_of_one_by_one(files, tmp_path):
    """To float32 rounding: what a method asks is batched without what others asked before it."""
    run_grid(tiny_grid(files), tmp_path / "out")
    with Store(tmp_path / "out", read_only=True) as store:
        pairs = [(u, r) for u, r in store.results() if u.model == "masked-0"]
    assert len(pairs) == 4
    for unit, result in pairs:
        alone = api.measure(unit.method, str(files / unit.model), source=str(files / "pairs.jsonl"))
        assert result.score == alone.score
        assert result.warnings == alone.warnings
        ours, theirs = (numbers([row.to_dict() for row in r.rows]) for r in (result, alone))
        assert len(ours) > 60
        assert ours == pytest.approx(theirs, rel=1e-5, abs=3e-5)  # differences of sums of float32


class Scoring:
    """Measures nothing, and has scores for later units; some units fail."""

    def __init__(self, fails: Callable[[Unit], bool]) -> None:
        self.fails = fails

    def run(self, tasks: Iterable[ModelTask]) -> Iterator[Outcome]:
        result = Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0, n=4)
        for task in tasks:
            for unit in task.units:
                if self.fails(unit):
                    yield Outcome(unit=unit, kind="failed", reason="no luck")
                else:
                    yield Outcome(unit=unit, kind="measured", result=result.to_json(), scores=b"some")


def test_kept_scores_go_with_the_last_run_also_after_a_failure(files, tmp_path):
    """They stayed for good where a unit in the middle was measured by a later run."""
    plan = make_plan(tiny_grid(files))
    for failed in ("pll", ""):
        run_grid(plan, tmp_path, executor=Scoring(lambda unit, failed=failed: unit.method == failed))
        assert {path.name for path in tmp_path.iterdir()} - {"logs"} == {STORE_FILE, "results.jsonl"}
    assert count(tmp_path) == len(plan.units)


def test_what_cannot_be_measured_does_not_stop_the_rest(files, tmp_path):
    work = tmp_path / "files"
    shutil.copytree(files, work)
    (work / "broken").mkdir()
    (work / "broken" / "config.json").write_text("{}")
    (work / "empty.txt").write_text("")
    config = GridConfig(
        models=["first.txt", "empty.txt", "broken", "./none.txt", "masked-0"],
        methods=["weat", {"method": "weat", "options": {"tests": "nonsense"}}],
        data=["lists.jsonl"],
    ).at(work)
    summary = run_grid(config, tmp_path / "out")
    assert summary.measured == 1
    assert {f.unit.model for f in summary.unsuitable} == {"masked-0"}
    reasons = {(f.unit.model, bool(f.unit.settings)): f.reason for f in summary.failed}
    assert reasons["empty.txt", False].startswith("loading empty.txt: ")
    assert reasons["broken", False].startswith("loading broken: ")
    assert "no file or folder" in reasons["none.txt", False]
    assert "unknown test 'nonsense'" in reasons["first.txt", True]
    assert summary.planned == 10
    assert summary.measured + len(summary.unsuitable) + len(summary.failed) == 10
    assert summary.log is not None
    log = summary.log.read_text()
    for failure in summary.failed:
        assert f"failed: {failure.unit}: {failure.reason}" in log
    assert "Traceback" in log
    again = run_grid(config, tmp_path / "out")
    assert (again.measured, again.already_stored, len(again.failed)) == (0, 2, len(summary.failed))


def test_a_full_disk_stops_with_a_sentence_and_keeps_what_is_there(files, tmp_path, monkeypatch):
    add = Store.add

    def full(self, unit, result, **more):
        if len(self.units()) == 2:
            (pages,) = self._db.execute("PRAGMA page_count").fetchone()
            self._db.execute(f"PRAGMA max_page_count = {pages}")
            for _ in range(100):
                with self.writing() as db:
                    db.execute("INSERT INTO replies VALUES (hex(randomblob(500)), x'')")
        return add(self, unit, result, **more)

    monkeypatch.setattr(Store, "add", full)
    refused(OutputError, "full", lambda: run_grid(toy_grid(files), tmp_path / "out"))
    monkeypatch.setattr(Store, "add", add)
    assert count(tmp_path / "out") == 2
    assert "OutputError" in "".join(p.read_text() for p in (tmp_path / "out" / "logs").iterdir())
    assert run_grid(toy_grid(files), tmp_path / "out").measured == 2


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_measured(files, tmp_path, monkeypatch):
    calls = measured(monkeypatch)
    (tmp_path / "file").write_text("")
    refused(OutputError, "choose a folder", lambda: run_grid(toy_grid(files), tmp_path / "file" / "out"))
    assert calls == []


# --- several runs ---------------------------------------------------------------------------------------------


def test_runs_side_by_side_measure_every_unit_once(files, tmp_path):
    """Two runs of one grid, and a third that adds to it."""
    grids = [
        toy_grid(files, seeds=range(5)),
        toy_grid(files, seeds=range(5)),
        toy_grid(files, seeds=range(8)),
    ]
    plans = [make_plan(grid) for grid in grids]
    summaries = []

    def go(plan):
        summaries.append(run_grid(plan, tmp_path / "out"))

    threads = [threading.Thread(target=go, args=(plan,)) for plan in plans]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert len(summaries) == 3
    assert sum(s.measured for s in summaries) == 32
    assert all(
        s.measured + s.already_stored + s.measured_by_other_run == s.planned and not s.failed
        for s in summaries
    )
    assert count(tmp_path / "out") == 32


# --- kills ----------------------------------------------------------------------------------------------------


class Forks:
    """The process that runs grids to be killed."""

    def __init__(self, files: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.experiments.killed_grid", str(files)],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def run(self, out: Path, after: float = 0.0) -> tuple[int, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps({'out': str(out), 'after': after})}\n")
        self._process.stdin.flush()
        code, seconds = json.loads(self._process.stdout.readline())
        return code, seconds

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=300)


@pytest.mark.parametrize("least", [4, pytest.param(8, marks=pytest.mark.nightly)])
def test_kills_lose_and_double_nothing(files, tmp_path, least):
    """A grid killed again and again has in the end, byte for byte, what an undisturbed one has."""
    forks = Forks(files)
    draw = random.Random(SEED)
    kills = resumed = rounds = 0
    try:
        code, seconds = forks.run(tmp_path / "whole")
        assert code == 0
        whole = exported(tmp_path / "whole")
        assert whole.count('"kind": "overall"') == UNITS
        while kills < least or resumed < 3:
            rounds += 1
            assert rounds <= 200, "the kills must fall into the middle of runs"
            out = tmp_path / f"killed-{rounds}"
            code = -signal.SIGKILL
            while code:
                fresh, enough = not (out / STORE_FILE).exists(), kills >= least and resumed >= 3
                # Moments over the whole run, so that early and late ones come.
                after = 0.0 if enough else draw.uniform(0.02, 1.0) * seconds
                code, took = forks.run(out, after=after)
                assert code in (0, -signal.SIGKILL)
                if code:
                    kills += 1
                    kept = count(out) if (out / STORE_FILE).exists() else 0
                    resumed += kept not in (0, UNITS)
                    seconds *= 1.0 if kept else 1.1  # the machine may be slower by now, or faster
                elif fresh:
                    seconds = took
            assert exported(out) == whole
            assert not list(out.glob(".*.lock"))
            assert not (out / "results.scores").exists()
    finally:
        forks.close()


PREDICTIONS = "".join(
    f"{said},{true},{group}\n"
    for said, true, group in [
        ("predictions", "references", "groups"),
        ("nurse", "nurse", "female"), ("doctor", "nurse", "male"), ("nurse", "nurse", "male"),
        ("doctor", "doctor", "male"), ("nurse", "doctor", "female"), ("doctor", "doctor", "female"),
    ]
)  # fmt: skip


def test_a_method_that_takes_no_model_is_measured_once(files, tmp_path):
    work = tmp_path / "files"
    shutil.copytree(files, work)
    (work / "said.csv").write_text(PREDICTIONS)
    quick = {"method": "tpr_gap", "options": {"n_resamples": 9, "ci_resamples": 9}}
    data = [{"source": "lists.jsonl", "methods": ["mac"]}, {"source": "said.csv", "methods": ["tpr_gap"]}]
    config = toy_grid(work, methods=["mac", quick], data=data)
    summary = run_grid(config, tmp_path / "out")
    assert (summary.measured, summary.unsuitable, summary.failed) == (3, [], [])
    with Store(tmp_path / "out", read_only=True) as store:
        found = {(unit.model, unit.method): result for unit, result in store.results()}
    assert sorted(found) == [("first.txt", "mac"), ("none", "tpr_gap"), ("second.txt", "mac")]
    alone = api.measure("tpr_gap", None, source=str(work / "said.csv"), n_resamples=9, ci_resamples=9)
    assert found["none", "tpr_gap"].to_dict()["rows"] == alone.to_dict()["rows"]
    listed = toy_grid(work, models=["none"], methods=["mac", quick], data=data)
    again = run_grid(listed, tmp_path / "out")
    assert (again.planned, again.already_stored) == (1, 1), (
        "written out it is the same unit, and no other method's model"
    )
    alone_config = toy_grid(work, models=[], methods=[quick], data=["said.csv"])
    assert run_grid(alone_config, tmp_path / "out").already_stored == 1
