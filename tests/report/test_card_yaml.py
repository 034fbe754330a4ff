"""model-index: our scores go in, everybody else's results and all formatting stay."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml
from huggingface_hub import RepoCard

from evaluate_bias.report.card.entries import model_index_entries
from evaluate_bias.report.card.front_matter import (
    FrontMatterError,
    ModelIndexEntry,
    split_front_matter,
    upsert,
)
from tests.report.samples import weat_item, weat_result
from tests.support.refusals import refusals

DATA = {"name": "weat-word-lists", "type": "bias/weat-word-lists", "config": "en", "split": "test"}
METRIC = {"type": "weat", "value": 1.5, "name": "weat7, effect size d"}
ENTRY = ModelIndexEntry("user/bert", DATA, METRIC)
OTHER = ModelIndexEntry("user/bert", DATA, METRIC | {"name": "weat6, effect size d", "value": -0.25})
GERMAN = ModelIndexEntry("user/bert", DATA | {"config": "de"}, METRIC)

FOREIGN = """# top comment
license: mit   # a licence
model-index:
  # about our model
  - name: bert   # the name
    results:
      - task:
          type: text-classification
        dataset:
          type: glue
          name: "GLUE"
        metrics:
          - type: accuracy
            value: 0.90   # two digits
            verified: true
# between
tags:
  - 'a'
