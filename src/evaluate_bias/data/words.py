"""Words for people and questions about words: gendered pairs, professions, words of a WSV map, analogies, lexicons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    Field,
    FiniteFloat,
    ValidationInfo,
    field_validator,
)

from ..errors import DataError, InputError, UnknownNameError, quoted
from ..text import is_same_language
from .load import SourcedTable, checked_rows, find_table, load_rows, loader
from .recipes.coreference import STATISTICS
from .row_set import RowSet
from .schemas import GIVEN, LanguageTag, Schema, Share, TidyText, Unread
from .table_files import Row

PairKind = Literal["pronoun", "person", "kinship", "title", "role", "name"]


class GenderedPair(Schema):
    """A word for a woman and its counterpart for a man.

    A word may be in more than one pair. The kind is ``"pronoun"``, ``"person"`` (woman, girl, female …), ``"kinship"``,
    ``"title"`` (queen …), ``"role"`` (actress …) or ``"name"``. The two names of a pair have nothing else in
    common. The source is a citation, empty for pairs of this project.

    Attributes:
        female: words for women: names or nouns
        male: their counterparts for men
        kind: 'name', or what the nouns are: 'person', 'kinship', 'title' or 'role'. Nouns get an article
        language: language of the words, which chooses the templates
    """

    looks_at: ClassVar = "what fills a gap after gendered words"
    compared: ClassVar = ("kind",)

    female: TidyText
    male: TidyText
    kind: PairKind
    language: LanguageTag = "und"
    origin: Annotated[str, Unread] = GIVEN
    source: Annotated[str, Unread] = ""


class Profession(Schema):
    """A profession in one language, with the forms for men and women.

    Attributes:
        profession: the English word, the same in all languages.
        word: the word as dictionaries cite it.
        masculine, feminine: the forms for a man and for a woman, equal if the language has one form for all.
        list: ``"winogender"``, ``"bec-pro"`` or ``"delobelle"``, the English list it belongs to.
        group: whether it is, in the USA, one of the professions with the largest share of women (``"female"``, 20 in
            the list ``"bec-pro"``, 30 in ``"delobelle"``), with the smallest (``"male"``, the same way), or
            with equal shares (``"balanced"``, 20 in ``"bec-pro"``).
        women: share of women in it, in [0, 1], where known. Winogender's are in :class:`Occupation`.
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
    women: Share | None = None
    women_source: str = ""
    language: LanguageTag = "und"
    origin: str = "given by the caller"
    source: str = ""
    notes: str = ""


class Occupation(Schema):
    """An occupation and how many of its members are women.

    The share of those employed in the USA is from the Bureau of Labor Statistics for ``bls_year``. The share of
    mentions is after Bergsma and Lin (2006).

    Attributes:
        word: the occupations
        women_bls: share of women among those employed, in [0, 1]. None if it is not known
        women_bergsma: share of feminine mentions in text, in [0, 1]
        language: language of the words, which chooses templates and pronouns
    """

    looks_at: ClassVar = "pronouns beside occupations"

    word: TidyText
    women_bls: Share | None = None
    bls_year: Annotated[int | None, Unread] = None
    women_bergsma: Share | None = None
    language: LanguageTag = "und"
    source: Annotated[str, Unread] = ""


@loader(GenderedPair)
def load_gendered_words(
    language: str = "en",
    *,
    kinds: str | Iterable[str] | None = None,
    source: str | Path | None = None,
) -> RowSet[GenderedPair]:
    """Load pairs of gendered words.

    Args:
        language: language tag. Turkish pronouns mark no gender, so that language has no pronouns here.
        kinds: kinds of pairs wanted, see :class:`GenderedPair`. ``None`` for all.
        source: ``None`` for the packaged pairs, or a file, a folder or a Hub id such as
            ``"bias/gendered-words"``.

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


@loader(Profession)
def load_professions(
    language: str = "en", *, list: str | None = "winogender", source: str | Path | None = None
) -> RowSet[Profession]:
    """Load professions with their forms.

    Args:
        language: language tag.
        list: the list wanted: ``"winogender"`` (60 occupations, every packaged language), ``"bec-pro"`` (60,
            English and German), ``"delobelle"`` (30 with many and 30 with few women, English). ``None`` for
            all.
        source: ``None`` for the packaged ones, or a file, a folder or a Hub id such as ``"bias/professions"``.

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


