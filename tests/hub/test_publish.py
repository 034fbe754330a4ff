"""Publishing on the loopback Hub: what is sent, what is not, what is refused, and what users then load."""

from __future__ import annotations

import json
import traceback
from typing import Any

import pytest

import evaluate_bias
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.errors import BiasError, HubError
from evaluate_bias.hub.modules import module_names, module_path
from evaluate_bias.hub.publish import COMMIT_TITLE, Folder, RepoPlan, carry_out, make_plan, sources
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import hub_tasks
from tests.hub.conftest import writes
from tests.support.command_line import run_app
from tests.support.loopback_hub import LoopbackHub
from tests.support.refusals import refused

pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=<...>' to upload raw bytes:DeprecationWarning")

CARD = "---\ntitle: Toy\nsdk: gradio\n---\n# Toy\n"


@pytest.fixture
def module(tmp_path):
    """A module's folder with what must not be published in it."""
    folder = tmp_path / "toy"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "toy.cpython-311.pyc").write_bytes(b"\0")
    (folder / ".env").write_text("SECRET=1")
    (folder / "README.md").write_text(CARD)
    (folder / "toy.py").write_text("VALUE = 1\n")
    (folder / "requirements.txt").touch()
    return Folder("module", "bias/toy", folder)


@pytest.fixture
def dataset(tmp_path):
    folder = tmp_path / "rows"
    (folder / "en").mkdir(parents=True)
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# Rows\n")
    (folder / "en" / "test.parquet").write_bytes(b"PAR1" * 100)
    return Folder("dataset", "bias/rows", folder)


def run(hub: LoopbackHub, *folders: Folder) -> list[RepoPlan]:
    return carry_out(make_plan(folders, token=hub.token), token=hub.token)


# --- what is sent -----------------------------------------------------------------------------------------


def test_a_new_repository_is_made_with_one_commit_and_the_second_run_sends_nothing(hub, module, dataset):
    done = run(hub, module, dataset)
    assert [p.action for p in done] == ["create", "create"]
    space, rows = hub.repos["space", "bias/toy"], hub.repos["dataset", "bias/rows"]
    assert set(space.files()) == {".gitattributes", "README.md", "requirements.txt", "toy.py"}
    assert space.files()["README.md"].decode() == CARD
    assert set(rows.files()) == {".gitattributes", "README.md", "en/test.parquet"}
    assert rows.at().files["en/test.parquet"].lfs
    for repo, published in zip((space, rows), done, strict=True):
        first, *initial = repo.history()
        assert first.title == f"{COMMIT_TITLE} {evaluate_bias.__version__}"
        assert [c.title for c in initial] == ["initial commit"]
        assert published.commit == first.oid
        assert published.url == f"{hub.web_url(repo.kind, repo.id)}/commit/{first.oid}"
        assert not repo.private
    hub.requests.clear()
    again = run(hub, module, dataset)
    assert [(p.action, p.commit, p.url) for p in again] == [("unchanged", None, None)] * 2
    assert writes(hub) == []


def test_a_changed_card_is_one_commit_with_the_card_only(hub, module):
    run(hub, module)
    repo = hub.repos["space", "bias/toy"]
    before = repo.at()
    (module.path / "README.md").write_text(CARD + "More.\n")
    hub.requests.clear()
    (done,) = run(hub, module)
    assert [(c.path, c.change, c.size) for c in done.changes] == [
        ("README.md", "update", len(CARD) + len("More.\n"))
    ]
    assert repo.at().parent == before.oid
    (sent,) = hub.seen("/commit/", "POST")
    lines = [json.loads(line) for line in sent.body.splitlines()]
    assert [line["value"].get("path") for line in lines] == [None, "README.md"]
    assert lines[0]["value"]["parentCommit"] == before.oid


