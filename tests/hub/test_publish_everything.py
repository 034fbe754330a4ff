"""Everything that is ours to publish goes to a Hub, goes again, and is read by a stranger."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from evaluate_bias.assets import cache_root
from evaluate_bias.data.building import spdx
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.errors import AssetError
from evaluate_bias.hub.modules import module_names
from evaluate_bias.hub.publish import COMMIT_TITLE, sources
from tests.support.links import dead_links
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

pytestmark = pytest.mark.nightly
TITLES = {
    "apache-2.0": "Apache License",
    "cc-by-4.0": "Attribution 4.0 International",
    "cc-by-sa-4.0": "Attribution-ShareAlike 4.0 International",
    "cc0-1.0": "CC0 1.0 Universal",
    "mit": "Permission is hereby granted",
}


COMMAND = "from evaluate_bias.cli.main import main; main()"


@pytest.fixture(scope="module")
def hub():
    with LoopbackHub() as server:
        yield server
        assert server.outside == []


@pytest.fixture(scope="module")
def env(hub, tmp_path_factory):
    """A cache with the downloads of this machine, and nothing built in it."""
    cache = tmp_path_factory.mktemp("cache")
    (cache / "assets").symlink_to(cache_root() / "assets")
    return {**hub.env(), "EVALUATE_BIAS_CACHE": str(cache)}


def data_sets() -> list[str]:
    """Those whose sources can be had on this machine: a few are downloaded from GitHub, one by one."""
    found = []
    for source in sources(["datasets"]):
        origins = [o for c in dataset_record(source.name).select(None) for o in c.splits.values()]
        try:
            for origin in origins:
                origin.read(None, verify=True)
        except AssetError:
            continue
        found.append(source.name)
    return found


def publish(arguments: list[str], env: dict[str, str], work: Path) -> None:
    subprocess.run(
        [sys.executable, "-c", COMMAND, "publish", *arguments, "--yes"],
        env=env, cwd=work, check=True, timeout=900, capture_output=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def published(hub, env, tmp_path_factory):
    work = tmp_path_factory.mktemp("work")
    names = data_sets()
    only = [word for name in names for word in ("--only", name)]
    for arguments in (["datasets", *only], ["modules"], ["spaces"]):
        publish(arguments, env, work)
        hub.requests.clear()
        publish(arguments, env, work)
        assert {request.method for request in hub.requests} <= {"GET", "HEAD"}
    return hub


def test_every_repository_has_one_commit_card_licence_and_notice(published):
    kinds = [kind for kind, _ in published.repos]
    assert kinds.count("space") == len(module_names()) + 1
    assert kinds.count("dataset") >= 20
    withheld = {f"bias/{n.replace('_', '-')}" for n in dataset_names() if not dataset_record(n).select(None)}
    assert withheld
    assert not withheld & {repo_id for _, repo_id in published.repos}
    for repo in published.repos.values():
        first, *initial = [commit.title for commit in repo.history()]
        assert first.startswith(COMMIT_TITLE), repo.id
        assert initial == ["initial commit"], repo.id


STRANGER = """
from pathlib import Path
from huggingface_hub import HfApi, snapshot_download
api = HfApi(token=False)
listed = [("space", s.id) for s in api.list_spaces(author="bias")]
listed += [("dataset", d.id) for d in api.list_datasets(author="bias")]
read = []
for kind, name in listed:
    folder = Path(snapshot_download(name, repo_type=kind, token=False))
    files = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    texts = {f: (folder / f).read_text("utf-8") for f in ("README.md", "LICENSE", "NOTICE") if f in files}
    read.append([kind, name, files, texts])
answer(read)
"""


@pytest.fixture
def stranger(env, hub):
    """Nobody's environment: without a token, with an empty cache."""
    return {**env, "HF_HOME": hub.env()["HF_HOME"], "HF_TOKEN": "", "EVALUATE_BIAS_CACHE": "/nowhere"}


def test_a_stranger_reads_card_licence_and_notice(published, stranger, tmp_path):
    read = run_python(STRANGER, stranger, tmp_path)
    assert len(read) == len(published.repos)
    for kind, name, files, texts in read:
        assert set(texts) == {"README.md", "LICENSE", "NOTICE"}, name
        front = yaml.safe_load(texts["README.md"].split("---\n")[1])
        stated = front.get("license", "apache-2.0")
        for licence in [stated] if isinstance(stated, str) else stated:
            assert spdx(licence) in texts["NOTICE"], name
            assert TITLES[licence] in texts["LICENSE"], name
        assert dead_links(texts["README.md"], files) == [], name
        if kind == "space":
            assert front["sdk"] == "gradio"
            assert {front["app_file"], "requirements.txt"} <= set(files)


def test_a_stranger_loads_every_data_set(published, stranger, tmp_path):
    names = [name for kind, name in published.repos if kind == "dataset"]
    code = f"""
from datasets import get_dataset_config_names, load_dataset
answer({{
    name: {{c: {{s: len(rows) for s, rows in load_dataset(name, c).items()}} for c in get_dataset_config_names(name)}}
    for name in {names!r}
}})
"""
    loaded = run_python(code, stranger, tmp_path, without=("transformers",))
    for name in names:
        manifest = json.loads(published.repos["dataset", name].files()["build.json"])
        assert loaded[name] == {
            config: {split: made["rows"] for split, made in described["splits"].items()}
            for config, described in manifest["configs"].items()
        }


def test_a_stranger_loads_every_module(published, stranger, tmp_path):
    code = f"""
import evaluate
answer([evaluate.load("bias/" + name).name for name in {module_names()!r}])
"""
    assert run_python(code, stranger, tmp_path, without=("transformers",)) == module_names()
    for name in module_names():
        assert published.seen(f"/spaces/bias/{name}/resolve/.+/{name}.py", "GET")
