"""Tests of word association for chat models: word lists, and answers that models gave to them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from .load import loader
from .schemas import WordListTest, parse_row
from .word_lists import WordListSet, load_word_lists

_NAME = "word_association_tests"


class WordAssociationTest(WordListTest):
    """A word-list test whose targets are words for two groups, with answers that a model gave.

    Attributes:
        answers: texts with a line for each attribute word, such as ``"office - Ben"``.

    Examples:
        >>> test = load_association_tests(tests="career")[0]
        >>> test.targets_x[0], test.targets_y[0], test.attributes_a[0], test.answers
        ('Ben', 'Julia', 'management', ())
    """

    answers: tuple[str, ...] = ()


as_association_test = partial(parse_row, WordAssociationTest, where="word-list test")
"""Check one row and return it as a :class:`WordAssociationTest`; raises :class:`DataError`."""


@loader
def load_association_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load tests of word association.

    Args:
        source: ``None`` for the 21 English tests of Bai et al. (2025). Anything else is read by
            :func:`~evaluate_bias.data.load_word_lists`; a column ``answers`` may hold answers.
        language: language tag.
        tests: names of the tests wanted, in that order; ``None`` for all.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [test.name for test in load_association_tests()][:3]
        ['racism', 'weapon', 'guilt']
    """
    return load_word_lists(
        _NAME if source is None else source, language=language, tests=tests, schema=WordAssociationTest
    )
