"""The wheel, installed in a fresh environment, is all a user needs: modules, word lists and the command.

Extras are tried alone, all together, and in the combinations that modules and Spaces ask for, in environments that hold
nothing but what the metadata say, linked from this one. Other versions of Python, where one is found, install the
wheel from the registry, without an extra: torch for each would take gigabytes. A server of one's own (``serving``) is
only imported, because starting one takes a model of its own and a minute; it is run by the tests of endpoints.
"""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import evaluate_bias
from evaluate_bias.data import load_word_lists
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.hub.modules import module_names
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

REPO = Path(__file__).resolve().parents[2]
BARE = ("transformers",)
CLOUD = {"169.254.169.254", "metadata.google.internal"}
"""Addresses inside a cloud, which Ray asks whether it stands in one."""

pytestmark = pytest.mark.nightly


@pytest.fixture
def hub():
    """Counts requests: there must be none."""
    with LoopbackHub() as server:
        yield server
    assert server.requests == []
    assert set(server.outside) <= CLOUD


@pytest.fixture
def env(hub):
    return {name: value for name, value in hub.env().items() if name != "PYTHONPATH"}


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def run_command(python: Path, arguments: list[str], env: dict[str, str], work: Path) -> str:
    command = [str(python.parent / "evaluate-bias"), *arguments]
    done = subprocess.run(
        command, env=env, cwd=work, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def toy_vectors() -> dict[str, list[float]]:
    """Return a vector for every word of the English tests 7 and 8, from the letters of the word."""
    tests = load_word_lists(language="en", tests=["weat7", "weat8"])
    words = {w for t in tests for w in (*t.targets_x, *t.targets_y, *t.attributes_a, *t.attributes_b)}
    return {w: [float(len(w)), float(sum(map(ord, w)) % 97), float(ord(w[-1]) % 13)] for w in sorted(words)}


def test_contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(info))
        scripts = archive.read(info.replace("METADATA", "entry_points.txt")).decode()
    packed = {"metrics": "evaluate_bias/_metrics", "src/evaluate_bias": "evaluate_bias"}
    for folder, place in packed.items():
        files = [p.relative_to(REPO / folder) for p in (REPO / folder).rglob("*") if p.is_file()]
        expected = {f"{place}/{file.as_posix()}" for file in files if "__pycache__" not in file.parts}
        assert expected - names == set()
    assert {f"evaluate_bias/_metrics/{m}/{m}.py" for m in module_names()} <= names
    assert "evaluate_bias/py.typed" in names
    licences = {
        "LICENSE",
        "NOTICE",
        *(f"src/evaluate_bias/data/licences/{n}.txt" for n in ("mit", "cc-by-4.0")),
    }
    assert {n.partition(".dist-info/licenses/")[2] for n in names if ".dist-info/licenses/" in n} == licences
    assert metadata["License-Expression"] == "Apache-2.0 AND CC-BY-4.0 AND MIT"
    assert not any("__pycache__" in name or name.startswith("tests/") for name in names)
    assert metadata["Version"] == evaluate_bias.__version__
    assert "evaluate-bias = evaluate_bias.cli.main:main" in scripts


