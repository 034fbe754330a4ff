"""The notebooks of the documentation run from the first cell to the last, and say what they said when written."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    """What every cell printed or returned; warnings on stderr depend on the machine, as does how prints are cut."""
    return [
        "".join(
            o["text"] if o.output_type == "stream" else o["data"].get("text/plain", "")
            for o in c.outputs
            if o.output_type != "stream" or o.name == "stdout"
        )
        for c in notebook.cells
        if c.cell_type == "code"
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebook(path, tmp_path):
    if path.stem == "debiasing" and not (
        find_spec("concept_erasure") and Path(os.environ.get("WEFE_PYTHON", "")).is_file()
    ):
        pytest.skip(
            "needs concept-erasure, and WEFE in an environment that WEFE_PYTHON names: make test-nightly"
        )
    written = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    patience = {"timeout": 900, "startup_timeout": 900, "iopub_timeout": 900}
    NotebookClient(
        run, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}, **patience
    ).execute()
    assert printed(run) == printed(written)


def test_these_are_the_notebooks():
    assert [p.stem for p in NOTEBOOKS] == ["debiasing", "levels", "modules_and_data", "questions"]
