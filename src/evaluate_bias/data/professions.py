"""Words for people: gendered pairs, professions in many languages, occupations with a statistic, words of a WSV map."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from ..errors import InputError, bad_option
from ..text import is_same_language
from .load import load_rows, loader
from .row_set import RowSet
from .schemas import LanguageTag, Schema, TidyText

PairKind = Literal["pronoun", "person", "kinship", "title", "role", "name"]


_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class GenderedPair(Schema):
    """A word for a woman and its counterpart for a man.

    Attributes:
        female, male: the two words. A word may stand in more than one pair.
        kind: ``"pronoun"``, ``"person"`` (woman, girl, female …), ``"kinship"``, ``"title"`` (queen …),
            ``"role"`` (actress …) or ``"name"``; the two names of a pair have nothing else in common.
        language: language tag.
        origin: ``"paper"``, ``"written for this project, not validated by native speakers"`` ….
        source: citation, empty for pairs of this project.
    """

    female: TidyText
    male: TidyText
    kind: PairKind
    language: LanguageTag = "und"
    origin: str = "given by the caller"
    source: str = ""


class Profession(Schema):
    """A profession in one language, with the forms for men and women.

    Attributes:
        profession: the English word, the same in all languages.
        word: the word as dictionaries cite it.
        masculine, feminine: the forms for a man and for a woman; equal where the language has one form for all.
        list: ``"winogender"``, ``"bec-pro"`` or ``"delobelle"``, the English list it belongs to.
        group: whether it is, in the USA, one of the professions with the largest share of women (``"female"``, 20 in
            the list ``"bec-pro"``, 30 in ``"delobelle"``), with the smallest (``"male"``, likewise), or with equal
            shares (``"balanced"``, 20 in ``"bec-pro"``).
        women: share of women in it, in [0, 1], where known; Winogender's are in :class:`Occupation`.
        women_source: whose number that is.
        language, origin, source: as for :class:`GenderedPair`.
        notes: choices made.
    """

    profession: TidyText
    word: TidyText
    masculine: TidyText
    feminine: TidyText
    list: str = ""
    group: Literal["female", "male", "balanced", ""] = ""
    women: _Share | None = None
    women_source: str = ""
    language: LanguageTag = "und"
    origin: str = "given by the caller"
    source: str = ""
    notes: str = ""


class Occupation(Schema):
    """An occupation and how many of its members are women.

    Attributes:
        word: the occupation.
        women_bls: share of women among those employed in the USA, in [0, 1], by the Bureau of Labor Statistics; None if
            it is not known.
        bls_year: year of that number.
        women_bergsma: share of feminine mentions in text, in [0, 1], after Bergsma and Lin (2006).
        language, source: as for :class:`GenderedPair`.
    """

    word: TidyText
    women_bls: _Share | None = None
    bls_year: int | None = None
    women_bergsma: _Share | None = None
    language: LanguageTag = "und"
    source: str = ""


@loader
def load_gendered_words(
    language: str = "en",
    *,
    kinds: str | Iterable[str] | None = None,
    source: str | Path | None = None,
) -> RowSet[GenderedPair]:
    """Load pairs of gendered words.

    Args:
        language: language tag. Turkish pronouns mark no gender, so that language has no pronouns here.
        kinds: kinds of pairs wanted, see :class:`GenderedPair`; ``None`` for all.
        source: ``None`` for the packaged pairs; a file, a folder or a Hub id such as ``"bias/gendered-words"``.

    Raises:
        UnknownNameError: the source has no such language, or no pair of such a kind.
        InputError: no kind was named.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [(p.female, p.male) for p in load_gendered_words("en", kinds="pronoun")][:2]
        [('she', 'he'), ('her', 'him')]
        >>> load_gendered_words("tr", kinds="pronoun")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown kind of pair 'pronoun'; did you mean 'person'?
    """
    return load_rows(GenderedPair, "gendered_words", language, source).where(
        "kind", kinds, "kind of pair", "kinds"
    )


@loader
def load_professions(
    language: str = "en", *, list: str | None = "winogender", source: str | Path | None = None
) -> RowSet[Profession]:
    """Load professions with their forms.

    Args:
        language: language tag.
        list: the list wanted: ``"winogender"`` (60 occupations, every packaged language), ``"bec-pro"`` (60,
            English and German), ``"delobelle"`` (30 with many and 30 with few women, English); ``None`` for all.
        source: ``None`` for the packaged ones; a file, a folder or a Hub id such as ``"bias/professions"``.

    Raises:
        UnknownNameError: the source has no such language or list.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> nurse = next(p for p in load_professions("de") if p.profession == "nurse")
        >>> nurse.masculine, nurse.feminine, nurse.origin
        ('Krankenpfleger', 'Krankenpflegerin', 'translated, not validated by native speakers')
    """
    return load_rows(Profession, "professions", language, source).where(
        "list", list, "list of professions", "list"
    )


@loader
def load_occupations(source: str | Path | None = None, *, language: str = "en") -> RowSet[Occupation]:
    """Load the 60 occupations of Winogender and the share of women in them.

    The numbers are those of Rudinger et al. (2018): the U.S. Bureau of Labor Statistics for 2015 and 2016, and
    the share of feminine mentions in text after Bergsma and Lin (2006).

    Args:
        source: ``None`` for the packaged numbers; a file, a folder or a Hub id such as
            ``"bias/winogender-occupations"``.
        language: language tag. Other languages than English have the translated occupations of
            :func:`load_professions` with the same shares, both forms where men and women have forms of their own, so
            that grammar does not decide for one of them.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> nurse = next(o for o in load_occupations() if o.word == "nurse")
        >>> nurse.women_bls, nurse.bls_year, nurse.women_bergsma
        (0.8958, 2015, 0.8831)
        >>> [o.word for o in load_occupations(language="it") if o.women_bls == nurse.women_bls]
        ['infermiere', 'infermiera']
    """
    if source is not None or is_same_language(language, "en"):
        return load_rows(Occupation, "winogender_occupations", language, source)
    occupations = load_occupations()
    english = {occupation.word: occupation for occupation in occupations}
    professions = load_professions(language, list="winogender")
    rows = tuple(
        english[profession.profession].model_copy(
            update={"word": word, "language": profession.language, "source": profession.source}
        )
        for profession in professions
        for word in dict.fromkeys((profession.masculine, profession.feminine))
    )
    provenance = {**professions.provenance, "shares": dict(occupations.provenance)}
    return RowSet(rows, provenance, professions.skipped)


MAP_KINDS = ("pronoun", "person", "kinship", "title", "role")
"""Kinds of gendered words that fit the default map: all but names."""

DEFAULT_STATISTIC: Literal["women_bls"] = "women_bls"
STATISTICS = {
    "women_bls": "share of women (USA, BLS 2015-2016)",
    "women_bergsma": "share of feminine mentions (Bergsma and Lin 2006)",
}
"""What the statistics of occupations are."""


class WsvWord(Schema):
    """One word: a protected one, with its class, or one to evaluate, with a statistic where it is known.

    Attributes:
        word: the word.
        group: class of a protected word, such as ``"female"``; empty for a word to evaluate.
        statistic: of a word to evaluate: a number of the world, such as the share of women in an occupation.
        statistic_label: what the number is; the same for all rows.
        language: language tag.
        source: where the row comes from.

    Examples:
        >>> WsvWord(word="nurse", statistic=89.6).group
        ''
    """

    word: TidyText
    group: str = ""
    statistic: FiniteFloat | None = None
    statistic_label: str = ""
    language: str = "und"
    source: str = ""


@loader
def load_wsv_words(
    source: str | Path | None = None,
    *,
    language: str = "en",
    statistic: Literal["women_bls", "women_bergsma"] = DEFAULT_STATISTIC,
    kinds: str | Iterable[str] = MAP_KINDS,
) -> RowSet[WsvWord]:
    """Load words for a map of gender: gendered words that fit it, and the occupations of Winogender with a statistic.

    Args:
        source: ``None`` for the packaged words; ``"wsv_words"`` for those of Dusi et al. (2022), which are downloaded;
            or a file, a folder or a Hub id with the columns of :class:`WsvWord`, to which ``statistic`` and ``kinds``
            do not apply.
        language: language tag; see :func:`load_occupations` for the occupations.
        statistic: ``"women_bls"``, the share of women in the occupation, or ``"women_bergsma"``, the share of feminine
            mentions in text.
        kinds: kinds of gendered words, see :class:`~evaluate_bias.data.professions.GenderedPair`.

    Raises:
        UnknownNameError: the source has no such language, or there is no such kind of words.
        InputError: no such statistic.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> words = load_wsv_words()
        >>> [(w.word, w.group) for w in words[:2]], words[-1].word, words[-1].statistic
        ([('she', 'female'), ('he', 'male')], 'secretary', 0.946)
    """
    if source is not None:
        if (statistic, kinds) != (DEFAULT_STATISTIC, MAP_KINDS):
            raise InputError(
                "`statistic` and `kinds` choose packaged words, and `source` gives others",
                option="source",
                hint="omit them",
            )
        return load_rows(WsvWord, "wsv_words", language, source)
    if statistic not in STATISTICS:
        raise bad_option("statistic", statistic, f"one of {', '.join(STATISTICS)}")
    pairs = load_gendered_words(language, kinds=kinds)
    occupations = load_occupations(language=language)
    groups = dict.fromkeys(
        (word, group) for pair in pairs for word, group in ((pair.female, "female"), (pair.male, "male"))
    )
    rows = [WsvWord(word=word, group=group, language=language) for word, group in groups]
    rows += [
        WsvWord(
            word=occupation.word,
            statistic=getattr(occupation, statistic),
            statistic_label=STATISTICS[statistic],
            language=language,
            source=occupation.source,
        )
        for occupation in occupations
    ]
    provenance = {**occupations.provenance, "protected": dict(pairs.provenance), "statistic": statistic}
    return RowSet(tuple(rows), provenance, (*pairs.skipped, *occupations.skipped))
