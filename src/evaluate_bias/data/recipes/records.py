"""Records of the data sets that need no code of their own: rows that come with the library, and relatives of BBQ."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...paths import packaged_data
from ...result import Skipped
from .. import kinds
from ..dataset_record import Config, Converted, DatasetRecord
from ..kinds import DataKind
from ..origins import RepositoryTexts
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
                schema=kinds.BBQ,
                without=_WITHOUT,
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
        "A name suggests more than a group, such as an age or a class; the names are of the United States.",
    )
}
_BOLUKBASI = ("https://papers.nips.cc/paper/6228", "https://arxiv.org/abs/1607.06520")
_UNITED_STATES = "made in the United States: their names and words stand for groups as seen there."


def _illustrative(name: str, title: str, *caveats: str, **facts: Any) -> DatasetRecord:
    """Items of this project that nobody validated; most are packaged with the library and published nowhere."""
    title = f"{title} packaged with evaluate-bias"
    caveats = (_ILLUSTRATIVE, *caveats)
    return DatasetRecord(name=name, title=title, caveats=caveats, illustrative=True, packaged=True, **facts)


def _packaged(
    name: str,
    title: str,
    pretty_name: str,
    *caveats: str,
    kind: DataKind = kinds.WORD_LISTS,
    **facts: Any,
) -> DatasetRecord:
    """Packaged rows, with a configuration for each language."""
    facts = {"configs": packaged_configs(name, kind), **facts}
    return DatasetRecord(
        name=name, title=title, pretty_name=pretty_name, caveats=caveats, packaged=True, **facts
    )


def _bai_2025(name: str, title: str, kind: DataKind, *caveats: str) -> DatasetRecord:
    """Packaged rows of Bai et al. (2025)."""
    rights = "Copyright (c) 2025 Xuechunzi Bai"
    return _packaged(
        name,
        f"{title} of Bai et al.",
        f"{title} for chat models",
        *caveats,
        papers=("https://arxiv.org/abs/2402.04105",),
        configs=packaged_configs(name, kind, {"en": "mit"}, rights=rights),
    )


def _of_spain(
    name: str, title: str, language: str, tag: str, unknown: str, sums: dict[str, str]
) -> DatasetRecord:
    """EsBBQ and CaBBQ, whose files are called alike."""
    return bbq_relative(
        name=name,
        title=title,
        caveats=(
            "The items describe stereotypes of Spain.",
            f'The published items have a mark for the unknown option; "{unknown}" stands for it here, and another '
            "wording can give another score.",
        ),
        pretty_name=f"{title}: BBQ for {language}",
        papers=("https://arxiv.org/abs/2507.11216",),
        repository="langtech-bsc/EsBBQ-CaBBQ",
        commit="ee2e0f6123f718b735fc445d368d92acd2c223be",
        licence="apache-2.0",
        rights="Language Technologies Lab at the Barcelona Supercomputing Center: EsBBQ and CaBBQ, "
        "https://github.com/langtech-bsc/EsBBQ-CaBBQ",
        unknown=unknown,
        files={tag: {f"data_{tag}/{category}.full.csv": sha256 for category, sha256 in sums.items()}},
    )


_RECORDS = (
    *(_illustrative(name, title, *_CAVEATS.get(name, ())) for name, title in ILLUSTRATIVE_TITLES.items()),
    _illustrative(
        "minimal_pairs",
        "Minimal pairs",
        pretty_name="Minimal pairs for demonstrations and for the robustness of bias measures",
        configs=packaged_configs("minimal_pairs", kinds.SENTENCE_PAIRS, without=("exclude",)),
    ),
    DatasetRecord(
        name="profession_bios_mini",
        title="Synthetic biographies of eight professions",
        caveats=(
            "These items are illustrative: the biographies are synthetic, made from templates of this "
            "project, and the training split has unequal numbers of women and men on purpose, so that a "
            "classifier shows a gap. A score on them is not a finding about a model.",
        ),
        illustrative=True,
        packaged=True,
        pretty_name="Synthetic biographies of eight professions, to show a gap between true positive rates",
        configs=packaged_configs("profession_bios_mini", kinds.PROFESSION_BIOS),
    ),
    _packaged(
        "analogy_pairs",
        "Analogy questions",
        "Analogy questions on gender stereotypes, with questions of fact as controls",
        "The stereotypical answers were chosen for this project and not validated: other questions give another share.",
        "Gender is binary in these questions, and a word other than the expected one may be stereotypical too.",
        kind=kinds.ANALOGIES,
    ),
    _packaged(
        "bolukbasi_words",
        "Word lists of Bolukbasi et al.",
        "Gender pairs and occupations of Bolukbasi et al. (2016)",
        "The occupations lie at the ends of the axis in one model, so they show the axis, not how much of it a model "
        "has on average.",
        "Gender is binary in these pairs.",
        papers=_BOLUKBASI,
    ),
    _packaged(
        "bolukbasi_she_words",
        "She occupations of Bolukbasi et al.",
        "Gender pairs and she occupations of Bolukbasi et al. (2016)",
        "The occupations are those that lie at one end of the axis in one model, so that they show what such an axis "
        "explains, not how much it explains on average.",
        "Gender is binary in these pairs.",
        papers=_BOLUKBASI,
    ),
    _packaged(
        "gendered_words",
        "Gendered words",
        "Pairs of gendered words in ten languages",
        "The pairs in other languages than English were written for this project and not validated by native "
        "speakers.",
        "Gender is binary in these pairs, and the two words of a pair differ in frequency and in further meanings.",
        papers=("https://papers.nips.cc/paper/6228", "https://doi.org/10.1126/science.aal4230"),
        kind=kinds.GENDERED_WORDS,
    ),
    _packaged(
        "professions",
        "Professions",
        "Professions and their forms in nine languages",
        "The forms in other languages than English, except the German ones of BEC-Pro, were written for this "
        "project and not validated by native speakers; some feminine forms are contested or rare.",
        "Employment in the United States decides which professions count as female or male. In the "
        "list of Delobelle et al. (2022), from 2015, some are first words of longer titles (server, "
        "model, helper) and wider than these titles.",
        papers=(
            "https://doi.org/10.18653/v1/N18-2002",
            "https://doi.org/10.18653/v1/2022.naacl-main.122",
            "https://aclanthology.org/2020.gebnlp-1.1",
        ),
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
    _packaged(
        "sentiment_words",
        "Sentiment words",
        "Positive and negative words, and words for groups",
        "The words were chosen for this project and their sentiment was not rated by others; another lexicon gives "
        "other values.",
    ),
    _bai_2025(
        "word_association_tests",
        "Word association tests",
        kinds.ASSOCIATION_TESTS,
        f"The lists come from implicit association tests {_UNITED_STATES}",
        "Some tests ask about a group by a single word, such as 'gay': a score describes that word.",
    ),
    _bai_2025(
        "relative_decision_tests",
        "Relative decision tests",
        kinds.DECISION_TESTS,
        f"The scenarios were {_UNITED_STATES}",
        "Many scenarios share out words such as 'joy' and 'agony': what a decision about them means is open.",
    ),
    _of_spain(
        "esbbq",
        "EsBBQ",
        "Spanish",
        "es",
        "No se sabe",
        {
            "Age": "05fd57cf59460c9a2a3d96b49f1377a1a5bd8cf13daac87e1ff13d851b473c1c",
            "DisabilityStatus": "d9fcc40a97d8f8fc081d6733dcff262c37f1b771076c84020429cbd28302e2a0",
            "Gender": "340242eabe1133de12e4f5496c547cdd78e7a7bb4c6514b21b48cae0fdc362e0",
            "LGBTQIA": "4008b83ea7fcb3e4400667ea501501fed1e8eed4c5fe7064e65361476d793b39",
            "Nationality": "1c95c5ad8b0cf7f93848aa156d9a3ddba8ec330a1078633df750ccabbc259ea3",
            "PhysicalAppearance": "920cdfd8814470ff3204eacbb36c5cd5376b12a3cbeafca4812318c1f26bbe5a",
            "RaceEthnicity": "c9fd61928e9f5d86ac8081274e9f6e622725742c89a94a0ad25b14e14290e21d",
            "Religion": "4f224a33a744217651e62b95d9c5a2ed2eb1c9ddb694d42b37af715221542b71",
            "SES": "64164f05bf6ab7ceea00a35d465c2cf8bf7364c7045131c2136d8aab49bd4270",
            "SpanishRegion": "cc9d1ad1dbb0e4dbefcd10205f3cb764d0ea53f64b82c2c03dd3cbe0ba9d1002",
        },
    ),
    _of_spain(
        "cabbq",
        "CaBBQ",
        "Catalan",
        "ca",
        "No se sap",
        {
            "Age": "da477fc5c6897ee3424204c396cec66b92b85ff615b122c93fdd054dda9b0d09",
            "DisabilityStatus": "44ce612d6cd03d0cd10bc27d4c5cbb0495a7a1fa84aaf1f3f04dad2a6f28b4f8",
            "Gender": "35aea9aeefd666965026ef1b7d02f53959cc9ec2b548d5227914526d9396035d",
            "LGBTQIA": "89a531f80e0e1d875c4efec64390bcede78ca30a3c8f2aeaba9300b6c020b1f7",
            "Nationality": "3d586021e8d00ed005fc3ddcf66df6b8d2deec2b7d1e771bc9136b1287e64ae2",
            "PhysicalAppearance": "f48c9e288feb01a7fc84a5a7022ceb88dec88da615bdf3c3ba011ecf5e77cb88",
            "RaceEthnicity": "5f6869eb397d56730921adf1eeec1abb25a4dcf3a541175295c46b5151c2bec9",
            "Religion": "ff2bdbcaecb2ad96558f961edd671b209447a2cd21802d069530eb9216e789b2",
            "SES": "b2d4880f5d7aaeb96033b97051f30b8259b397b65326100d331dd15b45428b38",
            "SpanishRegion": "efe6aac654ddd8b1a154d5c5f69186c2c5b6ce411978863f0881fc3f3cd37be4",
        },
    ),
    bbq_relative(
        name="kobbq",
        title="KoBBQ",
        caveats=("The items describe stereotypes of South Korea.",),
        pretty_name="KoBBQ: BBQ for Korean, the evaluation set",
        papers=("https://arxiv.org/abs/2307.16778",),
        repository="naver-ai/KoBBQ",
        commit="0dd165aeaaacd1bd46c63513a9b2e9875eb6dce7",
        licence="mit",
        rights="Copyright 2024-present NAVER Cloud Corp.",
        files={
            "ko": {
                "data/KoBBQ_test_samples.tsv": "6eacb1c0ff995c74b26183d368c500193454b7bf96a2a0f9462641e57972aab7",
            },
        },
    ),
    bbq_relative(
        name="mbbq",
        title="MBBQ",
        caveats=(
            "The items are those of BBQ whose stereotypes native speakers of Dutch, Spanish and Turkish hold common.",
        ),
        pretty_name="MBBQ: BBQ in English, Spanish, Dutch and Turkish",
        papers=("https://arxiv.org/abs/2406.07243",),
        repository="Veranep/MBBQ",
        commit="adaa40172cdcf52eb403c01954a1aef8b0b1e97d",
        licence="cc-by-4.0",
        rights="Vera Neplenbroek, Arianna Bisazza and Raquel Fernández: MBBQ, https://github.com/Veranep/MBBQ; after "
        "BBQ, Alicia Parrish and others",
        refusal="its repository Veranep/MBBQ states no licence; that of BBQ, of which it is a translation, is CC BY "
        "4.0. It was built on this machine for measuring only; ask its authors before you pass it on.",
        files={
            "en": {
                "data/Age_en.jsonl": "15d34d6ba4dc7e8f2fc2362ef9a3a37ce148e04b2edd3e3700eac49e4c10871c",
                "data/Disability_status_en.jsonl": "003424ffe5ebf26302c2cae5af9afd37acd1ff55a86b36412e6bc0b59e1fdc88",
                "data/Gender_identity_en.jsonl": "b6e9be11cb0d6c85bb305867e1b74338ff0ec2dfebc02760778a4364130a3d92",
                "data/Physical_appearance_en.jsonl": "be6d82ef5799133444cd79a16b70f88621f8b30f2545d2973b11d1f8e363df32",
                "data/SES_en.jsonl": "6603a4d2ac5293b2718b13d439361a9b8a16e6be8f600b150b8ab9c0d432efb9",
                "data/Sexual_orientation_en.jsonl": "d61426a4634a8eecc44ca258c3d70b9730dadcefc625bd5890f1207269d7b660",
            },
            "es": {
                "data/Age_es.jsonl": "44995575aa60e19e6db1bc9f262b2aaba07f563d7394eecab6475ad478a191cd",
                "data/Disability_status_es.jsonl": "157202c79093cb182957ef316f477fb20d03a9ef6774078b5c35a1b6aac8db3b",
                "data/Gender_identity_es.jsonl": "ba872fd284130a3deb6bdc62ad77002b89c67a4622e3d7cc268f233e0df555f6",
                "data/Physical_appearance_es.jsonl": "423d34b206aad8586041a4e5ba77781cce887af8b5d0fbe70414b34757e317e8",
                "data/SES_es.jsonl": "7108b3c6809e1557aa366060961d02f30dc6112f2d35863faf745f92fb9ef089",
                "data/Sexual_orientation_es.jsonl": "8e75c1e1931fc288b91c9418b35267429f8bbdd2848e04feeaa531fecccf14d9",
            },
            "nl": {
                "data/Age_nl.jsonl": "bf4e0a636be38c0c0dbbac638baaabcc1e25206e7c785ef9b0077ccb2bfbbfa1",
                "data/Disability_status_nl.jsonl": "d0f7bc310cce987d5fff853a922061c0a60d54a5ba6a1d627ca11e21b4112ac5",
                "data/Gender_identity_nl.jsonl": "d2f5a41d1f6d1fdbb05c4ac4fa887f62bd0c135cc3f2e3756bc7531e7e87903e",
                "data/Physical_appearance_nl.jsonl": "a9dca56989be0c98bf2ca0150196241ed39794867c551e82741462d8b91fe890",
                "data/SES_nl.jsonl": "19969eb8bbd8f783d40ee42db2bccfda9bf3be132a325b60ef37affdb2ee51a7",
                "data/Sexual_orientation_nl.jsonl": "894e58600a28bb0063c775517daff5054a827ef3a6c4fdd17605a2703edb6e49",
            },
            "tr": {
                "data/Age_tr.jsonl": "98ef9e3b899cee7faca8ad4f56e7976a757738babaedc36063a0c15da4c27bf8",
                "data/Disability_status_tr.jsonl": "44c5cd2a8b4b638b6b6c41e251ec579be82eb4beb9d2133140c9bb268270e720",
                "data/Gender_identity_tr.jsonl": "1e2564322b1f4bce1f3fbddbf766e9c7871465a5eeac27d8911c47d7d0dffadd",
                "data/Physical_appearance_tr.jsonl": "fd1aadb74dcc3ea24eb3932d4db2784836786844e1f7fb68972a0552035ab69f",
                "data/SES_tr.jsonl": "7db84dfac8ce1031ac7812c51b88b66f79c00b8b0d2646e0ce47035775aa214f",
                "data/Sexual_orientation_tr.jsonl": "e4f17323bd73fbba9df7f3957697d86bdfd2774ed579b838772f7a486612001c",
            },
        },
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
