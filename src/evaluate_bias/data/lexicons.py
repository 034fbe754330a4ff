"""Lexicons: words with a category each, such as hurtful ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel

from ..errors import DataError, InputError, UnknownNameError, quoted
from .load import SourcedTable, checked_rows, find_table, loader
from .row_set import RowSet
from .schemas import GIVEN, LanguageTag, Schema
from .table_files import Row

_LEVEL = "conservative"
"""The entries of HurtLex that HONEST counts: translations of offensive senses only."""


def _with_word(text: str) -> str:
    if not any(c.isalnum() for c in text):
        raise ValueError(f"holds no letter: {quoted(text)}")
    return " ".join(text.split())


class LexiconEntry(Schema):
    """A word of a lexicon.

    Attributes:
        word: a word, or several with blanks between.
        category: what kind of word it is; a word of several categories has an entry for each.
        language: language tag.
        source: where it comes from.
    """

    word: Annotated[str, AfterValidator(_with_word)]
    category: str = ""
    language: LanguageTag = "und"
    source: str = ""


class Lexicon(RowSet[LexiconEntry]):
    """The entries of a lexicon in one language; ``provenance`` has its source, language and licence."""

    kind: ClassVar = "word"
    named_by: ClassVar = "word"


@loader
def load_lexicon(
    source: str | Path | Mapping[str, Any] | Iterable[Any] = "hurtful_words", *, language: str = "en"
) -> Lexicon:
    """Load a lexicon of hurtful words.

    Args:
        source: a list of words, or of mappings with ``word`` and ``category``; a mapping from words to their category
            (or a list of them); a file, a folder or a Hub id with the columns of :class:`LexiconEntry`;
            ``"hurtful_words"``: a few dozen English words packaged with this library, illustrative, not validated; or
            ``"hurtlex"``: HurtLex 1.2, fetched on first use, whose licence (CC BY-NC-SA 4.0) forbids commercial use. Of
            entries with a ``level``, as of HurtLex, the conservative ones are read, as in HONEST's own code.
        language: language tag; entries that name none are taken for it.

    Raises:
        InputError: it is no lexicon.
        UnknownNameError: it has no word in this language.
        DataError: an entry is no word.
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
    if row.get("word") is None and row.get("lemma") is not None:
        row = {**row, "word": row["lemma"]}
    if not isinstance(row.get("word"), str):
        raise DataError(f"{where}: word must be text, got {quoted(row.get('word'))}")
    return row
