"""Rows of any kind of data: from a table or a file, and the tab that the explorer makes of a method's record."""

from __future__ import annotations

import base64
import csv
import dataclasses
import io
import json
import re
from typing import Any

import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, InputError
from evaluate_bias.registry import METHODS, get_method
from evaluate_bias.result import Result
from evaluate_bias.ui import module_page
from evaluate_bias.ui.form import Tab, counts_words
from evaluate_bias.ui.guard import MAX_CELL, MAX_ROWS
from evaluate_bias.ui.outcome import result_page
from evaluate_bias.ui.pages import OWN_TABS, method_tab, new_page, other_methods
from evaluate_bias.ui.pool import ModelPool
from evaluate_bias.ui.rows import (
    cells,
    example_rows,
    row_columns,
    rows_from_cells,
    rows_tab,
    run_rows,
    variants,
)
from evaluate_bias.ui.session import Session
from tests.support.refusals import refused

ANALOGIES = get_method("analogies")
COLUMNS = ["a", "b", "c", "expected"]
VECTORS = {
    "man": [1.0, 0.0, 0.0],
    "woman": [0.0, 1.0, 0.0],
    "doctor": [1.0, 0.0, 1.0],
    "nurse": [0.0, 1.0, 1.0],
    **{f"other{i}": [-1.0, -1.0, 0.1 * i] for i in range(12)},  # ten answers are looked for
}


def test_cells_are_read_as_their_columns_say():
    (row,) = rows_from_cells(
        ANALOGIES, [*COLUMNS, "relation"], [["man", " woman ", "doctor", "nurse; maid", ""]]
    )
    assert row == {"a": "man", "b": "woman", "c": "doctor", "expected": ["nurse", "maid"]}
    pairs = get_method("crows_pairs")
    columns = ["sent_more", "sent_less", "stereo_antistereo", "bias_type"]
    (row,) = rows_from_cells(pairs, columns, [["-1.5", "-2", "stereo", "age"], ["", None, float("nan"), " "]])
    assert row == {"sent_more": -1.5, "sent_less": -2.0, "stereo_antistereo": "stereo", "bias_type": "age"}
    items = get_method("stereoset")
    options = [{"sentence": s, "gold_label": g} for s, g in (("a", "stereotype"), ("b", "unrelated"))]
    given = [["t", "age", "BLANK", json.dumps(options)]]
    (row,) = rows_from_cells(items, ["target", "bias_type", "context", "sentences"], given)
    assert row["sentences"] == options
    apart = ["target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated"]
    assert row_columns(items) == apart
    (row,) = rows_from_cells(items, apart, [["nurse", "", "The nurse was BLANK.", "a", "-1.5", "c"]])
    assert (row["stereotype"], row["anti-stereotype"]) == ("a", -1.5)
    with pytest.raises(
        InputError, match=r"no column stereotype, unrelated \(its columns are target, anti-stereotype"
    ):
        rows_from_cells(items, ["target", "anti-stereotype", "bias_type", "context"], [["nurse"] * 4])
    written = cells(get_method("honest"), [{"completions": ["kind", "grün"]}])
    assert '["kind", "grün"]' in written[0]  # a list of texts, which may hold commas
    words = get_method("wsv")
    (row,) = rows_from_cells(words, ["word", "group", "statistic"], [["nurse", "", "0.5"]])
    assert row == {"word": "nurse", "group": "", "statistic": 0.5}


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_example_rows_survive_the_table(record):
    """What the table starts with is read back as it was, for every method, also those that no tab was written for."""
    rows = example_rows(record)
    assert rows, "a method without packaged data needs a worked case whose input is columns"
    shown = cells(record, rows)
    assert all(len(row) == len(row_columns(record)) for row in shown)
    read = rows_from_cells(record, row_columns(record), shown)
    assert len(read) == len(rows)
    assert cells(record, read) == shown


def test_bad_tables():
    row = ["man", "woman", "doctor", "nurse"]
    refused(InputError, "fill in at least one", rows_from_cells, ANALOGIES, COLUMNS, [["", None, " ", ""]])
    refused(
        InputError,
        "no column expected \\(its columns",
        lambda: rows_from_cells(ANALOGIES, COLUMNS[:3], [row[:3]]),
    )
    with pytest.raises(InputError, match=f"{MAX_ROWS + 1} rows are more than the {MAX_ROWS}"):
        rows_from_cells(ANALOGIES, COLUMNS, [row] * (MAX_ROWS + 1))
    with pytest.raises(InputError, match="row 1, c: 2,001 characters are more than"):
        rows_from_cells(ANALOGIES, COLUMNS, [["a", "b", "x" * (MAX_CELL + 1), "d"]])
    with pytest.raises(InputError, match="51 columns are more than the 50"):
        rows_from_cells(ANALOGIES, [*COLUMNS, *map(str, range(47))], [row])
    (row,) = rows_from_cells(ANALOGIES, COLUMNS, [["a", "b", "c", "[" * MAX_CELL]])
    assert row["expected"] == ["[" * MAX_CELL]  # no JSON, however deep
    for cell, text in (("many", "many"), (float("inf"), "inf")):
        with pytest.raises(InputError, match=f"row 1, statistic: '{text}' is not a number"):
            rows_from_cells(get_method("wsv"), ["word", "group", "statistic"], [["nurse", "", cell]])


