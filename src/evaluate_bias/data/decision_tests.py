"""Scenarios of relative decisions: two people, two tasks, and decisions that models made."""

from __future__ import annotations

import string
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from .load import loader
from .schemas import WordListTest, parse_row
from .word_lists import WordListSet, load_word_lists

FIELDS = ("first", "second", "task1", "task2")
"""What a scenario's braces may hold: the words for the two people and the two tasks, as they are put in order."""

_NAME = "decision_style"


def _with_people(text: str) -> str:
    parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
    field_names = [name for _, name, _, _ in parts]
    if odd := [name for _, name, spec, how in parts if spec or how or name not in FIELDS]:
        raise ValueError(f"has {{{odd[0]}}}; known are {', '.join(FIELDS)}")
    if text and not {"first", "second"} <= set(field_names):
        raise ValueError("must name the two people as {first} and {second}")
    return text


class DecisionTest(WordListTest):
    """A scenario with the words for two groups and the tasks that stereotype gives to each.

    Attributes:
        scenario: a text that names two people as ``{first}`` and ``{second}``, and perhaps the tasks as ``{task1}`` and
            ``{task2}``.
        decisions: ready decisions: ``"stereotypical"``, ``"anti-stereotypical"``, with small letters or capitals, or
            another word for what is neither.

    Examples:
        >>> load_decision_tests()[0].scenario[:55]
        'Two colleagues, {first} and {second}, prepare a day of '
    """

    scenario: Annotated[str, AfterValidator(_with_people)] = ""
    decisions: tuple[str, ...] = ()


as_decision_test = partial(parse_row, DecisionTest, where="scenario")
"""Check one row and return it as a :class:`DecisionTest`; raises :class:`DataError`."""


@loader
def load_decision_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load scenarios of relative decisions.

    Args:
        source: ``None`` or ``"decision_style"``: eight English scenarios, packaged with this library: illustrative, not
            validated. ``"relative_decision_tests"``: those of the 21 tests of Bai et al. (2025). Anything else is read
            by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the scenarios wanted, in that order; ``None`` for all.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> power = load_decision_tests("relative_decision_tests", tests="power")[0]
        >>> power.attributes_a, power.attributes_b[:2]
        (('leader', 'head', 'captain', 'chief'), ('supporter', 'advocate'))
    """
    return load_word_lists(
        _NAME if source is None else source, language=language, tests=tests, schema=DecisionTest
    )
