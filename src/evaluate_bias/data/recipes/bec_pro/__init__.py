"""BEC-Pro (Bartl et al. 2020) in English and German: built from its lists, and as it was published."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import BEC_PRO
from ...origins import BENCHMARKS, AssetFile, Origin, PackagedFile
from ...table_files import read_rows
from .._shared import BEC_PRO_RIGHTS, require_columns

_REPOSITORY = "marionbartl/gender-bias-BERT"
_CHECKSUMS = {
    "en": "7a5a450c57ea1ee74f6b447f15faa0387bc9487c2567b063f698d737613b588e",
    "de": "a6dec0afe1e8b04a2584524f102db0159c9ff30d482205b115954da82dd495c6",
}
_PARTS = ("bec_pro/{}.jsonl", "bias_templates/{}.jsonl", "grammar/{}.json", "word_forms/{}.jsonl")
_COLUMNS = ("Sentence", "Template", "Person", "Gender", "Profession", "Prof_Gender")
_WORDS_OF_A_GENDER = 9


def _built(language: str, raw: bytes, name: str) -> Converted:
    """The sentences that the loader makes of the packaged professions."""
    return Converted(BEC_PRO.load()(language))


def _published(language: str, raw: bytes, name: str) -> Converted:
    """Turn a published file into rows with the same columns as those built here."""
    table = read_rows(raw, name)
    require_columns(table, _COLUMNS, name)
    templates: dict[str, str] = {}
    persons: dict[tuple[str, str], int] = {}
    rows = []
    for number, row in enumerate(table):
        # The German files write two templates for one, which differ in the article.
        text = re.sub(r", (der|die) ", ", ART ", row["Template"])
        template = templates.setdefault(text, f"bec-pro-{len(templates) + 1:02}")
        sentence, person, profession = row["Sentence"], row["Person"], row["Profession"]
        place = re.search(rf"\b{re.escape(person)}\b", sentence)
        start = sentence.find(profession, place.end()) if place else -1
        if place is None or start < 0:
            raise DataError(
                f"{name}, row {number + 1}: the sentence {sentence!r} does not contain {person!r} and {profession!r}"
            )
        # "Frau" stands for two phrases, so the phrase tells the pairs apart.
        phrase = (row["Gender"], sentence[: place.end()])
        pair = persons.setdefault(phrase, sum(gender == row["Gender"] for gender, _ in persons))
        rows.append(
            {
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
        )
    return Converted(rows)


def _config(name: str, origin: Origin, convert: Callable[[str, bytes, str], Converted]) -> Config:
    return Config(
        name=name,
        splits={"test": origin},
        convert=partial(convert, name.partition("-")[0]),
        schema=BEC_PRO,
        licence="cc-by-4.0",
        rights=BEC_PRO_RIGHTS,
    )


def _packaged(language: str) -> PackagedFile:
    parts = tuple(part.format(language) for part in _PARTS)
    return PackagedFile(path=f"professions/{language}.jsonl", made_with=parts)


def _asset_file(language: str) -> AssetFile:
    path = f"BEC-Pro/data/BEC-Pro_{language.upper()}.tsv"
    return AssetFile(asset=BENCHMARKS, path=path, sha256=_CHECKSUMS[language], repository=_REPOSITORY)


RECORD = describe_dataset(
    "bec_pro",
    configs=(
        *(_config(language, _packaged(language), _built) for language in _CHECKSUMS),
        *(_config(f"{language}-published", _asset_file(language), _published) for language in _CHECKSUMS),
    ),
)
"""``en`` and ``de`` are built from the lists with correct grammar, the others are the published sentences."""
