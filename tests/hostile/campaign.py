"""Makes the bad calls: a process that imports everything once and forks workers, each watched by a deadline.

``python -m tests.hostile.campaign calls|cards OUT [FACTOR [PART]]`` writes one line of JSON per call to the file OUT.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

__all__ = ["DEADLINE", "MEMORY", "Verdict", "campaign", "run_suite", "shown"]

ROOT = Path(__file__).parents[2]
WORKERS = 2
DEADLINE = float(os.environ.get("HOSTILE_DEADLINE", 300))
"""Seconds within which every call must end."""
MEMORY = 4_000_000_000
"""Bytes that no call may use."""

_FORK = multiprocessing.get_context("fork")


@dataclass
class Verdict:
    """What became of a call: what is wrong with it (empty: nothing), a result or an error, seconds by
    the clock and of the processor, most bytes held."""

    key: str
    said: str
    fault: str
    outcome: str
    seconds: float
    work: float
    peak: int


def _peak() -> int:
    """The most memory that this process has held since the last reset."""
    text = Path("/proc/self/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) * 1024


def _work(line: Connection, make: Any) -> None:
    """Make the calls that come down the line until it ends."""
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, held + MEMORY))
    os.environ["HF_HOME"] = os.environ["HF_HOME"] + f"-{os.getpid()}"
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    while (key := line.recv()) is not None:
        Path("/proc/self/clear_refs").write_text("5")
        started, busy = time.monotonic(), time.process_time()
        said, fault, outcome = make(key)
        seconds, work, peak = time.monotonic() - started, time.process_time() - busy, _peak()
        if peak > MEMORY:
            fault = fault or f"{peak / 1e9:.1f} GB"
        line.send(Verdict(key, said, fault, outcome, seconds, work, peak))


@dataclass
class _Worker:
    process: Any
    line: Connection
    key: str = ""
    since: float = 0.0


def _hire(make: Any) -> _Worker:
    ours, theirs = _FORK.Pipe()
    process = _FORK.Process(target=_work, args=(theirs, make), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def campaign(keys: list[str], make: Any, say: Any, deadline: float = DEADLINE) -> Iterator[Verdict]:
    """Make every call in one of a few workers; a worker that hangs or dies is replaced, and its call has failed.

    Args:
        keys: the calls.
        make: makes one and returns what it was and what is wrong.
        say: what a key that got no answer says of itself.
        deadline: seconds.
    """
    waiting = keys[::-1]
    workers = [_hire(make) for _ in range(WORKERS)]
    while workers:
        for worker in list(workers):
            if not worker.key and waiting:
                worker.key, worker.since = waiting.pop(), time.monotonic()
                worker.line.send(worker.key)
            elif not worker.key:
                worker.line.send(None)
                worker.process.join()
                workers.remove(worker)
        ready = wait([w.line for w in workers], timeout=0.5) if workers else []
        for worker in list(workers):
            fault, took = "", time.monotonic() - worker.since
            if worker.line in ready:
                try:
                    yield worker.line.recv()
                    worker.key = ""
                    continue
                except EOFError:
                    worker.process.join()
                    fault = f"the process died with code {worker.process.exitcode}"
            elif worker.key and took > deadline:
                fault = f"no answer within {deadline:g} seconds"
            if fault:
                worker.process.kill()
                worker.process.join()
                yield Verdict(worker.key, say(worker.key), fault, "none", took, took, 0)
                workers.remove(worker)
                workers.append(_hire(make))


def run_suite(suite: str, folder: Path) -> list[Verdict]:
    """Make all calls of a suite from a process of its own, which imports everything anew."""
    env = {
        **os.environ,
        "TMPDIR": str(folder),
        "HF_HOME": str(folder / "hf"),
        "EVALUATE_BIAS_CACHE": str(folder / "cache"),
        "EVALUATE_BIAS_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }
    out = folder / "verdicts.jsonl"
    command = [sys.executable, "-m", "tests.hostile.campaign", suite, str(out)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return [Verdict(**json.loads(line)) for line in out.read_text(encoding="utf-8").splitlines()]


def shown(failed: list[Verdict]) -> str:
    """Failed calls for people, a line each."""
    return f"{len(failed)} calls break the contract\n" + "\n".join(
        f"  {v.key}  ({v.said})  {v.fault}  [{v.seconds:.1f} s]" for v in failed
    )


def main(suite: str, out: str, factor: float = 1.0, part: str = "") -> None:
    """Make all calls of a suite, or those whose key holds a part, and write the verdicts."""
    import torch

    from tests.hostile import calls

    torch.set_num_threads(1)
    if suite == "calls":
        calls.tiny("masked"), calls.tiny("causal")  # before the workers are forked, for all of them
    made = importlib.import_module(f"tests.hostile.{suite}")
    asked = [key for key in made.keys(factor) if part in key]
    with Path(out).open("w", encoding="utf-8") as file:
        for verdict in campaign(asked, made.perform, made.said):
            file.write(f"{json.dumps(asdict(verdict))}\n")
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(float, sys.argv[3:4]), *sys.argv[4:5])