def test_what_is_gone_here_is_deleted_there_but_nothing_of_the_hub(hub, module):
    run(hub, module)
    repo = hub.repos["space", "bias/toy"]
    extra = {**repo.at().files, ".huggingface.yaml": repo.at().files["toy.py"]}
    repo.commit("main", {**extra, "old/data.py": extra["toy.py"]}, "by hand")
    (module.path / "requirements.txt").unlink()
    (done,) = run(hub, module)
    assert [(c.path, c.change) for c in done.changes] == [
        ("old/data.py", "delete"),
        ("requirements.txt", "delete"),
    ]
    assert set(repo.files()) == {".gitattributes", ".huggingface.yaml", "README.md", "toy.py"}


def test_a_pull_request_by_somebody_without_rights(hub, module):
    run(hub, module)
    repo = hub.repos["space", "bias/toy"]
    before = repo.files()
    (module.path / "toy.py").write_text("VALUE = 2\n")

    def propose():
        plans = make_plan([module], token=hub.reader_token, create_pr=True)
        return carry_out(plans, token=hub.reader_token, create_pr=True)[0]

    first = propose()
    assert first.url == f"{hub.url}/spaces/bias/toy/discussions/1"
    assert repo.files() == before
    assert repo.files("refs/pr/1")["toy.py"] == b"VALUE = 2\n"

    hub.requests.clear()
    again = propose()  # the same change is waiting already
    assert (again.action, again.commit, again.url) == ("proposed", None, first.url)
    assert writes(hub) == []

    (module.path / "toy.py").write_text("VALUE = 3\n")
    assert propose().url == f"{hub.url}/spaces/bias/toy/discussions/2"
    repo.discussion(2)["status"] = "closed"
    assert propose().url == f"{hub.url}/spaces/bias/toy/discussions/3"


# --- what is refused --------------------------------------------------------------------------------------


def failure(call: Any, hub: LoopbackHub) -> str:
    """Return the text of the error, after a look whether the token shows anywhere."""
    caught = refused(BiasError, "", call)
    shown = "".join(traceback.format_exception(caught))
    assert hub.token not in shown
    assert hub.reader_token not in shown
    return f"{type(caught).__name__}: {caught}"


def test_a_change_in_the_meantime_is_not_overwritten(hub, module):
    run(hub, module)
    repo = hub.repos["space", "bias/toy"]
    (module.path / "toy.py").write_text("VALUE = 2\n")
    plans = make_plan([module], token=hub.token)
    other = repo.commit("main", {**repo.at().files}, "by somebody else")
    text = failure(lambda: carry_out(plans, token=hub.token), hub)
    assert text.startswith(
        "HubError: bias/toy was not published: somebody changed the repository in the meantime"
    )
    assert repo.at().oid == other.oid
    run(hub, module)
    assert [c.title for c in repo.history()][1] == "by somebody else"


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (None, "publishing needs a Hub token: log in with 'hf auth login' or set HF_TOKEN"),
        ("reader", "bias/toy was not published: this token may not do that: use one with write access"),
        ("hf_wrong", "bias/toy cannot be looked up on the Hub: the Hub does not accept this token"),
    ],
)
def test_tokens(hub, module, token, text):
    given = hub.reader_token if token == "reader" else token
    assert text in failure(lambda: carry_out(make_plan([module], token=given), token=given), hub)
    assert hub.repos == {}
    hub.add_repo("space", "bias/toy")
    before = hub.repos["space", "bias/toy"].at()
    assert text in failure(lambda: carry_out(make_plan([module], token=given), token=given), hub)
    assert hub.repos["space", "bias/toy"].at() == before


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ({"drop": True}, "cannot be looked up on the Hub: http://127.0.0.1"),
        ({"status": 500}, "cannot be looked up on the Hub: the Hub answers with an error of its own (500)"),
        ({"path": "/commit/", "status": 500}, "was not published: the Hub answers with an error"),
        ({"path": "/commit/", "status": 422}, "was not published: the Hub refuses: "),
        ({"path": "/preupload/", "status": 404}, "was not published: the repository is not there"),
    ],
)
def test_a_failing_hub(hub, module, fault, text):
    run(hub, module)
    repo = hub.repos["space", "bias/toy"]
    before = repo.at()
    (module.path / "toy.py").write_text("VALUE = 2\n")
    hub.fault(fault.pop("path", "."), **fault)
    assert text in failure(lambda: run(hub, module), hub)
    assert repo.at() == before
    hub.clear_faults()
    run(hub, module)
    assert repo.files()["toy.py"] == b"VALUE = 2\n"


