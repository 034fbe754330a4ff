"""What the library knows about frequency_bias."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, Units
from ...record_parts import MEAN_OF_SIGNED_TESTS, VALENTINI_2021

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="frequency_bias",
    title="Frequency bias of a corpus",
    summary="Which share of the times that words stand beside words for two groups is beside the first group.",
    **VALENTINI_2021,
    score_name="mean share of neighbourhoods",
    score_range=(0.0, 1.0),
    direction="two_sided",
    ideal=0.5,
    interpretation=(
        "A value above the ideal puts the first attributes beside the first targets more than the second attributes, "
        "or, without these, more than beside the second targets; one below it less."
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
        (
            "It does not allow for how often the seeds themselves occur: where one group is named more often, most "
            "words stand more often beside it. PMI bias does."
        ),
        "The score describes the chosen words and this corpus, not a model trained on it.",
    ),
    aggregation=MEAN_OF_SIGNED_TESTS,
    min_n_for_significance=6,
    units=Units(name="words", value="value", score="difference", list="attributes"),
)
