"""The forms of the methods on other kinds of data: what they compute, refuse and show; no browser."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import InputError
from evaluate_bias.registry import METHODS, get_method
from evaluate_bias.result import Result, Row
from evaluate_bias.ui.outcome import result_page
from evaluate_bias.ui.word_tables import FORMS, numbered_words, run_form
from tests.support.tiny_models import tiny_masked

LISTS = [
    "nurse, grandmother, daughters, patient",
    "engineer; doctor; bridge; football",
    "she, her",
    "he\nhis",
]


@pytest.fixture(scope="module")
def bert() -> Any:
    return eb.load_model(tiny_masked("bert"))


@pytest.fixture(scope="module")
def roberta() -> Any:
    return eb.load_model(tiny_masked("roberta"))


def test_words_with_numbers() -> None:
    assert numbered_words("nurse: 0.9; clerk=-2\ntruck driver 5", "jobs") == {
        "nurse": 0.9,
        "clerk": -2.0,
        "truck driver": 5.0,
    }
    for text in ("nurse", "nurse 1e9x", "12", "nurse 0.9 clerk"):
        with pytest.raises(InputError, match="jobs: write a number after every word"):
            numbered_words(text, "jobs")
    with pytest.raises(InputError, match="jobs: type at least one word"):
        numbered_words(" ", "jobs")


def test_a_map_of_typed_words() -> None:
    rng = np.random.default_rng(0)
    words = [f"{kind}{i}" for kind in "abw" for i in range(6)]
    vectors = eb.load_model({w: rng.normal(size=8) for w in words})
    typed = ", ".join(f"w{i} {i}" for i in range(6))
    record, lists = get_method("wsv"), ["a0, a1, a2, a3", "b0, b1, b2, b3", typed]
    result = run_form(record, vectors, lists, {"n_features": 4})
    assert (result.n, result.details["n_features"], result.details["positive"]) == (6, 4, "first")
    shown = result_page(result)
    assert shown.count('src="data:image/png;base64,') >= 1
    assert "map" in shown
    with pytest.raises(InputError, match="second protected words: type at least one word"):
        run_form(record, vectors, [lists[0], "", typed], {})
    with pytest.raises(InputError, match="from 2 to 8"):
        run_form(record, vectors, ["a0, a1", "b0, b1", typed], {"n_features": 50})


def test_agreement_on_typed_lists(bert: Any) -> None:
    record = get_method("template_compatibility")
    result = run_form(record, bert, LISTS, {"subset_size": 2})
    assert result.n == 8
    assert result.settings["n_resamples"] == 1_999
    shown = result_page(result)
    assert "correlations" in shown
    with pytest.raises(InputError, match="a subset takes 10 words"):
        run_form(record, bert, LISTS, {"subset_size": 10})
    with pytest.raises(InputError, match="attributes a: type at least one word"):
        run_form(record, bert, [*LISTS[:2], " ", LISTS[3]], {"subset_size": 2})


def test_occupations(roberta: Any) -> None:
    record = get_method("mlm_gender_score")
    result = run_form(record, roberta, ["nurse, engineer\ndoctor"], {})
    shown = result_page(result)
    rows = re.findall(r'<th scope="row">(\w+)</th>.*?eb-num">(.*?)<', shown)
    assert {name for name, _ in rows} == {"nurse", "engineer", "doctor"}
    values = [float(v.replace("−", "-")) for _, v in rows]
    assert values == sorted(values, reverse=True)
    assert "3 of 3" in shown
    with pytest.raises(InputError, match="occupations: type at least one word"):
        run_form(record, roberta, [" ,"], {})


def test_professions(roberta: Any) -> None:
    record = get_method("bec_pro")
    result = run_form(record, roberta, ["nurse", "old engineer"], {})
    assert result.coverage.asked == 2 * 90
    assert {r.name for r in result.rows_of("item")} == {"nurse", "old engineer"}
    shown = result_page(result)
    assert "female group" in shown
    assert "male group" in shown
    with pytest.raises(InputError, match="male professions: 21 are more than the 20"):
        run_form(record, roberta, ["nurse", ", ".join(f"job{i}" for i in range(21))], {})


def test_persons(roberta: Any) -> None:
    record = get_method("disco")
    result = run_form(record, roberta, ["mother, Amy", "father, John"], {"variant": "default"})
    shown = result_page(result)
    assert "{person} likes {mask}." in shown
    pairs = run_form(record, roberta, ["mother, Amy", "father, John"], {"variant": "lauscher"})
    assert {r.name for r in pairs.rows_of("group")} == {"person pairs", "name pairs"}
    assert "fills: words for women" in shown
    assert "fills: words for women" not in result_page(pairs)
    with pytest.raises(InputError, match="as many words for women as for men, not 2 and 1"):
        run_form(record, roberta, ["mother, Amy", "father"], {})


def test_what_a_model_fills_in_is_escaped() -> None:
    fill = {"fill": "<script>", "female": 1, "male": 0, "significant": True}
    row = Row(name="t", kind="item", score=1.0, details={"template": "<b>{person}", "fills": [fill]})
    result = Result(
        method="disco",
        score=0,
        score_range=(0, None),
        direction="higher_is_more_biased",
        ideal=0,
        n=1,
        rows=[row],
    )
    shown = result_page(result)
    assert "<script>" not in shown
    assert "&lt;script&gt; (1 to 0, significant)" in shown


@pytest.mark.parametrize(
    "record", [r for r in METHODS.values() if r.data.name in FORMS], ids=lambda r: r.name
)
def test_a_form_starts_with_data_that_it_takes(record: Any) -> None:
    form = FORMS[record.data.name]
    texts = form.start(record)
    assert len(texts) == len(form.fields)
    assert len(form.rows(texts)) > 0


@pytest.mark.parametrize("kind", FORMS)
def test_every_choice_of_a_form_is_an_option_of_a_method(kind: str) -> None:
    options = {name for r in METHODS.values() if r.data.name == kind for name in r.options()}
    assert set(FORMS[kind].options) <= options
