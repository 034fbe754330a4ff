"""Loading sentence pairs from the user's own tables, and from a Hub data set."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.errors import DataError, InputError, UnknownNameError
from tests.support.refusals import refusals, refused

LEAST = "sent_more,sent_less\nWomen cook.,Men cook.\nThe poor steal.,The rich steal.\n"


def put(tmp_path: Path, content: str | bytes, name: str = "pairs.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_two_columns_are_enough(tmp_path):
    pairs = load_sentence_pairs(put(tmp_path, LEAST))
    assert [(p.id, p.sent_more, p.sent_less) for p in pairs] == [
        ("0", "Women cook.", "Men cook."),
        ("1", "The poor steal.", "The rich steal."),
    ]
    assert {(p.stereo_antistereo, p.bias_type, p.language, p.exclude) for p in pairs} == {
        (None, "", "en", False)
    }
    assert set(pairs.provenance) == {"source", "language", "sha256"}


def test_the_same_rows_in_every_format(tmp_path):
    rows = [
        {"id": "a", "sent_more": "Él lee.", "sent_less": "Ella lee.", "bias_type": "gender", "exclude": True},
        {
            "id": "b",
            "sent_more": 'She said "no".',
            "sent_less": "He said, no.",
            "bias_type": None,
            "exclude": None,
        },
    ]
    quoted = '"She said ""no"".","He said, no."'
    csv_text = f"id,sent_more,sent_less,bias_type,exclude\na,Él lee.,Ella lee.,gender,true\nb,{quoted},,\n"
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    files = [
        put(tmp_path, csv_text, "p.csv"),
        put(tmp_path, b"\xef\xbb\xbf" + csv_text.encode(), "bom.csv"),
        put(tmp_path, csv_text.replace("\n", "\r\n"), "crlf.csv"),
        put(tmp_path, "".join(json.dumps(r) + "\n\n" for r in rows), "p.jsonl"),
        put(tmp_path, json.dumps(rows), "p.json"),
        put(tmp_path, json.dumps([{k: v for k, v in r.items() if v is not None} for r in rows]), "p.yaml"),
        tmp_path / "p.parquet",
    ]
    loaded = [load_sentence_pairs(f).rows for f in files]
    assert all(pairs == loaded[0] for pairs in loaded)
    assert [p.exclude for p in loaded[0]] == [True, False]
    assert loaded[0][1].sent_more == 'She said "no".'
    tsv = put(tmp_path, "sent_more\tsent_less\nA, b.\tB, b.\n", "p.tsv")
    assert load_sentence_pairs(tsv)[0].sent_more == "A, b."


def test_another_encoding_is_refused(tmp_path):
    path = put(tmp_path, "sent_more,sent_less\nÉl cocina.,Ella cocina.\n".encode("cp1252"))
    refused(DataError, r"is not utf-8 text .* save it as UTF-8", load_sentence_pairs, path)


def test_other_columns_are_named_not_dropped_silently(tmp_path):
    path = put(tmp_path, "sent_more,sent_less,score,sent_mor_par\nA a.,B a.,1,x\n")
    assert load_sentence_pairs(path).provenance["ignored_columns"] == ["score", "sent_mor_par"]


test_bad_csv = refusals(
    lambda tmp_path, content: load_sentence_pairs(put(tmp_path, content)),
    (" \n\n", None, r"pairs\.csv is empty"),
    ("sent_more,sent_less\n", None, "has no rows"),
    ("sentence,other\na,b\n", "columns", "its columns are sentence, other"),
    ("sent_more,sent_less\nA, a.,B, a.\n", None, "line 2: 4 cells, and 2 columns; put sentences that"),
    ("sent_more,sent_less,sent_less\na,b,c\n", None, "names a column twice"),
    ('sent_more,sent_less\n"A a.,B a.\n', None, "not a table"),
    ("id,sent_more,sent_less\nx,A a.,B a.\nx,A b.,B b.\n", None, "two rows with the id 'x'"),
    ("sent_more,sent_less,stereo_antistereo\nA.,B.,both\n", None, "'stereo' or 'antistereo'"),
    ("sent_more,sent_less,sent_more_par\nA.,B.,C.\n", None, "sent_less_par is absent and sent_more_par is"),
    ("sent_more,sent_less,exclude\nA.,B.,perhaps\n", None, r"pairs.csv, row 1 of 1 \(counted from 1\)"),
    error=DataError,
    fixtures=("tmp_path",),
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.csv", "id,sent_more,sent_less\na,A a.,\nb,  ,B b.\n"),
        (
            "p.jsonl",
            '{"id": "a", "sent_more": "A a.", "sent_less": ""}\n{"id": "b", "sent_more": null, "sent_less": "B b."}',
        ),
        (
            "p.json",
            '[{"id": "a", "sent_more": "A a.", "sent_less": NaN}, {"id": "b", "sent_more": " ", "sent_less": "B b."}]',
        ),
        ("p.yaml", "- {id: a, sent_more: A a., sent_less: ''}\n- {id: b, sent_more: , sent_less: B b.}\n"),
    ],
)
def test_a_row_with_an_empty_sentence_is_kept_for_the_method_to_list(tmp_path, name, content):
    pairs = load_sentence_pairs(put(tmp_path, content, name))
    assert [(p.id, p.sent_more, p.sent_less) for p in pairs] == [("a", "A a.", ""), ("b", "", "B b.")]


def test_an_empty_paraphrase_is_absent_with_its_twin_and_empty_without(tmp_path):
    head = "sent_more,sent_less,sent_more_par,sent_less_par\n"
    both, one, none = load_sentence_pairs(put(tmp_path, head + "A.,B.,C.,D.\nA.,B.,C.,\nA.,B.,,\n"))
    assert (both.sent_more_par, both.sent_less_par) == ("C.", "D.")
    assert (one.sent_more_par, one.sent_less_par) == ("C.", "")
    assert (none.sent_more_par, none.sent_less_par) == (None, None)


def test_languages_in_one_file_and_in_a_folder(tmp_path):
    path = put(tmp_path, "sent_more,sent_less,language\nA.,B.,en\nC.,D.,de\nE.,F.,\n")
    assert [p.sent_more for p in load_sentence_pairs(path, language="de")] == ["C.", "E."]
    with pytest.raises(UnknownNameError, match="unknown language 'fr'"):
        load_sentence_pairs(put(tmp_path, "sent_more,sent_less,language\nA.,B.,en\n"), language="fr")
    folder = tmp_path / "folder"
    folder.mkdir()
    refused(DataError, "has no table", load_sentence_pairs, folder)


def test_selection(tmp_path):
    pairs = load_sentence_pairs(bias_types=["religion", "AGE"])
    assert pairs.bias_types == ("religion", "age")
    assert len(pairs) == 40
    assert len(pairs[:3]) == 3
    assert pairs[:3].provenance == pairs.provenance
    refused(UnknownNameError, "did you mean 'religion'", pairs.select, "religon")
    refused(InputError, "`bias_types` is empty", pairs.select, [])
    refused(UnknownNameError, "unknown pair", lambda: pairs["nobody"])
