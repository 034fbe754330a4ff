"""Without the Hub: one sentence, one traceback, and no guess at what the name may have meant."""

import json
import traceback

import pytest

from evaluate_bias.errors import HubError, UnknownNameError
from evaluate_bias.hub.publish import plan_publication
from tests.support.command_line import run_app
from tests.support.refusals import refused


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))


def test_publishing():
    failed = refused(HubError, "HF_HUB_OFFLINE forbids requests", plan_publication, ["modules"], ["weat"])
    assert "".join(traceback.format_exception(failed)).count("Traceback") == 1


def test_a_plan_that_is_only_shown_lists_the_files():
    shown = run_app("publish", "modules", "--only", "weat", "--only", "mac", "--dry-run", "--json")
    assert shown.exit_code == 0
    plans = json.loads(shown.stdout)
    assert [(p["repo_id"], p["action"]) for p in plans] == [
        ("bias/mac", "not compared"), ("bias/weat", "not compared")
    ]  # fmt: skip
    assert {"README.md", "weat.py"} <= {change["path"] for change in plans[1]["changes"]}
    assert shown.stderr.count("HF_HUB_OFFLINE forbids requests") == 1  # asked once, for all
    assert isinstance(run_app("publish", "modules", "--only", "weat", "--yes").exception, HubError)


def test_only_what_is_near_is_offered():
    known = ["albert-kor-base", "glove-6b-50d", "crows_pairs"]
    assert "choose from" in str(UnknownNameError("asset", "bert-base-uncasde", known))
    assert "did you mean 'glove-6b-50d'?" in str(UnknownNameError("asset", "glove-6b-50", known))
