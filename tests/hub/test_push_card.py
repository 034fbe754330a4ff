"""The bias section written into a card on the Hub, over real HTTP."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from evaluate_bias.errors import CardError, DataError, HubError, InputError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.hub.push_card import push_card
from evaluate_bias.report.card.block import BEGIN
from evaluate_bias.result import Result
from tests.support.command_line import run_app
from tests.support.refusals import refused

CARD = "---\nlicense: mit\n---\n\n# Model\n\n## Bias, Risks, and Limitations\n\nNone known.\n\n## Use\n\nWith care.\n"
NAMES = [f".eval_results/evaluate-bias-crows_pairs{n}.yaml" for n in ("", "-nearness")]


def result(score: float) -> Result:
    provenance = {
        "model": {"name": "writer/model"},
        "dataset": {"source": "bias/crows-pairs", "config": "en"},
    }
    return Result(
        method="crows_pairs", score=score, score_range=(0, 100), direction="two_sided", ideal=50, n=10,
        ci_low=40, ci_high=80, p_value=0.2, provenance=provenance,
    )  # fmt: skip


def push(score: float, model: str = "writer/model", **options: Any) -> str:
    return push_card([result(score)], model, **{"create_pr": False, **options})[1]


@pytest.fixture
def repo(hub):
    return hub.add_repo("model", "writer/model", {"README.md": CARD})


def test_pull_request_then_commit_then_nothing(hub, repo):
    assert "/discussions/1" in push(60.0, create_pr=True)
    assert "/commit/" in push(60.0)
    assert push(60.0) == ""
    assert "/commit/" in push(61.0)
    text = repo.files()["README.md"].decode()
    assert text.count(BEGIN) == 1
    assert text.index("None known.") < text.index(BEGIN) < text.index("## Use")
    assert "61" in text
    assert hub.outside == []


def test_how_the_card_was_written_goes_with_it_and_a_file_of_others_stays(hub, repo):
    push(60.0)
    written = json.loads(repo.files()["evaluate-bias.json"])["files"]["README.md"]
    assert written["options"]["picture"] == "evaluate-bias.svg"
    assert written["options"]["eval_results"] is True
    assert push(60.0) == ""
    other = hub.add_repo("model", "writer/tiny", {"README.md": CARD, "evaluate-bias.json": "{}x"})
    refused(DataError, "not written by this version", push, 60.0, "writer/tiny", for_model=True)
    assert (other.files()["README.md"], other.files()["evaluate-bias.json"]) == (CARD.encode(), b"{}x")


@pytest.mark.parametrize(
    ("model", "options", "kind", "said"),
    [
        ("other/model", {"for_model": True}, HubError, "the card of other/model was not changed"),
        ("writer/absent", {"for_model": True}, HubError, "not there"),
        ("writer/twice", {"for_model": True}, CardError, "marker"),
        ("writer/model", {"token": "hf_wrong"}, HubError, "does not accept"),
        ("writer/tiny", {}, InputError, "the results are of writer/model; set `for_model`"),
        ("other/model", {}, InputError, "the results are of writer/model; set `for_model`"),
    ],
)
def test_what_is_refused_is_one_sentence(hub, repo, model, options, kind, said):
    for name in ("writer/tiny", "other/model"):
        hub.add_repo("model", name, {"README.md": CARD})
    hub.add_repo("model", "writer/twice", {"README.md": CARD + f"\n{BEGIN}\n{BEGIN}\n"})
    before = {name: one.at() for name, one in hub.repos.items()}
    caught = refused(kind, said, push, 60.0, model, **options)
    assert "hf_wrong" not in str(caught)
    assert {name: one.at() for name, one in hub.repos.items()} == before


def test_evaluation_results_go_with_the_card_and_keep_their_dates(repo):
    urls = [push(60.0, eval_results=False), push(60.0), push(60.0), push(61.0)]
    assert ["/commit/" in url for url in urls] == [True, True, False, True]
    entries = [parse_eval_result_entries(yaml.safe_load(repo.files()[name]))[0] for name in NAMES]
    assert [(e.task_id, e.value) for e in entries] == [
        ("crows_pairs-en", 61.0),
        ("crows_pairs-en-nearness", -11.0),
    ]
    assert {e.source_url for e in entries} == {"https://huggingface.co/writer/model"}
    assert all(datetime.fromisoformat(e.date).tzinfo for e in entries)


def test_a_result_pushes_itself(repo):
    assert "/commit/" in result(60.0).push_to_hub("writer/model", create_pr=False)
    assert result(60.0).push_to_hub("writer/model", create_pr=False) == ""
    assert "/discussions/" in result(62.0).push_to_hub("writer/model", eval_results=False)
    assert NAMES[0] in repo.files()


def test_the_command_previews_and_enters_results_with_push(hub, repo, tmp_path, monkeypatch):
    hub.add_repo("model", "writer/tiny", {"README.md": CARD})
    monkeypatch.chdir(tmp_path)
    write_results([result(60.0)], Path("results.jsonl"))

    def card(model, *more):
        return run_app("card", "results.jsonl", "--push", "--model", model, *more)

    done = card("writer/model", "--no-pull-request", "--preview", "preview.html")
    assert done.exit_code == 0, done.output
    assert "/commit/" in done.output
    assert "None known." in Path("preview.html").read_text(encoding="utf-8")
    assert not Path("README.md").exists()
    assert NAMES[0] in repo.files()
    assert "set `for_model` (--for-model)" in str(card("writer/tiny").exception)
    assert "/discussions/1" in card("writer/tiny", "--for-model").output
