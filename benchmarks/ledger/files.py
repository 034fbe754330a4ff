"""Files of public repositories at pinned commits, read from clones without a checkout."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from benchmarks.ledger.r_data import read_r
from evaluate_bias.registry import get_method

ROOT = Path(__file__).resolve().parents[2]


def readers(folder: Path, name: str, commit: str) -> dict[str, Callable[[str], Any]]:
    """Return functions that read a file of a commit, by name, none if the folder has no clone of the repository.

    The clone may be bare. It is FOLDER/OWNER/NAME, FOLDER/OWNER+NAME/repo or FOLDER/NAME.
    """
    owner, _, short = name.partition("/")
    places = [folder / owner / short, folder / f"{owner}+{short}" / "repo", folder / short]
    clone = next((p for p in places if p.is_dir()), None)
    if clone is None:
        return {}

    def content(path: str) -> bytes:
        command = ["git", "-C", str(clone), "show", f"{commit}:{path}"]
        found = subprocess.run(command, capture_output=True)
        if found.returncode:
            raise FileNotFoundError(f"{clone} has no {path} at commit {commit[:12]}: clone {name} anew")
        return found.stdout

    def text(path: str) -> str:
        return content(path).decode("utf-8")

    return {
        "text": text,
        "csv_rows": lambda path, encoding="utf-8", delimiter=",": list(
            csv.DictReader(io.StringIO(content(path).decode(encoding)), delimiter=delimiter)
        ),
        "json_file": lambda path: json.loads(content(path)),
        "json_lines": lambda path: [json.loads(line) for line in content(path).splitlines()],
        "r_objects": lambda path: read_r(content(path)),
    }


def golden(name: str) -> Any:
    """Return printed numbers that the tests of a method check already."""
    text = (resources.files(get_method(name).package) / "golden.json").read_text(encoding="utf-8")
    return json.loads(text)["checks"]
