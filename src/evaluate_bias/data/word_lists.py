"""Word-list tests: the packaged ones, the user's own files, and data sets of the Hub."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath
from typing import Any, overload

from ..errors import DataError, InputError, UnknownNameError
from ..paths import packaged_data
from ..text import name_key
from .hub_table import HUB_ID, read_hub
from .schemas import WORD_LISTS, WordListTest, parse_row
from .tables import YAML_SUFFIXES, read_rows

__all__ = ["WordListSet", "languages", "load_word_lists", "test_names"]

__test__: dict[str, str] = {}
"""Empty, so that pytest takes no function here for a test."""

_SUFFIXES = (".jsonl", ".json", ".parquet", *YAML_SUFFIXES)


@dataclass(frozen=True, slots=True)
class WordListSet(Sequence[WordListTest]):
    """Word-list tests in order, and the identity of what they were read from.

    Attributes:
        tests: the tests.
        provenance: ``source`` (``"packaged"``, the name of a file or folder, or a Hub id), ``language``, and
            either ``sha256`` of the file or ``revision`` of the Hub data set.

    Examples:
        >>> lists = load_word_lists(tests=["weat7", "WEAT 8"])
        >>> [t.name for t in lists], lists["weat7"].targets_x[0], lists.provenance["source"]
        (['weat7', 'weat8'], 'math', 'packaged')
    """

    tests: tuple[WordListTest, ...]
    provenance: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tests)

    def __iter__(self) -> Iterator[WordListTest]:
        return iter(self.tests)

    @overload
    def __getitem__(self, key: int | str) -> WordListTest: ...
    @overload
    def __getitem__(self, key: slice) -> WordListSet: ...
    def __getitem__(self, key: int | str | slice) -> WordListTest | WordListSet:
        if isinstance(key, str):
            return self.select([key]).tests[0]
        if isinstance(key, slice):
            return WordListSet(self.tests[key], self.provenance)
        return self.tests[key]

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
        asked = [names] if isinstance(names, str) else list(names)
        if not asked:
            raise InputError("no test was named: leave tests out to take all of them")
        by_key = {name_key(t.name): t for t in self.tests}
        chosen: dict[str, WordListTest] = {}
        for name in asked:
            test = by_key.get(name_key(name))
            if test is None:
                raise UnknownNameError("test", name, [t.name for t in self.tests])
            if test.name in chosen:
                raise InputError(f"the test {test.name!r} was asked for twice")
            chosen[test.name] = test
        return WordListSet(tuple(chosen.values()), self.provenance)

    def columns(self) -> dict[str, list[Any]]:
        """Return the data columns that the ``weat`` module takes, as lists; with them those that only such tests have.

        Examples:
            >>> load_word_lists(tests="weat7").columns()["name"]
            ['weat7']
        """
        out: dict[str, list[Any]] = {"name": [t.name for t in self.tests]}
        fields = dict.fromkeys(f for t in self.tests for f in type(t).model_fields)
        for column in (*WORD_LISTS, *(f for f in fields if f not in WordListTest.model_fields)):
            out[column] = [list(getattr(t, column)) for t in self.tests]
        return out


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
            - a file: JSONL, JSON or YAML (a list of tests) or Parquet, with the fields of
              :class:`~evaluate_bias.data.schemas.WordListTest`. Rows of other languages are left out; rows
              that name no language belong to the one asked for.
            - a folder with one such file for each language, ``de.jsonl`` and so on.
            - the id of a Hub data set with one configuration for each language, such as
              ``"bias/weat-word-lists"`` or, pinned, ``"bias/weat-word-lists@<revision>"``; the split
              ``test`` is read.
        language: language tag, file name without ending, or configuration name.
        tests: names of the tests wanted, in that order; ``None`` for all.
        schema: what a test must look like; methods with fields of their own have theirs.

    Returns:
        The tests and their provenance.

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
        evaluate_bias.errors.UnknownNameError: unknown language 'dee': did you mean 'de'?
    """
    if source is None:
        found = _from_folder(_packaged(), language, "packaged", schema)
    elif Path(source).is_dir():
        found = _from_folder(Path(source), language, str(source), schema)
    elif Path(source).is_file():
        found = _from_file(Path(source), language, schema)
    elif HUB_ID.fullmatch(str(source)):
        found = _from_hub(str(source), language, schema)
    else:
        raise DataError(
            f"{str(source)!r} is neither a file, nor a folder, nor a Hub id such as 'bias/weat-word-lists'"
        )
    return found if tests is None else found.select(tests)


