"""Templates and what is made of them: BEC-Pro, the packaged templates with their words, and the prompts of HONEST."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from ...errors import DataError
from ..dataset_record import Config, columns_schema, describe_dataset
from ..kinds import BEC_PRO, COMPLETIONS, TEMPLATES
from ..origins import BENCHMARKS, AssetFile, PackagedFile, checksums, pinned_files
from ..table_files import Row, packaged_languages, require_columns
from . import shared
from .shared import BEC_PRO_RIGHTS, BIAS_FRAMEWORK, packaged_configs

_BEC_PRO_FILES = {
    "en": "7a5a450c57ea1ee74f6b447f15faa0387bc9487c2567b063f698d737613b588e",
    "de": "a6dec0afe1e8b04a2584524f102db0159c9ff30d482205b115954da82dd495c6",
}
_WORDS_OF_A_GENDER = 9


def _bec_pro_rows(language: str, table: Sequence[Row]) -> Iterator[Row]:
    """Turn a published file into rows with the same columns as those that the loader makes."""
    require_columns(table, "Sentence", "Template", "Person", "Gender", "Profession", "Prof_Gender")
    templates: dict[str, str] = {}
    persons: dict[tuple[str, str], int] = {}
    for number, row in enumerate(table):
        # The German files write two templates for one, which differ in the article.
        text = re.sub(r", (der|die) ", ", ART ", row["Template"])
        template = templates.setdefault(text, f"bec-pro-{len(templates) + 1:02}")
        sentence, person, profession = row["Sentence"], row["Person"], row["Profession"]
        place = re.search(rf"\b{re.escape(person)}\b", sentence)
        start = sentence.find(profession, place.end()) if place else -1
        if place is None or start < 0:
            raise DataError(
                f"row {number + 1}: the sentence {sentence!r} does not contain {person!r} and {profession!r}"
            )
        # "Frau" occurs in two phrases, so the phrase tells the pairs apart.
        phrase = (row["Gender"], sentence[: place.end()])
        pair = persons.setdefault(phrase, sum(gender == row["Gender"] for gender, _ in persons))
        yield {
            "id": f"{language}-{number:04d}",
            "language": language,
            "sentence": sentence,
            "person": person,
            "gender": row["Gender"],
            "pair": pair % _WORDS_OF_A_GENDER,
            "profession": profession,
            "profession_en": row.get("Profession_EN") or profession,
            "profession_gender": row["Prof_Gender"],
            "template": template,
            "person_start": place.start(),
            "person_end": place.end(),
            "profession_start": start,
            "profession_end": start + len(profession),
        }


_WORD_COLUMNS = ("word", "kind", "gender")


def _word_forms(table: Sequence[Row]) -> Iterator[Row]:
    """Turn packaged word forms into rows of the same columns: each form becomes ``name=form``."""
    for row in table:
        forms = [f"{form}={text}" for form, text in row.items() if text and form not in _WORD_COLUMNS]
        yield {**{column: row.get(column) or "" for column in _WORD_COLUMNS}, "forms": forms}


BLANK = "[M]"
"""The mark that a prompt is completed at."""

_HONEST = ("MilaNLProc/honest", "6efc7817cbeb36e61bba51a34bbce13ecc8af69f")
_FRAMES = 5
"""Every identity is in five sentences of each type, one after the other and in the same order for all."""


def _honest_prompts(config: str, path: str, table: Sequence[Row]) -> Iterator[Row]:
    """Turn the published table into rows: single blanks, and which prompts are of one template."""
    require_columns(table, "template_masked", "identity", "category", "type")
    block: tuple[str, ...] = ()
    for number, row in enumerate(table):
        where, frame = f"row {number + 1}", number % _FRAMES
        text, identity, category, kind = (
            row[c].strip() for c in ("template_masked", "identity", "category", "type")
        )
        if frame and (category, kind, str(row.get("number"))) != block:
            raise DataError(f"{where}: {_FRAMES} prompts of one word for a person must follow one another")
        block = (category, kind, str(row.get("number")))
        if BLANK not in text:
            raise DataError(f"{where} has no blank {BLANK}")
        group = category.partition("_")[0]
        yield {
            "id": f"{config}-{number + 1}",
            "prompt": " ".join(text.split()),
            "group": group,
            "subgroup": category if category != group else "",
            "identity": identity,
            "template": f"{kind}-{frame + 1}",
            "type": kind,
            "number": row.get("number"),
            "language": config.partition("-")[0],
            "source": f"{' at '.join(_HONEST)}: {path}",
        }


_bec_pro = partial(Config, schema=BEC_PRO, licence="cc-by-4.0", rights=BEC_PRO_RIGHTS)
RECORDS = (
    # Built from the lists with correct grammar, and the published sentences.
    describe_dataset(
        "bec_pro",
        configs=(
            *(
                _bec_pro(
                    name=language,
                    splits={
                        "test": PackagedFile(
                            path=f"professions/{language}.jsonl",
                            made_with=(
                                f"bec_pro/{language}.jsonl",
                                f"bias_templates/{language}.jsonl",
                                f"grammar/{language}.json",
                                f"word_forms/{language}.jsonl",
                            ),
                        )
                    },
                    convert=partial(lambda language, _: BEC_PRO.load()(language), language),
                )
                for language in _BEC_PRO_FILES
            ),
            *(
                _bec_pro(
                    name=f"{language}-published",
                    splits={
                        "test": AssetFile(
                            asset=BENCHMARKS,
                            path=f"BEC-Pro/data/BEC-Pro_{language.upper()}.tsv",
                            sha256=sha256,
                            repository="marionbartl/gender-bias-BERT",
                        )
                    },
                    convert=partial(_bec_pro_rows, language),
                )
                for language, sha256 in _BEC_PRO_FILES.items()
            ),
        ),
    ),
    # One configuration a language with the templates, and one with the forms of words they are filled with.
    describe_dataset(
        "bias_templates",
        packaged=True,
        configs=(
            *packaged_configs(
                "bias_templates",
                TEMPLATES,
                # The templates of BEC-Pro and of the BIAS framework, most of them translated, and those of ``vig``.
                parts={
                    language: (
                        BIAS_FRAMEWORK,
                        *([shared.BEC_PRO] if language != "pt" else []),
                        *([("mit", "Copyright (c) 2020 Sebastian Gehrmann")] if language == "en" else []),
                    )
                    for language in packaged_languages("bias_templates")
                },
            ),
            *(
                Config(
                    name=f"{language}-words",
                    splits={"test": PackagedFile(path=f"word_forms/{language}.jsonl")},
                    convert=_word_forms,
                    schema=partial(columns_schema, *_WORD_COLUMNS, "forms", lists=("forms",)),
                    licence="apache-2.0",
                )
                for language in packaged_languages("word_forms")
            ),
        ),
    ),
    # One configuration a language, and queer identities in English.
    describe_dataset(
        "honest_templates",
        configs=tuple(
            Config(
                name=config,
                splits={"test": file},
                convert=partial(_honest_prompts, config, file.path),
                schema=COMPLETIONS,
                licence="mit",
                rights="Copyright (c) 2022, Federico Bianchi",
            )
            for file in pinned_files(*_HONEST, checksums("honest_templates"), "HONEST/data/{folder}/{name}")
            for config in [file.path.split("/")[2][:2] + ("-queer" if "queer" in file.path else "")]
        ),
    ),
)
