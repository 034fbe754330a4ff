"""Analogy questions: a is to b as c is to which word?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from .load import load_rows, loader
from .row_set import RowSet
from .schemas import LanguageTag, Schema, TidyText

NAME = "analogy_pairs"


def _non_empty(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        raise ValueError("is empty: a question needs at least one expected word")
    return words


class AnalogyQuestion(Schema):
    """One question: a is to b as c is to which word?

    Attributes:
        a, b, c: the three words of the question.
        expected: the words that are looked for; any of them will do.
        relation: what b is to a, for the breakdown; questions of one relation learn from one another's pairs.
        bias_type: ``"gender"`` …, or ``"none (control)"`` for a question whose expected answer is a fact.
        language: language tag.
        source: where the question comes from.
        sources, targets: for 3CosAvg, sets of words like a and like b, of any sizes, instead of the pairs of the
            relation.

    Examples:
        >>> AnalogyQuestion(a="man", b="woman", c="king", expected=["queen"]).expected
        ('queen',)
    """

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


@loader
def load_analogies(source: str | Path | None = None, *, language: str = "en") -> RowSet[AnalogyQuestion]:
    """Load analogy questions.

    Args:
        source: ``None`` for the packaged questions; or a file, a folder or a Hub id with the columns of
            :class:`AnalogyQuestion`; in a CSV file the expected words are separated by semicolons.
        language: language tag; the packaged questions are English.

    Raises:
        UnknownNameError: the source has no such language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> first = load_analogies()[0]
        >>> first.a, first.b, first.c, first.expected
        ('man', 'woman', 'doctor', ('nurse',))
    """
    return load_rows(AnalogyQuestion, NAME, language, source)
