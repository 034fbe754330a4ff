"""Records of the data sets that need no code of their own: rows that come with the library, and relatives of BBQ."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

from ...paths import packaged_data
from ...result import Skipped
from .. import kinds
from ..dataset_record import Config, Converted, DatasetRecord, describe_dataset
from ..kinds import DataKind
from ..origins import RepositoryTexts, checksums
from ..table_files import Row, packaged_languages, read_rows
from . import (
    bbq,
    bec_pro,
    bias_nli,
    bias_templates,
    context_sentences,
    crows_pairs,
    eurogest,
    gap,
    honest_templates,
    hurtlex,
    matched_guises,
    spanish_seeds,
    stereoset,
    weat_word_lists,
    winobias,
    winogender,
    winogender_occupations,
    wsv_words,
)  # fmt: skip
from ._shared import BEC_PRO, BIAS_FRAMEWORK, WINOGENDER, packaged_configs
from .bbq.raw_forms import from_raw_form

ILLUSTRATIVE_TITLES = {
    "bbq_style": "Items in the form of BBQ",
    "construct_associations": "Word lists for word association, by construct",
    "construct_decisions": "Scenarios of decisions, by construct",
    "construct_guises": "Matched guises, by construct",
    "construct_texts": "Prompts about two groups, by construct",
    "counterfactual_style": "Prompts about two groups",
    "decision_questions": "Decision questions",
    "decision_style": "Illustrative scenarios of decisions",
    "gest_style": "Gender stereotypes",
    "guise_style": "Matched guises",
    "honest_style": "Prompts in the form of HONEST",
    "hurtful_words": "Illustrative hurtful words",
    "name_decisions": "Decisions about names",
    "stereoset_style": "Items in the form of StereoSet",
    "winobias_style": "Sentences in the form of WinoBias",
}
"""What was written for this project to show how methods work, is packaged with the library, and published nowhere."""

_WITHOUT = ("language", "origin")
_TEMPLATES = (
    "The items are made from templates: items of one template resemble one another, so templates, not items, count as "
    "independent."
)


def bbq_relative(
    name: str,
    languages: tuple[str, ...],
    *,
    repository: str,
    commit: str,
    licence: str,
    rights: str,
    refusal: str = "",
    unknown: str = "",
) -> DatasetRecord:
    """Make the record of a data set in the form of BBQ.

    Args:
        name: its name.
        languages: its languages; of several, the names of files end in theirs.
        repository: owner and name on GitHub.
        commit: the commit, in full.
        licence: licence as the Hub writes it.
        rights: whose it is.
        refusal: why it may not be published again.
        unknown: what stands for the unknown option where the files have a mark, "unknown", in its place.
    """
    sums, configs = checksums(name), []
    for language in languages:
        files = {
            path: sha256
            for path, sha256 in sums.items()
            if len(languages) == 1 or path.partition(".")[0].endswith(f"_{language}")
        }
        configs.append(
            Config(
                name=language,
                splits={"test": RepositoryTexts.pinned(repository, commit, files)},
                convert=partial(_items, language, next(iter(files)).rpartition(".")[2], unknown),
                schema=kinds.BBQ,
                without=_WITHOUT,
                licence=licence,
                rights=rights,
                refusal=refusal,
            )
        )
    return describe_dataset(name, below=(_TEMPLATES,), configs=tuple(configs))


def _items(language: str, suffix: str, unknown: str, raw: bytes, name: str) -> Converted:
    """Every file's items, called by their category and number, and those without a biased answer."""
    rows: list[Row] = []
    left_out: list[Skipped] = []
    for stem, text in json.loads(raw).items():
        where = f"{name}, {stem}.{suffix}"
        items, skipped = from_raw_form(read_rows(text.encode(), f"{stem}.{suffix}"), where, language)
        rows += (_item(row, unknown) for row in items)
        left_out += (replace(item, item=_called(item.item, item.where)) for item in skipped)
    return Converted(rows, tuple(left_out))


def _item(row: Row, unknown: str) -> Row:
    option = f"ans{row['unknown_loc']}"
    known = {key: value for key, value in row.items() if key in kinds.BBQ.columns and key != "answer"}
    known |= {"id": _called(row["id"], row["category"]), "question_index": str(row["question_index"])}
    return known | ({option: unknown} if unknown and row[option] == "unknown" else {})


def _called(number: str, category: str) -> str:
    """The name of an item, which begins with its category."""
    return number if number.startswith(f"{category}-") else f"{category}-{number}"


_ILLUSTRATIVE = (
    "These items are illustrative: they were written for this project and not validated by native "
    "speakers or by members of the groups they speak of. A score on them is not a finding about a "
    "model."
)
_CAVEATS = {
    "name_decisions": (
        "A name suggests more than a group, such as an age or a class. The names are from the United States.",
    )
}


