"""Template sentences, and the forms of words they are filled with."""

from __future__ import annotations

from functools import partial

from ...dataset_record import Config, Converted, DatasetRecord, columns_schema
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
"""The templates of BEC-Pro and of the BIAS framework, most of them translated, and those of ``vig``."""

RECORD = DatasetRecord(
    name="bias_templates",
    title="Template sentences of bias measures",
    caveats=(
        "A bleached sentence is not free of meaning (Delobelle et al. 2022): scores depend on the template.",
        "The templates in other languages than English, except those of BEC-Pro in German, of RobBERT in Dutch and "
        "the bare ones, are translations that no native speaker has validated.",
    ),
    packaged=True,
    pretty_name="Template sentences of bias measures in ten languages",
    papers=(
        "https://doi.org/10.18653/v1/N19-1063",
        "https://doi.org/10.18653/v1/W19-3823",
        "https://aclanthology.org/2020.gebnlp-1.1",
        "https://arxiv.org/abs/2010.06032",
        "https://doi.org/10.18653/v1/2022.naacl-main.122",
    ),
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
