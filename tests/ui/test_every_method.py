"""Every method of the registry is run through an endpoint of the explorer and gives the library's number."""

from __future__ import annotations

import re
from typing import Any

import pytest
from gradio_client.exceptions import AppError

import evaluate_bias as eb
from evaluate_bias.corpora.corpus import Corpus
from evaluate_bias.data.kinds import STEREOSET
from evaluate_bias.errors import CoverageError, UndefinedScoreError
from evaluate_bias.registry import METHODS, MethodRecord
from evaluate_bias.ui.kind_page import quick_options
from evaluate_bias.ui.parts import page_defaults
from evaluate_bias.ui.rows import cells, example_rows, hold_scores, row_columns, rows_from_cells
from evaluate_bias.ui.sentence_pairs import chosen_pairs
from evaluate_bias.ui.stereoset import chosen_items
from evaluate_bias.ui.texts import offered_words
from evaluate_bias.ui.word_lists import choices_of, lists_as_text
from tests.ui.caller import Caller
from tests.ui.conftest import load_stand_in

WORDS = {
    "targets_x": ["she", "her"],
    "targets_y": ["he", "him"],
    "attributes_a": ["kitchen", "tears", "sweet"],
    "attributes_b": ["gun", "horse", "brave"],
}
IN_CONTEXT = {
    "targets_x": ["house", "children", "love"],
    "targets_y": ["money", "work", "book"],
    "attributes_a": ["she", "woman", "mother"],
    "attributes_b": ["he", "man", "father"],
}
TEXT = "\n".join(
    [f"she saw the {word} and her friend" for word in (*WORDS["attributes_a"] * 4, *WORDS["attributes_b"])]
    + [f"he saw the {word} and him" for word in (*WORDS["attributes_a"], *WORDS["attributes_b"] * 4)]
)


@pytest.fixture(scope="module")
def client(address: str) -> Caller:
    return Caller(address)


@pytest.fixture(scope="module")
def endpoints(client: Caller) -> dict[str, dict[str, Any]]:
    found = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    return {name: {p["parameter_name"]: p for p in one["parameters"]} for name, one in found.items()}


def endpoint_of(record: MethodRecord, endpoints: dict[str, dict[str, Any]]) -> str:
    """The endpoint of a method: one of its own, or one that lists it among its methods or kinds of data."""
    if f"/measure_{record.name}" in endpoints:
        return f"/measure_{record.name}"
    for name in ("/measure_words", "/measure_text", "/measure_pairs"):
        if record.name in endpoints[name]["method"]["type"]["enum"]:
            return name
    return "/measure_items"


def of_lists(record: MethodRecord, model: str) -> tuple[dict[str, Any], Any]:
    """What a caller gives, and what the library makes of it: the test that the page starts with."""
    known = [name for _, name in choices_of("en", record)]
    start = page_defaults()["word_lists"]["starts"].get(record.name, page_defaults()["word_lists"]["test"])
    test = start if start in known else known[0]
    quick = quick_options(record)
    lent = load_stand_in(model)
    if record.name == "ceat":  # no published test has words enough in contexts that a tiny model can embed
        typed = dict(zip("xyab", map(", ".join, IN_CONTEXT.values()), strict=True))
        result = eb.measure(
            record.name, lent, data=[{"name": "your lists", "language": "en", **IN_CONTEXT}], **quick
        )
        return {"model": model, "method": record.name, "test": None, **typed}, result
    lists = dict(zip("xyab", lists_as_text("en", test, record), strict=True))
    given = {"model": model, "method": record.name, "test": test, **lists}
    try:
        return given, eb.measure(record.name, lent, language="en", tests=[test], **quick)
    except CoverageError as error:  # none of its words is one token to a tiny model
        return given, error


def of_texts(record: MethodRecord) -> tuple[dict[str, Any], Any]:
    result = eb.measure(
        record.name, Corpus(TEXT.splitlines(), name="your text"), data=[{**offered_words(), **WORDS}]
    )
    typed = dict(zip("xyab", map(", ".join, WORDS.values()), strict=True))
    return {"method": record.name, "text": TEXT, **typed}, result


def of_pairs(record: MethodRecord, model: str) -> tuple[dict[str, Any], Any]:
    result = eb.measure(record.name, load_stand_in(model), data=chosen_pairs("en", "age"))
    return {"model": model, "method": record.name, "bias_type": "age"}, result


def of_rows(record: MethodRecord, model: str | None) -> tuple[dict[str, Any], Any]:
    columns = row_columns(record)
    table = cells(record, example_rows(record))
    rows = rows_from_cells(record, columns, table)
    given: dict[str, Any] = {"table": {"headers": columns, "data": table}}
    if hold_scores(record, rows):
        model = None
    elif record.needs == ("chats",):
        model = given["model"] = "chats/first-label"
    fewer = {"n_features": 8} if "n_features" in record.options() else {}  # a tiny model has 32
    try:
        lent = load_stand_in(model) if model else None
        return given | fewer, eb.measure(record.name, lent, data=rows, **quick_options(record), **fewer)
    except UndefinedScoreError as error:  # this model says a letter, whatever it is asked
        return given, error


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs_on_the_explorer_and_gives_the_library_s_number(
    name: str, client: Caller, endpoints: dict[str, dict[str, Any]]
) -> None:
    record = METHODS[name]
    endpoint = endpoint_of(record, endpoints)
    models = page_defaults()["models"]
    default = endpoints[endpoint].get("model", {}).get("parameter_default")
    if endpoint == "/measure_words":
        given, expected = of_lists(record, models[record.needs[0]])
    elif endpoint == "/measure_text":
        given, expected = of_texts(record)
    elif endpoint == "/measure_pairs":
        given, expected = of_pairs(record, default)
    elif endpoint == "/measure_items":
        assert record.data is STEREOSET
        given, expected = (
            {"domain": "gender"},
            eb.measure(name, load_stand_in(default), data=chosen_items("gender")),
        )
    else:
        given, expected = of_rows(record, default)
    if isinstance(expected, UndefinedScoreError | CoverageError):
        with pytest.raises(AppError, match=re.escape(str(expected).partition(": ")[2][:40])):
            client.predict(api_name=endpoint, **given)
        return
    page, data = client.predict(api_name=endpoint, **given)
    (found,) = (eb.Result.from_dict(one) for one in data["results"])
    assert (found.method, found.score) == (name, pytest.approx(expected.score, rel=1e-5, abs=1e-6))
    assert len(found.rows) == len(expected.rows)
    assert "eb-tiles" in page
