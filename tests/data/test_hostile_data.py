"""Damaged, huge and hostile data: each a short error of the library's own, soon; and options that are not ignored."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import pytest
from filelock import FileLock

from evaluate_bias import data
from evaluate_bias.data import table_files
from evaluate_bias.data.building import build
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.word_lists import load_lpbs_tests, load_occupation_test, load_seat_tests
from evaluate_bias.data.words import load_wsv_words
from evaluate_bias.errors import BiasError, DataError, InputError
from tests.support.draws import in_one_case
from tests.support.refusals import refused

LOADERS: dict[str, Callable[..., Any]] = {
    "word lists": data.load_word_lists,
    "seat": load_seat_tests,
    "lpbs": load_lpbs_tests,
    "occupation test": load_occupation_test,
    "wsv words": load_wsv_words,
    "pairs": data.load_sentence_pairs,
    "stereoset": data.load_stereoset,
    "bec-pro": data.load_bec_pro,
    "gendered words": data.load_gendered_words,
    "professions": data.load_professions,
    "occupations": data.load_occupations,
    "templates": data.load_templates,
    "sentences": data.load_sentences,
}

PAIR = '{"sent_more": "A.", "sent_less": "B.", "id": %s}\n'

FILES: dict[str, bytes] = {
    "aliases.yaml": b"- {a: &a [x, y, z], b: &b [*a, *a, *a], name: [*b, *b]}",
    "nested.yaml": b"[" * 400 + b"]" * 400,
    "nested.json": b"[" * 60 + b"]" * 60,
    "nested.jsonl": b'{"a":' * 60 + b"1" + b"}" * 60,
    "digits.jsonl": (PAIR % ("9" * 5_000)).encode(),
    "many-digits.jsonl": (PAIR % ("9" * 4_000)).encode(),
    "wide.jsonl": json.dumps({"name": ["x" * 10_000] * 10, "word": {"a": "y" * 10_000}}).encode(),
    "columns.csv": ",".join(f"column {i}" for i in range(3_000)).encode() + b"\n" + b"," * 2_999,
    "twice.csv": b"a,a," + b"b" * 10_000 + b"\n1,2,3\n",
    "cell.csv": b"word,sentence\nx," + b"y" * 200_000 + b"\n",
    "text.parquet": b"a text, no table",
    "numbers.json": b"[1, 2, 3]",
    "null.json": b"null",
    "numbers.jsonl": b'{"word": 1.5, "women_bls": 7, "name": -1}\n',
    "lone.jsonl": b'{"word": "\\ud800", "sent_more": "\\ud800", "sent_less": "b"}\n',
    "latin.csv": "wörd\nÄ\n".encode("cp1252"),
    "binary.jsonl": bytes(range(128, 192)),
}
"""Damaged files that every reader takes or refuses with an error; what is too large is so by a limit set low."""


@pytest.mark.parametrize("kind", LOADERS)
@in_one_case("name", FILES)
def test_a_damaged_file_is_a_short_error_of_ours(tmp_path, kind, name, monkeypatch):
    monkeypatch.setattr(table_files, "_MAX_YAML_VALUES", 20)
    path = tmp_path / name
    path.write_bytes(FILES[name])
    if (kind, name) == ("pairs", "many-digits.jsonl"):
        assert len(LOADERS[kind](source=path)) == 1  # a pair with a long id is a pair
    else:
        caught = refused(BiasError, "", lambda: LOADERS[kind](source=path))
        assert len(str(caught)) - len(str(path)) <= 600


def test_what_is_nested_too_deeply_or_in_itself_is_refused(monkeypatch):
    def too_deep(*_, **__):
        raise RecursionError

    itself: list[Any] = []
    itself.append(itself)
    assert table_files._size(itself, {}) == math.inf
    for module, name in (("yaml.load", "a.yaml"), ("json.loads", "a.json"), ("json.loads", "a.jsonl")):
        monkeypatch.setattr(module, too_deep)
        refused(DataError, "nested (too deeply|more than 40)", table_files.read_rows, b"[1]", name)


def test_what_a_library_below_raises_is_chained(tmp_path, monkeypatch):
    def damaged(*_):
        raise ZeroDivisionError("deep inside")

    monkeypatch.setattr("evaluate_bias.data.load.read_rows", damaged)
    caught = refused(DataError, "cannot be loaded: ZeroDivisionError: deep inside", data.load_sentence_pairs)
    assert isinstance(caught.__cause__, ZeroDivisionError)


def test_a_built_folder_reads_nothing_outside_itself(tmp_path):
    (tmp_path / "secret.csv").write_text("female,male,kind\nqueen,king,title\n")
    out = build(dataset_record("gendered_words"), tmp_path / "out", configs=["en"])
    manifest = json.loads((out / "build.json").read_text())
    manifest["configs"]["en"]["splits"]["test"]["file"] = "../secret.csv"
    (out / "build.json").write_text(json.dumps(manifest))
    refused(DataError, "incomplete", data.load_gendered_words, source=out)


def test_a_build_removes_what_a_killed_one_left_and_no_more(tmp_path):
    left, living = tmp_path / ".build-left", tmp_path / ".build-living"
    for folder in (left, living):
        (folder / "new").mkdir(parents=True)
    (left / "in-use.lock").touch()
    with FileLock(living / "in-use.lock"):
        build(dataset_record("gendered_words"), tmp_path / "out", configs=["en"])
    assert sorted(p.name for p in tmp_path.iterdir()) == [".build-living", "out"]


@pytest.mark.parametrize("mark", [",", ";"])
def test_word_lists_of_a_spreadsheet(tmp_path, mark):
    header = ["name", "targets_x", "targets_y", "attributes_a", "attributes_b"]
    cells = ["toy", "rose; tulip", "wasp", "nice;ice cream", "vile"]
    quoted = [f'"{cell}"' for cell in cells]
    path = tmp_path / "mine.csv"
    path.write_text(f"{mark.join(header)}\n{mark.join(quoted)}\n", encoding="utf-8-sig")
    (test,) = data.load_word_lists(path)
    assert (test.targets_x, test.attributes_a) == (("rose", "tulip"), ("nice", "ice cream"))
    assert load_lpbs_tests(path)[0].name == "toy"


# --- tables as spreadsheets write them ---------------------------------------------------------------------


# --- options that choose data ------------------------------------------------------------------------------


def test_options_of_the_packaged_data_are_not_ignored_elsewhere(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("word,group\nshe,female\nhe,male\nnurse,\n")
    assert len(load_wsv_words(path)) == 3
    for options in ({"statistic": "women_bergsma"}, {"kinds": ["name"]}):
        refused(InputError, "`source` gives others", load_wsv_words, path, **options)
    refused(InputError, "`source` gives others", load_occupation_test, path, n_targets=3)
    refused(InputError, "to the published data set", data.load_stereoset, split="test")
