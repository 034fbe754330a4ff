"""Files of public repositories at pinned commits, read from clones without a checkout."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.ledger.r_data import read_r

ROOT = Path(__file__).resolve().parents[2]


class Repository:
    """One commit of a clone in a folder of clones; the clone may be bare."""

    def __init__(self, folder: Path, name: str, commit: str) -> None:
        owner, _, short = name.partition("/")
        places = [folder / f"{owner}+{short}" / "repo", folder / owner / short, folder / short]
        self.path = next((p for p in places if p.is_dir()), None)
        self.commit = commit

    def content(self, path: str) -> bytes:
        if self.path is None:
            raise FileNotFoundError(path)
        shown = subprocess.run(
            ["git", "-C", str(self.path), "show", f"{self.commit}:{path}"], capture_output=True, check=True
        )
        return shown.stdout

    def text(self, path: str) -> str:
        return self.content(path).decode("utf-8")

    def csv_rows(self, path: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.text(path))))

    def json_file(self, path: str) -> Any:
        return json.loads(self.content(path))

    def json_lines(self, path: str) -> list[Any]:
        return [json.loads(line) for line in self.content(path).splitlines()]

    def r_objects(self, path: str) -> dict[str, Any]:
        return read_r(self.content(path))


def golden(name: str) -> Any:
    """Return printed numbers that stand beside the tests already."""
    return json.loads((ROOT / "tests" / "golden" / f"{name}.json").read_text(encoding="utf-8"))
