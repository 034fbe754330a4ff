"""What several data sets share: sentences of their records, and configurations made of packaged rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType

from pydantic import BaseModel

from ..arrow_schema import arrow_schema
from ..dataset_record import Config, Converted
from ..origins import PackagedFile
from ..schemas import parse_row
from ..tables import read_rows
from . import packaged_languages

__all__ = ["BLODGETT", "ILLUSTRATIVE", "packaged_configs"]

BLODGETT = (
    "Blodgett et al. (2021) found that many pairs of CrowS-Pairs and StereoSet do not isolate a stereotype: unclear "
    "contrasts, wrong groups, several changes at once. A score on them inherits these flaws."
)
ILLUSTRATIVE = (
    "These items are illustrative: they were written for this project and not validated by native speakers or by "
    "members of the groups they speak of. A score on them is no finding about a model."
)


def _converter(model: type[BaseModel], without: tuple[str, ...]) -> Callable[[bytes, str], Converted]:
    """Make the conversion of packaged rows, each of which is checked."""

    def convert(raw: bytes, name: str) -> Converted:
        rows = (
            parse_row(model, row, f"{name}, row {i}") for i, row in enumerate(read_rows(raw, name), start=1)
        )
        return Converted([row.model_dump(exclude={*without}) for row in rows])

    return convert


def packaged_configs(
    name: str,
    model: type[BaseModel],
    licences: Mapping[str, str] = MappingProxyType({}),
    without: tuple[str, ...] = (),
    languages: Iterable[str] = (),
) -> tuple[Config, ...]:
    """Make one configuration per language, of all that are packaged if none is named; ``licences`` other than ours."""
    return tuple(
        Config(
            name=language,
            language=language,
            splits={"test": PackagedFile(path=f"{name}/{language}.jsonl")},
            convert=_converter(model, without),
            schema=partial(arrow_schema, model, without),
            licence=licences.get(language, "apache-2.0"),
        )
        for language in languages or packaged_languages(name)
    )
