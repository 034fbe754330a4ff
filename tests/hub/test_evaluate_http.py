"""The WEAT module through ``evaluate``: from the Hub over HTTP, from the package, from a checkout.

One process exercises every feature of ``evaluate`` that users of the modules rely on, so that a new version which
breaks one is seen here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

# As in an installation without the extra for language models; evaluate is also imported in a fifth of the time.
BARE = ("transformers",)
REPO = Path(__file__).resolve().parents[2]
VECTORS = {
    "rose": [1.0, 0.2, 0.1],
    "daisy": [0.8, 0.1, 0.3],
    "lily": [0.9, 0.4, 0.0],
    "ant": [0.1, 1.0, 0.2],
    "wasp": [0.3, 0.7, 0.1],
    "moth": [0.6, 0.5, 0.4],
    "good": [1.0, 0.1, 0.5],
    "nice": [0.9, 0.3, 0.2],
    "bad": [0.2, 0.9, 0.4],
    "vile": [0.1, 0.8, 0.1],
}
LISTS = {
    "targets_x": ["rose", "daisy", "lily"],
    "targets_y": ["ant", "wasp", "moth"],
    "attributes_a": ["good", "nice"],
    "attributes_b": ["bad", "vile"],
}
TURNED = {**LISTS, "targets_x": LISTS["targets_y"], "targets_y": LISTS["targets_x"]}
SMALL = {**LISTS, "targets_x": ["rose", "moth"], "targets_y": ["ant", "wasp"]}
ROWS = [{"name": "straight", **LISTS}, {"name": "turned", **TURNED}, {"name": "small", **SMALL}]

SETUP = f"""
import json, os
from pathlib import Path
import evaluate
import evaluate_bias

VECTORS, ROWS = {VECTORS!r}, {ROWS!r}
OPTIONS = dict(model=VECTORS, ci_resamples=200, seed=3)

def columns(*rows):
    return {{name: [row[name] for row in rows] for name in rows[0]}}

def error(call):
    try:
        return repr(call())
    except Exception as problem:
        return type(problem).__name__ + ": " + str(problem)
"""

FEATURES = """
module = evaluate.load("bias/weat")
answers = {
    "hub": module.compute(**columns(*ROWS), **OPTIONS),
    "package": evaluate_bias.load("weat").compute(**columns(*ROWS), **OPTIONS),
}
empty = os.getcwd()
os.chdir(REPO)
answers["checkout"] = evaluate.load("metrics/weat").compute(**columns(*ROWS), **OPTIONS)
os.chdir(empty)

module.add(**ROWS[0])
module.add_batch(**columns(ROWS[1], ROWS[2]))
answers["stored"] = len(module)
answers["added"] = module.compute(**OPTIONS)
in_memory = evaluate.load("bias/weat", keep_in_memory=True)
in_memory.add_batch(**columns(ROWS[0]))
answers["in memory"] = in_memory.compute(**columns(ROWS[1], ROWS[2]), **OPTIONS)

first, second = evaluate.load("bias/weat"), evaluate.load("bias/weat")
first.add_batch(**columns(ROWS[0]))
second.add_batch(**columns(ROWS[1]))
answers["second"] = second.compute(**OPTIONS)
answers["first"] = first.compute(**OPTIONS)

module.add_batch(**columns(ROWS[0]))
answers["left over"] = module.compute(**columns(ROWS[2]), **OPTIONS)["settings"]["tests"]
answers["afterwards"] = module.compute(**columns(ROWS[2]), **OPTIONS)["settings"]["tests"]

answers["errors"] = {
    "no rows": error(lambda: evaluate.load("bias/weat").compute(**OPTIONS)),
    "no model": error(lambda: module.compute(**columns(ROWS[0]))),
    "misspelt": error(lambda: module.compute(**columns(ROWS[0]), model=VECTORS, ddfo=0)),
    "column left out": error(lambda: module.compute(name=["a"], targets_x=[["rose"]], model=VECTORS)),
}
answers["after errors"] = evaluate.load("bias/weat").compute(**columns(*ROWS), **OPTIONS)

both = evaluate.combine({"one": evaluate.load("bias/weat"), "two": evaluate_bias.load("weat")})
answers["combined"] = both.compute(**columns(*ROWS), **OPTIONS, ddof=0)
answers["ddof"] = module.compute(**columns(*ROWS), **OPTIONS, ddof=0)
both.add_batch(**columns(ROWS[0]))
both.add(**ROWS[1])
answers["combined, added"] = both.compute(**OPTIONS)["two_settings"]["tests"]

