"""Publishing asks before it writes, and leaves what it did not publish alone."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from evaluate_bias.data import building
from evaluate_bias.data.building import build
from evaluate_bias.errors import AssetError, HubError
from evaluate_bias.hub.publish import COMMIT_TITLE, Folder, carry_out, make_plan
from evaluate_bias.hub.push_results import push_results
from tests.hub.conftest import writes
from tests.report.samples import pairs_result, weat_result
from tests.support.command_line import run_app
from tests.support.hub_store import Blob
from tests.support.loopback_hub import LoopbackHub

CARD = "---\ntitle: Toy\nsdk: gradio\n---\n# Toy\n"
MODULES = ("aul", "mac", "weat")
COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background job ignores it
    "from evaluate_bias.cli.main import main; main()"
)


def folder(path: Path, name: str = "toy") -> Folder:
    (path / name).mkdir()
    (path / name / "README.md").write_text(CARD)
    (path / name / "app.py").write_text("VALUE = 1\n")
    return Folder("module", f"bias/{name}", path / name)


def arguments(*more: str) -> list[str]:
    return ["publish", "modules", *(word for name in MODULES for word in ("--only", name)), *more]


# --- what somebody else has put there ---------------------------------------------------------------------


@pytest.mark.parametrize("create_pr", [False, True])
def test_repositories_of_others_are_left_alone_and_all_are_named(hub, tmp_path, create_pr):
    mine, theirs, fork, alone_ = (folder(tmp_path, name) for name in ("mine", "theirs", "fork", "alone"))
    carry_out(make_plan([mine], token=hub.token), token=hub.token)
    (mine.path / "app.py").write_text("VALUE = 2\n")
    hub.add_repo("space", "bias/theirs", {"app.py": "print('my own')\n", "data.csv": "a,b\n"})
    alone = hub.add_repo("space", "bias/alone")  # one commit with nothing but a card that somebody wrote
    files = {"README.md": Blob(b"---\nsdk: gradio\n---\n# My demonstration\n")}
    alone.commits.clear()
    alone.refs.clear()
    alone.commit("main", files, "initial commit")
    copy = hub.add_repo("space", "bias/fork")  # a duplicate of a Space is one commit with everything
    first = copy.at()
    copy.commits.clear()
    copy.refs.clear()
    copy.commit("main", {**first.files, "app.py": Blob(b"1")}, "Duplicate from bias/other")
    before = {key: repo.at() for key, repo in hub.repos.items()}
    hub.requests.clear()
    with pytest.raises(HubError, match="nothing was changed") as caught:
        make_plan([mine, theirs, fork, alone_], token=hub.token, create_pr=create_pr)
    refused = "bias/theirs (space), bias/fork (space), bias/alone (space) on the Hub was not published by"
    assert refused in str(caught.value)
    assert "bias/mine" not in str(caught.value)
    assert writes(hub) == []
    assert {key: repo.at() for key, repo in hub.repos.items()} == before


def test_what_the_hub_makes_a_new_repository_of_may_be_filled(hub, tmp_path):
    hub.add_repo("space", "bias/toy")
    carry_out(make_plan([folder(tmp_path)], token=hub.token), token=hub.token)
    assert hub.repos["space", "bias/toy"].at().title.startswith(COMMIT_TITLE)


def test_results_and_data_sets_do_not_take_each_others_place(hub, publish, tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    publish(["datasets"], ["analogy-pairs"])
    push_results([pairs_result()], "bias/results", token=hub.token)
    before = {key: repo.at() for key, repo in hub.repos.items()}
    for result in (weat_result(), pairs_result()):  # without LICENSE, and with it
        with pytest.raises(
            HubError, match=r"analogy-pairs \(dataset\) .* contains something else that it published"
        ):
            push_results([result], "bias/analogy-pairs", token=hub.token)
    results = tmp_path / "results"
    results.mkdir()
    (results / "README.md").write_text("# A data set\n")
    (results / "build.json").write_text("{}")
    with pytest.raises(HubError, match="something else"):
        make_plan([Folder("dataset", "bias/results", results)], token=hub.token)
    assert {key: repo.at() for key, repo in hub.repos.items()} == before
    push_results([weat_result()], "bias/results", token=hub.token)  # other results are an update
    assert hub.repos["dataset", "bias/results"].at() != before["dataset", "bias/results"]


def test_a_data_set_whose_source_cannot_be_had_does_not_keep_the_rest_from_being_published(
    hub, tmp_path, monkeypatch
):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))

    def build_or_fail(record, *args, **options):
        if record.name == "analogy_pairs":
            raise AssetError("the download of pairs.txt failed")
        return build(record, *args, **options)

    monkeypatch.setattr(building, "build", build_or_fail)
    words = ["publish", "datasets", "--only", "analogy-pairs", "--only", "minimal-pairs", "--yes", "--json"]
    shown = run_app(*words)
    assert shown.exit_code == 3
    assert {p["repo_id"]: p["action"] for p in json.loads(shown.stdout)} == {
        "bias/minimal-pairs": "create", "bias/analogy-pairs": "unavailable"
    }  # fmt: skip
    assert "bias/analogy-pairs: the download of pairs.txt failed" in shown.stderr
    assert ("dataset", "bias/minimal-pairs") in hub.repos
    assert ("dataset", "bias/analogy-pairs") not in hub.repos
    monkeypatch.setattr(building, "build", build)
    assert run_app(*words).exit_code == 0
    assert ("dataset", "bias/analogy-pairs") in hub.repos


# --- asking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_without_a_terminal_only_yes_publishes(hub, more):
    planned = run_app(*arguments(*more), catch_exceptions=False)
    assert planned.exit_code == 0
    assert "nothing was changed: add --yes to do what the plan says" in planned.stderr
    assert "bias/weat" in planned.stdout
    assert writes(hub) == []
    done = run_app(*arguments(*more, "--yes"), catch_exceptions=False)
    assert "nothing was changed" not in done.output
    assert sorted(repo_id for _, repo_id in hub.repos) == [f"bias/{name}" for name in MODULES]
    again = run_app(*arguments(*more), catch_exceptions=False)  # nothing to ask about
    assert "add --yes" not in again.output


@pytest.mark.nightly
def test_on_a_terminal_the_plan_is_shown_and_asked_about(hub, tmp_path):
    main_end, other_end = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments()],
        stdin=other_end, stdout=other_end, stderr=subprocess.STDOUT, env=hub.env(), cwd=tmp_path,
    )  # fmt: skip
    os.close(other_end)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(main_end, 4096)
    assert b"+ weat.py" in said
    assert writes(hub) == []
    os.write(main_end, b"n\n")
    with suppress(OSError):  # until the other end is closed
        while more := os.read(main_end, 4096):
            said += more
    assert process.wait(60) == 0
    assert writes(hub) == []
    assert b"add --yes" in said


def started(hub: LoopbackHub, where: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments("--yes")],
        env=hub.env(), cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for(there: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.nightly
def test_a_publication_that_is_stopped_is_ended_by_the_next_run(hub, tmp_path):
    hub.fault(
        "/api/spaces/bias/mac/commit/", delay=90.0, status=503
    )  # a signal may be late on a busy machine
    process = started(hub, tmp_path)
    wait_for(lambda: hub.seen("/api/spaces/bias/mac/commit/", "POST"))
    time.sleep(1)  # Python loses a signal that comes while it destroys an object
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert [name for name in MODULES if ("space", f"bias/{name}") in hub.repos] == ["aul", "mac"]
    assert process.returncode == 130, said
    assert said.startswith("stopped: run it again")
    assert "Traceback" not in said
    hub.clear_faults()
    hub.requests.clear()
    _, said = (again := started(hub, tmp_path)).communicate(timeout=120)
    assert again.returncode == 0, said
    assert not hub.seen("/api/spaces/bias/aul/commit/", "POST")  # it is there already
    for name in MODULES:
        titles = [c.title for c in hub.repos["space", f"bias/{name}"].history()]
        assert len(titles) == 2, titles
        assert titles[0].startswith(COMMIT_TITLE)
