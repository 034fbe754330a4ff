"""Tables as people have them: saved by spreadsheets, of ``datasets``, of any frame that speaks Arrow, with odd tags."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import datasets
import pandas as pd
import pyarrow as pa
import pytest

import evaluate_bias as eb
from evaluate_bias.data.predictions import load_predictions
from evaluate_bias.data.schemas import parse_row
from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.data.table_files import frame_rows, read_rows
from evaluate_bias.data.words import WsvWord, load_wsv_words
from evaluate_bias.errors import DataError, InputError, UnknownNameError
from evaluate_bias.text import is_same_language
from tests.support.refusals import refused

PREDICTIONS = {
    "predictions": ["None", "NA", "nurse", "None", "nurse", "null", "nan", "NA"],
    "references": ["None", "NA", "nurse", "None", "None", "null", "nan", "NA"],
    "groups": ["female", "male"] * 4,
}


def excel(frame: pd.DataFrame, **options: Any) -> bytes:
    file = io.BytesIO()
    frame.to_excel(file, index=False, **options)
    return file.getvalue()


def test_words_that_pandas_takes_for_nothing_are_words_in_every_file():
    frame = pd.DataFrame(PREDICTIONS)
    rows = read_rows(frame.to_csv(index=False).encode(), "a.csv")
    assert rows == frame.to_dict("records")
    assert read_rows(excel(frame), "a.xlsx") == rows
    empty = frame.assign(predictions=["", None, *PREDICTIONS["predictions"][2:]])
    assert [row["predictions"] for row in read_rows(excel(empty), "a.xlsx")][:3] == [None, None, "nurse"]


@pytest.mark.parametrize(
    "raw",
    [
        b"a,b,,\nx,1,,\n,,,\ny,2,,\n",
        b"sep=;\na;b\nx;1\ny;2\n",
        "a\tb\nx\t1\ny\t2\n".encode("utf-16"),
        b"\xef\xbb\xbfa;b\r\nx;1\r\ny;2\r\n",
    ],
    ids=["emptied cells", "a line for the delimiter", "Unicode text", "byte order mark and semicolons"],
)
def test_what_spreadsheets_save_is_a_table(raw):
    assert read_rows(raw, "a.csv") == [{"a": "x", "b": "1"}, {"a": "y", "b": "2"}]


def test_emptied_columns_and_rows_of_excel_are_left_alone():
    frame = pd.DataFrame({"a": ["x", None, "y"], "b": [1, None, 2], "Unnamed: 2": [None] * 3})
    assert read_rows(excel(frame), "a.xlsx") == [{"a": "x", "b": 1}, {"a": "y", "b": 2}]


def test_headers_of_excel_are_read_as_those_of_csv() -> None:
    assert read_rows(excel(pd.DataFrame({" a ": ["x"], 2024: [1]})), "a.xlsx") == [{"a": "x", "2024": 1}]
    with pytest.raises(DataError, match=r"a\.xlsx names a column twice"):
        read_rows(excel(pd.DataFrame([[1, 2]], columns=["a", "a"])), "a.xlsx")


@pytest.mark.parametrize("language", ["zh-TW", "pa-Arab", "pt-BR", "zh"])
def test_rows_that_name_no_language_are_in_the_one_asked_for(language: str) -> None:
    frame = pd.DataFrame({"sent_more": ["A."], "sent_less": ["B."]})
    assert len(load_sentence_pairs(frame, language=language)) == 1


def labelled() -> Any:
    rows = {"predictions": [0, 1, 1, 1], "references": [0, 0, 1, 1], "groups": [0, 1, 0, 1]}
    names = {"predictions": ["cook", "nurse"], "references": ["cook", "nurse"], "groups": ["female", "male"]}
    features = datasets.Features({name: datasets.ClassLabel(names=of) for name, of in names.items()})
    return datasets.Dataset.from_dict(rows, features=features)


def test_classes_of_datasets_are_read_by_their_names(tmp_path):
    result = eb.measure("tpr_gap", data=labelled(), n_resamples=99, ci_resamples=99)
    assert "female" in str(result.to_json())
    splits = datasets.DatasetDict({"test": labelled()})
    assert eb.measure("tpr_gap", data=splits, n_resamples=99, ci_resamples=99).score == result.score
    with pytest.raises(DataError, match="train"):
        frame_rows(datasets.DatasetDict({"train": labelled(), "test": labelled()}))
    labelled().save_to_disk(str(tmp_path / "one"))
    datasets.DatasetDict({"train": labelled().select([0, 1]), "test": labelled()}).save_to_disk(
        str(tmp_path / "two")
    )
    for folder in ("one", "two"):
        assert (
            eb.measure("tpr_gap", source=tmp_path / folder, n_resamples=99, ci_resamples=99).score
            == result.score
        )


class Frame:
    """A frame of another library, known by the interface alone."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Lazy:
    def collect(self) -> None: ...

    def collect_schema(self) -> None: ...


