"""Methods on words, in tables that a visitor fills in: what they compute, refuse and show; no browser."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, InputError
from evaluate_bias.registry import get_method
from evaluate_bias.result import Result, Row
from evaluate_bias.ui.module_page import module_page
from evaluate_bias.ui.outcome import result_page
from evaluate_bias.ui.rows import (
    example_rows,
    published_rows,
    row_columns,
    rows_from_cells,
    run_rows,
    variants,
)
from tests.support.tiny_models import tiny_masked


@pytest.fixture(scope="module")
def roberta() -> Any:
    return eb.load_model(tiny_masked("roberta"))


def run(method: str, model: Any, table: list[list[Any]], chosen: dict[str, Any]) -> Result:
    record = get_method(method)
    return run_rows(record, model, rows_from_cells(record, row_columns(record), table), chosen)


def test_a_map_of_typed_words() -> None:
    rng = np.random.default_rng(0)
    words = [f"{kind}{i}" for kind in "abw" for i in range(6)]
    vectors = eb.load_model({w: rng.normal(size=8) for w in words})
    table = [[f"{c}{i}", group, ""] for c, group in (("a", "first"), ("b", "second")) for i in range(4)]
    table += [[f"w{i}", "", str(i)] for i in range(6)]
    result = run("wsv", vectors, table, {"n_features": 4})
    assert (result.n, result.details["n_features"], result.details["positive"]) == (6, 4, "first")
    assert result.settings["n_resamples"] == 1_999
    shown = result_page(result)
    assert shown.count('src="data:image/png;base64,') >= 1
    assert "map" in shown
    with pytest.raises(InputError, match="from 2 to 8"):
        run("wsv", vectors, table, {"n_features": 50})


def test_persons(roberta: Any) -> None:
    table = [["mother", "father", "person"], ["Amy", "John", "name"]]
    result = run("disco", roberta, table, {"variant": "default"})
    shown = result_page(result)
    assert "{person} likes {mask}." in shown
    pairs = run("disco", roberta, table, {"variant": "lauscher"})
    assert {r.name for r in pairs.rows_of("group")} == {"person pairs", "name pairs"}
    assert "fills: words for women" in shown
    assert "fills: words for women" not in result_page(pairs)


def test_numbers_that_fit_the_words_can_be_chosen() -> None:
    assert "n_features" in variants(get_method("wsv"))
    assert "subset_size" in variants(get_method("template_compatibility"))
    words = example_rows(get_method("wefat"))
    assert {row.group for row in words} == {"female", "male", ""}


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


def test_rows_that_count_only_together_are_not_filled_in_in_part(roberta: Any) -> None:
    bec_pro = get_method("bec_pro")
    with pytest.raises(BiasError):
        run_rows(bec_pro, roberta, published_rows(bec_pro, 30), {})
    for method, fillers in (("bec_pro", 0), ("disco", 1)):
        values = [getattr(block, "value", None) for block in module_page(method).blocks.values()]
        assert values.count("Fill in rows of the published data") == fillers
