"""Every extra works alone: its modules need nothing but what the extra and the library itself declare."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OWN = ("vectors", "models", "gguf", "ray", "space", "endpoint", "inspect", "excel", "vader")

# Imports modules, or every one of the library, where the named packages cannot be found.
CODE = """
import importlib, pkgutil, sys
from importlib.machinery import PathFinder
hidden, failed = set(sys.argv[1].split(",")), []

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
import evaluate_bias
there = pkgutil.walk_packages(evaluate_bias.__path__, "evaluate_bias.", onerror=lambda name: None)
for name in sys.argv[2:] or (module.name for module in there):
    if name.endswith("__main__"):
        continue
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] not in hidden:
            raise
        failed.append(name)
print("FAILED", *failed)
"""


def packages(extra: str) -> set[str]:
    """What an extra installs, with the extras that it names."""
    found = set()
    for requirement in map(Requirement, EXTRAS[extra]):
        if requirement.name == PROJECT["name"]:
            found |= set().union(*(packages(other) for other in requirement.extras))
        else:
            found.add(requirement.name.replace("-", "_"))
    return found


def not_importable(shown: set[str], *modules: str) -> set[str]:
    hidden = set().union(*(packages(extra) for extra in OWN)) - shown
    done = subprocess.run(
        [sys.executable, "-c", CODE, ",".join(sorted(hidden)), *modules],
        capture_output=True, text=True, check=False, env=dict(os.environ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("FAILED"))
    return set(line.split()[1:])


@pytest.mark.nightly
def test_every_module_is_imported_with_the_library_or_one_extra_alone():
    bare = not_importable(set())
    # The library itself is whole without an extra: what is left are rooms that one extra opens.
    rooms = {name.split(".")[1] for name in bare}
    assert rooms <= {"models", "ui", "integrations"}, sorted(bare)
    left = set(bare)
    for extra in ("space", "models", "ray", "inspect", "endpoint"):
        if left:
            left = not_importable(packages(extra), *sorted(left))
    assert left == set()


def test_all_has_every_extra():
    assert {*OWN, "mcp", "serving"} == set(EXTRAS) - {"all"}
    assert packages("all") >= set().union(*(packages(extra) for extra in OWN))


def test_modules_that_ask_no_language_model_install_no_torch():
    wanted = {
        path.parent.name: path.read_text(encoding="utf-8").partition("[")[2].partition("]")[0]
        for path in ROOT.glob("metrics/*/requirements.txt")
    }
    assert {name for name, extras in wanted.items() if extras == "space"} == {
        "frequency_bias", "metric_compatibility", "pmi_bias", "tpr_gap",
    }  # fmt: skip
    assert wanted["frequency_sensitivity"] == wanted["weat"] == "vectors,space"
    assert wanted["seat"] == wanted["crows_pairs"] == wanted["seed_sensitivity"] == "models,space"