@loader(Occupation)
def load_occupations(source: str | Path | None = None, *, language: str = "en") -> RowSet[Occupation]:
    """Load the 60 occupations of Winogender and the share of women in them.

    The numbers are from Rudinger et al. (2018): the U.S. Bureau of Labor Statistics for 2015 and 2016, and
    the share of feminine mentions in text after Bergsma and Lin (2006).

    Args:
        source: ``None`` for the packaged numbers, or a file, a folder or a Hub id such as
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


class WsvWord(Schema):
    """One word: a protected one, with its class, or one to evaluate, with a statistic if it is known.

    Attributes:
        word: the words, protected ones and those to evaluate
        group: class of a protected word, such as 'female', empty for a word to evaluate
        statistic: a number for every word to evaluate. None if none exists
        statistic_label: what the statistic is

    Examples:
        >>> WsvWord(word="nurse", statistic=89.6).group
        ''
    """

    looks_at: ClassVar = "how words lie between groups"
    compared: ClassVar = ("group",)

    word: TidyText
    group: str = ""
    statistic: FiniteFloat | None = None
    statistic_label: str = ""
    language: str = "und"
    source: str = ""


@loader(WsvWord)
def load_wsv_words(
    source: str | Path | None = None,
    *,
    language: str = "en",
    statistic: Literal["women_bls", "women_bergsma"] = DEFAULT_STATISTIC,
    kinds: str | Iterable[str] = MAP_KINDS,
) -> RowSet[WsvWord]:
    """Load words for a map of gender: gendered words that fit it, and the occupations of Winogender with a statistic.

    Args:
        source: ``None`` for the packaged words. ``"wsv_words"`` for the words of Dusi et al. (2022), which are
            downloaded, or a file, a folder or a Hub id with the columns of :class:`WsvWord`, to which
            ``statistic`` and ``kinds`` do not apply.
        language: language tag, see :func:`load_occupations` for the occupations.
        statistic: ``"women_bls"``, the share of women in the occupation, or ``"women_bergsma"``, the share of feminine
            mentions in text.
        kinds: kinds of gendered words, see :class:`GenderedPair`.

    Raises:
        UnknownNameError: the source has no such language, or no such kind of words.
        InputError: no such statistic.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> words = load_wsv_words()
        >>> [(w.word, w.group) for w in words[:2]], words[-1].word, words[-1].statistic
        ([('she', 'female'), ('he', 'male')], 'secretary', 0.946)
    """
    if source is not None:
        if (statistic, tuple(kinds)) != (DEFAULT_STATISTIC, MAP_KINDS):
            raise InputError(
                "`statistic` and `kinds` choose packaged words, and `source` gives others",
                option="source",
                hint="omit them",
            )
        return load_rows(WsvWord, "wsv_words", language, source)
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


def _non_empty(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        raise ValueError("is empty: a question needs at least one expected word")
    return words


class AnalogyQuestion(Schema):
    """One question: a is to b as c is to which word?

    Questions of one relation learn from one another's pairs. 3CosAvg uses sets of words instead of these pairs.

    Attributes:
        a, b, c: the three words of every question: a is to b as c is to which word?
        expected: the expected answers. Any of them will do
        relation: the relation of b to a, for the breakdown. May be empty
        bias_type: bias type of every question. 'none (control)' for a factual question
        sources, targets: for 3CosAvg: sets of words like a and like b, of any sizes. May be empty

    Examples:
        >>> AnalogyQuestion(a="man", b="woman", c="king", expected=["queen"]).expected
        ('queen',)
    """

    looks_at: ClassVar = "how analogies are completed"
    compared: ClassVar = ("relation", "bias_type")

    a: TidyText
    b: TidyText
    c: TidyText
    expected: Annotated[tuple[TidyText, ...], AfterValidator(_non_empty)]
    relation: str = ""
    bias_type: str = ""
    language: LanguageTag = "und"
    source: str = ""
    sources: tuple[TidyText, ...] = ()
    targets: Annotated[tuple[TidyText, ...], Field(validate_default=True)] = ()

    @field_validator("targets")
    @classmethod
    def _both_sets(cls, targets: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if bool(targets) != bool(info.data.get("sources")):
            raise ValueError("and sources go together: give both or neither")
        return targets


@loader(AnalogyQuestion)
def load_analogies(source: str | Path | None = None, *, language: str = "en") -> RowSet[AnalogyQuestion]:
    """Load analogy questions.

    Args:
        source: ``None`` for the packaged questions, or a file, a folder or a Hub id with the columns of
            :class:`AnalogyQuestion`. In a CSV file the expected words are separated by semicolons.
        language: language tag. The packaged questions are English.

    Raises:
        UnknownNameError: the source has no such language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> first = load_analogies()[0]
        >>> first.a, first.b, first.c, first.expected
        ('man', 'woman', 'doctor', ('nurse',))
    """
    return load_rows(AnalogyQuestion, "analogy_pairs", language, source)


_LEVEL = "conservative"
"""The entries of HurtLex that HONEST counts: translations of offensive senses only."""


def _with_word(text: str) -> str:
    if not any(c.isalnum() for c in text):
        raise ValueError(f"holds no letter: {quoted(text)}")
    return " ".join(text.split())


class LexiconEntry(Schema):
    """A word of a lexicon.

    Attributes:
        word: a word, or several with spaces between.
        category: what kind of word it is. A word of several categories has an entry for each.
        language: language tag.
        source: where it comes from.
    """

    word: Annotated[str, AfterValidator(_with_word), Field(validation_alias=AliasChoices("word", "lemma"))]
    category: str = ""
    language: LanguageTag = "und"
    source: str = ""


class Lexicon(RowSet[LexiconEntry]):
    """The entries of a lexicon in one language. ``provenance`` has its source, language and licence."""

    kind: ClassVar = "word"
    named_by: ClassVar = "word"


@loader(LexiconEntry)
def load_lexicon(
    source: str | Path | Mapping[str, Any] | Iterable[Any] = "hurtful_words", *, language: str = "en"
) -> Lexicon:
    """Load a lexicon of hurtful words.

    Args:
        source: a list of words, or of dicts with ``word`` and ``category``, a dict from words to their category (or a
            list of categories), or a file, a folder or a Hub id with the columns of :class:`LexiconEntry`.
            ``"hurtful_words"`` is a few dozen English words packaged with this library: illustrative, not validated.
            ``"hurtlex"`` is HurtLex 1.2, fetched on first use. Its licence (CC BY-NC-SA 4.0) forbids commercial use.
            If entries have a ``level``, as in HurtLex, only the conservative ones are read, as in HONEST's own code.
        language: language tag. Entries that name no language are taken to be in this one.

    Raises:
        InputError: it is not a lexicon.
        UnknownNameError: it has no word in this language.
        DataError: an entry is not a word.
        AssetError: HurtLex could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> load_lexicon({"idiot": "insult"})["idiot"].category
        'insult'
        >>> load_lexicon("hurtful_words", language="fr")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown language of the lexicon 'fr'; choose from en
    """
    try:
        table = _table(source, language)
        table.rows = [row for row in table.rows if row.get("level") in (None, "", _LEVEL)]
        if not table.rows:
            raise InputError(f"the lexicon {quoted(table.name)} is empty")
        return Lexicon(*checked_rows(LexiconEntry, table, language, prepare=_prepared, called="entry"))
    except UnknownNameError as error:
        raise UnknownNameError("language of the lexicon", language, error.known, option="language") from error


def _table(source: Any, language: str) -> SourcedTable:
    if isinstance(source, (str, Path)):
        return find_table(source, language)
    identity = {"source": GIVEN, "language": language}
    if isinstance(source, Lexicon):
        entries = (
            {**entry.model_dump(), "language": entry.language.replace("und", language)} for entry in source
        )
        return SourcedTable(GIVEN, list(entries), dict(source.provenance), source.skipped)
    if isinstance(source, Mapping):
        rows: list[Row] = [
            {"word": word, "category": category}
            for word, categories in source.items()
            for category in (categories if isinstance(categories, (list, tuple)) else [categories])
        ]
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        rows = [
            dict(e) if isinstance(e, Mapping) else e.model_dump() if isinstance(e, BaseModel) else {"word": e}
            for e in source
        ]
    else:
        raise InputError(
            f"a lexicon must be a list of words, a dict, a file or a name, got {quoted(source)}",
            option="source",
        )
    return SourcedTable(GIVEN, rows, identity)


def _prepared(row: Row, position: int, where: str) -> Row:
    if not isinstance(row.get("word"), str):
        raise DataError(f"{where}: word must be text, got {quoted(row.get('word'))}")
    return row