def test_a_repository_that_cannot_be_made_names_those_that_were_published(hub, module, dataset):
    plans = make_plan([module, dataset], token=hub.token)
    hub.fault("/api/repos/create", status=503, after=1)
    text = failure(lambda: carry_out(plans, token=hub.token), hub)
    assert text.startswith("HubError: bias/rows was not published: the Hub answers with an error")
    assert text.endswith("; already published: bias/toy")


# --- what there is to publish -----------------------------------------------------------------------------


def test_every_module_and_data_set_is_there_under_the_name_it_is_loaded_by():
    ids = {kind: {s.repo_id("bias") for s in sources([kind])} for kind in ("module", "dataset")}
    assert ids["module"] == {f"bias/{name}" for name in METHODS}
    assert all((module_path(name) / f"{name}.py").is_file() for name in module_names())
    named_by_methods = {record.dataset for record in METHODS.values() if record.dataset.startswith("bias/")}
    assert named_by_methods <= ids["dataset"]
    assert {s.name for s in sources(["datasets"])} == {
        n for n in dataset_names() if dataset_record(n).select(None)
    }


# --- the command ------------------------------------------------------------------------------------------


def invoke(*arguments: str) -> str:
    done = run_app("publish", *arguments, catch_exceptions=False, env={"COLUMNS": "120"})
    assert done.exit_code == 0
    return done.output


def test_the_command(hub, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    planned = invoke("modules", "--only", "weat", "--dry-run")  # needs no token
    assert "bias/weat" in planned
    assert "create" in planned
    assert "+ weat.py" in planned
    assert "dry run: nothing was changed" in planned
    assert writes(hub) == []

    monkeypatch.setenv("HF_TOKEN", hub.token)
    said = invoke("modules", "--only", "weat", "--private", "--yes")
    commit = hub.repos["space", "bias/weat"].at().oid
    assert said.index("+ weat.py") < said.index(f"bias/weat: {hub.url}/spaces/bias/weat/commit/{commit}")
    assert hub.repos["space", "bias/weat"].private
    assert hub.token not in planned + said

    assert "nothing to publish: the Hub is up to date" in invoke("modules", "--only", "weat")
    (record,) = json.loads(invoke("modules", "--only", "weat", "--json"))
    assert (record["action"], record["commit"], record["head"]) == ("unchanged", None, commit)
    with pytest.raises(HubError, match="does not exist as a space yet"):
        invoke("modules", "--only", "weat", "--org", "writer", "--create-pr")


# --- what users load then ---------------------------------------------------------------------------------


def test_a_data_set_is_published_with_its_tasks_or_without(hub, publish, monkeypatch, tmp_path):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(hub_tasks, "eval_yaml", lambda name: f"name: {name}\n")
    publish(["datasets"], ["analogy-pairs"])
    files = hub.repos["dataset", "bias/analogy-pairs"].files()
    assert files["eval.yaml"].decode() == "name: analogy_pairs\n"
    (again,) = publish(["datasets"], ["analogy-pairs"])
    assert again.action == "unchanged"
    (without,) = publish(["datasets"], ["analogy-pairs"], eval_yaml=False)
    assert [(c.path, c.change) for c in without.changes] == [("eval.yaml", "delete")]
    planned = run_app("publish", "datasets", "--only", "analogy-pairs", "--dry-run", "--no-eval-yaml")
    assert "unchanged" in planned.output
