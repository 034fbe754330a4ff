"""Where the evaluate modules are, and loading them with no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate_bias import paths
from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.hub import modules
from evaluate_bias.registry import METHODS
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.toy_module import write_toy

REPO = Path(__file__).resolve().parents[2]


def test_a_checkout_uses_its_metrics_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "__file__", str(REPO / "src" / "evaluate_bias" / "paths.py"))
    assert modules.modules_dir() == REPO / "metrics"


def test_an_installed_package_uses_the_bundled_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "site-packages" / "evaluate_bias"
    (package / "_metrics").mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    assert modules.modules_dir() == package / "_metrics"


def test_there_is_one_module_a_method() -> None:
    assert modules.module_names() == sorted(METHODS)


def test_names_are_folders_with_a_script_of_their_name(tmp_path: Path) -> None:
    write_toy(tmp_path, 1)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "other.py").touch()
    (tmp_path / "note.py").touch()
    assert modules.module_names(tmp_path) == ["toy"]
    assert modules.module_names(tmp_path / "nowhere") == []


@pytest.mark.parametrize("name", ["weat", "WEAT", " Weat "])
def test_path_of_a_module(name: str) -> None:
    assert modules.module_path(name) == modules.modules_dir() / "weat"


@pytest.mark.parametrize("call", [modules.module_path, modules.load])
def test_unknown_module(call: object) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown evaluate module 'waet': did you mean 'weat'"):
        call("waet")  # type: ignore[operator]
    with pytest.raises(UnknownNameError):
        call("../metrics/weat")  # type: ignore[operator]


def test_an_option_evaluate_would_swallow_is_refused() -> None:
    with pytest.raises(InputError, match=r"no option 'ddof'.*keep_in_memory.*given to compute\(\)"):
        modules.load("weat", ddof=0)


@pytest.mark.slow
def test_loading_makes_no_request_and_needs_no_folder(tmp_path: Path) -> None:
    write_toy(tmp_path / "mine", 1)
    work = tmp_path / "empty"
    work.mkdir()
    code = f"""
    import os
    from pathlib import Path
    import evaluate_bias
    toy = evaluate_bias.load("toy", root=Path({str(tmp_path / "mine")!r}))
    spelled = evaluate_bias.load("WEAT", keep_in_memory=True, experiment_id="e1")
    answer({{
        "toy": toy.compute(value=[1.0, 2.0], power=2),
        "weat": [spelled.name, spelled.keep_in_memory, spelled.experiment_id, sorted(spelled.features)],
        "left": os.listdir(),
    }})
    """
    with LoopbackHub() as hub:
        answers = run_python(code, hub.env(), work, without=("transformers",))
    assert answers["toy"] == {"toy": 90.0, "version": 1}
    assert answers["weat"] == ["weat", True, "e1", sorted(METHODS["weat"].columns)]
    assert answers["left"] == []
    assert hub.requests == []
    assert hub.outside == []