def test_the_source_archive_is_enough_to_build_and_to_test(wheel, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path), "-t"]
    subprocess.run([*build, "sdist"], cwd=REPO, check=True, capture_output=True, timeout=900)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    unpacked = tmp_path / archive.name.removesuffix(".tar.gz")
    wanted = "conftest.py Makefile mkdocs.yml constraints.txt NOTICE benchmarks tests spaces datasets_scripts"
    assert [name for name in wanted.split() if not (unpacked / name).exists()] == []
    subprocess.run([*build, "wheel"], cwd=unpacked, check=True, capture_output=True, timeout=900)
    (rebuilt,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(rebuilt) as second, zipfile.ZipFile(wheel) as first:
        content = [
            {i.filename: i.CRC for i in z.infolist() if "RECORD" not in i.filename} for z in (first, second)
        ]
    assert content[0] == content[1]
    some = ("tests/data/test_licensing.py", "tests/test_registry.py", "tests/hub/test_extras.py")
    env = {**os.environ, "PYTHONPATH": f"{unpacked / 'src'}{os.pathsep}{unpacked}"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *some]
    tried = subprocess.run(
        command, cwd=unpacked, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert tried.returncode == 0, tried.stdout
    place = [sys.executable, "-c", "import evaluate_bias; print(evaluate_bias.__file__)"]
    found = subprocess.run(place, cwd=unpacked, env=env, capture_output=True, text=True, check=True).stdout
    assert Path(found.strip()).is_relative_to(unpacked)


# What works with an extra and nothing else, as code that ends in answer(True).
WITH = {
    "": """
from evaluate_bias.errors import BiasError
from evaluate_bias.models.load import load_model
said = []
for spec in ("demo-mlm-en", "endpoint:http://127.0.0.1:9/v1#m"):
    try:
        load_model(spec)
    except BiasError as error:
        said.append(str(error))
answer(["[models]" in said[0], "[endpoint]" in said[1]] == [True, True])
""",
    "vectors": """
import numpy as np
from gensim.models import KeyedVectors
from evaluate_bias.models.load import load_model
vectors = KeyedVectors(2)
vectors.add_vectors(["a", "b"], np.eye(2))
answer("a" in load_model(vectors))
""",
    "models": """
import evaluate_bias as eb
model = eb.load_model("demo-mlm-en", device_map="auto")
answer(eb.measure("aul", model, limit=5).n > 0)
""",
    "gguf": "import gguf, torch, transformers; answer(True)",
    "ray": """
import os
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
import ray
from evaluate_bias.integrations.ray import RayExecutor
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
total = RayExecutor().submit(sum, [1, 2]).result()
ray.shutdown()
answer(total == 3)
""",
    "space": "from evaluate_bias.ui import module_page; answer(module_page('weat') is not None)",
    "endpoint": """
import openai
from evaluate_bias.errors import ModelError
from evaluate_bias.models.load import load_model
try:
    load_model("endpoint:http://127.0.0.1:9/v1#m")
except ModelError as error:
    answer("127.0.0.1:9" in str(error))
""",
    "serving": "import fastapi, uvicorn, transformers.cli.serve; answer(True)",
    "all": """
from evaluate_bias.hub.doctor import check_packages
import numpy, scipy, pandas, pyarrow, torch
answer([f.text for f in check_packages() if f.status != "ok"] == [])
""",
}
for both in ("gguf,models", "models", "vectors"):
    alone = WITH[both.partition(",")[0]]
    WITH[",".join(sorted([*both.split(","), "space"]))] = (
        f"{WITH['space'].replace('answer', 'assert ')}\n{alone}"
    )
HOLDS = {
    "": set(), "models": {"torch"}, "gguf": {"torch", "gguf"}, "vectors": {"gensim"}, "space": {"gradio"},
    "ray": {"ray"}, "endpoint": {"openai"}, "serving": {"torch", "openai"},
}  # fmt: skip
"""Which of the large packages each extra installs."""


def closure(requirements: Iterable[str], extra: str) -> set[str]:
    """Every distribution that these requirements install, with extras between commas."""
    found: set[str] = set()
    waiting = [(Requirement(line), one) for one in extra.split(",") for line in requirements]
    while waiting:
        requirement, asked = waiting.pop()
        if requirement.marker and not any(requirement.marker.evaluate({"extra": e}) for e in {"", asked}):
            continue
        name = canonicalize_name(requirement.name)
        for inner in (*requirement.extras, *([] if name in found else [""])):
            own = requirements if name == "evaluate-bias" else distribution(name).requires or ()
            waiting += [(Requirement(line), inner) for line in own]
        found.add(name)
    return found - {"evaluate-bias"}


@pytest.mark.parametrize("extra", WITH, ids=lambda extra: extra or "no extra")
def test_an_extra_alone(extra, wheel, env, work):
    """A bare environment with what the wheel and this extra declare, linked from this one: nothing is downloaded."""
    venv.EnvBuilder(with_pip=False).create(work)
    (site,) = work.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
        info = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(info))
    for name in closure(metadata.get_all("Requires-Dist", []), extra):
        for top in {file.parts[0] for file in distribution(name).files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(sysconfig.get_path("purelib"), top))
    python = work / "bin" / "python"
    large = set().union(*HOLDS.values())
    code = f"import importlib.util as u; answer([n for n in {sorted(large)!r} if u.find_spec(n)])"
    named = HOLDS if extra == "all" else extra.split(",")
    assert set(run_python(code, env, work, python=python)) == set().union(*(HOLDS[one] for one in named))
    assert run_python(WITH[extra], env, work, python=python) is True


def test_every_combination_that_is_published_is_tried():
    files = [*REPO.glob("metrics/*/requirements.txt"), *REPO.glob("spaces/*/requirements.txt")]
    asked = {",".join(sorted(Requirement(path.read_text("utf-8").strip()).extras)) for path in files}
    assert {"space", "models,space"} < asked
    assert asked <= set(WITH)


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_another_python_installs_it_from_the_registry(version, wheel, env, work):
    other = shutil.which(f"python{version}")
    if other is None or subprocess.run([other, "-c", ""], check=False, capture_output=True).returncode:
        pytest.skip(f"there is no python{version} here")
    subprocess.run([other, "-m", "venv", str(work)], check=True, capture_output=True, timeout=300)
    python = work / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "-c", str(REPO / "constraints.txt"), str(wheel)],
        check=False, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert run_python(WITH[""], env, work, python=python) is True
    assert "weat" in run_command(python, ["methods"], env, work)