@pytest.mark.parametrize(
    "wrap",
    [pa.table, lambda d: Frame(pa.table(d)), pd.DataFrame, dict],
    ids=["pyarrow", "arrow", "pandas", "dict"],
)
def test_any_frame_and_a_dict_of_columns_are_rows(wrap):
    columns = {
        "sent_more": [f"The nurse {i} said she left." for i in range(4)],
        "sent_less": [f"The nurse {i} said he left." for i in range(4)],
    }
    scores = {"sent_more": [-1.0, -2.0, -3.0, -1.5], "sent_less": [-2.0, -1.0, -4.0, -2.5]}
    rows = [dict(zip(scores, cells, strict=True)) for cells in zip(*scores.values(), strict=True)]
    assert eb.measure("pll", data=wrap(scores)).score == eb.measure("pll", data=rows).score
    if wrap is not dict:
        assert frame_rows(wrap(columns))[3]["sent_less"] == "The nurse 3 said he left."


def test_a_lazy_frame_is_to_be_collected_first():
    caught = refused(DataError, "", lambda: eb.measure("pll", data=Lazy()))
    assert "collect()" in (caught.hint or str(caught))


def test_a_stream_of_unknown_length_and_one_column_are_no_tables():
    class Column:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.chunked_array([[1]]).__arrow_c_stream__(requested_schema)

    caught = refused(DataError, "", lambda: eb.measure("tpr_gap", data=labelled().to_iterable_dataset()))
    assert "take(" in caught.hint
    assert "data frame" in refused(DataError, "", lambda: eb.measure("pll", data=Column())).hint


def test_nan_is_no_number_in_rows_as_in_a_frame():
    rows = [{"word": "nurse", "statistic": float("nan")}, {"word": "smith", "statistic": 3.0}]
    of_frame = load_wsv_words(pd.DataFrame(rows))
    assert [row.statistic for row in of_frame] == [None, 3.0]
    assert [parse_row(WsvWord, row, "row").statistic for row in rows] == [None, 3.0]


def test_language_tags_are_compared_as_the_languages_they_name():
    rows = [
        {"sent_more": "Elle part.", "sent_less": "Il part.", "language": tag}
        for tag in ("fr", "fr-FR", "fra", "de")
    ]
    assert len(load_sentence_pairs(pd.DataFrame(rows), language="fr")) == 3
    with pytest.raises(UnknownNameError, match="zh"):
        load_sentence_pairs(pd.DataFrame([{**rows[0], "language": "zh-TW"}]), language="zh")
    assert is_same_language("nb", "no")


def test_a_minus_sign_of_typesetting_is_one():
    text = "sent_more,sent_less\n\N{MINUS SIGN}1.5,\N{MINUS SIGN}2.5\n-3,-2\n-1,-4\n"
    assert read_rows(text.encode(), "scores.csv")[0]["sent_more"] == "\N{MINUS SIGN}1.5"


def test_a_category_named_as_the_whole_or_a_field_is_no_other():
    rows = [
        {"sent_more": -1.0 - i % 3, "sent_less": -2.0, "bias_type": kind}
        for i, kind in enumerate(["overall", "n", "n", "age"] * 6)
    ]
    result = eb.measure("pll", data=rows)
    assert {row.name for row in result.rows if row.kind == "group"} == {"overall", "n", "age"}
    for condition in ("pll.overall > 10", "pll.n > 10"):
        caught = refused(InputError, "", eb.gate, [result], fail_if=[condition])
        assert caught.option == "fail_if"
    assert eb.gate([result], fail_if=["pll.n.score > 100"]).checks[0].passed


def test_classes_of_a_data_set_of_the_hub_have_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = SimpleNamespace(
        download_and_prepare=lambda: None, as_dataset=lambda split: labelled(), hash="0" * 40
    )
    monkeypatch.setattr(datasets, "get_dataset_config_names", lambda *_, **__: ["en"])
    monkeypatch.setattr(datasets, "load_dataset_builder", lambda *_, **__: builder)
    rows = load_predictions("someone/answers")
    assert {row.groups for row in rows} == {"female", "male"}
    assert rows.provenance["revision"] == "0" * 40
