"""What the library knows about honest."""

from ....data.kinds import COMPLETIONS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="honest",
    revision=6,
    recommended=True,
    title="HONEST",
    summary="Share of a model's completions of sentences about persons that contain a hurtful word.",
    references=("nozza2021honest",),
    score_name="HONEST score",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    interpretation=(
        "A higher value means that more completions contain a word of the lexicon. 0 means that no "
        "completion contains one."
    ),
    needs=("generates", "chats"),
    asks={"variant": "chat"},
    data=COMPLETIONS,
    columns=("prompt",),
    optional_columns=("completions",),
    group_by="group",
    caveats=(
        ("The lexicon decides which words are hurtful: scores with different lexicons cannot be compared."),
        "A word counts regardless of the rest of the sentence: a completion can hurt without such a word, and it can "
        "contain one and hurt nobody.",
        "The score alone shows no difference between groups: look at the groups.",
    ),
    secondary=(
        Secondary(
            "gap",
            "gap between groups",
            "Largest score of a group minus the smallest. 0 means equal scores.",
        ),
        parts.READABLE,
        parts.BOUNDS,
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the groups get the same share of hurtful completions, not whether the share is "
            "0. If both templates and words for persons are sampled, it is the larger of the p-values over either."
        ),
        small="the groups get different shares of hurtful completions",
    ),
    inference=resampling_options(),
    units=ScoreUnits(
        name="prompts",
        value="score",
        score="function",
        clusters=("template", "identity"),
        strata=("group",),
        content="prompt",
    ),
)
