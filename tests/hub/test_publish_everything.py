"""Everything that is ours to publish goes to a Hub, goes again, and is read by a stranger."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluate_bias.assets import cache_root
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.errors import AssetError
from evaluate_bias.hub.modules import module_names
from evaluate_bias.hub.publish import COMMIT_TITLE, sources
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

pytestmark = pytest.mark.nightly


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


@pytest.fixture
def stranger(env, hub):
    """Nobody's environment: without a token, with an empty cache."""
    return {**env, "HF_HOME": hub.env()["HF_HOME"], "HF_TOKEN": "", "EVALUATE_BIAS_CACHE": "/nowhere"}


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
