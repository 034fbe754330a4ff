"""What several data sets share: sentences of their records, and configurations made of packaged rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel

from ...errors import DataError
from ..arrow_schema import arrow_schema
from ..dataset_record import Config, Converted, DatasetRecord
from ..origins import PackagedFile
from ..schemas import WordListTest, parse_row
from ..table_files import Row, read_rows
from . import packaged_languages
from ._illustrative import TITLES

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
ILLUSTRATIVE = (
    "These items are illustrative: they were written for this project and not validated by native "
    "speakers or by members of the groups they speak of. A score on them is not a finding about a "
    "model."
)


def illustrative(name: str, title: str) -> DatasetRecord:
    """Make the record of items of this project that are packaged with the library and published nowhere."""
    return DatasetRecord(name=name, title=title, caveats=(ILLUSTRATIVE,), illustrative=True, packaged=True)


ILLUSTRATIVE_RECORDS = {
    name: illustrative(name, f"{title} packaged with evaluate-bias") for name, title in TITLES.items()
}


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


def bai_2025(*, name: str, model: type[BaseModel], without: str, **facts: Any) -> DatasetRecord:
    """Make the record of packaged rows of Bai et al. (2025); what only callers fill in, ``without``, is left out."""
    return DatasetRecord(
        name=name,
        packaged=True,
        size_category="n<1K",
        tags=("bias", "fairness", "social-bias", "evaluation"),
        task_categories=("text-generation",),
        source_datasets=("extended",),
        annotations_creators=("expert-generated",),
        papers=("https://arxiv.org/abs/2402.04105",),
        configs=packaged_configs(
            name, model, {"en": "mit"}, without=(without,), rights="Copyright (c) 2025 Xuechunzi Bai"
        ),
        **facts,
    )


def packaged_words(
    name: str,
    title: str,
    pretty_name: str,
    caveats: tuple[str, ...],
    papers: tuple[str, ...] = (),
    model: type[BaseModel] = WordListTest,
) -> DatasetRecord:
    """Make the record of packaged words for word vectors: written for this project, or those of papers."""
    return DatasetRecord(
        name=name,
        title=title,
        caveats=caveats,
        packaged=True,
        pretty_name=pretty_name,
        size_category="n<1K",
        tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
        task_categories=("feature-extraction",),
        source_datasets=("extended",) if papers else ("original",),
        annotations_creators=("expert-generated",) if papers else ("other",),
        papers=papers,
        configs=packaged_configs(name, model),
    )
