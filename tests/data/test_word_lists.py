"""The schema of word-list tests, and loading them from the package, from files and from the Hub."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.data import word_lists
from evaluate_bias.data.schemas import parse_row
from evaluate_bias.data.word_lists import WordListSet, WordListTest, load_word_lists
from evaluate_bias.errors import DataError, HubError, InputError, UnknownNameError
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.refusals import refusals, refused

ROW: dict[str, Any] = {
    "name": "toy",
    "targets_x": ["rose", "tulip"],
    "targets_y": ["wasp"],
    "attributes_a": ["nice", "ice cream"],
    "attributes_b": ["vile"],
}


def without(key: str) -> dict[str, Any]:
    return {k: v for k, v in ROW.items() if k != key}


# --- schema ------------------------------------------------------------------------------------------------


def test_a_row_with_the_five_columns_is_enough():
    test = parse_row(WordListTest, ROW, "row")
    assert test.targets_x == ("rose", "tulip")
    assert test.attributes_a == ("nice", "ice cream")
    assert (test.language, test.origin) == ("und", "given by the caller")
    assert parse_row(WordListTest, test, "row") is test
    assert parse_row(WordListTest, {**ROW, "title": None}, "row") == test


test_a_bad_row_gives_one_sentence = refusals(
    lambda row: parse_row(WordListTest, row, "row 3"),
    (without("targets_x"), None, "row 3 'toy': the field 'targets_x' is missing"),
    ({**ROW, "target_x": ["a"]}, None, "row 3 'toy': there is no field 'target_x'; the fields are name"),
    ({**ROW, "targets_x": "rose"}, None, "row 3 'toy': targets_x must be a list of words, got 'rose'"),
    ({**ROW, "targets_x": ["rose", 3]}, None, r"row 3 'toy': targets_x\[1\] must be a string, got 3"),
    ({**ROW, "targets_x": range(10**6)}, None, r"targets_x\[0\] must be a string, got 0$"),
    ({**ROW, "targets_x": ["\u00a0"]}, None, r"row 3 'toy': targets_x\[0\] is blank"),
    ({**ROW, "attributes_b": [" vile"]}, None, r"attributes_b\[0\] has spaces around it or more than one"),
    ({**ROW, "language": "English"}, None, "language must be a language tag such as 'en' or 'pt-BR', got"),
    ({**without("targets_x"), "target_x": ["a"]}, None, "if 'target_x' is meant, set `columns` to read"),
    ({"title": "toy"}, None, "row 3: the fields 'name', 'targets_x' are missing"),
    error=DataError,
)


@given(st.text(max_size=12))
def test_exactly_tidy_words_are_taken(word):
    tidy = word != "" and word == " ".join(word.split())
    try:
        taken = parse_row(WordListTest, {**ROW, "targets_x": [word]}, "row").targets_x == (word,)
    except DataError:
        taken = False
    assert taken is tidy


# --- choosing tests ----------------------------------------------------------------------------------------


def test_a_test_is_found_however_its_name_is_written():
    for name in ("weat7", "WEAT 7", "Weat_7", " weat-7 "):
        assert [t.name for t in load_word_lists(tests=name)] == ["weat7"]
        assert load_word_lists()[name].x_label == "math"
    chosen = load_word_lists(tests=["weat10", "weat2"])
    assert [t.name for t in chosen] == ["weat10", "weat2"]
    assert isinstance(chosen[1:], WordListSet)
    assert (chosen[0].name, chosen[1:][0].name) == ("weat10", "weat2")


@pytest.mark.parametrize("tests", [["weat7", "WEAT 7"], []])
def test_no_test_or_one_test_twice_is_refused(tests):
    refused(InputError, "`tests` (is empty|names 'weat7' twice)", load_word_lists, tests=tests)


def test_unknown_names_offer_near_matches():
    refused(UnknownNameError, "unknown test 'weat11'; did you mean 'weat1'", load_word_lists, tests="weat11")
    refused(UnknownNameError, "unknown test 'weat1'", load_word_lists, language="de", tests="weat1")
    with pytest.raises(UnknownNameError, match="unknown language 'english'; did you mean|choose from de, "):
        load_word_lists(language="english")
    refused(UnknownNameError, "unknown language 'xx'", word_lists.test_names, "xx")


# --- the user's own files ----------------------------------------------------------------------------------


def write(folder: Path, name: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / name
    if path.suffix == ".parquet":
        columns = {key for row in rows for key in row}
        pq.write_table(pa.table({c: [row.get(c) for row in rows] for c in columns}), path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    else:  # JSON is YAML, but for words that YAML takes for others: these stand there without quotes
        text = json.dumps(rows, ensure_ascii=False)
        bare = re.sub(r'"(no|null|on|off)"', r"\1", text) if path.suffix != ".json" else text
        path.write_text(bare, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".yaml", ".yml", ".parquet"])
def test_every_kind_of_file_gives_the_same_tests(tmp_path, suffix):
    rows = [
        ROW,
        {**ROW, "name": "Ölförmig", "language": "no", "targets_x": ["Käse", "no", "null", "on", "off"]},
    ]
    path = write(tmp_path, f"mine{suffix}", rows)
    english = load_word_lists(path)
    assert [(t.name, t.language) for t in english] == [("toy", "en")]
    norwegian = load_word_lists(str(path), language="no")
    assert [(t.name, t.targets_x) for t in norwegian] == [
        ("toy", ("rose", "tulip")),
        ("Ölförmig", ("Käse", "no", "null", "on", "off")),
    ]
    checksum = hashlib.sha256(path.read_bytes()).hexdigest()
    assert norwegian.provenance == {"source": path.name, "language": "no", "sha256": checksum}


def test_a_folder_has_one_file_for_each_language(tmp_path):
    write(tmp_path, "de.jsonl", [ROW])
    write(tmp_path, "pt-BR.yaml", [{**ROW, "language": "pt-BR"}])
    (tmp_path / "README.md").write_text("not a word list", encoding="utf-8")
    german = load_word_lists(tmp_path, language="de")
    assert german[0].language == "de"
    assert german.provenance["source"] == tmp_path.name
    assert load_word_lists(tmp_path, language="pt-br")[0].language == "pt-BR"
    refused(UnknownNameError, "unknown language 'en'", load_word_lists, tmp_path)


# --- the Hub -----------------------------------------------------------------------------------------------


CARD = """\
---
configs:
- config_name: de
  data_files: [{split: test, path: de.jsonl}]
