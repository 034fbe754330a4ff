"""Other people's packages, each run in an environment of its own, on the same inputs as ours."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def run_peer(
    script: str, requirements: list[str], payload: dict[str, Any], alone: Sequence[str] = ()
) -> dict[str, Any]:
    """Run ``benchmarks/peers/<script>`` with ``requirements`` installed, JSON in, JSON out.

    The environment is made once under ``build/peers`` and kept. Packages of ``alone`` are installed without what they
    require, where that is out of date or far larger than what is measured.
    """
    folder = ROOT / "build" / "peers" / Path(script).stem
    python = folder / "bin" / "python"
    stamp = folder / "requirements.txt"
    wanted = "\n".join([*requirements, *(f"{name} alone" for name in alone)])
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"installing {', '.join(requirements)} into an environment of their own", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *requirements], check=True)
        if alone:
            subprocess.run([*install, "--no-deps", *alone], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    with tempfile.TemporaryDirectory() as tmp:
        given, answer = Path(tmp) / "in.json", Path(tmp) / "out.json"
        given.write_text(json.dumps(payload), encoding="utf-8")
        subprocess.run([python, Path(__file__).parent / script, given, answer], check=True)
        return json.loads(answer.read_text(encoding="utf-8"))