def test_a_table_is_measured_as_the_library_measures_it():
    rows = rows_from_cells(ANALOGIES, COLUMNS, [["man", "woman", "doctor", "nurse"]])
    model = eb.load_model(VECTORS)
    assert run_rows(ANALOGIES, model, rows, {"solver": "3cosmul"}).settings["solver"] == "3cosmul"
    result = run_rows(ANALOGIES, model, rows, {})
    assert result.score == eb.measure("analogies", model, data=rows).score == 1.0
    shown = result_page(result)
    assert "man : woman :: doctor : ?" in shown
    assert "first, nothing ruled out" in shown
    assert '<img class="eb-picture"' not in shown  # the table says it
    scores = rows_from_cells(
        get_method("pll"), ["sent_more", "sent_less", "bias_type"], [["-1", "-2", "age"]] * 3
    )
    assert run_rows(get_method("pll"), None, scores, {}).score == 100.0
    refused(BiasError, "", run_rows, ANALOGIES, None, rows, {})


def test_a_tab_can_be_made_for_every_kind_of_data():
    """Of the record alone, so that a method of a new kind has one without a change here."""
    by_kind = {r.data.name: r for r in METHODS.values()}
    with new_page("test") as (page, session):
        for kind, record in by_kind.items():
            rows_tab(Tab(ModelPool(), session, record, names_method=True), record, kind)
    config = page.get_config_file()
    assert [c["props"].get("label") for c in config["components"]].count("Rows") == len(by_kind)
    assert {f"measure_{r.name}" for r in by_kind.values()} <= {f.api_name for f in page.fns.values()}


def test_a_method_of_a_new_kind_of_data_has_its_tab_and_its_page():
    """Of what its columns hold; no line of the explorer knows the kind."""
    new = dataclasses.replace(ANALOGIES, data=dataclasses.replace(ANALOGIES.data, name="a new kind"))
    with new_page("test") as (page, session):
        method_tab(Tab(ModelPool(load=lambda spec: eb.load_model(VECTORS)), session, new), new)
    (button,) = [f.fn for f in page.fns.values() if f.api_name == "measure"]
    table = pd.DataFrame([["man", "woman", "doctor", "nurse"]], columns=COLUMNS)
    html, data = button(Session(), model="m", table=table, progress=lambda *a, **k: None)
    assert data["results"][0]["analogies"] == 1.0
    assert "first, nothing ruled out" in html  # what its rows hold is shown


def test_every_method_is_on_the_explorer():
    elsewhere = {r.name for r in METHODS.values() if r.data.name in OWN_TABS or counts_words(r)}
    assert elsewhere | {r.name for r in other_methods()} == set(METHODS)


def test_the_button_measures_keeps_and_offers_files(tmp_path):
    page = module_page("analogies", ModelPool(load=lambda spec: eb.load_model(VECTORS)))
    (button,) = [f.fn for f in page.fns.values() if f.api_name == "measure"]
    table = pd.DataFrame([["man", "woman", "doctor", "nurse"]], columns=COLUMNS)
    table.to_csv(tmp_path / "mine.csv", index=False)
    session = Session()
    for given in ((table, None, False), (None, str(tmp_path / "mine.csv"), True)):
        html, data = button(session, "m", *given, "3cosadd", lambda *a, **k: None)
        assert data["results"][0]["analogies"] == session.results[-1].score == 1.0
        files = saved_files(html)
        assert Result.from_json(files["results.jsonl"]) == session.results[-1]
        first, *_ = csv.DictReader(io.StringIO(files["rows.csv"]))
        assert first["method"] == "analogies"


def saved_files(html: str) -> dict[str, str]:
    """The files that a page's links save, by name."""
    links = re.findall(r'download="([\w.]+)" href="data:[^"]*base64,([^"]+)"', html)
    return {name: base64.b64decode(content).decode() for name, content in links}


def run(method: str, model: Any, table: list[list[Any]], chosen: dict[str, Any]) -> Result:
    record = get_method(method)
    return run_rows(record, model, rows_from_cells(record, row_columns(record), table), chosen)


def test_numbers_that_fit_the_words_can_be_chosen():
    assert "n_features" in variants(get_method("wsv"))
    assert "subset_size" in variants(get_method("template_compatibility"))
    words = example_rows(get_method("wefat"))
    assert {row.group for row in words} == {"female", "male", ""}
