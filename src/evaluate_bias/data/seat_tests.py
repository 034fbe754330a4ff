"""The default tests of SEAT: those of the packaged word lists, and the two that its paper adds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .load import loader, packaged_table
from .recipes import packaged_languages
from .schemas import as_word_list_test
from .word_lists import WordListSet, load_word_lists

_NAME = "seat_tests"


@loader
def load_seat_tests(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
) -> WordListSet:
    """Load word-list tests for SEAT.

    Args:
        source: ``None`` for the packaged tests: the word lists of :func:`~evaluate_bias.data.load_word_lists` and, in
            English, the tests of the angry Black woman and of the double bind of May et al. (2019). Anything else is
            read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the tests wanted, in that order; ``None`` for all.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [t.name for t in load_seat_tests()][10:]
        ['angry-black-woman', 'angry-black-woman-terms', 'double-bind-competent', 'double-bind-likable']
        >>> load_seat_tests(tests="double bind likable")[0].attributes_a[-2:]
        ('likable', 'liked')
    """
    lists = load_word_lists(source, language=language)
    if source is None and language.lower() in packaged_languages(_NAME):
        table = packaged_table(_NAME, language)
        added = [as_word_list_test(row, table.name) for row in table.rows]
        provenance = {**lists.provenance, "seat_tests_sha256": table.provenance["sha256"]}
        lists = WordListSet((*lists.rows, *added), provenance)
    return lists if tests is None else lists.select(tests)
