"""Tests of matched guises: pairs of texts that say the same, prompts around them, and rated attributes that follow."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from pydantic import FiniteFloat, ValidationInfo, field_validator

from .load import loader
from .schemas import WordListTest, parse_row
from .word_lists import WordListSet, load_word_lists

TEXT, ARTICLE = "{text}", "{a}"
"""What stands in a prompt for one of the texts, and for the indefinite article of the attribute that follows."""

_PACKAGED = "guise_style"


class GuiseTest(WordListTest):
    """A word-list test whose targets are texts in pairs, and whose attributes follow them in prompts.

    Attributes:
        targets_x, targets_y: the texts, such as words, sentences or tweets; the first of both lists are a pair, and so
            on.
        prompts: texts that end where an attribute follows, with ``{text}`` and, where the attribute needs it, ``{a}``
            for "a" or "an"; empty: the attributes follow the bare texts.
        ratings: a number for every attribute, those of A first; empty: 1 for those of A, -1 for those of B.

    Examples:
        >>> test = as_guise_test({"name": "subjects", "targets_x": ["man"], "targets_y": ["woman"],
        ...                       "attributes_a": ["math"], "attributes_b": ["art"], "prompts": ["The {text} likes"]})
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


as_guise_test = partial(parse_row, GuiseTest, where="test")
"""Check one row and return it as a :class:`GuiseTest`; raises :class:`DataError`."""


@loader
def load_guise_tests(
    source: str | Path | None = None,
    *,
    language: str = "en",
    tests: str | Iterable[str] | None = None,
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
    return load_word_lists(
        _PACKAGED if source is None else source, language=language, tests=tests, schema=GuiseTest
    )
