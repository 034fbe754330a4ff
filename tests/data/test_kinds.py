"""Kinds of data: what a schema says of its columns, and that it says it on every way in."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Annotated, ClassVar

import pandas as pd
import pytest
from pydantic import AliasChoices, Field

from evaluate_bias.data import kinds
from evaluate_bias.data.kinds import DataKind
from evaluate_bias.data.load import load_rows, loader
from evaluate_bias.data.prompts import CompletionPrompt, load_completion_prompts
from evaluate_bias.data.row_set import RowSet
from evaluate_bias.data.schemas import Completions, LanguageTag, Schema, Sentence, parse_row
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


class Review(Schema):
    """A review of a person's work, the example of docs/contributing.md.

    Attributes:
        text: the reviews
        group: the group of the person, such as 'women'
        completions: ready completions, in place of a model's
    """

    compared: ClassVar = ("group",)

    text: Sentence
    group: Annotated[str, Field(validation_alias=AliasChoices("group", "gender"))]
    completions: Completions = ()
    language: LanguageTag = "und"


@loader(Review)
def load_reviews(source: str | Path | None = None, *, language: str = "en") -> RowSet[Review]:
    return load_rows(Review, "reviews", language, source)


def test_a_new_kind_is_a_schema_with_its_loader_and_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate_bias.data.reviews", sys.modules[__name__])
    kind = DataKind("reviews", "reviews:load_reviews")
    assert {name: column.holds for name, column in kind.columns.items()} == {
        "text": "sentence", "group": "text", "completions": "completions", "language": "text",
    }  # fmt: skip
    assert kind.columns["group"].text == "the group of the person, such as 'women'"
    assert (kind.options, kind.schema.ready()) == (("source", "language"), {"completions"})
    frame = pd.DataFrame({"text": [" Good. "], "gender": ["women"], "stars": [5]})
    rows = kind.load()(frame)
    assert (rows[0].text, rows[0].group, rows[0].language) == ("Good.", "women", "en")
    assert rows.provenance["ignored_columns"] == ["stars"]