def _illustrative(name: str, title: str, *caveats: str, **facts: Any) -> DatasetRecord:
    """Items of this project that nobody validated; most are packaged with the library and published nowhere."""
    title = f"{title} packaged with evaluate-bias"
    caveats = (_ILLUSTRATIVE, *caveats)
    facts = {"categories": ("gender",) if name in ("gest_style", "winobias_style") else (), **facts}
    return DatasetRecord(name=name, title=title, caveats=caveats, illustrative=True, packaged=True, **facts)


def _packaged(
    name: str, kind: DataKind = kinds.WORD_LISTS, configs: tuple[Config, ...] = (), **facts: Any
) -> DatasetRecord:
    """Packaged rows, with a configuration for each language."""
    return describe_dataset(name, packaged=True, configs=configs or packaged_configs(name, kind), **facts)


def _bai_2025(name: str, kind: DataKind) -> DatasetRecord:
    """Packaged rows of Bai et al. (2025)."""
    rights = "Copyright (c) 2025 Xuechunzi Bai"
    return _packaged(name, configs=packaged_configs(name, kind, {"en": "mit"}, rights=rights))


def _of_spain(name: str, language: str, unknown: str) -> DatasetRecord:
    """EsBBQ and CaBBQ."""
    return bbq_relative(
        name,
        (language,),
        repository="langtech-bsc/EsBBQ-CaBBQ",
        commit="ee2e0f6123f718b735fc445d368d92acd2c223be",
        licence="apache-2.0",
        rights="Language Technologies Lab at the Barcelona Supercomputing Center: EsBBQ and CaBBQ, "
        "https://github.com/langtech-bsc/EsBBQ-CaBBQ",
        unknown=unknown,
    )


_RECORDS = (
    *(_illustrative(name, title, *_CAVEATS.get(name, ())) for name, title in ILLUSTRATIVE_TITLES.items()),
    _packaged(
        "minimal_pairs",
        above=(_ILLUSTRATIVE,),
        illustrative=True,
        configs=packaged_configs("minimal_pairs", kinds.SENTENCE_PAIRS, without=("exclude",)),
    ),
    _packaged("profession_bios_mini", kinds.PROFESSION_BIOS, illustrative=True),
    _packaged("analogy_pairs", kinds.ANALOGIES),
    _packaged("bolukbasi_words"),
    _packaged("bolukbasi_she_words"),
    _packaged("gendered_words", kinds.GENDERED_WORDS),
    _packaged(
        "professions",
        configs=packaged_configs(
            "professions",
            kinds.PROFESSIONS,
            # The occupations of Winogender are in every language, the list of BEC-Pro in these two.
            parts={
                language: (WINOGENDER, *([BEC_PRO] if language in ("en", "de") else []))
                for language in packaged_languages("professions")
            },
        ),
    ),
    _packaged("sentiment_words"),
    _bai_2025("word_association_tests", kinds.ASSOCIATION_TESTS),
    _bai_2025("relative_decision_tests", kinds.DECISION_TESTS),
    _of_spain("esbbq", "es", "No se sabe"),
    _of_spain("cabbq", "ca", "No se sap"),
    bbq_relative(
        "kobbq",
        ("ko",),
        repository="naver-ai/KoBBQ",
        commit="0dd165aeaaacd1bd46c63513a9b2e9875eb6dce7",
        licence="mit",
        rights="Copyright 2024-present NAVER Cloud Corp.",
    ),
    bbq_relative(
        "mbbq",
        ("en", "es", "nl", "tr"),
        repository="Veranep/MBBQ",
        commit="adaa40172cdcf52eb403c01954a1aef8b0b1e97d",
        licence="cc-by-4.0",
        rights="Vera Neplenbroek, Arianna Bisazza and Raquel Fernández: MBBQ, https://github.com/Veranep/MBBQ, after "
        "BBQ, Alicia Parrish and others",
        refusal="its repository Veranep/MBBQ states no licence. It is a translation of BBQ, which is CC BY "
        "4.0. It was built on this machine for measuring only. Ask its authors before you pass it on.",
    ),
)

_RECIPES = (
    bbq, bec_pro, bias_nli, bias_templates, context_sentences, crows_pairs, eurogest, gap, honest_templates, hurtlex,
    matched_guises, spanish_seeds, stereoset, weat_word_lists, winobias, winogender, winogender_occupations, wsv_words,
)  # fmt: skip
_ALL: list[DatasetRecord] = [*_RECORDS, *(recipe.RECORD for recipe in _RECIPES)]
RECORDS = {record.name: record for record in sorted(_ALL, key=lambda record: record.name)}
"""The records of all data sets by name."""


def packaged_data_configs() -> dict[str, list[Config]]:
    """What comes with the library of each data set, by its title; also of one that only a method reads."""
    folders = {folder.name for folder in packaged_data(".").iterdir()}
    configs = {
        record.title: [c for c in record.configs if c.name in packaged_languages(record.name)]
        for record in RECORDS.values()
        if record.name in folders and record.configs
    }
    lpbs = packaged_configs("lpbs_tests", kinds.LPBS_TESTS, parts={"en": (BIAS_FRAMEWORK,)})
    return {**configs, "LPBS tests": list(lpbs)}