def test_modules_and_word_lists_from_an_empty_folder(python, env, work):
    vectors = toy_vectors()
    code = f"""
import evaluate_bias
from evaluate_bias.hub.modules import module_names, modules_dir
from evaluate_bias.data import load_word_lists

tests = load_word_lists(language="en", tests=["weat7", "weat8"])
columns = {{
    name: [getattr(t, name) if name == "name" else list(getattr(t, name)) for t in tests]
    for name in ("name", "targets_x", "targets_y", "attributes_a", "attributes_b")
}}
answer({{
    "from": [evaluate_bias.__file__, str(modules_dir())],
    "modules": module_names(),
    "result": evaluate_bias.load("weat").compute(**columns, model={vectors!r}, ci="none"),
    "german": [t.name for t in load_word_lists(language="de")],
}})
"""
    answers = run_python(code, env, work, python=python, without=BARE)
    home = python.parents[1]
    assert all(Path(path).is_relative_to(home) for path in answers["from"])
    assert answers["modules"] == module_names()
    tests = load_word_lists(language="en", tests=["weat7", "weat8"])
    expected = evaluate_bias.measure("weat", vectors, data=tests, ci="none")
    assert answers["result"]["weat"] == expected.score
    assert answers["result"]["p_value"] == expected.p_value
    assert answers["german"] == [t.name for t in load_word_lists(language="de")]


def test_the_command(python, env, work):
    lines = (" ".join([word, *map(str, vector)]) for word, vector in toy_vectors().items())
    (work / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "weat" in run_command(python, ["methods"], env, work)
    asked = (
        "run --model vectors.txt --method weat --language en --tests weat7 --tests weat8 --out out --seed 5"
    )
    run_command(python, asked.split(), env, work)
    (result,) = read_results(work / "out")
    expected = evaluate_bias.measure("weat", toy_vectors(), language="en", tests=["weat7", "weat8"], seed=5)
    assert (result.score, result.p_value) == pytest.approx((expected.score, expected.p_value))


def test_installed_modules_load_by_their_hub_name(python, env, work):
    offline = {**env, "HF_EVALUATE_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    said = run_command(python, ["install"], offline, work)
    for module in module_names():
        assert f'evaluate.load("bias/{module}")' in said
    assert "HF_EVALUATE_OFFLINE=1 and HF_HUB_OFFLINE=1" in said
    code = f"""
import evaluate
answer([evaluate.load("bias/" + name).name for name in {module_names()!r}])
"""
    assert run_python(code, offline, work, python=python, without=BARE) == module_names()
