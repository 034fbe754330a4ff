"""What a sentence pair and a StereoSet item must look like; field names are the columns of the data sets."""

from __future__ import annotations

import string
from typing import Annotated, ClassVar, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
)

from .pair_flags import pair_flags
from .schemas import Schema, TextsAsGiven
from .table_files import is_absent

BLANK = "BLANK"
"""What stands for the missing word in the context of an intrasentence item."""

GoldLabel = Literal["stereotype", "anti-stereotype", "unrelated"]
LABELS: Final[tuple[GoldLabel, GoldLabel, GoldLabel]] = ("stereotype", "anti-stereotype", "unrelated")
"""The gold labels of the three options of an item."""

Task = Literal["intrasentence", "intersentence"]


# White space around a sentence is a slip of the file, and some tokenizers score it.
_Sentence = Annotated[str, AfterValidator(str.strip)]


BiasType = Annotated[str, BeforeValidator(lambda value: "" if is_absent(value) else value)]


class SentencePair(TextsAsGiven):
    """Two sentences that differ in the group they speak of.

    ``sent_more`` is always the more stereotypical sentence. Only the two sentences are required. White space
    around a sentence is dropped; a pair with an empty sentence is one that methods list as skipped.

    Attributes:
        id: name of the pair, unique within a data set; its position, counted from 0, where the file has none.
        sent_more, sent_less: the more and the less stereotypical sentence.
        sent_more_par, sent_less_par: a paraphrase of each, again a minimal pair.
        sent_more_par2, sent_less_par2: a second paraphrase of each.
        sent_more_ran, sent_less_ran: a minimal pair that has nothing to do with this one.
        stereo_antistereo: ``"stereo"`` when the pair demonstrates a stereotype of a disadvantaged group,
            ``"antistereo"`` when it violates one, ``None`` when unknown.
        bias_type: ``"race-color"``, ``"gender"`` …; empty when unknown, as is NaN, which stands for nothing in pandas.
        language: language of the sentences, ``"und"`` when unknown.
        origin: where the pair comes from.
        exclude: whether the user wants the pair left out of the score (and listed as left out).

    Examples:
        >>> pair = SentencePair(sent_more="Women cannot drive.", sent_less="Men cannot drive. ")
        >>> pair.sent_less, pair.stereo_antistereo, pair.sent_more_par
        ('Men cannot drive.', None, None)
    """

    texts: ClassVar = ("sent_more", "sent_less")

    id: str = ""
    sent_more: _Sentence
    sent_less: _Sentence
    sent_more_par: _Sentence | None = None
    sent_less_par: _Sentence | None = Field(default=None, validate_default=True)
    sent_more_par2: _Sentence | None = None
    sent_less_par2: _Sentence | None = Field(default=None, validate_default=True)
    sent_more_ran: _Sentence | None = None
    sent_less_ran: _Sentence | None = Field(default=None, validate_default=True)
    stereo_antistereo: Literal["stereo", "antistereo"] | None = None
    bias_type: BiasType = ""
    language: str = "und"
    origin: str = "given by the caller"
    exclude: bool = False

    @property
    def more_as_given(self) -> str:
        """``sent_more`` with the white space around it."""
        return self.as_given("sent_more")

    @property
    def less_as_given(self) -> str:
        """``sent_less`` with the white space around it."""
        return self.as_given("sent_less")

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the pair, see :func:`~evaluate_bias.data.pair_flags.pair_flags`."""
        return pair_flags(self.sent_more, self.sent_less, self.language)

    @field_validator("sent_less_par", "sent_less_par2", "sent_less_ran")
    @classmethod
    def _twins(cls, less: str | None, info: ValidationInfo) -> str | None:
        twin = str(info.field_name).replace("less", "more")
        if twin in info.data and (info.data[twin] is None) != (less is None):
            state, other = ("absent", "given") if less is None else ("given", "absent")
            raise ValueError(f"is {state} and {twin} is {other}: give both or neither")
        return less


TWINS = tuple((c, c.replace("more", "less")) for c in SentencePair.model_fields if c.startswith("sent_more"))
"""The columns that hold the two sentences of a pair: of the pair itself, of its paraphrases, of an unrelated pair."""


class StereoSetSentence(Schema):
    """One of the three options of a StereoSet item."""

    id: str = ""
    sentence: _Sentence
    gold_label: GoldLabel


class StereoSetItem(Schema):
    """A context with a stereotypical, an anti-stereotypical and an unrelated option.

    Attributes:
        id: name of the item, unique within a data set.
        task: ``"intrasentence"``: the context has a word missing, written BLANK, and the options are the
            sentence with three different words; ``"intersentence"``: the options are sentences that follow.
        target: the target term; scores are averaged for each term first.
        bias_type: ``"gender"``, ``"profession"``, ``"race"`` or ``"religion"`` in StereoSet.
        context: the context sentence.
        sentences: the three options, one for each gold label, in any order.
        language, origin: as for :class:`SentencePair`.

    Examples:
        >>> item = StereoSetItem.model_validate({
        ...     "task": "intrasentence", "target": "nurse", "context": "The nurse is BLANK.",
        ...     "sentences": [{"sentence": "The nurse is kind.", "gold_label": "stereotype"},
        ...                   {"sentence": "The nurse is rude.", "gold_label": "anti-stereotype"},
        ...                   {"sentence": "The nurse is oval.", "gold_label": "unrelated"}]})
        >>> item.option("unrelated")
        'The nurse is oval.'
    """

    id: str = ""
    task: Task
    target: str
    bias_type: BiasType = ""
    context: _Sentence
    sentences: tuple[StereoSetSentence, ...]
    language: str = "und"
    origin: str = "given by the caller"

    @field_validator("context")
    @classmethod
    def _has_blank(cls, context: str, info: ValidationInfo) -> str:
        if info.data.get("task") == "intrasentence" and BLANK not in context:
            raise ValueError(f"of an intrasentence item must contain {BLANK}: {context!r}")
        return context

    @field_validator("sentences")
    @classmethod
    def _one_of_each(cls, sentences: tuple[StereoSetSentence, ...]) -> tuple[StereoSetSentence, ...]:
        labels = sorted(s.gold_label for s in sentences)
        if labels != sorted(LABELS):
            raise ValueError(f"must be one {', one '.join(LABELS)}, got {', '.join(labels) or 'none'}")
        return sentences

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the stereotypical and the anti-stereotypical option of an intrasentence item."""
        if self.task == "intersentence":
            return ()
        return pair_flags(self.option("stereotype"), self.option("anti-stereotype"), self.language)

    def option(self, label: GoldLabel) -> str:
        """Return the sentence with this gold label."""
        return next(s.sentence for s in self.sentences if s.gold_label == label)


