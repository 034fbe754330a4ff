"""What the relatives of BBQ share: one configuration for each language, made from files in their raw forms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...result import Skipped
from ..bbq_items import BbqItem, from_raw_form
from ..dataset_record import Config, Converted, DatasetRecord, arrow_schema
from ..origins import RepositoryTexts
from ..schemas import parse_row
from ..table_files import Row, read_rows

_WITHOUT = ("language", "origin")
_TEMPLATES = (
    "The items are made from templates: items of one template resemble one another, so templates, not items, count as "
    "independent."
)


def bbq_relative(
    *,
    name: str,
    repository: str,
    commit: str,
    files: Mapping[str, Mapping[str, str]],
    caveats: tuple[str, ...],
    licence: str,
    rights: str,
    refusal: str = "",
    unknown: str = "",
    **facts: Any,
) -> DatasetRecord:
    """Make the record of a data set in the form of BBQ.

    Args:
        name: its name.
        repository: owner and name on GitHub.
        commit: the commit, in full.
        caveats: what to know of it beside that its items are made from templates.
        files: by language the paths of the files, with their checksums.
        licence: licence as the Hub writes it.
        rights: whose it is.
        refusal: why it may not be published again.
        unknown: what stands for the unknown option where the files have a mark, "unknown", in its place.
        **facts: what else its record says.
    """
    return DatasetRecord(
        name=name,
        caveats=(*caveats, _TEMPLATES),
        configs=tuple(
            Config(
                name=language,
                splits={"test": RepositoryTexts.pinned(repository, commit, sums)},
                convert=partial(_items, language, next(iter(sums)).rpartition(".")[2], unknown),
                schema=partial(arrow_schema, BbqItem, _WITHOUT),
                licence=licence,
                rights=rights,
                refusal=refusal,
            )
            for language, sums in files.items()
        ),
        **facts,
    )


def _items(language: str, suffix: str, unknown: str, raw: bytes, name: str) -> Converted:
    """Every file's items, called by their category and number, and those without a biased answer."""
    rows: list[Row] = []
    left_out: list[Skipped] = []
    for stem, text in json.loads(raw).items():
        where = f"{name}, {stem}.{suffix}"
        items, skipped = from_raw_form(read_rows(text.encode(), f"{stem}.{suffix}"), where, language)
        rows += (_item(row, unknown, f"{where}, item {i}") for i, row in enumerate(items, 1))
        left_out += (replace(item, item=_called(item.item, item.where)) for item in skipped)
    return Converted(rows, tuple(left_out))


def _item(row: Row, unknown: str, where: str) -> Row:
    option = f"ans{row['unknown_loc']}"
    known = {key: value for key, value in row.items() if key in BbqItem.model_fields and key != "answer"}
    known |= {"id": _called(row["id"], row["category"]), "question_index": str(row["question_index"])}
    known |= {option: unknown} if unknown and row[option] == "unknown" else {}
    return parse_row(BbqItem, known, where).model_dump(exclude={*_WITHOUT, *BbqItem.ready})


def _called(number: str, category: str) -> str:
    """The name of an item, which begins with its category."""
    return number if number.startswith(f"{category}-") else f"{category}-{number}"
