"""Minimal pairs written for this project, packaged with the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dataset_record import Config, Converted, DatasetRecord
from ...origins import PackagedFile
from ...pair_schemas import SentencePair, as_sentence_pair
from ...tables import read_rows
from .._shared import ILLUSTRATIVE

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LANGUAGES", "RECORD"]

LANGUAGES = ("en", "de", "es", "zh", "ko")

_COLUMNS = tuple(c for c in SentencePair.model_fields if c != "exclude")


def _convert(raw: bytes, name: str) -> Converted:
    rows = read_rows(raw, name)
    return Converted(
        [
            as_sentence_pair(row, f"{name}, row {i}").model_dump(include=set(_COLUMNS))
            for i, row in enumerate(rows, 1)
        ]
    )


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema([(column, pa.string()) for column in _COLUMNS])


RECORD = DatasetRecord(
    name="minimal_pairs",
    title="Minimal pairs packaged with evaluate-bias",
    caveats=(ILLUSTRATIVE,),
    illustrative=True,
    packaged=True,
    pretty_name="Minimal pairs for demonstrations and for the robustness of bias measures",
    size_category="n<1K",
    configs=tuple(
        Config(
            name=language,
            language=language,
            splits={"test": PackagedFile(path=f"minimal_pairs/{language}.jsonl")},
            convert=_convert,
            schema=_schema,
            licence="apache-2.0",
        )
        for language in LANGUAGES
    ),
)
"""One configuration for each language."""
