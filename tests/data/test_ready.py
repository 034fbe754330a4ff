"""Files with scores in place of sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate_bias.data.kinds import SENTENCE_PAIRS
from evaluate_bias.data.load import load_scores, score_rows
from evaluate_bias.errors import DataError

COLUMNS = SENTENCE_PAIRS.columns


def file(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_numbers_are_read_and_sentences_are_left_to_others(tmp_path):
    found = load_scores(COLUMNS, file(tmp_path, "sent_more,sent_less,id\n-1e1,-2.5,7\n-3,,8\n"))
    assert found is not None
    assert found.rows == (
        {"sent_more": -10.0, "sent_less": -2.5, "id": "7"},
        {"sent_more": -3.0, "sent_less": None, "id": "8"},
    )
    assert load_scores(COLUMNS, file(tmp_path, "sent_more,sent_less\nShe cooks.,He cooks.\n42,He\n")) is None


def test_a_cell_that_is_no_number_among_numbers_is_named(tmp_path):
    for cell in ("x", "1_0", "-1.2.3"):
        with pytest.raises(
            DataError,
            match=rf"scores.csv, row 2 of 2 \(counted from 1\): sent_less is '{cell}', and most others are",
        ):
            load_scores(COLUMNS, file(tmp_path, f"sent_more,sent_less\n1,2\n1,{cell}\n"))


def test_decimal_commas_are_said_and_not_taken_for_sentences(tmp_path):
    for text in (
        "sent_more;sent_less\n-8,5;-9,25\n-8,5;-9\n",
        'sent_more,sent_less\n"-8,5","-9,25"\n',
        "sent_more;sent_less\n-8;-9\n-8;-9\n-8,5;-9\n",
    ):
        with pytest.raises(DataError, match=r"sent_more is '-8,5', with a decimal comma: .* as in -8\.5$"):
            load_scores(COLUMNS, file(tmp_path, text))


def test_what_is_no_score_at_all_is_not_read(tmp_path):
    huge = 10**400  # larger than a float can be
    assert score_rows(COLUMNS, [{"sent_more": huge, "sent_less": huge}], "rows") is None
    for source in (7, tmp_path, tmp_path / "none.csv", "x" * 300 + ".csv", "a\0.csv", tmp_path / "s.txt"):
        assert load_scores(COLUMNS, source) is None
