"""What the library knows about pmi_bias."""

from __future__ import annotations

from ....method import MethodRecord
from ..shared import ON_A_CORPUS, THIS_CORPUS

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="pmi_bias",
    title="PMI bias of a corpus",
    summary=(
        "Which words a corpus puts beside words for one group rather than another, by pointwise mutual information."
    ),
    **ON_A_CORPUS,
    score_name="mean BIAS_PMI",
    score_range=(None, None),
    ideal=0.0,
    interpretation=(
        "A positive value puts the first attributes beside the first targets more than the second attributes, or, "
        "without these, more than beside the second targets; a negative one less."
    ),
    caveats=(
        THIS_CORPUS,
        (
            "Words beside one another need not be about one another: it counts neighbours, and reads neither names nor "
            "pronouns back to whom they mean."
        ),
        "The p-value of a word takes its occurrences as independent, which those in one text are not.",
    ),
)