"""


def with_value(value: float) -> ModelIndexEntry:
    return ModelIndexEntry("user/bert", DATA, METRIC | {"value": value})


def ours(text: str) -> dict[tuple[str, str | None, str], Any]:
    """Values of the metrics of type weat, by model, configuration and name."""
    index = yaml.safe_load(text)["model-index"]
    return {
        (e["name"], r["dataset"].get("config"), m["name"]): m["value"]
        for e in index
        for r in e["results"]
        for m in r["metrics"]
        if m["type"] == "weat"
    }


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_results_of_others_and_every_line_outside_stay(newline):
    text = FOREIGN.replace("\n", newline)
    after = upsert(text, [ENTRY, OTHER, GERMAN], newline)
    assert ours(after) == {
        ("bert", "en", "weat7, effect size d"): 1.5,
        ("bert", "en", "weat6, effect size d"): -0.25,
        ("bert", "de", "weat7, effect size d"): 1.5,
    }
    before, behind = (part.split("tags:") for part in (text, after))
    assert before[1] == behind[1]
    assert before[0].split("model-index:")[0] == behind[0].split("model-index:")[0]
    theirs = yaml.safe_load(text)["model-index"][0]["results"]
    assert yaml.safe_load(after)["model-index"][0]["results"][: len(theirs)] == theirs
    assert after.replace("\r\n", "\n").count("\n") == after.count(newline)
    assert upsert(after, [ENTRY, OTHER, GERMAN], newline) == after


def test_a_changed_value_changes_one_line():
    before = upsert(FOREIGN, [ENTRY, OTHER])
    after = upsert(before, [with_value(0.001), OTHER])
    changed = [
        (a.strip(), b.strip()) for a, b in zip(before.splitlines(), after.splitlines(), strict=True) if a != b
    ]
    assert changed == [("value: 1.5", "value: 0.001")]


def test_new_items_of_an_inner_and_an_outer_list_at_the_same_place():
    before = upsert(FOREIGN, [ENTRY])
    third = dataclasses.replace(ENTRY, model="third")
    after = upsert(before, [ENTRY, OTHER, GERMAN, third])
    assert list(ours(after)) == [
        ("bert", "en", "weat7, effect size d"),
        ("bert", "en", "weat6, effect size d"),
        ("bert", "de", "weat7, effect size d"),
        ("third", "en", "weat7, effect size d"),
    ]


@pytest.mark.parametrize(
    "front_matter",
    [
        "",
        "# nothing\n",
        "license: mit",
        "model-index:\n",
        "model-index: []\n",
        "model-index: null\nlicense: mit\n",
        "model-index:\n- name: bert\n  results: []\nlicense: mit # x\n",
        "model-index:\n- name: bert\n  results:\nlicense: mit\n",
        "model-index:\n- name: bert\nlicense: mit\n",
        "model-index: [{name: bert, results: []}]\nlicense: mit\n",
        "model-index:\n- {name: bert, results: [{task: {type: a}, dataset: {type: b, name: c}, "
        "metrics: [{type: d, value: 1}]}]}\n",
        "model-index:\n- name: another\n  results: []\n",
        "license: mit\ntext: |\n  block\n  scalar\n\n",
        "a: 1\nmodel-index:\n- name: bert\n  results:\n  - task: {type: t}\n    dataset: {type: d, name: n}\n"
        "    metrics:\n    - type: text\n      value: |\n        a block\n        scalar\n\nz: 2\n",
        "model-index:\n- name: bert\n  results:\n  - task:\n      type: bias-evaluation\n    dataset:\n      name: x\n"
        "      type: bias/weat-word-lists\n      config: en\n      split: test\n    metrics: []\n",
    ],
)
def test_every_layout_gets_its_entry_once(front_matter):
    after = upsert(front_matter, [ENTRY, OTHER])
    assert set(ours(after).values()) == {1.5, -0.25}
    assert upsert(after, [ENTRY, OTHER]) == after
    before, now = yaml.safe_load(front_matter) or {}, yaml.safe_load(after)
    assert {k: v for k, v in now.items() if k != "model-index"} == {
        k: v for k, v in before.items() if k != "model-index"
    }
    for line in front_matter.splitlines():
        if "license" in line or line.startswith("z:"):
            assert line in after.splitlines()


def test_another_models_results_stay_apart():
    after = upsert("model-index:\n- name: another\n  results: []\n", [ENTRY])
    assert [e["name"] for e in yaml.safe_load(after)["model-index"]] == ["another", "user/bert"]


test_unsafe_yaml_is_left_alone = refusals(
    lambda front_matter: upsert(front_matter, [ENTRY]),
    ("broken: [\n", None, "not valid YAML"),
    ("- a\n- list\n", None, "not a YAML mapping"),
    ("{license: mit}\n", None, "not a YAML mapping"),
    ("model-index: text\n", None, "not a list of models"),
    ("model-index:\n- text\n", None, "not a list of models"),
    ("model-index:\n- name: bert\n  results: text\n", None, "not a list"),
    ("a: &x [1]\nmodel-index:\n- name: b\n  results: []\n  y: [*x, *x]\n", None, "aliases"),
    ("model-index: []\nmodel-index: []\n", None, "twice"),
    ("base: &b\n  model-index: []\n<<: *b\n", None, "merge keys"),
    ("a: &a {x: 1}\nmodel-index:\n- name: b\n  <<: *a\n", None, "merge keys"),
    ("model-index: &m\n- name: b\n  results: []\ncopy: *m\n", None, "cannot be edited"),
    ("a: 1\n--- \nb: 2\n", None, "not valid YAML"),
    ("model-index: !!python/object:os.system []\n", None, "not valid YAML"),
    ("when: 2024-13-45\nmodel-index:\n- 2024-13-45\n", None, "not valid YAML"),
    error=FrontMatterError,
)


def test_values_are_compared_as_numbers_and_true_is_not_one():
    one = with_value(1.0)
    text = upsert("", [one])
    assert upsert(text.replace("value: 1.0", "value: 1.00"), [one]) == text.replace(
        "value: 1.0", "value: 1.00"
    )
    assert ours(upsert(text.replace("value: 1.0", "value: true"), [one])) == {
        ("user/bert", "en", METRIC["name"]): 1.0
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# M\n",
        "---\n",
        "---\nunclosed: 1\n",
        "text\n---\na: 1\n---\n",
        "--- a\nb\n---\n",
        "---\n---\n",
        "--- \na: 1\n---\n",
        "---\ra: 1\r---\rx",
    ],
)
def test_no_front_matter(text):
    assert split_front_matter(text) is None
    assert RepoCard(text).data.to_dict() == {}


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\n---",
        "---\r\na: 1\r\n---\r\nx",
        "\n ---\na: 1\n---  \nx",
        "---\na: 1\n---\n\n---\nb: 2\n---\n",
    ],
)
def test_front_matter_parts_make_up_the_text(text):
    parts = split_front_matter(text)
    assert parts is not None
    assert "".join(parts) == text
    assert yaml.safe_load(parts[1]) == RepoCard(text).data.to_dict() == {"a": 1}
    assert parts[3].replace("\r\n", "\n") == RepoCard(text).text.replace("\r\n", "\n")


def test_the_last_of_two_measurements_counts():
    entries = model_index_entries([weat_result([weat_item()]), weat_result([weat_item(score=1.0)])])
    assert [e.metric["value"] for e in entries] == [1.0]


def test_several_languages_are_several_configurations():
    entries = model_index_entries([weat_result([weat_item(), weat_item(language="de")])])
    assert [(e.dataset["config"], e.metric["name"]) for e in entries] == [
        ("en", "all tests (weat6 (en), weat6 (de)), effect size d"),
        ("en", "weat6, effect size d"),
        ("de", "weat6, effect size d"),
    ]
