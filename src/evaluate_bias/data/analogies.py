"""Analogy questions: a is to b as c is to which word?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from ..errors import quoted
from .load import load_rows, loader
from .row_set import RowSet
from .schemas import LanguageTag, parse_row

__all__ = ["AnalogyQuestion", "as_analogy_question", "load_analogies"]

NAME = "analogy_pairs"


def _tidy(text: str) -> str:
    if not text or text != " ".join(text.split()):
        raise ValueError(f"is blank, or has spaces around it or more than one inside: {quoted(text)}")
    return text


def _some(words: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        raise ValueError("is empty: a question needs at least one expected word")
    return words


_Word = Annotated[str, AfterValidator(_tidy)]


class AnalogyQuestion(BaseModel):
    """One question: a is to b as c is to which word?

    Attributes:
        a, b, c: the three words of the question.
        expected: the words that are looked for; any of them will do.
        relation: what b is to a, for the breakdown; questions of one relation learn from one another's pairs.
        bias_type: ``"gender"`` …, or ``"none (control)"`` for a question whose expected answer is a fact.
        language: language tag.
        source: where the question comes from.

    Examples:
        >>> as_analogy_question({"a": "man", "b": "woman", "c": "king", "expected": ["queen"]}).expected
        ('queen',)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    a: _Word
    b: _Word
    c: _Word
    expected: Annotated[tuple[_Word, ...], AfterValidator(_some)]
    relation: str = ""
    bias_type: str = ""
    language: LanguageTag = "und"
    source: str = ""


def as_analogy_question(row: AnalogyQuestion | Mapping[str, Any], where: str = "question") -> AnalogyQuestion:
    """Check one row, whose ``None`` counts as absent, and return it as an :class:`AnalogyQuestion`.

    Raises:
        DataError: a field is missing, unknown, or not what it must be.

    Examples:
        >>> as_analogy_question({"a": "man", "b": "woman", "c": "king", "expected": []}, "row 3")
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: row 3: expected is empty: a question needs at least one expected word
    """
    return row if isinstance(row, AnalogyQuestion) else parse_row(AnalogyQuestion, row, where)


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
