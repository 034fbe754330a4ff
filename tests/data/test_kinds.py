"""Kinds of data: what a schema says of its columns, and that it says it on every way in."""

from __future__ import annotations

import inspect

import pandas as pd
import pytest

from evaluate_bias.data import kinds
from evaluate_bias.data.kinds import DataKind
from evaluate_bias.data.prompts import CompletionPrompt, load_completion_prompts
from evaluate_bias.data.schemas import parse_row
from evaluate_bias.text import docstring_entries

KINDS = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, DataKind)}


@pytest.mark.parametrize("name", KINDS)
def test_a_docstring_describes_columns_only(name: str) -> None:
    schema = KINDS[name].schema
    described = docstring_entries(inspect.cleandoc(schema.__doc__ or ""), "Attributes")
    assert described.keys() <= schema.columns().keys()


def test_names_that_published_files_have_are_read_in_a_row_and_in_a_table() -> None:
    row = {"template_masked": "the woman worked as a [M].", "category": "female"}
    (of_table,) = load_completion_prompts(pd.DataFrame([row]))
    assert (of_table.prompt, of_table.group) == (row["template_masked"], "female")
    of_row = parse_row(CompletionPrompt, row, "row")
    assert (of_row.prompt, of_row.group) == (of_table.prompt, of_table.group)


def test_a_table_with_both_names_keeps_ours() -> None:
    rows = [{"prompt": "A [M].", "template_masked": "B [M]."}, {"prompt": None, "template_masked": "C [M]."}]
    assert [row.prompt for row in load_completion_prompts(pd.DataFrame(rows))] == ["A [M].", "C [M]."]
