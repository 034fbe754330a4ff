"""What the data sets of words and templates share: one configuration per language, from packaged rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pydantic import BaseModel

from ..arrow_schema import arrow_schema
from ..origins import PackagedFile
from ..recipe import Config, Converted, Recipe
from ..row_sets import packaged_languages
from ..schemas import parse_row
from ..tables import read_rows

__all__ = ["table_recipe"]


def _converter(model: type[BaseModel]) -> Callable[[bytes, str], Converted]:
    """Make the conversion of packaged rows, each of which is checked."""

    def convert(raw: bytes, name: str) -> Converted:
        rows = (
            parse_row(model, row, f"{name}, row {i}") for i, row in enumerate(read_rows(raw, name), start=1)
        )
        return Converted([row.model_dump() for row in rows])

    return convert


def table_recipe(name: str, title: str, model: type[BaseModel], size: str, licence: dict[str, str]) -> Recipe:
    """Make a recipe: the licence of a language, or under ``""`` that of all others."""
    return Recipe(
        name=name,
        pretty_name=title,
        size_category=size,
        configs=tuple(
            Config(
                name=language,
                language=language,
                splits={"test": PackagedFile(path=f"{name}/{language}.jsonl")},
                convert=_converter(model),
                schema=partial(arrow_schema, model),
                licence=licence.get(language, licence[""]),
            )
            for language in packaged_languages(name)
        ),
    )
