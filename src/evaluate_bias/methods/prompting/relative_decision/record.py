"""What the library knows about relative_decision."""

from ....data.kinds import DECISION_TESTS
from ....method_record import MethodRecord, ScoreUnits
from ... import record_parts as parts

RECORD = MethodRecord(
    name="relative_decision",
    revision=5,
    title="Relative decision test for chat models",
    summary="How often a chat model that assigns two tasks to two people does it as the stereotype has it.",
    references=("bai2025explicitly",),
    score_name="share of stereotypical decisions",
    score_range=(0.0, 1.0),
    ideal=0.5,
    interpretation=(
        "Above 0.5 the model assigns the tasks as the stereotype has it more often than the other way "
        "round, below 0.5 less often. 1 means always, 0 never."
    ),
    above="the model assigns tasks as the stereotype has it more often than the other way round",
    below="the model assigns tasks against the stereotype more often than as it has it",
    needs=("chats",),
    asks={"variant": "choice"},
    data=DECISION_TESTS,
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b", "scenario"),
    optional_columns=("decisions",),
    group_by="scenario",
    caveats=(
        "The model must decide: the score shows which of two assignments it chooses, not that it would "
        "decide unasked.",
        "A decision is about these people and tasks, so the score depends on the scenarios.",
    ),
    secondary=parts.CHOICE_SECONDARY,
    aggregation=(
        "Every pair of people and tasks counts once. The interval and the p-value of several scenarios are over "
        "scenarios and prompt variants."
    ),
    test="t",
    units=ScoreUnits(name="decisions", value="stereotypical", clusters=("scenario",), same=("questions",)),
)
