"""GEST 1.1 in English (Pikuliak et al. 2023) and EuroGEST in 29 other languages (Rowe et al. 2025)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import GENDER_STEREOTYPES
from ...origins import RepositoryFile, RepositoryTexts, checksums
from ...table_files import read_rows
from .._shared import require_columns
from .scaffolds import ENGLISH, LANGUAGES, SCAFFOLD_FILES, scaffolds_of

_TRANSLATED = tuple(tag for tag in LANGUAGES if tag != "en")
_TRANSLATIONS = RepositoryTexts.pinned(
    "JacquelineRowe/EuroGEST",
    "bafca1ed3d155252ad34ac57c6ccee5e2f4226c0",
    {path: sha256 for path, sha256 in checksums("eurogest").items() if path.startswith("data/")},
)

_GENDERED, _NEUTRAL = ("gest_translations_gender_sensitive", "gest_translations_gender_insensitive")
_PIKULIAK = "Copyright 2024 Matúš Pikuliak"
_ROWE = (
    "Jacqueline Rowe, Mateusz Klimaszewski, Liane Guillou, Shannon Vallor and Alexandra Birch: EuroGEST, "
    "https://github.com/JacquelineRowe/EuroGEST, after GEST, " + _PIKULIAK
)


def _english(raw: bytes, name: str) -> Converted:
    table = read_rows(raw, name)
    require_columns(table, ("sentence", "stereotype"), name)
    return Converted(
        [_row(i, row["stereotype"], "en", ENGLISH.forms(row["sentence"])) for i, row in enumerate(table)]
    )


def _row(number: object, stereotype: object, language: str, forms: Mapping[str, str]) -> dict[str, Any]:
    return {"id": str(number), "stereotype": stereotype, "language": language, "origin": "paper", **forms}


def parse_upstream(raw: bytes, name: str) -> dict[str, list[dict[str, Any]]]:
    """Read the published tables: of each language the sentences with a form for each gender, and the others.

    Args:
        raw: a JSON object of the tables' and scaffolds' texts by name without ending.
        name: what to call them in an error.

    Raises:
        DataError: they do not have the published form.
    """
    texts = json.loads(raw)
    try:
        scaffolds = scaffolds_of(texts)
        # Two columns bear the name of a language where there is a form for each gender, the masculine one first.
        head, _, *gendered = _cells(texts[_GENDERED])
        columns, *neutral = _cells(texts[_NEUTRAL])
        rows_of: dict[str, list[dict[str, Any]]] = {}
        for tag in _TRANSLATED:
            language = LANGUAGES[tag]
            pair = [i for i, column in enumerate(head) if column == language]
            place = columns.index(language)
            forms = [(c, {"masculine": c[pair[0]], "feminine": c[pair[1]]}) for c in gendered if pair]
            forms += [(c, scaffolds[tag].forms(c[place])) for c in neutral if c[place].strip()]
            rows_of[tag] = [
                _row(c[0], c[-1], tag, both)
                for c, both in forms
                if all(text.strip() for text in both.values())
            ]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{name} does not have the form of EuroGEST's tables: {error!r}"[:300]) from error
    return rows_of


def _cells(text: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text, newline=""))


def _translated(tag: str, parsed: dict[str, list[dict[str, Any]]], name: str) -> Converted:
    return Converted(parsed[tag])


def _config(tag: str) -> Config:
    return Config(
        name=tag,
        splits={"test": RepositoryTexts((*_TRANSLATIONS.files, *SCAFFOLD_FILES.files))},
        parse=parse_upstream,
        convert=partial(_translated, tag),
        schema=GENDER_STEREOTYPES,
        licence="apache-2.0",
        rights=_ROWE,
    )


RECORD = describe_dataset(
    "eurogest",
    configs=(
        Config(
            name="en",
            splits={
                "test": RepositoryFile(
                    repository="kinit-sk/gest",
                    commit="7dd908cae11720ee5d95e43a4ab94fb410c8b790",
                    path="data/gest_1.1.csv",
                    sha256="51d14d5dc648d5be867d40bd312c016471c485827f6c28488c7234b9d30fcd9c",
                )
            },
            convert=_english,
            schema=GENDER_STEREOTYPES,
            licence="apache-2.0",
            rights=_PIKULIAK,
        ),
        *map(_config, _TRANSLATED),
    ),
)
"""GEST's English sentences, and a configuration for each language of EuroGEST."""
