"""What several data sets share: rights and caveats, and configurations made of packaged rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from pydantic import BaseModel

from ...errors import DataError
from ...paths import packaged_data
from ..dataset_record import Config, Converted, arrow_schema
from ..default_tests import LpbsTest
from ..origins import PackagedFile
from ..schemas import parse_row
from ..table_files import Row, read_rows
from . import dataset_names, dataset_record, packaged_languages

M = TypeVar("M", bound=BaseModel)

BEC_PRO_RIGHTS = (
    "Marion Bartl, Malvina Nissim and Albert Gatt: BEC-Pro, https://github.com/marionbartl/gender-bias-BERT"
)
BEC_PRO = ("cc-by-4.0", BEC_PRO_RIGHTS)
WINOGENDER = ("mit", "Copyright (c) 2018 Rachel Rudinger")
BIAS_FRAMEWORK = ("apache-2.0", "The makers of the BIAS Detection Framework")
BIASHANDLER = {
    "repository": "nicolaMaddalozzo/biashandler",
    "commit": "4b19a7ee339308b16f0e1f65c8d48d08ac3bd125",
    "refusal": (
        "its repository nicolaMaddalozzo/biashandler states no licence. It was built on this machine for "
        "measuring only; ask its authors before you pass it on."
    ),
}
"""The repository of Maddalozzo's thesis (2023), pinned, and why nothing of it is published again."""
BLODGETT = (
    "Blodgett et al. (2021) found that many pairs of CrowS-Pairs and StereoSet do not isolate a stereotype: unclear "
    "contrasts, wrong groups, several changes at once. A score on them inherits these flaws."
)


def parsed_rows(model: type[M], raw: bytes, name: str) -> list[M]:
    """Read a table each of whose rows is checked."""
    return [parse_row(model, row, f"{name}, row {i}") for i, row in enumerate(read_rows(raw, name), start=1)]


def require_columns(table: Sequence[Row], columns: Iterable[str], name: str) -> None:
    """Refuse a published table that lacks one of these columns."""
    if missing := [column for column in columns if column not in table[0]]:
        raise DataError(f"{name} has no column {', '.join(missing)}; it has {', '.join(table[0])}")


def _converted(model: type[BaseModel], without: tuple[str, ...], raw: bytes, name: str) -> Converted:
    """Take packaged rows as they are, each of which is checked."""
    return Converted([row.model_dump(exclude={*without}) for row in parsed_rows(model, raw, name)])


def packaged_configs(
    name: str,
    model: type[BaseModel],
    licences: Mapping[str, str] = MappingProxyType({}),
    without: tuple[str, ...] = (),
    rights: str = "",
    parts: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType({}),
) -> tuple[Config, ...]:
    """Make one configuration per packaged language.

    ``licences`` are those that are not ours, and ``rights`` is whose they are; ``parts`` are licence and rights of
    what others made in a file that is ours.
    """
    return tuple(
        Config(
            name=language,
            splits={"test": PackagedFile(path=f"{name}/{language}.jsonl")},
            convert=partial(_converted, model, without),
            schema=partial(arrow_schema, model, without),
            licence=licences.get(language, "apache-2.0"),
            rights=rights if language in licences else "",
            parts=parts.get(language, ()),
        )
        for language in packaged_languages(name)
    )


def packaged_data_configs() -> dict[str, list[Config]]:
    """What comes with the library of each data set, by its title; also of one that only a method reads."""
    folders = {folder.name for folder in packaged_data(".").iterdir()}
    configs = {
        record.title: [c for c in record.configs if c.name in packaged_languages(record.name)]
        for record in map(dataset_record, dataset_names())
        if record.name in folders
    }
    lpbs = packaged_configs("lpbs_tests", LpbsTest, parts={"en": (BIAS_FRAMEWORK,)})
    return {**configs, "LPBS tests": list(lpbs)}
