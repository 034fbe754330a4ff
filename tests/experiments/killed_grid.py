"""Runs grids in forks of a process that has imported everything, and kills them at a moment.

Started with ``python -m tests.experiments.killed_grid FILES``; for each line of JSON ``{"out": …, "after": …}`` it
forks a child that runs the tiny grid into ``out`` and kills it after so many seconds (0: lets it end). It answers with
a line: the exit status and the seconds it took.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path


def _serve(files: Path) -> None:
    import torch

    from evaluate_bias.experiments.plan import make_plan
    from evaluate_bias.experiments.run import run_grid
    from tests.experiments.toy_grid import tiny_grid

    torch.set_num_threads(1)  # threads of the parent would not be there in a fork
    names = ("crows_pairs", "pll", "aula")
    plan = make_plan(tiny_grid(files, models=["first.txt", "masked-0"], exclude=[{"method": "aul"}]))
    assert {u.method for u in plan.units if u.model == "masked-0"} == set(names)
    with tempfile.TemporaryDirectory() as folder:  # here once, so that no child imports anything
        run_grid(plan, folder)
    print("ready", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        start = time.monotonic()
        child = os.fork()
        if not child:
            code = 1
            try:
                run_grid(plan, request["out"])
                code = 0
            finally:
                os._exit(code)
        if request["after"]:
            time.sleep(request["after"])
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(json.dumps([os.waitstatus_to_exitcode(status), time.monotonic() - start]), flush=True)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
