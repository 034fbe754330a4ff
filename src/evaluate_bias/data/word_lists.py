"""Word-list tests: the packaged ones, the user's own files, and data sets of the Hub."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from ..errors import InputError, UnknownNameError
from ..text import name_key
from .load import checked_rows, find_table, loader
from .recipes import packaged_languages
from .row_set import RowSet
from .schemas import WORD_LISTS, WordListTest

__test__: dict[str, str] = {}
"""Empty, so that pytest takes no function here for a test."""

NAME = "weat_word_lists"


class WordListSet(RowSet[WordListTest]):
    """Word-list tests in order, and the identity of what they were read from; a test is found by its name.

    Examples:
        >>> lists = load_word_lists(tests=["weat7", "WEAT 8"])
        >>> [t.name for t in lists], lists["weat7"].targets_x[0], lists.provenance["name"]
        (['weat7', 'weat8'], 'math', 'weat_word_lists')
    """

    kind: ClassVar = "test"
    named_by: ClassVar = "name"
    _same = staticmethod(name_key)

    def select(self, names: str | Iterable[str]) -> WordListSet:
        """Return the named tests in the order asked for.

        Args:
            names: one name or several; capitals, spaces, hyphens and underscores do not matter.

        Raises:
            InputError: no name was given, or one was given twice.
            UnknownNameError: no test has that name.

        Examples:
            >>> [t.name for t in load_word_lists().select(["WEAT-10", "weat 1"])]
            ['weat10', 'weat1']
        """
        test_names = [names] if isinstance(names, str) else list(names)
        if not test_names:
            raise InputError(
                "`tests` is empty", option="tests", hint="name a test, or omit `tests` to use all"
            )
        chosen: dict[str, WordListTest] = {}
        for name in test_names:
            try:
                test = self[name]
            except UnknownNameError as error:
                error.option = "tests"
                raise
            if test.name in chosen:
                raise InputError(f"`tests` names {test.name!r} twice", option="tests")
            chosen[test.name] = test
        return self.only(chosen.values())

    def columns(self) -> dict[str, list[Any]]:
        """Return the data columns that the ``weat`` module takes, as lists; with them those that only such tests have.

        Examples:
            >>> load_word_lists(tests="weat7").columns()["name"]
            ['weat7']
        """
        out: dict[str, list[Any]] = {"name": [t.name for t in self.rows]}
        fields = dict.fromkeys(f for t in self.rows for f in type(t).model_fields)
        for column in (*WORD_LISTS, *(f for f in fields if f not in WordListTest.model_fields)):
            out[column] = [list(getattr(t, column)) for t in self.rows]
        return out


@loader
def load_word_lists(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
    schema: type[WordListTest] = WordListTest,
) -> WordListSet:
    """Load word-list tests of one language.

    Args:
        source: where to read from.

            - ``None``: the lists packaged with this library: the ten tests of Caliskan et al. (2017) in
              English, translations of their tests 3 to 10 in the other languages. See :func:`languages`.
            - a file: JSONL, JSON or YAML (a list of tests), Parquet, or CSV with semicolons between the words of a
              list, with the fields of :class:`~evaluate_bias.data.schemas.WordListTest`. Rows of other languages are
              left out; rows that name no language belong to the one asked for.
            - a folder with one such file for each language, ``de.jsonl`` and so on, or a built data set.
            - the id of a Hub data set with one configuration for each language, such as
              ``"bias/weat-word-lists"`` or, pinned, ``"bias/weat-word-lists@<revision>"``; the split
              ``test`` is read.
        language: language tag, file name without ending, or configuration name.
        tests: names of the tests wanted, in that order; ``None`` for all.
        schema: what a test must look like; methods with fields of their own have theirs.

    Raises:
        UnknownNameError: the source has no such language or test.
        DataError: the source is no file, folder or Hub id, or what it holds does not follow the schema.
        HubError: the Hub could not be reached or does not have the data set.
        InputError: ``tests`` is empty or names a test twice.

    Examples:
        >>> [t.name for t in load_word_lists(language="de")][:2]
        ['weat3', 'weat4']
        >>> load_word_lists(language="dee")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown language 'dee'; did you mean 'de'?
    """
    table = find_table(NAME if source is None else source, language, columns=tuple(schema.model_fields))
    lists = WordListSet(
        *checked_rows(
            schema, table, language, called="test", key=lambda test: name_key(test.name), strict=True
        )
    )
    return lists if tests is None else lists.select(tests)


def languages() -> list[str]:
    """Return the languages of the packaged word lists, sorted.

    Examples:
        >>> "en" in languages() and "is" in languages()
        True
    """
    return packaged_languages(NAME)


def test_names(language: str) -> list[str]:
    """Return the names of the packaged tests in a language, in the paper's order.

    Raises:
        UnknownNameError: there are no packaged lists in that language.

    Examples:
        >>> test_names("en")[0], len(test_names("en")), len(test_names("de"))
        ('weat1', 10, 8)
    """
    return [t.name for t in load_word_lists(language=language)]
