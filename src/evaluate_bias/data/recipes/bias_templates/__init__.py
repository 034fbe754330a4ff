"""Template sentences, and the forms of words they are filled with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...origins import PackagedFile
from ...recipe import Config, Converted
from ...row_sets import packaged_languages
from ...tables import read_rows
from ...template_schemas import TemplateRow
from .._word_tables import table_recipe

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RECIPE"]


def _words(raw: bytes, name: str) -> Converted:
    """Turn packaged word forms into rows of the same columns: each form becomes ``name=form``."""
    named = ("word", "kind", "gender")
    return Converted(
        [
            {
                **{column: row.get(column) or "" for column in named},
                "forms": [f"{form}={text}" for form, text in row.items() if text and form not in named],
            }
            for row in read_rows(raw, name)
        ]
    )


def _words_schema() -> pa.Schema:
    import pyarrow as pa

    texts = [(column, pa.string()) for column in ("word", "kind", "gender")]
    return pa.schema([*texts, ("forms", pa.list_(pa.string()))])


_TEMPLATES = table_recipe(
    "bias_templates",
    "Template sentences of bias measures in nine languages",
    TemplateRow,
    "1K<n<10K",
    {"": "apache-2.0"},
)
RECIPE = replace(
    _TEMPLATES,
    configs=_TEMPLATES.configs
    + tuple(
        Config(
            name=f"{language}-words",
            language=language,
            splits={"test": PackagedFile(path=f"word_forms/{language}.jsonl")},
            convert=_words,
            schema=_words_schema,
            licence="apache-2.0",
        )
        for language in packaged_languages("word_forms")
    ),
)
"""One configuration a language with the templates, and one with the forms of words they are filled with."""
