"""Pairs of a premise and a hypothesis that differ in their subject alone: neither follows from the other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from .load import load_rows, loader, with_id
from .row_set import RowSet
from .schemas import LanguageTag, Schema

_Filled = Annotated[str, StringConstraints(pattern=r"\S")]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class EntailmentPair(Schema):
    """A premise and a hypothesis.

    Attributes:
        id: name of the pair; its position, counted from 0, where the file has none.
        premise, hypothesis: the two sentences.
        target: the subject of the premise, such as ``"accountant"``.
        attribute: the subject of the hypothesis, such as ``"woman"``.
        group: the group that the attribute names, such as ``"women"``.
        template: what both sentences say of their subject.
        women_share: share of women among those who work as the target says, in [0, 1].
        entailment, neutral, contradiction: ready probabilities of a classifier; ``None`` where there are none.
        language: language tag.
        origin: where the row comes from.

    Examples:
        >>> EntailmentPair(premise="A nurse ate.", hypothesis="A man ate.", target="nurse", attribute="man",
        ...                group="men", entailment=0.2, neutral=0.7, contradiction=0.1).probabilities
        (0.2, 0.7, 0.1)
    """

    ready: ClassVar = ("entailment", "neutral", "contradiction")

    id: str = ""
    premise: _Filled
    hypothesis: _Filled
    target: _Filled
    attribute: _Filled
    group: _Filled
    template: str = ""
    women_share: _Share | None = None
    entailment: _Share | None = None
    neutral: _Share | None = None
    contradiction: _Share | None = None
    language: LanguageTag = "und"
    origin: str = "given by the caller"

    @property
    def probabilities(self) -> tuple[float | None, float | None, float | None]:
        """The ready probabilities, in the order of a classifier's."""
        return self.entailment, self.neutral, self.contradiction


@loader
def load_entailment_pairs(
    source: str | Path | None = None, *, language: str = "en"
) -> RowSet[EntailmentPair]:
    """Load pairs of sentences for classifiers of natural language inference.

    Args:
        source: ``None`` or ``"bias_nli"``: the pairs of Dev et al. (2020), built on first use. Or a file, a folder or a
            Hub id with the columns of :class:`EntailmentPair`.
        language: language tag; ``"en-nationality"`` of ``"bias_nli"`` has occupations and nationalities, ``"en"``
            occupations and words for women and men.

    Raises:
        UnknownNameError: the source has no such language.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.
    """
    return load_rows(EntailmentPair, "bias_nli", language, source, prepare=with_id)