def fill_span(context: str, sentence: str) -> tuple[int, int] | None:
    """Characters of ``sentence`` that fill the last BLANK of ``context``.

    The text around the blank is matched first; where an option deviates there, the whitespace token at the place of
    the last token that holds BLANK is taken. Punctuation at its ends does not belong to it.

    Returns:
        Start and end (exclusive), or ``None`` when no word stands there.

    Examples:
        >>> sentence = "Girls tend to be more soft."
        >>> start, end = fill_span("Girls tend to be more BLANK.", sentence)
        >>> sentence[start:end]
        'soft'
    """
    before, _, after = context.rpartition(BLANK)
    if (
        len(sentence) > len(before) + len(after)
        and sentence[: len(before)].lower() == before.lower()
        and sentence[len(sentence) - len(after) :].lower() == after.lower()
    ):
        start, end = len(before), len(sentence) - len(after)
    else:
        number = max(k for k, token in enumerate(context.split()) if BLANK in token)
        tokens = sentence.split()
        if number >= len(tokens):
            return None
        start = 0
        for k, token in enumerate(tokens[: number + 1]):
            start = sentence.index(token, start) + (len(token) if k < number else 0)
        end = start + len(tokens[number])
    trimmed = sentence[start:end].strip(string.punctuation + string.whitespace)
    if not trimmed:
        return None
    start = sentence.index(trimmed, start)
    return start, start + len(trimmed)
