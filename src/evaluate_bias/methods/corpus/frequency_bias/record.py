"""What the library knows about frequency_bias."""

from ....method_record import MethodRecord
from ... import record_parts as parts

RECORD = MethodRecord(
    name="frequency_bias",
    revision=4,
    title="Frequency bias of a corpus",
    summary=(
        "Of the places at which a word occurs near words for either of two groups, the share with words "
        "for the first group, averaged over words."
    ),
    references=("valentini2021interpretability", "maddalozzo2023methods"),
    **parts.ON_A_CORPUS,
    score_name="mean share of neighbourhoods",
    score_range=(0.0, 1.0),
    ideal=0.5,
    interpretation=(
        "Above the ideal value, the first attributes have a larger share of their neighbourhoods with the "
        "first targets than the second attributes have (without second attributes: than with the second "
        "targets). Below it, they have a smaller share."
    ),
    caveats=(
        "The score does not allow for how often the seeds themselves occur: if one group is named more "
        "often, most words occur near it more often. PMI bias allows for this.",
        parts.THIS_CORPUS,
    ),
)