path = evaluate.save("results", **answers["hub"], note="kept")
answers["saved"] = json.loads(Path(path).read_text())
answers["class"] = [type(module).__name__, module.name, module.module_type, module._hash]
answers["described"] = [module.description.split()[:3], module.citation[:8], "targets_x" in module.inputs_description]
answers["docstring"] = "targets_x" in module.compute.__doc__
answer(answers)
"""


def publish(hub: LoopbackHub) -> None:
    folder = REPO / "metrics" / "weat"
    hub.add_repo("space", "bias/weat", {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()})


def numbers(result: dict[str, Any]) -> dict[str, Any]:
    """Return everything but the identity of data and module."""
    return {k: v for k, v in result.items() if k != "provenance"}


@pytest.fixture(scope="module")
def hub():
    with LoopbackHub() as server:
        publish(server)
        yield server


@pytest.fixture(scope="module")
def features(hub, tmp_path_factory):
    """What a fresh process with a fresh cache in an empty folder got."""
    hub.requests.clear()
    code = SETUP + f"REPO = {str(REPO)!r}\n" + FEATURES
    work = tmp_path_factory.mktemp("work")
    answers: dict[str, Any] = run_python(code, hub.env(), work, without=BARE)
    answers["requests"] = [(r.method, r.path, r.status) for r in hub.requests]
    return answers


@pytest.fixture(scope="module")
def expected():
    options = {"ci_resamples": 200, "seed": 3}
    return numbers(evaluate_bias.measure("weat", VECTORS, data=ROWS, **options).to_flat_dict())


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("source", ["hub", "package", "checkout", "added", "in memory", "after errors"])
def test_same_numbers_as_the_library(features, expected, source):
    assert numbers(features[source]) == expected


def test_only_the_script_is_fetched(features, hub):
    paths = ["/spaces/bias/weat/resolve/v0.4.6/weat.py", "/spaces/bias/weat/resolve/main/weat.py"]
    assert features["requests"][:3] == [
        ("HEAD", paths[0], 404),
        ("HEAD", paths[1], 200),
        ("GET", paths[1], 200),
    ]
    assert {path for _, path, _ in features["requests"]} == set(paths)
    assert [method for method, _, _ in features["requests"]].count("GET") == 1
    assert hub.outside == []


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ("no rows", "InputError: no row was given: weat needs name, targets_x, "),
        ("no model", "(Input|Capability)Error: weat needs"),
        ("misspelt", "InputError: weat has no column or option 'ddfo'"),
        ("column left out", "InputError: the columns .* got no targets_y, attributes_a, attributes_b"),
    ],
)
def test_errors(features, case, text):
    assert re.match(text, features["errors"][case])


@pytest.mark.nightly
def test_failures_of_the_hub(tmp_path):
    """A cut download leaves nothing behind; a module that was loaded once survives an outage; a new one cannot."""
    script = {"weat.py": (REPO / "metrics" / "weat" / "weat.py").read_bytes()}
    requests_of_a_load = 3
    code = (
        SETUP
        + """
answer({
    org: [error(lambda: evaluate.load(org + "/weat").name) for _ in range(2)]
    for org in ("cut", "broken", "gone", "down", "never")
})
"""
    )
    with LoopbackHub() as hub:
        for org in ("cut", "broken", "gone", "down", "never"):
            hub.add_repo("space", f"{org}/weat", script)
        hub.fault("cut/weat", method="GET", truncate=True, times=1)
        hub.fault("broken/weat", status=500, after=requests_of_a_load)
        hub.fault("gone/weat", status=404, after=requests_of_a_load)
        hub.fault("down/weat", drop=True, after=requests_of_a_load)
        hub.fault("never/weat", status=500)
        answers = run_python(code, hub.env(), tmp_path, without=BARE)
    assert answers["cut"][0].startswith("ChunkedEncodingError")
    assert answers["cut"][1] == "'weat'"
    for org in ("broken", "gone", "down"):
        assert answers[org] == ["'weat'", "'weat'"]
    for text in answers["never"]:
        assert text.startswith("FileNotFoundError: Couldn't find a module script")
