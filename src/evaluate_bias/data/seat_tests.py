"""The default tests of SEAT: those of the packaged word lists, and the two that its paper adds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from ..paths import packaged_data
from .schemas import as_word_list_test
from .word_lists import WordListSet, load_word_lists

__all__ = ["load_seat_tests"]


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

    Returns:
        The tests and their provenance.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [t.name for t in load_seat_tests()][10:]
        ['angry-black-woman', 'angry-black-woman-terms', 'double-bind-competent', 'double-bind-likable']
        >>> load_seat_tests(tests="double bind likable")[0].attributes_a[-2:]
        ('likable', 'liked')
    """
    found = load_word_lists(source, language=language)
    if source is None:
        found = _with_own(found, language)
    return found if tests is None else found.select(tests)


def _with_own(lists: WordListSet, language: str) -> WordListSet:
    file = packaged_data(f"seat_tests/{language.lower()}.jsonl")
    if not file.is_file():
        return lists
    raw = file.read_bytes()
    rows = [json.loads(line) for line in raw.decode("utf-8").split("\n") if line]
    own = tuple(as_word_list_test(row, f"packaged/seat_tests/{file.name}") for row in rows)
    return WordListSet(
        (*lists.tests, *own), {**lists.provenance, "seat_tests_sha256": hashlib.sha256(raw).hexdigest()}
    )
