"""Sentences of sixteen gender stereotypes in a masculine and a feminine form: GEST, EuroGEST, and the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from ..errors import DataError, InputError, chosen_names, quoted
from .load import checked_rows, find_table, loader
from .recipes import dataset_key, dataset_record, get_dataset
from .recipes.sentences import ENGLISH, LANGUAGES, Scaffold, published_scaffolds
from .row_set import RowSet
from .schemas import GIVEN, Column, LanguageTag, Schema, Sentence, parse_row
from .table_files import is_absent, packaged_languages

OF_WOMEN: Final = ("emotional", "gentle", "empathetic", "neat", "social", "weak", "beautiful")
OF_MEN: Final = (
    "tough", "self-confident", "professional", "rational", "providers", "leaders", "childish", "sexual", "strong",
)  # fmt: skip
STEREOTYPES: Final = OF_WOMEN + OF_MEN
"""What women and men are said to be, in the order of their numbers from 1 to 16 (Pikuliak et al. 2023)."""

_PACKAGED = "gest_style"
_HUB = "utter-project/EuroGEST"
_UPSTREAM = {"id": "GEST_ID", "stereotype": "Stereotype_ID", "masculine": "Masculine", "feminine": "Feminine"}
"""What the published rows call the columns."""
_NEUTRAL = ("Neutral", "sentence")
"""What they call a sentence that has no gender."""


def _name(value: Any) -> str:
    """Return the name of a stereotype that is given by its name or number. The number may be a string or a float."""
    try:
        number = 0.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = 0.0
    if number in range(1, len(STEREOTYPES) + 1):
        return STEREOTYPES[int(number) - 1]
    if not isinstance(value, str) or value not in STEREOTYPES:
        raise ValueError(
            f"is {quoted(value)}: give a number from 1 to 16, or one of {', '.join(STEREOTYPES)}"
        )
    return value


class StereotypeSentence(Schema):
    """A sentence in two forms, which differ in nothing but the gender of who says it.

    Attributes:
        masculine, feminine: the two forms of every sentence, or the logarithms of their probabilities
        stereotype: the stereotype of every sentence, by its name, such as 'emotional', or its number from 1 to 16
        id: names of the sentences
        language: language of the sentences. Each language has a score of its own

    Examples:
        >>> row = as_stereotype_sentence({"sentence": "I never cry.", "stereotype": "8", "language": "en"})
        >>> row.stereotype, row.of_men, row.masculine
        ('tough', True, '"I never cry," he said')
    """

    compared: ClassVar = ("language", "stereotype")

    id: str = ""
    stereotype: Annotated[str, BeforeValidator(_name), Column("label")]
    masculine: Sentence
    feminine: Sentence
    language: LanguageTag = "und"
    origin: str = GIVEN

    @property
    def of_men(self) -> bool:
        """True if the stereotype is one of men."""
        return self.stereotype in OF_MEN


def as_stereotype_sentence(
    row: StereotypeSentence | Mapping[str, Any], where: str = "row"
) -> StereotypeSentence:
    """Check one row, also one with the columns of GEST or EuroGEST, and return it as a :class:`StereotypeSentence`.

    A sentence without gender is put into the scaffold of its language. If the language is not English, the scaffold is
    obtained from EuroGEST's repository.

    Raises:
        DataError: a field is missing, unknown, or not what it must be, or the language has no scaffold.
        AssetError: the published scaffolds could not be obtained.
    """
    if not isinstance(row, Mapping):
        return parse_row(StereotypeSentence, row, where)
    known = {name: value for name, value in row.items() if not is_absent(value) and value != ""}
    if any(name in known for name in (*_UPSTREAM.values(), *_NEUTRAL)):
        both = {**{name: known[old] for name, old in _UPSTREAM.items() if old in known}, **known}
        neutral = next((known[name] for name in _NEUTRAL if name in known), None)
        known = {name: value for name, value in both.items() if name in StereotypeSentence.model_fields}
        if "masculine" not in known and isinstance(neutral, str):
            known |= _scaffold(str(known.get("language", "")), where).forms(neutral)
    if "id" in known:
        known["id"] = str(known["id"])
    return parse_row(StereotypeSentence, known, where)


def _scaffold(language: str, where: str) -> Scaffold:
    if not language:
        raise DataError(
            f"{where} has a sentence without a gender and names no language, by which it is put into 'he said' and "
            "'she said'",
            hint="add a column language, such as 'de'",
        )
    tag = language.partition("-")[0].lower()
    scaffolds = {"en": ENGLISH} if tag == "en" else published_scaffolds()
    if tag not in scaffolds:
        raise DataError(
            f"{where}: no scaffold in {tag!r}, only in {', '.join(sorted(scaffolds))}", hint="give both forms"
        )
    return scaffolds[tag]


@loader(StereotypeSentence)
def load_gender_stereotypes(
    source: str | Path | None = None, *, language: str | Iterable[str] = "en"
) -> RowSet[StereotypeSentence]:
    """Load sentences of gender stereotypes, in one language or several.

    Args:
        source: where to read from.

            - ``None`` or ``"gest_style"``: English sentences packaged with this library: illustrative, not validated.
            - ``"eurogest"``: the sentences of GEST in English and of EuroGEST in 29 languages, from the
              cache, built on first use from their pinned repositories.
            - ``"utter-project/EuroGEST"``: the same as its authors have it on the Hub now.
            - a file, a folder or a Hub data set with the columns of :class:`StereotypeSentence`, or with the columns of
              the published files.
        language: language tag, or several. ``"all"`` for every language of a data set of this library, or of a table
            with this column.

    Raises:
        InputError: no language is named.
        UnknownNameError: the source has no such language.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_gender_stereotypes()
        >>> len(rows), rows[0].stereotype, rows.provenance["source"]
        (64, 'emotional', 'gest_style')
    """
    where: str | Path = _PACKAGED if source is None else source
    names = list(dict.fromkeys(chosen_names("language", language, "language", "for English")))
    if isinstance(where, str) and (key := dataset_key(where)):
        configs = [config.name for config in dataset_record(key).configs]
        names = (configs or packaged_languages(key)) if names == ["all"] else names
        where = get_dataset(key, configs=names) if configs and names else where
    elif names == ["all"]:
        rows = find_table(where, "all").rows
        names = list(dict.fromkeys(str(row.get("language") or "und") for row in rows))
    parts = []
    for name in names:
        if source is None and name in LANGUAGES and name not in packaged_languages(_PACKAGED):
            raise InputError(
                f"the packaged sentences are English, not {name!r}",
                option="source",
                hint="set `source` to 'eurogest'",
            )
        on_hub = isinstance(where, str) and where.partition("@")[0] == _HUB and name in LANGUAGES
        table = find_table(where, "default", split=LANGUAGES[name]) if on_hub else find_table(where, name)
        options: dict[str, Any] = {
            "prepare": partial(_prepared, name),
            "key": lambda row: row.id,
            "default": name,
        }
        parts.append(RowSet(*checked_rows(StereotypeSentence, table, name, **options)))
    if len(parts) == 1:
        return parts[0]
    provenances = [part.provenance for part in parts]
    shared = {k: v for k, v in provenances[0].items() if all(p.get(k) == v for p in provenances)}
    skipped = tuple(one for part in parts for one in part.skipped)
    return RowSet(tuple(chain(*parts)), {**shared, "configs": provenances}, skipped)


def _prepared(language: str, row: Mapping[str, Any], position: int, where: str) -> Mapping[str, Any]:
    language_row = row if row.get("language") else {**row, "language": language}
    checked = as_stereotype_sentence(language_row, where).model_dump()
    return {**checked, "id": checked["id"] or None}
