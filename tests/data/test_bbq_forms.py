"""The raw forms of BBQ's relatives: rows of our own words, with the columns that their files have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias.assets import fetch
from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.errors import DataError

TEXTS = {"context": "Ada and a girl came in.", "question": "Who forgot the key?"}


def mbbq(**changes: Any) -> dict[str, Any]:
    row = {
        "example_id": 7, "question_index": "3", "question_polarity": "neg", "context_condition": "ambig",
        "category": "Age",
        "answer_info": {"ans0": ["Ada", "old"], "ans1": ["girl", "nonOld"], "ans2": ["Cannot tell", "unknown"]},
        "additional_metadata": {"subcategory": "None", "stereotyped_groups": ["old"], "version": "a", "source": ""},
        **TEXTS, "ans0": "Ada", "ans1": "The girl", "ans2": "Cannot tell", "label": 2,
    }  # fmt: skip
    return {**row, **changes}


def esbbq(**changes: Any) -> dict[str, Any]:
    """As the CSV file has it, whose nested columns are flat and whose lists are written in Python."""
    row = {
        "instance_id": 0, "template_id": 4, "version": "a", "question_polarity": "nonneg",
        "context_condition": "disambig", "category": "RaceEthnicity", "stereotyped_groups": "['àrab', 'negre']",
        "answer_info.ans0": "['Omar', 'm, àrab']", "answer_info.ans1": "['Pau', 'blanc']",
        "answer_info.ans2": "['unknown', 'unknown']", **TEXTS, "ans0": "Omar", "ans1": "Pau", "ans2": "unknown",
        "question_type": "pro-stereo", "label": 1,
    }  # fmt: skip
    return {**row, **changes}


def kobbq(sample: str, biased: str, right: str, **changes: Any) -> dict[str, Any]:
    row = {
        "sample_id": sample, "label_annotation": "NC", **TEXTS, "choices": "['Ada', 'girl', 'not known']",
        "biased_answer": biased, "answer": right, "bbq_id": "", "bbq_category": "", "prediction": "",
    }  # fmt: skip
    return {**row, **changes}


def cbbq(**changes: Any) -> dict[str, Any]:
    """Numbers are text, and the first key keeps the byte order mark of the file that it was made from."""
    row = {
        "\ufeffexample_id": "1", "question_index": "2", "question_polarity": "non_neg",
        "context_condition": "disambiguous", "category": "ethnicity", "subcategory": "x",
        "bias_targeted_groups": "old people", "source": "", **TEXTS, "ans0": "old", "ans1": "young", "ans2": "unclear",
        "label": "1",
    }  # fmt: skip
    return {**row, **changes}


def jsonl(folder: Path, rows: list[dict[str, Any]], name: str = "d.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_the_target_is_the_stereotyped_person_of_a_negative_question_else_the_other(tmp_path):
    rows = [mbbq(), mbbq(example_id=8, question_polarity="nonneg")]
    items = load_bbq(jsonl(tmp_path, rows), language="nl")
    assert [(i.id, i.question_index, i.target_loc, i.unknown_loc, i.label) for i in items] == [
        ("7", "3", 0, 2, 2),
        ("8", "3", 1, 2, 2),
    ]
    assert {i.language for i in items} == {"nl"}
    assert [i.target_loc for i in load_bbq(pd.DataFrame(rows))] == [0, 1]
    nested = [{**row, "answer_info": str(row["answer_info"])} for row in rows]
    assert [i.target_loc for i in load_bbq(pd.DataFrame(nested))] == [0, 1]


@pytest.mark.parametrize(
    ("groups", "infos", "target"),
    [
        (["F"], ("mujer", "hombre"), 0),
        (["F"], ("man", "woman"), 1),
        (["low SES"], ("highSES", "lowSES"), 1),
        (["Black", "African American"], ("F-Black", "F-Asian"), 0),
        (["trans"], ("nonTrans_F", "trans_M"), 1),
        (["F"], ("woman", "girl"), None),
        (["F"], ("boy", "man"), None),
    ],
)
def test_groups_by_whatever_they_are_called(groups, infos, target, tmp_path):
    info = {f"ans{i}": ["Kim", kind] for i, kind in enumerate(infos)} | {"ans2": ["?", "unknown"]}
    row = mbbq(answer_info=info, additional_metadata={"stereotyped_groups": groups}, example_id=1)
    items = load_bbq(jsonl(tmp_path, [mbbq(), row]), language="es")
    assert [i.target_loc for i in items][1:] == ([] if target is None else [target])
    if target is None:
        assert items.skipped[0].item == "1"
        assert "which `source` 'bbq' reads" in items.skipped[0].reason


def test_flat_columns_and_lists_in_text(tmp_path):
    path = tmp_path / "d.csv"
    pd.DataFrame([esbbq(), esbbq(instance_id=1, question_polarity="neg", label=0)]).to_csv(path, index=False)
    items = load_bbq(path, language="ca")
    assert [(i.id, i.question_index, i.target_loc, i.unknown_loc, i.label) for i in items] == [
        ("0", "4", 1, 2, 1),
        ("1", "4", 0, 2, 0),
    ]


def test_options_in_one_list_and_predictions_as_answers(tmp_path):
    rows = [
        kobbq("age-001a-002-amb-bsd", "Ada", "not known", prediction="Ada"),
        kobbq("age-001a-002-dis-cnt", "girl", "girl", prediction="girl"),
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "d.tsv", sep="\t", index=False)
    items = load_bbq(tmp_path / "d.tsv", language="ko")
    facts = [(i.category, i.question_index, i.context_condition, i.question_polarity) for i in items]
    assert facts == [("age", "001", "ambig", "neg"), ("age", "001", "disambig", "nonneg")]
    places = [(i.target_loc, i.unknown_loc, i.label, i.answer) for i in items]
    assert places == [(0, 2, 2, "Ada"), (1, 2, 1, "girl")]
    result = eb.measure("bbq", source=tmp_path / "d.tsv", language="ko")
    assert (result.score, result.settings["answers"]) == (1.0, "given by the caller")


def test_numbers_in_text_and_an_unknown_option_that_is_never_right(tmp_path):
    rows = [cbbq(), cbbq(**{"\ufeffexample_id": "2", "label": "0", "question_polarity": "neg"})]
    path = tmp_path / "disambiguous.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    items = load_bbq(path, language="zh")
    assert {i.context_condition for i in items} == {"disambig"}
    assert [(i.id, i.target_loc, i.unknown_loc) for i in items] == [("1", 1, 2), ("2", 0, 2)]


def test_what_lacks_is_said(tmp_path):
    broken = {k: v for k, v in mbbq().items() if k != "question_polarity"}
    for rows, message in (
        (
            [mbbq(category="Race_x_SES")],
            "names no biased answer: .*which `source` 'bbq' reads; or add target_loc",
        ),
        ([cbbq(label="1")], "item 1 does not say which option is the unknown one; add unknown_loc"),
        ([mbbq(), broken], "item 2 does not have the expected form: KeyError.'question_polarity'"),
    ):
        with pytest.raises(DataError, match=message):
            load_bbq(jsonl(tmp_path, rows), language="zh")
    ready = {**mbbq(), "target_loc": 1, "unknown_loc": 2, "id": "a"}
    assert load_bbq(jsonl(tmp_path, [ready]))[0].target_loc == 1


@pytest.mark.nightly
@pytest.mark.parametrize("category", ["Gender_identity", "Race_ethnicity", "SES"])
def test_bbqs_own_files_have_the_answers_that_it_publishes_apart(category):
    folder = fetch("benchmarks") / "BBQ" / "data"
    raw = load_bbq(folder / f"{category}.jsonl")
    published = {item.id: item for item in load_bbq("bbq", categories=category)}
    assert len(raw) + len(raw.skipped) == len(published)
    assert len(raw.skipped) <= 16
    for item in raw:
        other = published[f"{category}-{item.id}"]
        ours, theirs = ((i.target_loc, i.unknown_loc, i.label) for i in (item, other))
        assert ours == theirs
