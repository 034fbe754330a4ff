"""Several methods as an EvaluationSuite: loaded by evaluate without a network, run on one model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evaluate_bias import measure
from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.integrations.suite import BiasSuite, write_suite
from evaluate_bias.models.load import load_model
from tests.support.processes import run_python
from tests.ui.conftest import stand_in_vectors

METHODS = {"weat": {"language": "en", "tests": ["weat7"], "seed": 3}, "mac": {}}


def test_it_gives_what_the_methods_give() -> None:
    vectors = load_model(stand_in_vectors(), case="lower", name="stand-in")
    suite = BiasSuite("x", METHODS)
    found = suite.run(vectors)
    assert [f["task_name"] for f in found] == ["weat", "mac"]
    own = measure("weat", vectors, **METHODS["weat"])
    assert found[0]["weat"] == own.score == suite.results[0].score
    assert found[0]["items"] == own.items
    assert found[1]["data_preprocessor"] is None
    assert "weat7" in repr(suite)


def test_evaluate_loads_a_written_suite_offline(tmp_path: Path) -> None:
    path = write_suite(
        {"weat": {"language": "en", "tests": ["weat7"]}}, tmp_path / "bias_suite" / "bias_suite.py"
    )
    code = f"""
import evaluate
from tests.ui.conftest import stand_in_vectors
suite = evaluate.EvaluationSuite.load({str(path)!r})
found = suite.run(stand_in_vectors())
answer([suite.name, isinstance(suite, evaluate.EvaluationSuite), found[0]["task_name"], len(found[0]["items"])])
"""
    root = Path(__file__).parents[2]
    env = {
        **os.environ,
        "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}",
        "HF_HOME": str(tmp_path / "home"),
        "HF_EVALUATE_OFFLINE": "1",
        "HF_HUB_OFFLINE": "1",
    }
    assert run_python(code, env, tmp_path) == ["bias_suite", True, "weat", 1]


def test_what_cannot_be_a_suite_is_refused(tmp_path: Path) -> None:
    for methods, error, message in (
        ((), InputError, "at least one method"),
        (["waet"], UnknownNameError, "weat"),
        ({"weat": {"languag": "en"}}, InputError, "languag"),
        ({"weat": {"source": Path("lists.json")}}, InputError, "must be texts, numbers, lists"),
    ):
        with pytest.raises(error, match=message):
            write_suite(methods, tmp_path / "suite.py")
    with pytest.raises(InputError, match=r"must end in \.py"):
        write_suite(["weat"], tmp_path / "suite")
