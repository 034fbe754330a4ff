from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from evaluate_bias.errors import DataError
from evaluate_bias.result import SCHEMA_VERSION, Coverage, Estimate, Result, Row, Skipped, format_p
from evaluate_bias.result.row import to_plain


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
        "rows": (
            Row(
                name="a<b",
                kind="test",
                score=np.float64(1.25),
                p_value=0.01,
                n=16,
                coverage=Coverage(30, 32),
                labels={"x": "math", "y": ""},
                estimates={"mean_d": Estimate(np.float64(1.5), 1.0, 2.0)},
                details={"words": [{"word": "x"}]},
            ),
        ),
        "estimates": {"lms": Estimate(70.0, p=0.5), "ties": Estimate(3)},
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


def test_numbers_are_plain():
    d = make().to_dict()
    assert type(d["weat"]) is float
    assert type(d["n"]) is int
    assert type(d["rows"][0]["score"]) is float
    assert d["rows"][0]["labels"] == {"x": "math"}
    assert d["estimates"] == {"lms": {"value": 70.0, "p": 0.5}, "ties": {"value": 3}}
    assert d["schema_version"] == SCHEMA_VERSION
    assert d["p_error"] == 0.0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_undefined_numbers_cannot_stand_in_a_result(value):
    with pytest.raises(DataError, match="score is"):
        make(score=value)
    with pytest.raises(DataError, match=r"details.x is"):
        make(details={"x": value})
    with pytest.raises(DataError, match=r"age.ci_low is"):
        Row(name="age", kind="group", score=1.0, ci_low=value)
    with pytest.raises(DataError, match=r"age.x is"):
        Row(name="age", kind="group", score=1.0, details={"x": value})
    with pytest.raises(DataError, match=r"low is"):
        Estimate(1.0, value)


def test_what_json_cannot_hold_is_named():
    with pytest.raises(DataError, match="settings.model is a object"):
        make(settings={"model": object()})
    assert to_plain({3: {2, 1}}) == {"3": [1, 2]}


def test_dictionaries_of_another_schema_and_foreign_ones_are_refused():
    for version in (SCHEMA_VERSION - 1, SCHEMA_VERSION + 1, str(SCHEMA_VERSION), None):
        with pytest.raises(DataError, match=f"reads version {SCHEMA_VERSION}[:;] measure it again"):
            Result.from_dict({**make().to_dict(), "schema_version": version})
    with pytest.raises(DataError, match="not a result"):
        Result.from_dict({"accuracy": 0.5})
    with pytest.raises(DataError, match="not a complete 'weat' result"):
        Result.from_dict({"method": "weat", "weat": 1.0, "schema_version": SCHEMA_VERSION})
    with pytest.raises(DataError, match="not JSON"):
        Result.from_json("{")
    with pytest.raises(DataError, match="not an object"):
        Result.from_json("[]")


def test_text_has_digits_for_a_narrow_interval():
    wide = make(score=0.25, ci_low=0.2, ci_high=0.3)
    narrow = make(score=-4.2e-5, ci_low=-7.3e-5, ci_high=-1.1e-5)
    assert str(wide).startswith("weat = 0.2500  [95% CI 0.2000, 0.3000]")
    assert str(narrow).startswith("weat = -0.000042  [95% CI -0.000073, -0.000011]")


def test_text_and_html_show_the_number_and_escape_the_rest():
    text = str(make())
    assert "weat = 1.2500" in text
    assert "[95% CI 0.5000, 1.5000]" in text
    html = make()._repr_html_()
    assert "a&lt;b" in html
    assert "mind &amp; &lt;this&gt;" in html
    assert "<script" not in make(rows=[Row(name="<script>", kind="group", score=1.0)])._repr_html_()
    assert "coverage 30 of 32" in html


def test_rows_need_a_name_a_kind_and_a_score():
    for wrong, told in (
        ({"name": ""}, "needs a name"),
        ({"kind": "tests"}, "overall, test, group, item"),
        ({"score": None}, "age: a group row needs a score"),
    ):
        with pytest.raises(DataError, match=told):
            Row(**{"name": "age", "kind": "group", "score": 1.0, **wrong})
    assert Row(name="1", kind="item").score is None


