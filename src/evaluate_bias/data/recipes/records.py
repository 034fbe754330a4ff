"""The records of all data sets. Those here need no code of their own, since their rows come with the library."""

from __future__ import annotations

from typing import Any

from ...paths import packaged_data
from .. import kinds
from ..dataset_record import Config, DatasetRecord, describe_dataset
from ..kinds import DataKind
from ..table_files import packaged_languages
from . import bbq, coreference, sentences, templates, words
from .shared import BEC_PRO, BIAS_FRAMEWORK, WINOGENDER, packaged_configs

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


def _packaged(
    name: str, kind: DataKind = kinds.WORD_LISTS, configs: tuple[Config, ...] = (), **facts: Any
) -> DatasetRecord:
    """Make the record of packaged rows, with a configuration for each language."""
    return describe_dataset(name, packaged=True, configs=configs or packaged_configs(name, kind), **facts)


_ALL: tuple[DatasetRecord, ...] = (
    *(
        DatasetRecord(
            name=name,
            title=f"{title} packaged with evaluate-bias",
            caveats=(_ILLUSTRATIVE, *_CAVEATS.get(name, ())),
            illustrative=True,
            packaged=True,
            categories=("gender",) if name in ("gest_style", "winobias_style") else (),
        )
        for name, title in ILLUSTRATIVE_TITLES.items()
    ),
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
    *(
        _packaged(
            name,
            configs=packaged_configs(name, kind, licence="mit", rights="Copyright (c) 2025 Xuechunzi Bai"),
        )
        for name, kind in (
            ("word_association_tests", kinds.ASSOCIATION_TESTS),
            ("relative_decision_tests", kinds.DECISION_TESTS),
        )
    ),
    *bbq.RECORDS,
    *coreference.RECORDS,
    *sentences.RECORDS,
    *templates.RECORDS,
    *words.RECORDS,
)
RECORDS = {record.name: record for record in sorted(_ALL, key=lambda record: record.name)}
"""The records of all data sets by name."""


def packaged_data_configs() -> dict[str, list[Config]]:
    """Return the packaged configurations of each data set by its title, also if only a method reads it."""
    folders = {folder.name for folder in packaged_data(".").iterdir()}
    configs = {
        record.title: [c for c in record.configs if c.name in packaged_languages(record.name)]
        for record in RECORDS.values()
        if record.name in folders and record.configs
    }
    lpbs = packaged_configs("lpbs_tests", kinds.LPBS_TESTS, parts={"en": (BIAS_FRAMEWORK,)})
    return {**configs, "LPBS tests": list(lpbs)}
