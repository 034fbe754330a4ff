"""model-index: our scores go in, everybody else's results and all formatting stay."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import yaml
from huggingface_hub import EvalResult, RepoCard

from evaluate_bias.report.card.entries import model_index_entries
from evaluate_bias.report.card.front_matter import TASK_TYPE, FrontMatterError, split_front_matter, upsert
from tests.report.samples import pairs_result, weat_item, weat_result
from tests.support.refusals import refusals

ENTRY = EvalResult(
    task_type=TASK_TYPE,
    dataset_name="weat-word-lists",
    dataset_type="bias/weat-word-lists",
    dataset_config="en",
    dataset_split="test",
    metric_type="weat",
    metric_value=1.5,
    metric_name="weat7, effect size d",
)
OTHER = dataclasses.replace(ENTRY, metric_name="weat6, effect size d", metric_value=-0.25)
GERMAN = dataclasses.replace(ENTRY, dataset_config="de")

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


def put(text: str, *scores: EvalResult, newline: str = "\n") -> str:
    return upsert(text, {"user/bert": scores}, newline)


def with_value(value: float) -> EvalResult:
    return dataclasses.replace(ENTRY, metric_value=value)


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
    after = put(text, ENTRY, OTHER, GERMAN, newline=newline)
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
    assert put(after, ENTRY, OTHER, GERMAN, newline=newline) == after


def test_a_changed_value_changes_one_line():
    before = put(FOREIGN, ENTRY, OTHER)
    after = put(before, with_value(0.001), OTHER)
    changed = [
        (a.strip(), b.strip()) for a, b in zip(before.splitlines(), after.splitlines(), strict=True) if a != b
    ]
    assert changed == [("value: 1.5", "value: 0.001")]


def test_new_items_of_an_inner_and_an_outer_list_at_the_same_place():
    before = put(FOREIGN, ENTRY)
    after = upsert(before, {"user/bert": [ENTRY, OTHER, GERMAN], "third": [ENTRY]})
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
        "model-index:\n",
        "model-index: null\nlicense: mit\n",
        "model-index:\n- name: bert\n  results: []\nlicense: mit # x\n",
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
    after = put(front_matter, ENTRY, OTHER)
    assert set(ours(after).values()) == {1.5, -0.25}
    assert put(after, ENTRY, OTHER) == after
    before, now = yaml.safe_load(front_matter) or {}, yaml.safe_load(after)
    assert {k: v for k, v in now.items() if k != "model-index"} == {
        k: v for k, v in before.items() if k != "model-index"
    }
    for line in front_matter.splitlines():
        if "license" in line or line.startswith("z:"):
            assert line in after.splitlines()


def test_another_models_results_stay_apart():
    after = put("model-index:\n- name: another\n  results: []\n", ENTRY)
    assert [e["name"] for e in yaml.safe_load(after)["model-index"]] == ["another", "user/bert"]


test_unsafe_yaml_is_left_alone = refusals(
    lambda front_matter: put(front_matter, ENTRY),
    ("broken: [\n", None, "not valid YAML"),
    ("- a\n- list\n", None, "not a YAML mapping"),
    ("model-index: text\n", None, "not a list of models"),
    ("a: &x [1]\nmodel-index:\n- name: b\n  results: []\n  y: [*x, *x]\n", None, "aliases"),
    ("model-index: []\nmodel-index: []\n", None, "twice"),
    ("base: &b\n  model-index: []\n<<: *b\n", None, "merge keys"),
    ("a: &a {x: 1}\nmodel-index:\n- name: b\n  <<: *a\n", None, "merge keys"),
    ("model-index: &m\n- name: b\n  results: []\ncopy: *m\n", None, "cannot be edited"),
    ("a: 1\n--- \nb: 2\n", None, "not valid YAML"),
    ("model-index: !!python/object:os.system []\n", None, "not valid YAML"),
    error=FrontMatterError,
)


def test_values_are_compared_as_numbers_and_true_is_not_one():
    one = with_value(1.0)
    text = put("", one)
    assert put(text.replace("value: 1.0", "value: 1.00"), one) == text.replace("value: 1.0", "value: 1.00")
    assert ours(put(text.replace("value: 1.0", "value: true"), one)) == {
        ("user/bert", "en", ENTRY.metric_name): 1.0
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


def only(results):
    """The scores of the only model."""
    (entries,) = model_index_entries(results).values()
    return entries


def test_the_last_of_two_measurements_counts():
    entries = only([weat_result([weat_item()]), weat_result([weat_item(score=1.0)])])
    assert [e.metric_value for e in entries] == [1.0]


def measured_on(method="pll", **facts):
    provenance = {"model": {"name": "bert"}, "dataset": facts}
    return pairs_result(method=method, provenance=provenance, groups=())


def test_several_languages_are_several_configurations_and_their_mean_is_of_none():
    provenance = {"model": {"name": "m"}, "dataset": {"source": "weat_word_lists", "language": "en"}}
    rows = [weat_item(), weat_item(language="de")]
    entries = only([weat_result(rows, provenance=provenance)])
    assert [(e.dataset_config, e.metric_name) for e in entries] == [
        (None, "all tests (weat6 (en), weat6 (de)), effect size d"),
        ("en", "weat6, effect size d"),
        ("de", "weat6, effect size d"),
    ]


@pytest.mark.parametrize(
    ("facts", "config", "end"),
    [
        ({"source": "crows_pairs", "language": "en"}, "en", "overall, preference score"),
        (
            {
                "source": "crows_pairs",
                "config": "fr",
                "language": "fr",
                "bias_types": ["gender"],
                "subset": "60 rows",
            },
            "fr",
            "overall (gender, 60 rows), preference score",
        ),
        ({"source": "stereoset", "language": "en"}, None, "overall, preference score"),
        (
            {"source": "stereoset", "config": ["intrasentence"], "language": "en"},
            "intrasentence",
            "preference score",
        ),
        ({"source": "bbq", "config": ["Age", "SES"], "language": "en"}, None, "preference score, Age, SES"),
        ({"source": "someone/pairs", "language": "nl"}, None, "overall, preference score [nl]"),
    ],
)
def test_a_configuration_is_one_that_was_measured_by_its_own_name(facts, config, end):
    (entry,) = only([measured_on(**facts)])
    assert entry.dataset_config == config
    assert entry.metric_name.endswith(end)
    assert "(" not in entry.dataset_name.removesuffix(" (no validation recorded)")


def test_scores_in_another_language_stay_and_other_parts_of_the_data_are_replaced():
    def written(text, **facts):
        return upsert(text, model_index_entries([measured_on(**facts)]))

    text = written("", source="crows_pairs", config="en", language="en")
    text = written(text, source="crows_pairs", config="fr", language="fr")
    text = written(text, source="crows_pairs", config="en", language="en", bias_types=["age"])
    text = written(text, source="bbq", config=["Age", "SES"], language="en")
    text = written(text, source="bbq", config="Age", language="en")
    text = written(text, source="someone/pairs", language="nl")
    text = written(text, source="someone/pairs", language="de")
    (model,) = yaml.safe_load(text)["model-index"]
    assert [(r["dataset"].get("config"), m["name"]) for r in model["results"] for m in r["metrics"]] == [
        ("fr", "overall, preference score"),
        ("en", "overall (age), preference score"),
        ("Age", "overall, preference score"),
        (None, "overall, preference score [nl]"),
        (None, "overall, preference score [de]"),
    ]


def test_the_split_tells_scores_apart_and_a_remark_on_one_test_is_of_the_data():
    entries = only([measured_on(source="bbq", config="Age", split=split) for split in ("test", "train")])
    assert [e.dataset_split for e in entries] == ["test", "train"]
    rows = [weat_item(), weat_item("weat7", origin="translated, not validated")]
    assert {e.dataset_name for e in only([weat_result(rows)])} == {
        "WEAT word lists (translated, not validated)"
    }
