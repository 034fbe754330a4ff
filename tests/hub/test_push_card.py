"""The bias section written into a card on the Hub, over real HTTP, in processes of their own."""

from __future__ import annotations

from datetime import datetime

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from evaluate_bias.report.card.block import BEGIN
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

CARD = "---\nlicense: mit\n---\n\n# Model\n\n## Bias, Risks, and Limitations\n\nNone known.\n\n## Use\n\nWith care.\n"

CODE = """
from evaluate_bias.errors import BiasError
from evaluate_bias.hub.push_card import push_card
from evaluate_bias.result import Result

def result(score):
    return Result(method="crows_pairs", score=score, score_range=(0, 100), direction="two_sided", ideal=50, n=10,
                  ci_low=40, ci_high=80, p_value=0.2, provenance={
                      "model": {"name": "writer/model"}, "dataset": {"source": "bias/crows-pairs", "config": "en"}})

def push(score, model="writer/model", **options):
    try:
        return push_card([result(score)], model, **{"for_model": True, **options}).url
    except BiasError as error:
        return f"{type(error).__name__}: {error}"
"""

pytestmark = pytest.mark.slow


def test_pull_request_then_commit_then_nothing(tmp_path):
    with LoopbackHub() as hub:
        hub.add_repo("model", "writer/model", {"README.md": CARD})
        out = run_python(
            CODE
            + """
answer([push(60.0), push(60.0, create_pr=False), push(60.0, create_pr=False), push(61.0, create_pr=False)])
""",
            hub.env(),
            tmp_path,
        )
        pull_request, commit, nothing, again = out
        assert "/discussions/1" in pull_request
        assert "/commit/" in commit
        assert nothing == ""
        assert "/commit/" in again
        assert hub.outside == []
        text = hub.repos["model", "writer/model"].files()["README.md"].decode()
        assert text.count(BEGIN) == 1
        assert text.index("None known.") < text.index(BEGIN) < text.index("## Use")
        assert "61" in text


def test_what_the_hub_refuses_is_one_sentence(tmp_path):
    with LoopbackHub() as hub:
        hub.add_repo("model", "writer/model", {"README.md": CARD})
        hub.add_repo("model", "other/model", {"README.md": CARD})
        hub.add_repo("model", "writer/twice", {"README.md": CARD + f"\n{BEGIN}\n{BEGIN}\n"})
        out = run_python(
            CODE
            + """
answer([push(60.0, "other/model", create_pr=False), push(60.0, "writer/absent"), push(60.0, "writer/twice"),
        push(60.0, token="hf_wrong")])
""",
            hub.env(),
            tmp_path,
        )
        forbidden, absent, twice, wrong = out
        assert forbidden.startswith("HubError: the card of other/model was not changed")
        assert "not there" in absent or "does not accept" in absent
        assert twice.startswith("CardError")
        assert wrong.startswith("HubError")
        assert "hf_wrong" not in wrong
        assert all("\n" not in text for text in out)


def test_results_of_another_model_are_refused_unless_they_are_meant(tmp_path):
    with LoopbackHub() as hub:
        for name in ("writer/model", "writer/tiny", "other/model"):
            hub.add_repo("model", name, {"README.md": CARD})
        before = {name: repo.at() for name, repo in hub.repos.items()}
        other, owner, meant = run_python(
            CODE
            + """
answer([push(60.0, name, for_model=meant)
        for name, meant in (("writer/tiny", False), ("other/model", False), ("writer/tiny", True))])
""",
            hub.env(),
            tmp_path,
        )
        refused = (
            "InputError: the card of {} was not changed: the results are of writer/model; if that is the same"
        )
        assert other.startswith(refused.format("writer/tiny"))
        assert owner.startswith(refused.format("other/model"))
        assert "/discussions/1" in meant
        assert {name: repo.at() for name, repo in hub.repos.items()} == before


def test_evaluation_results_go_with_the_card_and_keep_their_dates(tmp_path):
    with LoopbackHub() as hub:
        repo = hub.add_repo("model", "writer/model", {"README.md": CARD})
        out = run_python(
            CODE
            + """
options = {"create_pr": False}
answer([push(60.0, eval_results=False, **options), push(60.0, **options), push(60.0, **options), push(61.0, **options)])
""",
            hub.env(),
            tmp_path,
        )
        assert ["/commit/" in url for url in out] == [True, True, False, True]
        files = repo.files()
        names = [f".eval_results/evaluate-bias-crows_pairs{n}.yaml" for n in ("", "-nearness")]
        found = [parse_eval_result_entries(yaml.safe_load(files[name]))[0] for name in names]
        assert [(e.task_id, e.value) for e in found] == [
            ("crows_pairs-en", 61.0),
            ("crows_pairs-en-nearness", -11.0),
        ]
        assert {e.source_url for e in found} == {"https://huggingface.co/writer/model"}
        assert all(datetime.fromisoformat(e.date).tzinfo for e in found)


def test_a_result_pushes_itself(tmp_path):
    with LoopbackHub() as hub:
        repo = hub.add_repo("model", "writer/model", {"README.md": CARD})
        out = run_python(
            CODE
            + """
url = result(60.0).push_to_hub("writer/model", create_pr=False)
again = result(60.0).push_to_hub("writer/model", create_pr=False)
pull_request = result(62.0).push_to_hub("writer/model", eval_results=False)
try:
    result(60.0).push_to_hub("writer/absent", for_model=True)
except BiasError as error:
    refused = type(error).__name__
answer([url, again, pull_request, refused])
""",
            hub.env(),
            tmp_path,
        )
        assert "/commit/" in out[0]
        assert out[1] == ""
        assert "/discussions/" in out[2]
        assert out[3] == "HubError"
        assert ".eval_results/evaluate-bias-crows_pairs.yaml" in repo.files()


def test_the_command_previews_and_enters_results_with_push(tmp_path):
    with LoopbackHub() as hub:
        hub.add_repo("model", "writer/tiny", {"README.md": CARD})
        repo = hub.add_repo("model", "writer/model", {"README.md": CARD})
        out = run_python(
            CODE
            + """
from pathlib import Path
from typer.testing import CliRunner
from evaluate_bias.cli.main import app
from evaluate_bias.experiments.results_file import write_results

write_results([result(60.0)], Path("results.jsonl"))
done = CliRunner().invoke(app, ["card", "results.jsonl", "--push", "--model", "writer/model", "--no-pull-request",
                                "--preview", "preview.html"])
other = CliRunner().invoke(app, ["card", "results.jsonl", "--push", "--model", "writer/tiny"])
meant = CliRunner().invoke(app, ["card", "results.jsonl", "--push", "--model", "writer/tiny", "--for-model"])
assert "say so: --for-model" in str(other.exception), other
assert "/discussions/1" in meant.output, meant
answer([done.exit_code, done.output, Path("preview.html").read_text(encoding="utf-8"), Path("README.md").exists()])
""",
            hub.env(),
            tmp_path,
        )
        code, output, preview, local = out
        assert code == 0, output
        assert "/commit/" in output
        assert "preview: preview.html" in output
        assert "None known." in preview
        assert not local
        assert ".eval_results/evaluate-bias-crows_pairs.yaml" in repo.files()
