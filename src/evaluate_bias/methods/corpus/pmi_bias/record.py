"""What the library knows about pmi_bias."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, Units
from ...record_parts import MEAN_OF_SIGNED_TESTS, VALENTINI_2021

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="pmi_bias",
    title="PMI bias of a corpus",
    summary=(
        "Which words a corpus puts beside words for one group rather than another, by pointwise mutual information."
    ),
    **VALENTINI_2021,
    score_name="mean BIAS_PMI",
    score_range=(None, None),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "A positive value puts the first attributes beside the first targets more than the second attributes, or, "
        "without these, more than beside the second targets; a negative one less."
    ),
    above="the first attributes stand beside the first targets more than what they are compared with",
    below="the first attributes stand beside the second targets more than what they are compared with",
    needs=("counts words",),
    columns=("name", "targets_x", "targets_y", "attributes_a"),
    optional_columns=("attributes_b",),
    data=WORD_LISTS,
    data_defaults={"source": "bolukbasi_words"},
    group_by="test",
    caveats=(
        "The score describes the chosen words and this corpus, not a model trained on it.",
        (
            "Words beside one another need not be about one another: it counts neighbours, and reads neither names nor "
            "pronouns back to whom they mean."
        ),
        "The p-value of a word takes its occurrences as independent, which those in one text are not.",
    ),
    aggregation=MEAN_OF_SIGNED_TESTS,
    min_n_for_significance=6,
    units=Units(name="words", value="value", score="difference", list="attributes"),
)
