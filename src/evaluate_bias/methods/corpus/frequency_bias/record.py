"""What the library knows about frequency_bias."""

from __future__ import annotations

from ....method import MethodRecord
from ..shared import ON_A_CORPUS, THIS_CORPUS

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="frequency_bias",
    title="Frequency bias of a corpus",
    summary="Which share of the times that words stand beside words for two groups is beside the first group.",
    **ON_A_CORPUS,
    score_name="mean share of neighbourhoods",
    score_range=(0.0, 1.0),
    ideal=0.5,
    interpretation=(
        "A value above the ideal puts the first attributes beside the first targets more than the second attributes, "
        "or, without these, more than beside the second targets; one below it less."
    ),
    caveats=(
        (
            "It does not allow for how often the seeds themselves occur: where one group is named more often, most "
            "words stand more often beside it. PMI bias does."
        ),
        THIS_CORPUS,
    ),
)