def test_flat_rows_are_what_a_module_returns():
    d = make().to_flat_dict()
    assert not {"rows", "estimates", "details"} & set(d)
    (item,) = d["items"]
    assert (item["name"], item["score"], item["p_error"], item["x"]) == ("a<b", 1.25, 0.0, "math")
    assert (item["mean_d"], item["mean_d_low"], item["words"], item["ties"]) == (1.5, 1.0, [{"word": "x"}], 0)
    assert item["coverage"] == {"found": 30, "asked": 32, "share": 0.9375}
    assert (d["weat"], d["groups"], d["extra"]) == (1.25, [], {"lms": 70.0, "lms_p": 0.5, "ties": 3})


def test_the_overall_score_is_a_row_too():
    overall = make().overall
    assert (overall.kind, overall.score, overall.n, overall.ideal) == ("overall", 1.25, 16, 0.0)
    assert overall.estimates["lms"].p == 0.5


def test_frames_have_a_line_per_row_and_numbers_with_all_digits():
    frame = make().to_frame()
    assert frame["kind"].tolist() == ["overall", "test"]
    assert frame["score"].tolist() == [1.25, 1.25]
    assert frame["mean_d_high"].tolist()[1] == 2.0
    assert "words" not in frame
    assert make().to_frame("test")["name"].tolist() == ["a<b"]
    table = make().to_arrow("overall")
    assert table.to_pylist()[0]["lms"] == 70.0


def test_long_breakdowns_are_cut_in_html_and_say_so():
    rows = [Row(name=f"t{i}", kind="group", score=float(i)) for i in range(60)]
    assert "11 more in <code>.rows</code>" in make(rows=rows)._repr_html_()


def test_a_notebook_shows_verdict_and_the_few_columns_that_matter():
    html = make()._repr_html_()
    assert re.findall(r"<th>(.*?)</th>", html) == ["", "verdict", "score", "95% CI", "p", "n"]
    assert ": found<br>" in html
    assert "<td>&lt; .001</td>" in make(rows=(), p_value=1e-10)._repr_html_()


def test_a_result_renders_itself_as_latex_and_as_a_picture():
    assert r"\bottomrule" in make().to_latex(caption="Mine.")
    assert "Mine. Word Embedding" in make().to_latex(caption="Mine.")
    assert make().plot().axes


def test_p_values_read_well():
    assert format_p(0.5) == "p = .500"
    assert format_p(0.015, 0.002) == "p = .015 (Monte Carlo error .002)"
    assert format_p(0.015, 0.0001) == "p = .015"
    assert format_p(2e-14) == "p < .001"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"p_value": 5}, "p_value is 5.*between 0 and 1"),
        ({"p_error": -0.1}, "p_error is -0.1.*between 0 and 1"),
        ({"p_value": "small"}, "p_value must be a number, got 'small'"),
        ({"n": -5}, "n must be an integer, 0 or more, got -5"),
        ({"n": True}, "n must be an integer"),
        ({"ties": None}, "ties must be an integer"),
        ({"confidence_level": 95}, "confidence_level is 95.*between 0 and 1"),
        ({"weat": 10**4_000}, "score must be a number"),
        ({"ideal": None}, "ideal must be a number"),
        ({"ci_low": 2.0, "ci_high": 1.0}, "ci_low is above ci_high"),
        ({"coverage": {"found": -1, "asked": 2}}, "coverage.found must be an integer"),
        ({"estimates": {"lms": {"value": 1.0, "p": 7}}}, "p is 7.*between 0 and 1"),
        ({"estimates": {"lms": {"value": None}}}, "value must be a number, not None"),
        (
            {"rows": [{"name": "a", "kind": "group", "score": 1, "p_holm": 2}]},
            "a.p_holm is 2.*between 0 and 1",
        ),
        ({"direction": "sideways"}, "direction must be"),
        ({"score_range": [1, 0]}, "score_range"),
        ({"warnings": "x" * 10}, "warnings"),
    ],
    ids=str,
)
def test_a_number_out_of_range_is_refused_when_a_result_is_read(change, told):
    with pytest.raises(DataError, match=told) as caught:
        Result.from_dict({**make().to_dict(), **change})
    assert len(str(caught.value)) <= 600


@pytest.mark.parametrize(
    "text",
    [
        '{"method": "weat", "weat": ' + "1" * 5_000 + "}",
        "[" * 2_000,
        "\ud800",
        "null",
        "{",
    ],
    ids=len,
)
def test_text_that_is_no_result_is_a_short_error(text):
    with pytest.raises(DataError) as caught:
        Result.from_json(text)
    assert len(str(caught.value)) <= 600


def test_a_key_that_is_given_twice_is_refused():
    with pytest.raises(DataError, match="the key 'score' is given twice"):
        Result.from_json('{"method": "weat", "score": 1, "score": 0}')
