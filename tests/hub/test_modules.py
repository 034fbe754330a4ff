"""Where the evaluate modules are, and loading them with no network."""

import doctest
import importlib.util
import inspect

import pytest

from evaluate_bias import paths
from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.hub import modules
from evaluate_bias.registry import METHODS
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.refusals import refused
from tests.support.toy_module import write_toy


def test_an_installed_package_uses_the_bundled_folder(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "evaluate_bias"
    (package / "_metrics").mkdir(parents=True)
    monkeypatch.setattr(paths, "__file__", str(package / "paths.py"))
    assert modules.modules_dir() == package / "_metrics"


@pytest.mark.parametrize("name", ["weat", "WEAT", " Weat "])
def test_path_of_a_module(name):
    assert modules.module_path(name) == modules.modules_dir() / "weat"


@pytest.mark.parametrize("call", [modules.module_path, modules.load])
def test_unknown_module(call):
    refused(UnknownNameError, r"unknown evaluate module 'waet'; did you mean 'weat'", call, "waet")
    refused(UnknownNameError, "", call, "../metrics/weat")


def test_an_option_evaluate_would_swallow_is_refused():
    refused(InputError, r"no option 'ddof'.*keep_in_memory", modules.load, "weat", ddof=0)


@pytest.mark.nightly
def test_loading_makes_no_request_and_needs_no_folder(tmp_path):
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


@pytest.mark.parametrize("name", sorted(METHODS))
def test_evaluates_own_test_of_loading_passes(name):
    """What its ``test_load`` asks: no ``**kwargs`` in ``_compute``, and a doctest of more than one example."""
    spec = importlib.util.spec_from_file_location(name, modules.module_path(name) / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    metric = next(
        value for key, value in vars(module).items() if key.replace("_", "").lower() == name.replace("_", "")
    )
    parameters = inspect.signature(metric()._compute).parameters
    assert all(p.kind != p.VAR_KEYWORD for p in parameters.values())
    assert {*METHODS[name].columns, *METHODS[name].options()} <= parameters.keys()
    info = metric()._info()
    assert info.homepage == METHODS[name].url
    assert info.license == "apache-2.0"
    examples = doctest.DocTestFinder().find(module, name)[0].examples
    assert len(examples) > 1
    if name in ("weat", "crows_pairs", "bbq"):  # the others run their cases in test_metrics
        assert doctest.testmod(module).failed == 0
