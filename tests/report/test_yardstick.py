"""Published scores of other models: those of the ledger, and next to nothing but the same measurement."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from benchmarks.ledger.page import write_yardsticks
from benchmarks.ledger.rows import load_sources
from benchmarks.ledger.run import TABLE, YARDSTICKS
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.html import html_page
from evaluate_bias.report.row_tables import to_markdown
from evaluate_bias.report.yardstick import published_scores
from evaluate_bias.result import Coverage, Estimate, Result
from tests.report.samples import group, of_today, pairs_result, weat_item, weat_result
from tests.report.test_card_content import PUBLISHED

SOURCES = load_sources()
THREE = "BERT base 60.5, RoBERTa large 64.1, ALBERT xxlarge v2 67.0 (Nangia et al. 2020)"
SETTINGS = {"variant": "shared", "scoring": "crows_pairs", "round_to": 3, "lower": False, "preset": None}


def crows(
    dataset: Mapping[str, Any] = MappingProxyType({}),
    model: Mapping[str, Any] = MappingProxyType({}),
    **changes: Any,
) -> Result:
    """CrowS-Pairs measured on a masked model as the paper did."""
    provenance = {"model": {"name": "m", **model}, "dataset": {**PUBLISHED, **dataset}}
    fields = {
        "method": "crows_pairs",
        "direction": "two_sided",
        "settings": SETTINGS,
        "provenance": provenance,
    }
    return pairs_result(**{**fields, **changes})


def shown(result: Result) -> str:
    return published_scores(result, result.overall)


def test_the_packaged_file_is_written_from_the_ledger_and_is_among_the_published_numbers() -> None:
    text = YARDSTICKS.read_text(encoding="utf-8")
    assert text == write_yardsticks(SOURCES), "run make ledger"
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = {(row["source"], row["method"], row["printed"]) for row in csv.DictReader(file)}
    yardsticks = json.loads(text)
    assert len(yardsticks) > 10
    for one in yardsticks:
        assert 1 <= len(one["scores"]) <= 3
        assert {(one["source"], one["method"], score) for score in one["scores"].values()} <= rows


@pytest.mark.parametrize(
    "table", [t for s in SOURCES for t in s.tables if t.yardstick], ids=lambda table: table.name
)
def test_every_option_of_a_method_is_fixed_or_does_not_change_the_score(table) -> None:
    method = next(name for name in METHODS if f'eb.measure("{name}"' in table.call)
    named = [*table.yardstick["settings"], *table.yardstick["other_options"]]
    assert set(METHODS[method].options()) <= set(named)
    assert len(set(named)) == len(named)


def test_a_whole_measurement_with_the_defaults_is_compared() -> None:
    assert shown(crows()) == THREE
    lowered = crows(model={"case": "lower"}, settings={**SETTINGS, "lower": True})
    assert shown(lowered) == THREE


@pytest.mark.parametrize(
    "changes",
    [
        {"dataset": {"bias_types": ["gender"]}},
        {"dataset": {"without_flags": ["spelling"]}},
        {"dataset": {"subset": "60 of 1,508 rows"}},
        {"dataset": {"config": "fr", "language": "fr"}},
        {"dataset": {"source": "/home/me/pairs.csv", "name": "pairs"}},
        {"settings": {**SETTINGS, "limit": 1508}},
        {"settings": {**SETTINGS, "variant": "all", "scoring": "pll"}},
        {"settings": {**SETTINGS, "variant": "causal", "scoring": "causal"}},
        {"settings": {**SETTINGS, "scoring": "given by the caller", "lower": None}},
        {"settings": {**SETTINGS, "preset": "thesis"}},
        {"settings": {**SETTINGS, "round_to": None}},
        {"settings": {**SETTINGS, "lower": True}},  # of a cased model
        {"n": 1507},
        {"coverage": Coverage(1507, 1508)},
        {"method": "pll"},
    ],
    ids=str,
)
def test_any_difference_leaves_nothing_to_compare(changes) -> None:
    assert shown(crows(**changes)) == ""


def test_word_list_tests_are_compared_one_by_one_and_with_all_their_words() -> None:
    rows = (weat_item("weat7", score=1.5), weat_item("weat6", score=1.7))
    settings = {"ddof": 1, "similarity": "cosine", "same_vector": "merge"}
    dataset = {"source": "weat_word_lists", "name": "weat_word_lists", "language": "en"}
    provenance = {"model": {"kind": "static", "name": "m"}, "dataset": dataset}
    result = of_today(dataclasses.replace(weat_result(), rows=rows, settings=settings, provenance=provenance))
    assert [published_scores(result, row) for row in result.rows_of("test")] == [
        "GloVe 840B 1.06 (Caliskan et al. 2017)",
        "GloVe 840B 1.81 (Caliskan et al. 2017)",
    ]
    assert shown(result) == ""
    contextual = {**provenance, "model": {"kind": "transformer"}}
    of_model = dataclasses.replace(result, provenance=contextual)
    assert {published_scores(of_model, row) for row in of_model.rows} == {""}
    partly = dataclasses.replace(rows[0], coverage=Coverage(31, 32))
    assert published_scores(result, partly) == ""
    assert "weat6: GloVe 840B 1.81" in bias_section([result])


def test_card_and_reports_show_them_in_a_column_that_others_lack() -> None:
    for text in (bias_section([crows()]), to_markdown([crows()]), html_page([crows()])):
        assert THREE in text
    for text in (to_markdown([crows(n=1507)]), html_page([crows(n=1507)])):
        assert "other models" not in text
    assert "Other models" not in bias_section([crows(n=1507)])
    # Also where the finding speaks of a group, because the overall score is not significant.
    of_group = crows(p_value=0.4, ci_low=49.0, groups=[group("age", 80.0, n=87, p_value=0.001, p_holm=0.001)])
    assert "*CrowS-Pairs, age*" in bias_section([of_group])
    assert THREE in bias_section([of_group])


def test_a_score_with_ties_is_compared_as_it_is_published() -> None:
    result = crows(
        score=60.0, ties=8, ideal=49.73, estimates={"score_without_ties": Estimate(60.3, 57.8, 62.8)}
    )
    assert f"60.00 with ties; {THREE}" in bias_section([result])
