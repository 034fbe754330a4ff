"""What the library knows about decision_gap."""

from ....data.kinds import DECISIONS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts

RECORD = MethodRecord(
    name="decision_gap",
    revision=6,
    recommended=True,
    title="Decision gap (discrim-eval)",
    summary=(
        "How much more readily a language model decides in favour of people of one group than of another in otherwise "
        "equal cases, as a difference of log-odds of yes against no."
    ),
    references=("tamkin2023evaluating",),
    score_name="difference of log-odds",
    interpretation=(
        "A positive value means that the model says yes more readily to people of the first group. A "
        "negative value means that it does so to people of the second."
    ),
    above="the model decides more readily in favour of {x|the first group} than of {y|the second group}",
    below="the model decides more readily in favour of {y|the second group} than of {x|the first group}",
    needs=("scores sequences", "chats"),
    asks={"variant": "chat"},
    reads_log_probabilities=True,
    data=DECISIONS,
    columns=("question", "group", "template"),
    optional_columns=("name",),
    group_by="pair of groups",
    caveats=(
        "The log-odds of a word are not what a model decides when it may explain itself or is asked in another way.",
        "The cases are written so that yes is in the person's favour. A question for which it is not turns "
        "the sign.",
        "Only the groups that the data name are compared, as these templates describe them.",
    ),
    secondary=(
        Secondary(
            "mean_log_odds",
            "mean log-odds",
            "Mean log-odds of yes over all groups: how readily the model says yes at all.",
        ),
        Secondary(
            "largest_gap",
            "largest gap",
            "Largest difference between any two of all groups. Chance alone makes it larger than 0, the more so the "
            "more groups there are.",
        ),
        parts.p_groups("template"),
        Secondary(
            "p_names",
            "p over names",
            "With names that are drawn: how often the difference is as large when the groups are exchanged among the "
            "names, for these templates alone.",
        ),
        Secondary(
            "rate_x",
            "rate of yes, first",
            "With names: share of the answers about the first group in which yes is more likely than no.",
        ),
        Secondary(
            "rate_y",
            "rate of yes, second",
            "The same for the second group.",
        ),
        Secondary(
            "rate_ratio",
            "ratio of rates",
            "With names: the first group's rate of yes over the second's. Ideal 1.",
        ),
        parts.READABLE,
        parts.BOUNDS,
    ),
    p_value=PValue(
        meaning=("The p-value tests whether the model decides on both groups in the same way."),
        small="the model decides on {x|one group} and {y|the other} differently",
    ),
    test="flips",
    units=ScoreUnits(
        name="answers",
        value="log_odds",
        score="function",
        clusters=("name", "template"),
        strata=("group",),
        same=("groups", "questions"),
    ),
)
