"""Template sentences, and the forms of words they are filled with."""

from __future__ import annotations

from functools import partial

from ...dataset_record import Config, Converted, columns_schema, describe_dataset
from ...kinds import TEMPLATES
from ...origins import PackagedFile
from ...table_files import packaged_languages, read_rows
from .._shared import BEC_PRO, BIAS_FRAMEWORK, packaged_configs


def _words(raw: bytes, name: str) -> Converted:
    """Turn packaged word forms into rows of the same columns: each form becomes ``name=form``."""
    word_columns = ("word", "kind", "gender")
    return Converted(
        [
            {
                **{column: row.get(column) or "" for column in word_columns},
                "forms": [
                    f"{form}={text}" for form, text in row.items() if text and form not in word_columns
                ],
            }
            for row in read_rows(raw, name)
        ]
    )


_PARTS = {
    language: (
        BIAS_FRAMEWORK,
        *([BEC_PRO] if language != "pt" else []),
        *([("mit", "Copyright (c) 2020 Sebastian Gehrmann")] if language == "en" else []),
    )
    for language in packaged_languages("bias_templates")
}
"""The templates of BEC-Pro and of the BIAS framework, most of them translated, and the templates of ``vig``."""

RECORD = describe_dataset(
    "bias_templates",
    packaged=True,
    configs=packaged_configs("bias_templates", TEMPLATES, parts=_PARTS)
    + tuple(
        Config(
            name=f"{language}-words",
            splits={"test": PackagedFile(path=f"word_forms/{language}.jsonl")},
            convert=_words,
            schema=partial(columns_schema, "word", "kind", "gender", "forms", lists=("forms",)),
            licence="apache-2.0",
        )
        for language in packaged_languages("word_forms")
    ),
)
"""One configuration a language with the templates, and one with the forms of words they are filled with."""
