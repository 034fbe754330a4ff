"""No command opens or replaces what is not a regular file, and none waits for the other end of a pipe."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evaluate_bias.cli.main import app
from evaluate_bias.errors import BiasError
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.hub.plan import Folder, make_plan
from evaluate_bias.result import Result
from tests.support.processes import run_python


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """A command that waits for a pipe fails instead of waiting for ever."""

    def late(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(600)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    result = Result(
        method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        provenance={"model": {"name": "vectors"}},
    )  # fmt: skip
    write_results([result], tmp_path / "out")
    return tmp_path / "out"


def refused(*words: object) -> None:
    outcome = CliRunner().invoke(app, [str(word) for word in words])
    assert isinstance(outcome.exception, BiasError), outcome
    assert len(str(outcome.exception)) <= 600


def test_cards_reports_and_results(pipe: Path, results: Path) -> None:
    before = (results / "results.jsonl").read_bytes()
    card = pipe.with_name("README.md")
    for words in (
        ("card", results, "--card", pipe),
        ("card", results, "--card", card, "--preview", pipe),
        ("card", pipe, "--card", card),
        ("card", results, "--card", results),
        ("report", pipe),
        ("report", results, "--out", pipe),
        ("run", "-m", "demo-mlm-en", "--method", "weat", "-o", pipe),
    ):
        refused(*words)
        assert pipe.is_fifo(), words
        assert not card.exists(), words
    assert (results / "results.jsonl").read_bytes() == before


def test_a_pipe_in_the_place_of_the_results(pipe: Path, results: Path) -> None:
    (results / "results.jsonl").unlink()
    pipe.rename(results / "results.jsonl")
    for words in (("report", results), ("card", results, "--card", results.with_name("README.md"))):
        refused(*words)
    assert (results / "results.jsonl").is_fifo()


def test_a_pipe_is_not_published(pipe: Path) -> None:
    pipe.with_name("README.md").write_text("a card")
    with pytest.raises(BiasError, match="pipe is a named pipe, not a file"):
        make_plan([Folder("module", "bias/toy", pipe.parent)])


@pytest.mark.slow
def test_a_pipe_in_the_cache_of_evaluate(tmp_path: Path) -> None:
    """In a process of its own: evaluate remembers where its cache was."""
    code = """
    import os
    from evaluate_bias.hub.doctor import check_modules
    from evaluate_bias.hub.install import install
    (installed,) = install(["weat"])
    installed.path.unlink()
    os.mkfifo(installed.path)
    found = [f.status for f in check_modules()]
    (again,) = install(["weat"])
    answer([found, again.path.is_file()])
    """
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    assert run_python(code, environment, tmp_path, timeout=600) == [["note", "note"], True]
