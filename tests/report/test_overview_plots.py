"""Pictures of many results: every cell has its number, scales have the ideal in the middle, few models are marked."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from evaluate_bias.report.plots import kinds
from evaluate_bias.report.plots.canvas import ReportPicture, svg_text
from evaluate_bias.report.plots.forest import score_pictures
from evaluate_bias.report.reading import read_all
from evaluate_bias.report.score_matrix import score_matrix, shade
from evaluate_bias.result import Result
from tests.report.samples import group, pairs_result


def scored(method: str, model: str, score: float, language: str = "en", **changes: object) -> Result:
    facts = {"model": {"name": model}, "dataset": {"source": "words.jsonl", "language": language}}
    fields = {"score_range": (-2.0, 2.0), "direction": "two_sided", "ideal": 0.0, "n": 9}
    return Result(method=method, score=score, provenance=facts, **(fields | changes))


def many(models: int = 20) -> list[Result]:
    """Two methods in two languages on many models, one of them with groups, some of the cells missing."""
    rng = np.random.default_rng(3)
    out = []
    for m in range(models):
        for language in ("en", "de"):
            if (m, language) != (1, "de"):
                out.append(scored("weat", f"org/model-{m}", float(rng.normal(0.5, 0.5)), language))
        groups = [
            group(name, 50.0 + float(rng.normal(0, 8)), ci_low=40.0, ci_high=60.0, n=50)
            for name in ("age", "sex")
        ]
        out.append(pairs_result(f"org/model-{m}", groups, score=50.0 + float(rng.normal(0, 5)), method="pll"))
    return out


def overview_pictures(results: list[Result]) -> list[ReportPicture]:
    return kinds.overview_pictures(read_all(results))


def texts(svg: str) -> list[str]:
    return [e.text or "" for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def drawn(results: list[Result]) -> dict[str, list[str]]:
    return {f"{p.name}-{p.page}": texts(svg_text(p.draw)) for p in overview_pictures(results)}


@pytest.fixture(scope="module")
def pictures():
    return drawn(many())


def test_every_result_has_a_cell_of_its_own():
    twice = [scored("weat", "a", 0.1, settings={"seed": 0}), scored("weat", "a", 0.2, settings={"seed": 1})]
    same = [scored("weat", "b", 0.3), scored("weat", "b", 0.4)]
    results = [*many(3), *twice, *same]
    matrix = score_matrix(results)
    assert sorted(matrix.cells.values()) == list(range(len(results)))
    assert len(set(matrix.measurements)) == len(matrix.measurements)
    labels = [m.label for m in score_matrix([*twice, *same]).measurements]
    assert labels == ["weat (seed 0)", "weat (seed 1)", "weat (seed None)", "weat (seed None #2)"]


@pytest.mark.parametrize(
    ("score", "ends", "ideal", "expected"),
    [
        (1.0, (-2, 2), 0.0, 0.5),
        (-2.0, (-2, 2), 0.0, -1.0),
        (75.0, (0, 100), 50.0, 0.5),
        (20.0, (0, 100), 40.0, -0.5),
        (0.0, (0, 1), 0.0, 0.0),
        (3.0, (0, None), 0.0, 0.5),  # the furthest of the column, 6, stands for the open end
    ],
)
def test_shades_have_the_ideal_in_the_middle(score, ends, ideal, expected):
    result = scored("weat", "a", score, score_range=ends, ideal=ideal)
    column = [result, dataclasses.replace(result, score=6.0)] if ends[1] is None else [result]
    assert shade(result, column) == expected


def test_the_map_has_every_number_and_marks_what_is_undefined(pictures):
    found = pictures["models_by_methods-1"]
    for result in many():
        number = f"{result.score:.2f}" if abs(result.score) < 10 else f"{result.score:.1f}"
        assert any(t.rstrip("*") == number.replace("-", "−") for t in found), number
    assert {"weat (en)", "weat (de)", "pll (en)" if "pll (en)" in found else "pll"} <= set(found)
    assert "grey, no number: not measured, or undefined" in found
    whole = drawn([r for r in many() if r.method == "pll"])["models_by_methods-1"]
    assert "grey, no number: not measured, or undefined" not in whole


def test_many_models_are_all_named_once_in_each_picture(pictures):
    assert len(pictures) >= 4
    for name, found in pictures.items():
        assert all(found.count(f"org/model-{m}") == 1 for m in range(20)), name
    assert {"en", "de"} <= set(pictures["weat-scores-1"])


def test_models_that_were_measured_otherwise_take_no_row():
    ranges = {"score_range": (None, None)}
    results = [scored(f"m{k}", f"only-{k}", 0.1 + k, **ranges) for k in range(14)]
    shown = drawn(results)
    assert "only-0" in shown["models_by_methods-1"]
    assert "only-13" not in shown["models_by_methods-1"]
    assert any(t.startswith("grey: the range has no end") for t in shown["models_by_methods-1"])
    together = drawn([*results, scored("m0", "only-1", 2.0, **ranges), scored("m1", "only-0", 2.0, **ranges)])
    assert "only-13" in together["models_by_methods-2"]


HOSTILE = ("$a$ $\\frac$ " * 40, "x" * 300, "\u202e<b>&\x07|`$", "模型" * 100, "مودل 😀" * 20)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_title_from_outside_is_no_formula_and_widens_no_picture(name):
    """A method that this version does not know, and data and settings in the titles."""
    groups = [group(name, 60.0), group("b", 40.0)]
    results = [
        pairs_result(model, groups, method=name, settings={"a": place}, provenance=facts)
        for place, model in enumerate((name, "m", "m"))
        for facts in [{"model": {"name": model}, "dataset": {"source": f"{name}{place}.csv"}}]
    ]
    for picture in overview_pictures(results):
        svg = svg_text(picture.draw)
        assert not set(svg) & set("\u202e\x07"), picture.name
        width = re.search(r'viewBox="0 0 ([\d.]+)', svg)
        assert width is not None
        assert float(width[1]) < 72 * 30, picture.name


def test_names_that_read_like_parts_of_a_tag_are_drawn_as_they_are():
    names = ['font-family: Arial; "1.23456"', "x='1.23456' <g id=\"a\">"]
    rows = [group(name, 60.0) for name in names]
    svg = svg_text(score_pictures(read_all([pairs_result(groups=rows)]))["crows_like"][0].draw, "2")
    assert set(names) <= set(texts(svg))
    assert {*re.findall('font-family: [^;"]+', svg)} - {names[0].partition(";")[0]} == {
        "font-family: DejaVu Sans, Verdana, sans-serif"
    }


def test_a_picture_calls_found_what_the_table_calls_found():
    """p-values of all results on a model are adjusted together, whatever a picture shows of them."""
    before = {"ci_low": 51.0, "ci_high": 70.0, "p_value": 0.012}
    one = pairs_result(groups=[group("age", 60.0, n=90, **before)], score=60.0, **before)
    others = [
        pairs_result(groups=[group("age", 50.0, p_value=0.9, p_holm=0.9, n=90)], method=method, p_value=0.9, score=50.0,
                     ci_low=45.0, ci_high=55.0)
        for method in ("pll", "aul")
    ]  # fmt: skip
    results = [one, *others, dataclasses.replace(one, settings={"seed": 1})]
    hollow = "fill: #ffffff; stroke: #0072b2"
    (alone,) = score_pictures(read_all([one]))[one.method]
    assert svg_text(alone.draw).count(hollow) == 0
    (together,) = score_pictures(read_all(results))[one.method]
    assert svg_text(together.draw).count(hollow) == 4


@pytest.mark.parametrize("models", [1, 6])
def test_rows_of_one_name_hide_none_of_each_other(models):
    rows = [group("age", 12.5), group("age", 87.5)]
    results = [pairs_result(f"m{m}", rows, score=50.0) for m in range(models)]
    last = list(drawn(results).values())
    shown = last[0] if models == 1 else last[-1]
    assert {"age", "age #2"} <= set(shown)
    for number in ("12.5", "87.5"):
        assert any(number in t for t in shown), number


def test_where_ideals_differ_no_line_stands_for_all():
    rows = [group("age", 60.0, ideal=40.0), group("sex", 60.0, ideal=45.0)]
    result = pairs_result(groups=rows, ideal=42.0, score=60.0)
    said = [t for found in drawn([result]).values() for t in found if "dashed" in t]
    assert [t.partition(" (dashed")[2] for t in said] == [": ideal of each)"]
    same = pairs_result(groups=[group("age", 60.0), group("sex", 60.0)])
    (bars,) = drawn([same]).values()
    assert any("(dashed: ideal 50)" in t for t in bars)
