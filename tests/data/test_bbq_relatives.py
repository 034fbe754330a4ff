"""MBBQ, KoBBQ, EsBBQ and CaBBQ as data sets: built from files in their raw forms, of our own words."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evaluate_bias.data.bbq import load_bbq
from evaluate_bias.data.building import build
from evaluate_bias.data.origins import RepositoryTexts
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.errors import AssetError, UnknownNameError
from evaluate_bias.methods.downstream.bbq.answers import option_of
from tests.data.test_bbq_forms import esbbq, kobbq, mbbq
from tests.support.refusals import refused

RELATIVES = {"mbbq": ("en", "es", "nl", "tr"), "kobbq": ("ko",), "esbbq": ("es",), "cabbq": ("ca",)}


def rows_of(path: str) -> list[dict[str, object]]:
    """Two items a file, of which MBBQ's second has no biased answer."""
    category = Path(path).name.split(".")[0].rsplit("_", 1)[0]
    if path.endswith(".jsonl"):
        both = {"ans0": ["Ada", "old"], "ans1": ["Bea", "old"], "ans2": ["Cannot tell", "unknown"]}
        rows = [{}, {"example_id": 1, "answer_info": both}]
        return [mbbq(category=category, **{"example_id": 0, **row}) for row in rows]
    if path.endswith(".tsv"):
        samples = ("age-001a-002-amb-bsd", "Ada", "not known"), ("ses-002b-001-dis-cnt", "girl", "girl")
        return [kobbq(*sample) for sample in samples]
    rows = [{}, {"instance_id": 1, "question_polarity": "neg", "label": 0}]
    return [esbbq(category=category, **row) for row in rows]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Every relative, built from a folder that is laid out like its repository."""
    folder = tmp_path_factory.mktemp("relatives")
    for name in RELATIVES:
        record = dataset_record(name)
        for config in record.configs:
            origin = config.splits["test"]
            assert isinstance(origin, RepositoryTexts)
            for file in origin.files:
                path = folder / "source" / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                rows = rows_of(file.path)
                if path.suffix == ".jsonl":
                    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
                    continue
                with path.open("w", encoding="utf-8", newline="") as out:
                    writer = csv.DictWriter(out, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
                    writer.writeheader()
                    writer.writerows(rows)
        names = [config.name for config in record.configs]
        build(record, folder / name, configs=names, source=folder / "source", verify=False)
    return folder


def test_one_configuration_a_language_with_the_licence_that_was_read():
    records = {name: dataset_record(name) for name in RELATIVES}
    assert {name: tuple(c.name for c in record.configs) for name, record in records.items()} == RELATIVES
    licences = {name: {c.licence for c in record.configs} for name, record in records.items()}
    assert licences == {
        "mbbq": {"cc-by-4.0"},
        "kobbq": {"mit"},
        "esbbq": {"apache-2.0"},
        "cabbq": {"apache-2.0"},
    }
    assert not any(config.publishable for config in records["mbbq"].configs)
    assert all(config.publishable for name in ("kobbq", "esbbq", "cabbq") for config in records[name].configs)


def test_items_are_called_by_category_and_number_and_those_without_a_target_are_listed(built):
    items = load_bbq(built / "mbbq", language="nl")
    assert [item.id for item in items][:2] == ["Age-0", "Disability_status-0"]
    assert (len(items), {item.language for item in items}) == (6, {"nl"})
    assert [skipped.item for skipped in items.skipped][:2] == ["Age-1", "Disability_status-1"]
    assert load_bbq(built / "mbbq", language="nl", categories="SES").bias_types == ("SES",)
    korean = load_bbq(built / "kobbq", language="ko")
    assert [(i.id, i.category, i.question_index, i.target_loc) for i in korean] == [
        ("age-001a-002-amb-bsd", "age", "001", 0),
        ("ses-002b-001-dis-cnt", "ses", "002", 1),
    ]


@pytest.mark.parametrize(
    ("name", "language", "unknown"), [("esbbq", "es", "No se sabe"), ("cabbq", "ca", "No se sap")]
)
def test_the_mark_for_the_unknown_option_is_put_into_words(built, name, language, unknown):
    items = load_bbq(built / name, language=language)
    assert {item.options[item.unknown_loc] for item in items} == {unknown}
    assert {option_of("unknown", item) for item in items} == {2}


def test_a_name_with_one_language_needs_none_beside_it(built, monkeypatch):
    monkeypatch.setattr("evaluate_bias.data.load.get_dataset", lambda key, configs: built / key)
    assert {item.language for item in load_bbq("KoBBQ")} == {"ko"}
    assert load_bbq("cabbq").provenance["name"] == "cabbq"
    assert {item.language for item in load_bbq("mbbq")} == {"en"}
    assert {item.origin for item in load_bbq("mbbq", language="tr")} == {"paper"}
    refused(UnknownNameError, "'de'", load_bbq, "mbbq", language="de")


def test_other_files_than_the_pinned_ones_are_refused(built, tmp_path):
    with pytest.raises(AssetError, match=r"is not data/KoBBQ_test_samples\.tsv of naver-ai/KoBBQ"):
        build(dataset_record("kobbq"), tmp_path / "out", source=built / "source")
