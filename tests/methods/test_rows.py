"""Rows from outside and numbers from models: what is refused, in one short sentence, and what a mass of rows costs."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evaluate_bias as eb
from benchmarks.calibrations.templates import DrawnFills, DrawnMLM
from evaluate_bias.errors import BiasError, DataError, InputError, ModelError
from evaluate_bias.methods.rows import as_fields, checked_rows, finite_score, with_text_id
from evaluate_bias.methods.template_filling import largest_scorable_block
from evaluate_bias.methods.templates.disco.fills import Fills
from evaluate_bias.methods.templates.disco.significant_fills import _within_gender, differing_fills
from evaluate_bias.registry import METHODS
from tests.support.draws import in_one_case
from tests.support.tiny_models import tiny_masked
from tests.support.work import steps
from tests.test_all_methods import fixture

NAMES = [name for name, record in METHODS.items() if record.family in ("pairs", "templates", "agreement")]


def deep(depth: int = 3_000) -> list[Any]:
    nested: list[Any] = []
    for _ in range(depth):
        nested = [nested]
    return nested


CELLS: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "number": lambda: 5,
    "NaN": lambda: math.nan,
    "number of 5,000 digits": lambda: 10**5_000,
    "bytes": lambda: b"rose\xff",
    "empty": lambda: "",
    "lone surrogate": lambda: "a\ud800b",
    "long": lambda: "x" * 200_000,
    "list": lambda: ["rose", None],
    "deep list": deep,
    "mapping": lambda: {"rose": 1},
    "array": lambda: np.array([0.5, np.nan]),
    "object": object,
}


@pytest.mark.parametrize("name", NAMES)
@in_one_case("cell", CELLS)
def test_a_hostile_cell_is_a_result_or_one_short_sentence(name: str, cell: str) -> None:
    model, rows, options = fixture(name)
    known = METHODS[name].options()
    options |= {key: 99 for key in ("n_resamples", "ci_resamples") if key in known}
    columns = {
        **rows[0],
        **dict.fromkeys({"id", "bias_type", "task", "pair"} & {*METHODS[name].data.columns}),
    }
    for column in columns:
        spoilt = copy.deepcopy(rows)
        spoilt[0][column] = CELLS[cell]()
        score, told = 0.0, "a finite score"
        try:
            score = eb.measure(name, model, data=spoilt, **options).score
        except BiasError as error:
            told = str(error)
        assert math.isfinite(score), column
        assert 10 < len(told) <= 600, column
        assert "\n" not in told, column


@pytest.mark.parametrize("name", NAMES)
@in_one_case("row", [None, 5, "a row", ["a"], b"a"])
def test_what_is_no_row_is_refused(name: str, row: Any) -> None:
    model, rows, options = fixture(name)
    with pytest.raises(BiasError, match=r"mapping|word-list|row"):
        eb.measure(name, model, data=[*rows, row], **options)


@pytest.mark.parametrize("data", [5, "rows", {"sent_more": ["a"]}, b"rows"], ids=repr)
def test_what_is_no_data_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match="toy takes a list of rows, each a mapping, not a"):
        checked_rows(data, "toy")


def test_fields_ids_and_scores() -> None:
    assert with_text_id({"id": 7}, "pair 0") == {"id": "7"}
    assert with_text_id({"id": None}, "pair 0") == {"id": None}
    with pytest.raises(DataError, match="pair 0: id must be text, not an int"):
        with_text_id({"id": 10**5_000}, "pair 0")
    with pytest.raises(DataError, match="row 3 is a NoneType, not a mapping"):
        as_fields(None, "row 3")
    assert finite_score(np.float32(0.5), "toy", "pair '0'", "sent_more") == 0.5
    for value in (math.inf, 10**400):
        with pytest.raises(InputError, match="toy: the score of pair '0' in sent_more is inf; leave it out"):
            finite_score(value, "toy", "pair '0'", "sent_more")
    with pytest.raises(InputError, match="has True in sent_more, where others have a score"):
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
    naive = np.mean([differing_fills(of_words[a], of_words[b]).mean() for a, b in combinations(of_words, 2)])
    assert _within_gender(Fills(of_words, ())) == pytest.approx(float(naive))


def test_thousands_of_groups_and_words_take_no_quadratic_time() -> None:
    """Each took minutes where every group looked through all rows, and every word through all others."""
    few, many = (_costs_of_groups_and_words(n) for n in (200, 800))
    assert all(b < 5 * a for a, b in zip(few, many, strict=True))


def _costs_of_groups_and_words(n: int) -> list[int]:
    labels = ("stereotype", "anti-stereotype", "unrelated")
    items = [
        {
            "target": "a",
            "bias_type": str(i),
            "context": "BLANK",
            "sentences": [
                {"gold_label": g, "sentence": s} for g, s in zip(labels, (i % 3, 1, 0), strict=True)
            ],
        }
        for i in range(n)
    ]
    words = {("female", str(i)): [frozenset({"a", str(i)})] for i in range(n)}
    cells = np.full((n, 1, 3), "no", dtype=object)
    assert eb.measure("stereoset", None, data=items, n_resamples=9).n == n
    assert _within_gender(Fills(words, ())) == 2.0
    assert largest_scorable_block(cells)[0] == []
    return [
        steps(lambda: eb.measure("stereoset", None, data=items, n_resamples=9)),
        steps(lambda: _within_gender(Fills(words, ()))),
        steps(lambda: largest_scorable_block(cells)),
    ]


def test_more_sentences_than_can_be_compared_are_refused() -> None:
    rows = [
        {"sentence": f"w{i} p{i}", "person": f"w{i}", "profession": f"p{i}", "gender": "female"}
        for i in range(3_500)
    ]
    rows = [{**row, "profession_gender": "female"} for row in rows]
    table = {(row["person"], row["profession"]): 0.0 for row in rows}
    with pytest.raises(InputError, match="at most 10000000 can be compared"):
        eb.measure("bec_pro", DrawnMLM(table), data=rows)
