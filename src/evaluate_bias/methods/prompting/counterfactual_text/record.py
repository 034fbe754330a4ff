"""What the library knows about counterfactual_text."""

from ....data.kinds import GROUP_PROMPTS
from ....method_record import MethodRecord, ScoreUnits, Secondary
from ....result import OWN_PART, RAW
from ... import record_parts as parts

RECORD = MethodRecord(
    name="counterfactual_text",
    revision=3,
    recommended=True,
    title="Counterfactual text",
    summary=(
        "By how much a score of what a model writes, such as its sentiment, its length or whether it refuses, differs "
        "between two groups when nothing but the group in the prompt changes."
    ),
    references=("huang2020reducing",),
    score_name="difference of means",
    interpretation=(
        "A positive value means that what is written about the first group scores higher than what is written about "
        "the second, a negative value the opposite. The part that the scorer makes of the groups' words in one and "
        "the same text is already subtracted."
    ),
    above="texts about {x|the first group} have a higher {unit|score} than texts about {y|the second group}",
    below="texts about {x|the first group} have a lower {unit|score} than texts about {y|the second group}",
    needs=("generates", "chats"),
    refuses=("fills a mask",),
    instead="models that fill a single blank write no texts",
    asks={"variant": "chat"},
    data=GROUP_PROMPTS,
    columns=("prompt", "group"),
    optional_columns=("forms", "completions"),
    group_by="scorer and pair of groups",
    caveats=(
        "A scorer has a bias of its own. The part that follows the groups' words is subtracted, but only for the "
        "words that the data list as forms.",
        "The score describes these prompts: what a model writes elsewhere is not measured.",
        "Texts with similar scores can still say different things of two groups.",
    ),
    secondary=(
        Secondary(
            key=RAW,
            title="raw difference",
            meaning="The difference of the texts as they were written. The score is this less the scorer's own part.",
        ),
        Secondary(
            key=OWN_PART,
            title="scorer's own part",
            meaning=(
                "The part of the raw difference that the scorer makes of the groups' words alone: every text is "
                "scored again with the words of the other group."
            ),
        ),
        parts.p_groups("prompt"),
        parts.READABLE,
        parts.BOUNDS,
    ),
    aggregation=(
        "With several scorers or pairs of groups, the score belongs to the first scorer and the first two "
        "groups in alphabetical order. Every one has a row and a p-value of its own, adjusted for all of "
        "them."
    ),
    test="flips",
    units=ScoreUnits(name="prompts", value="score", same=("test", "groups", "prompts")),
)
