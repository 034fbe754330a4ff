"""The package and the command must stay light: what they may not import is checked, not a time."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "numpy",
    "scipy",
    "pandas",
    "torch",
    "transformers",
    "evaluate",
    "datasets",
    "gradio",
    "matplotlib",
    "gensim",
    "pydantic",
    "huggingface_hub",
    "pyarrow",
}


def imported_by(code: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name.partition(".")[0] for name in out.splitlines()[-1].split()}


@pytest.mark.parametrize(
    "code",
    [
        "import evaluate_bias",
        "import evaluate_bias.cli.main",
        "import evaluate_bias.registry",
        "import sys, evaluate_bias.cli.main as c\nsys.argv = ['evaluate-bias', '--help']\n"
        "try:\n    c.main()\nexcept SystemExit:\n    pass",
    ],
)
def test_light(code):
    assert not imported_by(code) & HEAVY


def test_public_names_are_all_there():
    code = (
        "import evaluate_bias as e\nfor n in e.__all__: getattr(e, n)\nassert set(dir(e)) >= set(e.__all__)"
    )
    assert "evaluate_bias" in imported_by(code)
