"""Kills and races: nothing that was there is lost, nothing half is left, and the next run works and clears up."""

from __future__ import annotations

import functools
import hashlib
import http.server
import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluate_bias.experiments.sources import read_results
from evaluate_bias.experiments.store import STORE_FILE, Store
from tests.hostile.killed import Commands, Ended
from tests.hostile.toy import METHODS, run_arguments, write_toy

pytestmark = pytest.mark.slow

KILLS = {"run": 4, "card": 2, "report": 2, "data": 2}
SEED = 11

CARD = "---\nlicense: mit\n---\n# vectors\n\nOurs.\n"
CONTENT = bytes(range(256)) * 20_000


def listing(folder: Path) -> set[str]:
    """Everything below a folder but locks, which stay, logs, which every run has one of, and SQLite's own files, which
    stay beside a store whose reader was killed until somebody writes to it."""
    found = (
        p
        for p in folder.rglob("*")
        if p.suffix not in (".lock", ".log") and not p.name.endswith(("-shm", "-wal"))
    )
    return {str(p.relative_to(folder)) for p in found}


def contents(folder: Path) -> dict[str, str]:
    """A checksum of every file; of a store, of what it holds."""
    return {
        path: hashlib.sha256(_content(folder / path)).hexdigest()
        for path in listing(folder)
        if (folder / path).is_file() and not path.endswith(("-wal", "-shm"))
    }


def _content(path: Path) -> bytes:
    if path.name != STORE_FILE:
        return path.read_bytes()
    with Store(path, read_only=True) as store:
        return "".join(result.to_json() for _, result in store.in_order()).encode()


def _in_the_making(path: str) -> bool:
    """Whether nobody takes it for a file: its name, or that of a folder it is in, is hidden."""
    hidden = any(part.startswith(".") and part != ".eval_results" for part in Path(path).parts)
    return hidden or path.startswith("cache/downloads")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a folder with upstream files."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "file.txt").write_bytes(CONTENT)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *said: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/file.txt"
    server.shutdown()


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    folder = tmp_path_factory.mktemp("cwd")
    made = Commands(folder, {"EVALUATE_BIAS_CACHE": str(folder / "cache"), "EVALUATE_BIAS_OFFLINE": "1"})
    yield made
    made.close()


class Scene:
    """A command with what is there before it: ``before`` is copied for each kill."""

    def __init__(self, name: str, commands: Commands, root: Path) -> None:
        self.name, self.commands, self.root = name, commands, root
        self.before = root / "before"
        self.before.mkdir()
        write_toy(self.before, "earlier", "first", "second")
        self.cache = root / "cache"
        methods = METHODS if name == "run" else METHODS[:1]
        if name != "data":
            self.ok(run_arguments(self.before, "earlier", methods=methods), self.before)
        if name == "card":
            (self.before / "README.md").write_text(CARD)
        if name == "report":
            self.ok(self.arguments(self.before), self.before)
            self.ok(run_arguments(self.before, "second", methods=methods), self.before)
        self.clean = self.copy("clean")
        self.whole = self.ok(self.arguments(self.clean), self.clean)
        assert len(self.whole.writes) > 1

    def arguments(self, folder: Path) -> list[object]:
        match self.name:
            case "run":
                return run_arguments(folder, "second", "first")
            case "card":
                return ["card", folder / "out", "--card", folder / "README.md", "--eval-results"]
            case "report":
                return ["report", folder / "out"]
            case _:
                return ["data", "get", "minimal_pairs", "-c", "de"]

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.before, self.root / name))

    def ok(self, arguments: list[object], folder: Path) -> Ended:
        ended = self.run(arguments, folder)
        assert ended.code == 0, ended.printed
        return ended

    def run(self, arguments: list[object], folder: Path, **moment: float) -> Ended:
        """Run the command; its writes are those in the folder, or in the cache of its own."""
        count = folder / "out" / "results.jsonl"
        return self.commands.run(*arguments, below=folder, count=count, cache=folder / "cache", **moment)


@pytest.fixture(scope="module")
def scenes(commands: Commands, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scene]:
    return {name: Scene(name, commands, tmp_path_factory.mktemp(name)) for name in KILLS}


@pytest.mark.parametrize(
    ("name", "number"), [(name, i) for name, count in KILLS.items() for i in range(count)]
)
def test_a_kill_loses_nothing(scenes: dict[str, Scene], name: str, number: int) -> None:
    """Kills come at a write or just after one, or at any time."""
    scene, rng = scenes[name], random.Random(f"{SEED}/{name}/{number}")
    folder = scene.copy(f"killed-{number}")
    old, new = contents(scene.before), contents(scene.clean)
    at = rng.randint(1, len(scene.whole.writes))
    if number % 4 == 3:
        moment = {"after": rng.uniform(0.0, scene.whole.seconds)}
    else:
        moment = {"at": at, "delay": rng.choice((0.0, 0.0, 0.0005, 0.003))}
    ended = scene.run(scene.arguments(folder), folder, **moment)
    assert ended.code in ((-9,) if moment.get("delay") == 0 else (-9, 0)), ended.printed
    at_kill = ended.writes[-1][1] if ended.writes else 0

    for path, digest in contents(folder).items():
        if _in_the_making(path) or path in ("out/results.jsonl", f"out/{STORE_FILE}"):
            continue
        assert digest in (old.get(path), new.get(path)), f"{path} is half written"
    for path in old:
        assert (folder / path).is_file(), f"{path} is lost"
    if name == "run":
        earlier, results = read_results(scene.before / "out"), read_results(folder / "out")
        assert results[: len(earlier)] == earlier
        assert len(results) >= at_kill
        assert results == read_results(scene.clean / "out")[: len(results)]

    scene.ok(scene.arguments(folder), folder)
    assert listing(folder) == listing(scene.clean)
    assert contents(folder) == new  # of a run: every result exactly once, those of before the kill too


def test_each_result_is_written_as_soon_as_it_is_there(scenes: dict[str, Scene]) -> None:
    """So that a kill loses at most the measurement in progress."""
    seen = {results for _, results in scenes["run"].whole.writes}
    assert seen >= {2, 3, 4, 5}


@pytest.mark.parametrize("number", range(2))
def test_a_killed_download_is_completed(number: int, served: str, commands: Commands, tmp_path: Path) -> None:
    """The part that has arrived may stay until the next call, which completes it; nothing looks whole that is not."""
    source = (served, hashlib.sha256(CONTENT).hexdigest())
    whole = commands.run(*source, below=tmp_path / "whole", cache=tmp_path / "whole", fetch=True)
    assert whole.code == 0, whole.printed
    rng, cache = random.Random(f"{SEED}/download/{number}"), tmp_path / "cache"
    moment = {"at": rng.randint(1, len(whole.writes)), "delay": rng.choice((0.0, 0.001, 0.01))}
    commands.run(*source, below=cache, cache=cache, fetch=True, **moment)
    for path in cache.rglob("file.txt"):
        if "downloads" not in path.parts:
            assert path.stat().st_size == len(CONTENT)
    again = commands.run(*source, below=cache, cache=cache, fetch=True)
    assert again.code == 0, again.printed
    assert listing(cache) == listing(tmp_path / "whole")
