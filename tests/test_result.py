from __future__ import annotations

import dataclasses
import json
import math
import re
from datetime import UTC, datetime
from functools import partial

import numpy as np

import evaluate_bias as eb
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.unit import measurement_key, unit_of_result
from evaluate_bias.models.static import StaticVectors
from evaluate_bias.result import (
    SCHEMA_VERSION,
    Coverage,
    Estimate,
    Result,
    Row,
    Sampled,
    Skipped,
    format_p,
    to_plain,
)
from tests.support.refusals import refusals


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


def test_the_day_of_a_measurement_is_kept_and_makes_no_two_results_differ(monkeypatch):
    vectors = {"a": [1.0, 0.1], "b": [0.9, 0.0], "c": [0.0, 1.0], "d": [0.2, 0.9]}
    lists = {"targets_x": ["a", "b"], "targets_y": ["c", "d"], "attributes_a": ["b"], "attributes_b": ["d"]}
    result = eb.measure("weat", vectors, data=[{"name": "t", **lists}])
    assert result.date == f"{datetime.now(UTC):%Y-%m-%d}"
    model = StaticVectors(vectors)
    monkeypatch.setattr(model, "provenance", lambda: {"name": "mine", "date": "May 2024"})
    assert eb.measure("weat", model, data=[{"name": "t", **lists}]).date == result.date
    other = dataclasses.replace(result, date="2020-01-01")
    assert other == result
    assert Result.from_json(other.to_json()).date == "2020-01-01"
    assert unit_of_result(other).key == unit_of_result(result).key
    assert measurement_key(other) == measurement_key(result)
    scores = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2} for k in range(20)]
    assert eb.measure("pll", None, data=scores).date == ""  # nobody knows when the model was run


def test_what_is_sampled_is_written_and_read_of_results_and_of_rows_that_differ():
    whole, of_row = (
        Sampled(("names", "templates"), {"prompt variants": 4}),
        Sampled(("templates",), {"names": 2}),
    )
    result = make(sampled=whole, rows=[Row(name="a", kind="test", score=1.0, sampled=of_row)])
    again = Result.from_json(result.to_json())
    assert (again.sampled, again.rows[0].sampled, again.overall.sampled) == (whole, of_row, whole)
    assert result.to_flat_dict()["sampled"] == whole.to_dict()
    assert result.items[0]["sampled"] == {"clusters": ["templates"], "fixed": {"names": 2}}
    assert make().sampled is Result.from_dict(make().to_dict()).sampled is None


def test_numbers_are_plain():
    d = make().to_dict()
    assert type(d["weat"]) is float
    assert type(d["n"]) is int
    assert type(d["rows"][0]["score"]) is float
    assert d["rows"][0]["labels"] == {"x": "math"}
    assert d["estimates"] == {"lms": {"value": 70.0, "p": 0.5}, "ties": {"value": 3}}
    assert d["schema_version"] == SCHEMA_VERSION
    assert d["p_error"] == 0.0


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
    assert re.findall(r"<th\b[^>]*>(.*?)</th>", html) == ["", "conclusion", "score", "95% CI", "p", "n"]
    assert ": significant<br>" in html
    assert ">&lt; .001</td>" in make(rows=(), p_value=1e-10)._repr_html_()


def test_a_result_renders_itself_as_latex_and_as_a_picture():
    assert r"\bottomrule" in make().to_latex(caption="Mine.")
    assert "Mine. Word Embedding" in make().to_latex(caption="Mine.")
    assert make().plot().get_yticklabels()


def test_p_values_read_well():
    assert format_p(0.5) == "p = .500"
    assert format_p(0.015, 0.002) == "p = .015 (Monte Carlo error .002)"
    assert format_p(0.015, 0.0001) == "p = .015"
    assert format_p(2e-14) == "p < .001"


