from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.errors import DataError
from evaluate_bias.result import SCHEMA_VERSION, Coverage, Result, Skipped, format_p, to_plain


def make(**changes):
    fields = {
        "method": "weat",
        "score": np.float64(1.25),
        "score_range": (-2, 2),
        "direction": "two_sided",
        "ideal": 0,
        "n": np.int64(16),
        "ci_low": 0.5,
        "ci_high": np.float32(1.5),
        "p_value": 0.01,
        "coverage": Coverage(30, 32),
        "items": ({"name": "a<b", "effect_size": np.float64(1.25), "words": [{"word": "x"}]},),
        "skipped": (Skipped("zyz", "not in the vocabulary", "t/targets_x"),),
        "warnings": ("mind & <this>",),
        "settings": {"seed": 0},
        "provenance": {"model": {"name": "m"}},
    }
    return Result(**{**fields, **changes})


def test_round_trip_through_json_text():
    result = make()
    again = Result.from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()
    assert json.loads(result.to_json())["weat"] == 1.25


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values, max_size=4), st.floats(-2, 2))
def test_any_settings_survive(settings, score):
    result = make(settings=settings, score=score)
    assert Result.from_json(result.to_json()) == result


def test_numbers_are_plain():
    d = make().to_dict()
    assert type(d["weat"]) is float
    assert type(d["n"]) is int
    assert type(d["items"][0]["effect_size"]) is float
    assert d["schema_version"] == SCHEMA_VERSION
    for key in (
        "weat",
        "p_value",
        "p_low",
        "p_high",
        "ci_low",
        "ci_high",
        "n",
        "coverage",
        "items",
        "settings",
    ):
        assert key in d
    assert d["p_low"] == d["p_high"] == 0.01


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_undefined_numbers_cannot_stand_in_a_result(value):
    with pytest.raises(DataError, match="score is"):
        make(score=value)
    with pytest.raises(DataError, match=r"items\[0\].x is"):
        make(items=({"x": value},))


def test_what_json_cannot_hold_is_named():
    with pytest.raises(DataError, match="settings.model is a object"):
        make(settings={"model": object()})
    assert to_plain({3: {2, 1}}) == {"3": [1, 2]}


def test_an_integer_too_long_to_be_read_again_is_refused():
    assert json.loads(make(extra={"n": 10**4_000}).to_json())["extra"]["n"] == 10**4_000
    with pytest.raises(DataError, match=r"extra.n is a number of \d+ bits, more than JSON readers take"):
        make(extra={"n": 10**5_000})


def test_newer_and_foreign_dictionaries_are_refused():
    newer = {**make().to_dict(), "schema_version": SCHEMA_VERSION + 1}
    with pytest.raises(DataError, match="upgrade evaluate-bias"):
        Result.from_dict(newer)
    with pytest.raises(DataError, match="not a result"):
        Result.from_dict({"accuracy": 0.5})
    with pytest.raises(DataError, match="not a complete 'weat' result"):
        Result.from_dict({"method": "weat", "weat": 1.0})
    with pytest.raises(DataError, match="not JSON"):
        Result.from_json("{")
    with pytest.raises(DataError, match="not an object"):
        Result.from_json("[]")


def test_text_and_html_show_the_number_and_escape_the_rest():
    text = str(make())
    assert "weat = 1.2500" in text
    assert "[95% CI 0.5000, 1.5000]" in text
    html = make()._repr_html_()
    assert "a&lt;b" in html
    assert "mind &amp; &lt;this&gt;" in html
    assert "<script" not in make(items=({"name": "<script>"},))._repr_html_()
    assert "coverage 30/32" in html


def test_long_breakdowns_are_cut_in_html_and_say_so():
    html = make(items=tuple({"name": str(i)} for i in range(60)))._repr_html_()
    assert "10 more rows" in html


def shown_columns(result):
    return re.findall(r"<th>(.*?)</th>", result._repr_html_())


def test_a_notebook_shows_the_few_columns_that_matter():
    vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
               "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}  # fmt: skip
    test = {"name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
            "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}  # fmt: skip
    weat = eb.evaluate("weat", vectors, data=[test])
    assert shown_columns(weat) == [
        "name", "x", "y", "a", "b", "effect_size", "ideal", "ci_low", "ci_high", "p_value", "p_holm",
    ]  # fmt: skip
    assert "more columns in <code>.items</code>" in weat._repr_html_()


def test_a_notebook_shows_categories_before_single_pairs():
    pairs = [{"sent_more": 2.0, "sent_less": 1.0, "bias_type": "age"}] * 3
    html = eb.evaluate("crows_pairs", None, data=pairs)._repr_html_()
    assert "<td>age</td>" in html
    assert "in <code>.groups</code>" in html
    without = eb.evaluate("crows_pairs", None, data=[{**p, "bias_type": ""} for p in pairs])
    assert shown_columns(without) == ["id", "score_more", "score_less", "delta", "verdict"]


def test_unknown_columns_are_shown_in_part():
    result = make(items=({f"c{i}": i for i in range(12)},))
    assert shown_columns(result) == [f"c{i}" for i in range(8)]
    assert "4 more columns" in result._repr_html_()


def test_open_ranges_and_missing_parts_render():
    assert "range -inf to inf" in str(make(score_range=(None, None), ci_low=None, p_value=None))


def test_a_result_cannot_be_changed():
    with pytest.raises(AttributeError):
        make().score = 2.0


def test_p_values_read_well():
    assert format_p(0.5, 0.5, 0.5) == "p = 0.5000"
    assert format_p(0.02, 0.01, 0.02) == "p in [0.01, 0.02]"
    assert format_p(0.015, 0.01, 0.02) == "p ≈ 0.015 (sampled, 0.01 to 0.02)"
    assert format_p(2e-14) == "p = 2e-14"
