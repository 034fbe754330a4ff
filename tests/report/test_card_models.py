"""Whose scores a card holds after models were trained again, renamed and measured with other tests."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml

from evaluate_bias.experiments.sources import write_results
from evaluate_bias.report.card import CardUpdate, plan_card
from evaluate_bias.report.written import FILE
from evaluate_bias.result import Result
from tests.report.samples import pairs_result, weat_item, weat_result
from tests.support.command_line import run_app


def of(name: str, weights: str, *results: Result) -> list[Result]:
    facts = {"name": name, "weights_sha256": {"model.safetensors": weights}}
    return [
        dataclasses.replace(r, provenance={**r.provenance, "model": facts})
        for r in results or (weat_result(),)
    ]


def index(text: str) -> dict[str, list[str]]:
    """Names of the scores in ``model-index``, by model."""
    models = yaml.safe_load(text.split("---\n")[1])["model-index"]
    return {
        model["name"]: [metric["name"] for result in model["results"] for metric in result["metrics"]]
        for model in models
    }


def section(text: str) -> str:
    return text.partition("We tested ")[2].partition("\n")[0]


ACCURACY = """---
model-index:
- name: first
  results:
  - task: {type: text-classification}
    dataset: {type: glue, name: GLUE}
    metrics:
    - {type: accuracy, value: 0.9, name: accuracy}
---
# first
"""


def again(before: CardUpdate, results: list[Result], **options: Any) -> CardUpdate:
    """An update of a card that was written before."""
    return plan_card(before.text, results, written=before.files[FILE], **options)


def test_a_model_trained_again_has_its_new_scores_alone():
    before = plan_card("", of("m", "a", weat_result(), pairs_result())).text
    after = plan_card(before, of("m", "b", weat_result([weat_item("weat9")])))
    scores = index(after.text)["m"]
    assert [s for s in scores if "weat" in s] == ["weat9, effect size d"]
    # Of a method that was not measured again the score stays.
    assert [s for s in index(before)["m"] if "weat" not in s] == [s for s in scores if "weat" not in s] != []
    assert "drop" not in " ".join(after.warnings)


def test_the_same_weights_under_a_new_name_take_their_scores_along():
    first = plan_card("", of("checkpoint-1", "a", weat_result(), pairs_result()))
    before = first.text
    after = again(first, of("checkpoint-1", "a"), model="org/final")
    assert list(index(after.text)) == ["org/final"]
    assert sorted(index(after.text)["org/final"]) == sorted(index(before)["checkpoint-1"])
    assert not [w for w in after.warnings if "is about" in w or "was about" in w or "drop" in w]
    assert again(after, of("checkpoint-1", "a"), model="org/final").text == after.text


def test_what_others_entered_stays_under_the_old_name():
    before = plan_card(ACCURACY, of("first", "a"))
    after = again(before, of("second", "a")).text
    assert index(after)["first"] == ["accuracy"]
    assert index(after)["second"] == [s for s in index(before.text)["first"] if s != "accuracy"]


def test_scores_of_other_weights_are_named_and_dropped_on_request():
    update = again(plan_card("", of("checkpoint-1", "a")), of("checkpoint-2", "b"))
    assert list(index(update.text)) == ["checkpoint-1", "checkpoint-2"]
    assert any("also has scores of checkpoint-1" in n and "drop='checkpoint-1'" in n for n in update.warnings)
    final = again(update, of("checkpoint-2", "b"), model="final", drop=["checkpoint-1"])
    assert list(index(final.text)) == ["final"]
    assert not [n for n in final.warnings if "drop" in n]
    empty = plan_card("# m\n", [pairs_result()], model_index=False, drop=["gone"])
    assert "model-index has no score of gone to drop" in empty.warnings
    assert "model-index" not in empty.text
    assert again(final, of("checkpoint-2", "b"), model="final", drop=["checkpoint-1"]).text == final.text


@pytest.mark.parametrize("sums", [{}, {"sha256": "a"}])
def test_weights_that_nobody_knows_are_not_the_same(sums):
    def plain(name):
        return dataclasses.replace(weat_result(), provenance={"model": {"name": name, **sums}})

    text = again(plan_card("", [plain("one")]), [plain("two")]).text
    assert list(index(text)) == (["two"] if sums else ["one", "two"])


def test_the_section_calls_the_model_what_it_is_told_to(tmp_path):
    update = plan_card("", of("out/checkpoint-1", "a"), model="org/final")
    assert section(update.text).startswith("**org/final** ")
    assert update.text.count("checkpoint-1") == 0
    write_results(of("checkpoint-1", "a"), tmp_path / "results.jsonl")
    for model, extra in (("first", ()), ("final", ("--drop", "gone"))):
        arguments = ["card", str(tmp_path), "--card", str(tmp_path / "README.md"), "--model", model, *extra]
        assert run_app(*arguments).exit_code == 0
    text = (tmp_path / "README.md").read_text()
    assert section(text).startswith("**final** ")
    assert list(index(text)) == ["final"]