test_a_number_out_of_range_is_refused_when_a_result_is_read = refusals(
    lambda change: Result.from_dict({**make().to_dict(), **change}),
    ({"p_value": 5}, DataError, None, "p_value is 5.*between 0 and 1"),
    ({"p_error": -0.1}, DataError, None, "p_error is -0.1.*between 0 and 1"),
    ({"p_value": "small"}, DataError, None, "p_value must be a number, got 'small'"),
    ({"n": -5}, DataError, None, "n must be an integer, 0 or more, got -5"),
    ({"n": True}, DataError, None, "n must be an integer"),
    ({"ties": None}, DataError, None, "ties must be an integer"),
    ({"confidence_level": 95}, DataError, None, "confidence_level is 95.*between 0 and 1"),
    ({"weat": 10**4_000}, DataError, None, "score must be a number"),
    ({"ideal": None}, DataError, None, "ideal must be a number"),
    ({"ci_low": 2.0, "ci_high": 1.0}, DataError, None, "ci_low is above ci_high"),
    ({"coverage": {"found": -1, "asked": 2}}, DataError, None, "coverage.found must be an integer"),
    ({"estimates": {"lms": {"value": 1.0, "p": 7}}}, DataError, None, "p is 7.*between 0 and 1"),
    ({"estimates": {"lms": {"value": None}}}, DataError, None, "value must be a number, not None"),
    ({"rows": [{"name": "a", "kind": "group", "score": 1, "p_holm": 2}]}, DataError, None, "between 0 and 1"),
    ({"direction": "sideways"}, DataError, None, "direction must be"),
    ({"score_range": [1, 0]}, DataError, None, "score_range"),
    ({"warnings": "x" * 10}, DataError, None, "warnings"),
    ({"sampled": {"clusters": ["a", "b", "c"]}}, DataError, None, "at most two"),
    ({"sampled": {"clusters": "names"}}, DataError, None, "at most two"),
    ({"sampled": {"fixed": {"names": 0}}}, DataError, None, "sampled.fixed.names"),
    ({"sampled": {"drawn": []}}, DataError, None, "clusters"),
)


def row(**changes):
    return Row(**{"name": "age", "kind": "group", "score": 1.0, **changes})


test_what_cannot_stand_in_a_result = refusals(
    None,
    *(
        (partial(refuse, **change), DataError, None, fact)
        for value in (math.nan, math.inf, -math.inf)
        for refuse, change, fact in (
            (make, {"score": value}, "score is"),
            (make, {"details": {"x": value}}, "details.x is"),
            (row, {"ci_low": value}, "age.ci_low is"),
            (row, {"details": {"x": value}}, "age.x is"),
            (Estimate, {"value": 1.0, "low": value}, "low is"),
        )
    ),
    (lambda: make(settings={"model": object()}), DataError, None, "settings.model is a object"),
    (lambda: row(name=""), DataError, None, "needs a name"),
    (lambda: row(kind="tests"), DataError, None, "overall, test, group, item"),
    (lambda: row(score=None), DataError, None, "age: a group row needs a score"),
    (Result.from_dict, {"accuracy": 0.5}, DataError, None, "not a result"),
    (Result.from_dict, {"method": "weat", "weat": 1.0, "schema_version": SCHEMA_VERSION}, DataError, None, "complete"),
    *(
        (Result.from_dict, {**make().to_dict(), "schema_version": version}, DataError, None, "reads version")
        for version in (SCHEMA_VERSION - 1, SCHEMA_VERSION + 1, str(SCHEMA_VERSION), None)
    ),
    (Result.from_json, "{", DataError, None, "not JSON"),
    (Result.from_json, "[]", DataError, None, "not an object"),
    (Result.from_json, '{"method": "weat", "weat": ' + "1" * 5_000 + "}", DataError, None, ""),
    (Result.from_json, "[" * 2_000, DataError, None, ""),
    (Result.from_json, "\ud800", DataError, None, ""),
    (Result.from_json, "null", DataError, None, ""),
    (Result.from_json, '{"method": "weat", "score": 1, "score": 0}', DataError, None, "'score' is given twice"),
)  # fmt: skip


def test_an_item_needs_no_score_and_plain_values_have_no_sets():
    assert row(kind="item", score=None).score is None
    assert to_plain({3: {2, 1}}) == {"3": [1, 2]}