- config_name: 'no'
  data_files: [{split: train, path: de.jsonl}]
---
"""
FROM_HUB = """
from evaluate_bias.data import load_word_lists
from evaluate_bias.data.table_files import sources_named_by
from evaluate_bias.errors import BiasError
errors = []
def load(source, language="de"):
    try:
        return load_word_lists(source, language=language)
    except BiasError as error:
        errors.append([type(error).__name__, str(error)])
found = load_word_lists("bias/weat-word-lists", language="DE", tests=["TOY"])
pinned = load("bias/weat-word-lists@PINNED")
load("bias/weat-word-lists", "da"), load("bias/weat-word-lists", "no"), load("bias/no")
with sources_named_by("the log"):
    named = load("bias/weat-word-lists")
    load("Org/MyLists")
loaded = load("Org/MyLists")
with sources_named_by("the log"):
    again = load("Org/MyLists")
answer({"same": found == pinned == named and loaded == again, "errors": errors,
        "found": found[0].model_dump(), "provenance": found.provenance})
"""


@pytest.mark.slow
def test_loading_from_the_hub(tmp_path):
    row = {**ROW, "language": "de", "title": None, "a_column_of_the_future": 1}
    with LoopbackHub() as hub:
        files = {"README.md": CARD, "de.jsonl": json.dumps(row) + "\n"}
        revision = hub.add_repo("dataset", "bias/weat-word-lists", files).at().oid
        hub.add_repo("dataset", "Org/MyLists", files)
        answers = run_python(FROM_HUB.replace("PINNED", revision), hub.env(), tmp_path)
        assert hub.outside == []
    assert parse_row(WordListTest, answers["found"], "row") == parse_row(
        WordListTest, {**ROW, "language": "de"}, "row"
    )
    assert answers["provenance"] == {
        "name": "weat_word_lists", "source": "bias/weat-word-lists", "language": "de", "split": "test",
        "revision": revision,
    }  # fmt: skip
    assert answers["same"] is True
    for (kind, sentence), (expected, part) in zip(answers["errors"], HUB_ERRORS, strict=True):
        assert kind == expected
        assert part in sentence


HUB_ERRORS = [
    ("UnknownNameError", "unknown configuration 'da'; did you mean 'de'?"),
    ("HubError", "has no split 'test'"),
    ("HubError", "'bias/no' could not be read from the Hub"),
    ("DataError", "the log names the data set Org/MyLists of the Hub, which was not downloaded"),
]


def test_a_data_set_that_cannot_be_reached_is_a_hub_error(monkeypatch):
    import datasets

    def unreachable(*_, **__):
        raise ConnectionError("no network")

    monkeypatch.setattr(datasets, "get_dataset_config_names", unreachable)
    refused(HubError, "could not be read from the Hub: no network", load_word_lists, "bias/weat-word-lists")
