"""Rows from outside and numbers from models: what is refused, in one short sentence, and what a mass of rows costs."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evaluate_bias as eb
from benchmarks.calibrations.templates import DrawnFills, DrawnMLM
from evaluate_bias.errors import DataError, InputError, ModelError
from evaluate_bias.methods.rows import as_fields, finite_score, with_text_id
from evaluate_bias.methods.template_filling import largest_scorable_block
from evaluate_bias.methods.templates.disco.fills import Fills
from evaluate_bias.methods.templates.disco.significant_fills import _within_gender
from evaluate_bias.models.masked import MaskedRequest
from evaluate_bias.models.table import TableMLM
from tests.support.tiny_models import tiny_masked
from tests.test_all_methods import fixture


def test_fields_ids_and_scores() -> None:
    assert with_text_id({"id": 7}, "pair 0") == {"id": "7"}
    assert with_text_id({"id": None}, "pair 0") == {"id": None}
    with pytest.raises(DataError, match="pair 0: id must be text, got an int"):
        with_text_id({"id": 10**5_000}, "pair 0")
    with pytest.raises(DataError, match="row 3 must be a dict, got a NoneType"):
        as_fields(None, "row 3")
    assert finite_score(np.float32(0.5), "toy", "pair '0'", "sent_more") == 0.5
    for value in (math.inf, 10**400):
        with pytest.raises(InputError, match="toy: the score of pair '0' in sent_more is inf; omit it"):
            finite_score(value, "toy", "pair '0'", "sent_more")
    with pytest.raises(InputError, match="has True in sent_more, while others have a score"):
        finite_score(True, "toy", "pair '0'", "sent_more")
    with pytest.raises(InputError, match="are too far apart to subtract"):
        eb.measure("pll", None, data=[{"sent_more": 1.5e308, "sent_less": -1.5e308}])


# --- numbers of a model -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_model_that_returns_no_number_is_refused(number: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"sentence": f"{w} {p}", "person": w, "gender": g, "profession": p, "profession_gender": q}
        for w, g in (("her", "female"), ("him", "male"))
        for p, q in (("nurse", "female"), ("smith", "male"))
    ]
    table = {(row["person"], row["profession"]): number for row in rows}
    with pytest.raises(ModelError, match="returns NaN or infinite numbers"):
        eb.measure("bec_pro", DrawnMLM(table), data=rows)
    names = [{"female": f"F{i}", "male": f"M{i}", "kind": "name"} for i in range(3)]
    drawn = DrawnFills(np.full((1, 4), number), np.zeros((1, 4)), np.random.default_rng(0))
    refused = pytest.raises(ModelError, match="returns NaN or infinite numbers")
    with refused, np.errstate(invalid="ignore"):  # of the fills, which such numbers normalise
        eb.measure("disco", drawn, data=names, templates=["{person} verb0 {mask}"])
    model = eb.load_model(tiny_masked("bert"))
    monkeypatch.setattr(
        type(model), "token_logprobs", lambda self, texts: [np.array([number]) for _ in texts]
    )
    with pytest.raises(ModelError, match="returns NaN or infinite numbers"):
        eb.measure("aul", model, data=[{"sent_more": "She left.", "sent_less": "He left."}])


# --- many rows --------------------------------------------------------------------------------------------------


def naive_block(bad: np.ndarray) -> tuple[list[int], list[int]]:
    """The rule as it is written: the row or column with the largest share of bad cells goes, a row before a column."""
    kept = [list(range(n)) for n in bad.shape]
    while (left := bad[np.ix_(*kept)]).any():
        shares = [left.mean(axis=1), left.mean(axis=0)]
        axis = int(shares[1].max() > shares[0].max())
        del kept[axis][int(shares[axis].argmax())]
    return kept[0], kept[1]


@settings(max_examples=200, deadline=None)
@given(hnp.arrays(bool, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7)))
def test_the_block_that_is_left_is_that_of_the_rule(bad: np.ndarray) -> None:
    cells = np.where(bad, "no", None)[:, None, :]
    *kept, lost = largest_scorable_block(cells)
    assert tuple(kept) == naive_block(bad)
    assert len(lost) == sum(bad.shape) - sum(map(len, kept))
    assert all(reason == "no" for *_, reason in lost)


@given(st.lists(st.frozensets(st.sampled_from("abcd"), max_size=3), min_size=2, max_size=6))
def test_fills_that_differ_within_a_gender_are_counted_pair_by_pair(fills: list[frozenset[str]]) -> None:
    of_words = {("female", str(i)): [f, fills[0]] for i, f in enumerate(fills)}
    pairs = [zip(of_words[a], of_words[b], strict=True) for a, b in combinations(of_words, 2)]
    naive = np.mean([len(one ^ other) for both in pairs for one, other in both])
    assert _within_gender(Fills(of_words, ())) == pytest.approx(float(naive))


def test_more_sentences_than_can_be_compared_are_refused() -> None:
    rows = [
        {"sentence": f"w{i} p{i}", "person": f"w{i}", "profession": f"p{i}", "gender": "female"}
        for i in range(3_500)
    ]
    rows = [{**row, "profession_gender": "female"} for row in rows]
    table = {(row["person"], row["profession"]): 0.0 for row in rows}
    with pytest.raises(InputError, match="at most 10000000 can be compared"):
        eb.measure("bec_pro", DrawnMLM(table), data=rows)


# --- rows of one kind for another ---------------------------------------------------------------------------------


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
        eb.measure("decision_gap", data=[{"question": 1.0, "group": "a", "template": "t", column: value}])


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
