"""Reading and writing results: whole or not at all, and clear about what is wrong with a file."""

import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluate_bias.errors import BiasError, DataError, InputError, OutputError
from evaluate_bias.experiments.sources import read_results, write_results
from evaluate_bias.report.card import plan_card
from evaluate_bias.report.latex import to_latex
from evaluate_bias.report.row_tables import to_csv, to_markdown
from evaluate_bias.report.write import write_report
from tests.hostile.contract import fault_of
from tests.report.samples import pairs_result, weat_item, weat_result
from tests.support.odd_values import paths_in, with_value
from tests.support.refusals import refusals, refused


def test_round_trip_through_file_and_folder(tmp_path):
    results = [weat_result(), pairs_result()]
    write_results(results, tmp_path / "deep" / "results.jsonl")
    assert read_results(tmp_path / "deep") == results
    assert read_results(str(tmp_path / "deep" / "results.jsonl")) == results
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["results.jsonl"]


@settings(max_examples=20)
@given(label=st.text(max_size=20))
def test_any_label_survives(label, tmp_path_factory):
    path = tmp_path_factory.mktemp("io") / "results.jsonl"
    try:
        label.encode("utf-8")
    except UnicodeEncodeError:
        return
    results = [weat_result([weat_item(x=label)])]
    write_results(results, path)
    assert read_results(path) == results


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "results.jsonl"
    write_results([weat_result()], path)
    before = path.read_bytes()

    def full_disk(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    refused(OutputError, "No space left on device", lambda: write_results([pairs_result()], path))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["results.jsonl"]


def given_content(tmp_path, content):
    good = weat_result().to_json().encode()
    path = tmp_path / "results.jsonl"
    path.write_bytes(content.replace(b"GOOD", good))
    read_results(path)


test_broken_files_name_the_line = refusals(
    given_content,
    (b"", None, "is empty"),
    (b"\n\n", None, "is empty"),
    (b"GOOD\n{broken\n", None, "line 2: the text is not JSON .* column 2"),
    (b"GOOD\n\n[1]\n", None, "line 3: .*not an object"),
    (b"\xff\xfe\x00", None, "not UTF-8"),
    (b'{"method": "weat"}\n', None, "line 1: not a result"),
    (b'GOOD{"method": "weat"', None, "line 1: the text is not JSON"),
    (b'{"method": "weat", "weat": 1, "schema_version": 3}\n', None, "line 1: not a complete 'weat' result"),
    (b'{"method": "weat", "weat": 1, "weat": 0}\n', None, "line 1: the text: the key 'weat' is given twice"),
    (b"[" * 50 + b"]" * 50, None, "line 1: the text is nested more than 40 deep"),
    (b'{"a":' * 50 + b"1" + b"}" * 50, None, "line 1: the text is nested more than 40 deep"),
    (b'{"method": "weat", "weat": ' + b"1" * 5000 + b"}", None, "line 1: the text is not JSON that can be"),
    error=DataError,
    fixtures=("tmp_path",),
)


def given_changes(tmp_path, changes):
    stored = weat_result(score=0.75, score_range=(-2.0, 2.0), ideal=0.4).to_dict()
    (tmp_path / "results.jsonl").write_text(json.dumps(stored))
    assert len(read_results(tmp_path)) == 1
    (tmp_path / "results.jsonl").write_text(json.dumps(stored | changes))
    read_results(tmp_path)


test_what_no_result_can_have_is_refused = refusals(
    given_changes,
    ({"weat": math.nan}, None, "NaN is not a finite number"),
    ({"weat": -2.5}, None, "score of 'overall' is -2.5, and its range is -2 to 2"),
    ({"weat": 2.00001}, None, "and its range is -2 to 2"),
    ({"ideal": 3}, None, "ideal of 'overall' is 3, and its range is -2 to 2"),
    ({"score_range": [None, 0.5]}, None, "is 0.75, and its range is −∞ to 0.5"),
    ({"coverage": {"found": 9, "asked": 1}}, None, "coverage of 'overall' is 9 of 1"),
    ({"coverage": 5.0}, None, "coverage must contain 'found' and 'asked', got 5.0"),
    ({"settings": 5}, None, "settings must map names to values, not 5"),
    ({"date": "yesterday"}, None, "date must be a day such as '2026-11-29', got 'yesterday'"),
    ({"rows": 5}, None, "a field is missing, unknown or of another type"),
    ({"rows": [weat_item().to_dict() | {"score": 9.0}]}, None, "score of 'weat6' is 9, and its range is -2"),
    error=DataError,
    fixtures=("tmp_path",),
)


def test_another_schema_is_refused(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(weat_result().to_dict() | {"schema_version": 99}))
    refused(DataError, "line 1: this result has schema version 99, .*; measure it again", read_results, path)


@pytest.mark.parametrize(
    "name", ["report.md", "report.tex", "report.csv", "effect_sizes.svg", "words/weat9.svg"]
)
def test_a_report_that_cannot_be_written_whole_is_not_begun(name, tmp_path):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    refused(InputError, "named pipe", lambda: write_report([weat_result()], tmp_path))
    assert [p for p in tmp_path.rglob("*") if not p.is_dir()] == [tmp_path / name]


STORED = weat_result([weat_item("weat6"), weat_item("weat7")]).to_dict()
ODD = (
    *("null", "-5", "5.5", "1e999", "9" * 5_000, "[]", "{}", "ro", '""', '["a"]'),
    *('"a\\ud800b"', '"a\\u202e\\u001b[31m\\n"'),
)


@given(path=st.sampled_from(paths_in(STORED)), cell=st.sampled_from(ODD))
def test_a_result_with_any_odd_value_is_refused_or_sane(path, cell, tmp_path_factory):
    """Where it is read, everything that is made of results works, and no number in it is impossible."""
    stored = with_value(STORED, path, "SPOILT")
    file = tmp_path_factory.mktemp("odd") / "results.jsonl"
    file.write_text(json.dumps(stored).replace('"SPOILT"', cell) + "\n", encoding="utf-8")
    try:
        (result,) = read_results(file)
    except BiasError as error:
        outcome = error
    else:
        outcome = result
    assert fault_of(outcome) == ""
    if isinstance(outcome, BiasError):
        return
    assert result.n >= 0
    assert 0 < result.confidence_level < 1
    for made in (
        to_markdown([result]),
        to_latex([result]),
        to_csv([result]),
        result._repr_html_(),
        str(result),
    ):
        assert made
    plan_card("# Model\n\nText.\n", [result], picture=True).text.encode("utf-8")
