"""Rows that are none, words that are no texts, numbers among sentences, vectors too long: refused in our words."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import CoverageError, DataError, InputError, ModelError, UndefinedScoreError
from evaluate_bias.models.masked import MaskedRequest
from evaluate_bias.models.table import TableMLM
from evaluate_bias.registry import METHODS
from tests.test_all_methods import fixture

VECTOR_METHODS = [
    name
    for name in METHODS
    if isinstance(model := fixture(name)[0], dict)
    and all(isinstance(vector, list) for vector in model.values())
]
DECISION = {"question": 1.0, "group": "a", "template": "t"}


@pytest.mark.parametrize("name", VECTOR_METHODS)
@pytest.mark.parametrize("longest", [1e308, 1e200, 1e-320])
def test_vectors_of_any_length_are_measured_or_refused(name: str, longest: float) -> None:
    model, rows, options = fixture(name)
    largest = max(map(abs, itertools.chain(*model.values())))
    vectors = {word: [value / largest * longest for value in vector] for word, vector in model.items()}
    with suppress(InputError, ModelError, CoverageError, UndefinedScoreError):  # no MeasurementError
        assert np.isfinite(eb.measure(name, vectors, data=rows, **options).score)


@pytest.mark.parametrize("words", [[["a"], ["b"]], 5, [{1: 2}], np.array(5), [np.array(5)], "abc"])
@pytest.mark.parametrize("column", ["targets_x", "attributes_a"])
def test_seed_sensitivity_takes_lists_of_words(column: str, words: Any) -> None:
    model, rows, options = fixture("seed_sensitivity")
    with pytest.raises(DataError, match=f"{column} must be a list of words"):
        eb.measure("seed_sensitivity", model, data=[{**rows[0], column: words}], **options)


@pytest.mark.parametrize("column", ["group", "template", "name", "age"])
@pytest.mark.parametrize("value", [[1], {"a": 1}, object()])
def test_properties_of_a_decision_are_texts(column: str, value: Any) -> None:
    with pytest.raises(DataError, match=f"{column} must be"):
        eb.measure("decision_gap", data=[{**DECISION, column: value}])


def test_a_table_without_a_piece_says_which() -> None:
    model = TableMLM({"[MASK] ran": {"0": {"she": 0.25}}})
    (encoded,) = model.encode(["[MASK] ran"])
    request = MaskedRequest(encoded, (1,), ((1, model.piece_id("he")),))
    with pytest.raises(InputError, match="no probability of 'he' at token 0"):
        model.masked_logprobs([request])


def test_a_row_of_numbers_among_sentences_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,sent_more,sent_less\n1,She ran.,He ran.\n2,-5.5,-4\n3,She sat.,He sat.\n", encoding="utf-8"
    )
    with pytest.raises(DataError, match="row 2 of 3 .*numbers alone"):
        eb.measure("pll", "demo-mlm-en", source=path)
