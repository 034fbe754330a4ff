"""Tests of what models say: of word association, of decisions between two people, and of matched guises."""

from __future__ import annotations

import string
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, FiniteFloat, ValidationInfo, field_validator

from .load import loader
from .schemas import WordListTest
from .word_lists import WordListSet, load_word_lists

FIELDS = ("first", "second", "task1", "task2")
"""What a scenario's braces may hold: the words for the two people and the two tasks, as they are put in order."""

TEXT, ARTICLE = "{text}", "{a}"
"""What stands in a prompt for one of the texts, and for the indefinite article of the attribute that follows."""


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
    source = "word_association_tests" if source is None else source
    return load_word_lists(source, language=language, tests=tests, schema=WordAssociationTest)


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
    source = "decision_style" if source is None else source
    return load_word_lists(source, language=language, tests=tests, schema=DecisionTest)


class GuiseTest(WordListTest):
    """A word-list test whose targets are texts in pairs, and whose attributes follow them in prompts.

    Attributes:
        targets_x, targets_y: the texts, such as words, sentences or tweets; the first of both lists are a pair, and so
            on.
        prompts: texts that end where an attribute follows, with ``{text}`` and, where the attribute needs it, ``{a}``
            for "a" or "an"; empty: the attributes follow the bare texts.
        ratings: a number for every attribute, those of A first; empty: 1 for those of A, -1 for those of B.

    Examples:
        >>> test = GuiseTest(name="subjects", targets_x=["man"], targets_y=["woman"], attributes_a=["math"],
        ...                  attributes_b=["art"], prompts=["The {text} likes"])
        >>> test.is_decision, test.rating_of("art")
        (True, -1.0)
    """

    prompts: tuple[str, ...] = ()
    ratings: tuple[FiniteFloat, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes, those of A first."""
        return self.attributes_a + self.attributes_b

    @property
    def is_decision(self) -> bool:
        """Whether the test has two attributes, which are two ways to decide."""
        return len(self.attributes) == 2

    def rating_of(self, attribute: str) -> float:
        """The rating of an attribute."""
        place = self.attributes.index(attribute)
        return self.ratings[place] if self.ratings else 1.0 if place < len(self.attributes_a) else -1.0

    @field_validator("prompts")
    @classmethod
    def _with_places(cls, prompts: tuple[str, ...]) -> tuple[str, ...]:
        for prompt in prompts:
            if TEXT not in prompt:
                raise ValueError(f"has no {TEXT} in {prompt!r}")
        return prompts

    @field_validator("ratings")
    @classmethod
    def _one_each(cls, ratings: tuple[float, ...], info: ValidationInfo) -> tuple[float, ...]:
        n = sum(len(info.data.get(name, ())) for name in ("attributes_a", "attributes_b"))
        if ratings and len(ratings) != n:
            raise ValueError(
                f"has {len(ratings)} numbers for {n} attributes: give one for each, those of A first"
            )
        return ratings


@loader
def load_guise_tests(
    source: str | Path | None = None, *, language: str = "en", tests: str | Iterable[str] | None = None
) -> WordListSet:
    """Load tests of matched guises.

    Args:
        source: ``None``: the tests packaged with this library: illustrative, not validated. ``"matched_guises"``: the
            published pairs, prompts and attributes of Hofmann et al. (2024), from the cache, built on first use from
            their pinned source. Anything else is read by :func:`~evaluate_bias.data.load_word_lists`.
        language: language tag.
        tests: names of the tests wanted, in that order; ``None`` for all.

    Raises:
        AssetError: the published tests could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [test.name for test in load_guise_tests()]
        ['speech', 'interests', 'application']
    """
    source = "guise_style" if source is None else source
    return load_word_lists(source, language=language, tests=tests, schema=GuiseTest)