def languages() -> list[str]:
    """Return the languages of the packaged word lists, sorted.

    Examples:
        >>> "en" in languages() and "is" in languages()
        True
    """
    return sorted(_language_files(_packaged()))


def test_names(language: str) -> list[str]:
    """Return the names of the packaged tests in a language, in the paper's order.

    Raises:
        UnknownNameError: there are no packaged lists in that language.

    Examples:
        >>> test_names("en")[0], len(test_names("en")), len(test_names("de"))
        ('weat1', 10, 8)
    """
    return [t.name for t in load_word_lists(language=language)]


def _packaged() -> Traversable:
    return packaged_data("weat_word_lists")


def _language_files(folder: Traversable) -> dict[str, Traversable]:
    return {
        Path(f.name).stem: f
        for f in folder.iterdir()
        if f.is_file() and Path(f.name).suffix.lower() in _SUFFIXES
    }


def _from_folder(folder: Traversable, language: str, called: str, schema: type[WordListTest]) -> WordListSet:
    files = _language_files(folder)
    if not files:
        raise DataError(
            f"the folder {called!r} has no word lists: it needs one file a language, such as 'en.jsonl'"
        )
    names = {name.lower(): name for name in files}
    if language.lower() not in names:
        raise UnknownNameError("language", language, files)
    name = names[language.lower()]
    raw = files[name].read_bytes()
    where = f"{called}/{files[name].name}"
    tests = _checked(_rows(raw, where), where, name.partition("-")[0], schema)
    return WordListSet(tests, _provenance(Path(called).name, name, raw))


def _from_file(path: Path, language: str, schema: type[WordListTest]) -> WordListSet:
    raw = path.read_bytes()
    tests = _checked(_rows(raw, str(path)), str(path), language, schema)
    wanted = tuple(t for t in tests if t.language.lower() == language.lower())
    if not wanted:
        raise UnknownNameError("language", language, {t.language for t in tests})
    return WordListSet(wanted, _provenance(path.name, language, raw))


def _provenance(source: str, language: str, raw: bytes) -> dict[str, str]:
    return {"source": source, "language": language, "sha256": hashlib.sha256(raw).hexdigest()}


def _checked(
    rows: list[Any], where: str, language: str, schema: type[WordListTest]
) -> tuple[WordListTest, ...]:
    """Validate rows; a row without a language gets the given one."""
    seen: set[tuple[str, str]] = set()
    tests = []
    for number, row in enumerate(rows, start=1):
        if isinstance(row, Mapping) and row.get("language") is None:
            row = {**row, "language": language}
        test = parse_row(schema, row, f"{where}, test {number}")
        if (test.language, name_key(test.name)) in seen:
            raise DataError(f"{where} has two tests called {test.name!r} in the language {test.language!r}")
        seen.add((test.language, name_key(test.name)))
        tests.append(test)
    return tuple(tests)


def _rows(raw: bytes, where: str) -> list[Any]:
    """Parse a file into rows, by the ending of its name."""
    suffix = PurePath(where).suffix.lower()
    if suffix not in _SUFFIXES:
        raise DataError(
            f"{where} does not end in {', '.join(_SUFFIXES)}: word lists are read from these only"
        )
    return list(read_rows(raw, where))


def _from_hub(address: str, language: str, schema: type[WordListTest]) -> WordListSet:
    rows, identity = read_hub(address, language, "test", schema.model_fields, called="language")
    tests = _checked(rows, identity["source"], identity["language"].partition("-")[0], schema)
    return WordListSet(tests, identity)
