"""Columns of any kind handed to modules: what they hold, or one sentence that names the place."""

from __future__ import annotations

from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, DataError, InputError, OutputError
from evaluate_bias.hub.golden import module_cases
from evaluate_bias.registry import METHODS
from tests.support.refusals import refused

LISTS = {
    "name": ["toy"],
    "targets_x": [["poppy", "rose"]],
    "targets_y": [["ant", "wasp"]],
    "attributes_a": [["good", "nice"]],
    "attributes_b": [["bad", "vile"]],
}
VECTORS = {
    "poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
    "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8],
}  # fmt: skip
WORDS = ["poppy", "rose"]
SCORED = next(name for name, record in METHODS.items() if record.takes_scores)


def weat(**columns: Any) -> dict[str, Any]:
    found = eb.load("weat", keep_in_memory=True).compute(**{**LISTS, **columns}, model=VECTORS, ci="none")
    assert found is not None
    return found


@pytest.mark.parametrize(
    "same",
    [
        [tuple(WORDS)],
        [np.array(WORDS)],
        np.array([WORDS]),
        [pd.Series(WORDS, index=[7, 8])],
        pd.Series([WORDS], index=["row"]),
        datasets.Dataset.from_dict({"words": [WORDS]})["words"],
        np.array([WORDS], dtype=object),
    ],
    ids=["tuple", "array", "arrays", "series", "series of lists", "column", "objects"],
)
def test_words_in_any_kind_of_list(same):
    assert weat(targets_x=same)["weat"] == weat()["weat"]


@pytest.mark.parametrize(
    ("column", "told"),
    [
        ({"poppy": 1, "rose": 2}, "column 'targets_x' must be a list with one value per row, not a dict"),
        ([{"poppy"}], "targets_x, row 1 of 1 (counted from 1) cannot be read: {'poppy'} is a set"),
        (["poppy"], "targets_x must be a list of words, got 'poppy'"),
        (WORDS, "column 'targets_x' has 2 values and 'name' has 1"),
        ([["poppy", None]], "targets_x[1] must be a string, got None"),
        ([["poppy", "\ud800"]], "targets_x contains half a character"),
        (({"poppy"} for _ in range(1)), "must be a list with one value per row, not a generator"),
        (pd.DataFrame({"a": [WORDS]}), "must be a list with one value per row, not a DataFrame"),
        ([], "no row was given|give one value per row"),
    ],
)  # fmt: skip
def test_words_that_are_none(column, told):
    import re

    caught = refused((InputError, DataError), "", weat, targets_x=column)
    assert any(part in str(caught) for part in told.split("|")), caught
    assert not re.search("pyarrow|Expected format", str(caught))


def test_series_with_other_indexes_are_not_paired_by_chance():
    table = pd.DataFrame(module_cases(SCORED)[0]["inputs"])
    columns = {c: table[c] for c in METHODS[SCORED].columns}
    first, *_, last = columns
    with pytest.raises(InputError, match=f"columns '{first}' and '{last}' are Series with different indexes"):
        eb.load(SCORED).compute(**{**columns, last: columns[last].iloc[::-1]})


def test_a_computation_that_failed_keeps_the_rows_that_were_added():
    for options in ({}, {"keep_in_memory": True}):
        module = eb.load("weat", **options)
        module.add(**{column: values[0] for column, values in LISTS.items()})
        for wrong in ({}, {"model": VECTORS, "ddof": 3}, {"model": {"poppy": [1.0]}}):
            refused(BiasError, "", module.compute, **wrong)
        assert module.compute(model=VECTORS)["n"] == 4
        refused(InputError, "no row was given: weat needs", module.compute, model=VECTORS)
        refused(BiasError, "", module.compute, **LISTS)
        assert module.compute(**LISTS, model=VECTORS)["n"] == 4  # and not twice


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    from datasets.arrow_writer import ArrowWriter

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    module = eb.load("weat", cache_dir=str(tmp_path))
    monkeypatch.setattr(ArrowWriter, "finalize", full)
    refused(OutputError, r"evaluate's cache cannot be written: .*No", module.compute, **LISTS, model=VECTORS)
    monkeypatch.undo()
    assert module.compute(**LISTS, model=VECTORS)["n"] == 4


def test_what_is_not_foreseen_is_one_sentence(monkeypatch):
    from evaluate_bias import api

    monkeypatch.setattr(api, "measure", lambda *_, **__: {}["colour"])
    failed = refused(BiasError, r"^weat failed: KeyError: 'colour'$", weat)
    assert isinstance(failed.__cause__, KeyError)


@pytest.mark.parametrize(("name", "option"), [("weat", "tests"), ("crows_pairs", "bias_types")])
def test_an_option_of_the_library_s_data_is_explained(name, option):
    with pytest.raises(InputError, match=f"{option} chooses from the data of this library, and the module"):
        eb.load(name, keep_in_memory=True).compute(**{option: ["x"]}, model=VECTORS)
