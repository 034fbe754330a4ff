"""What the library knows about glpp."""

from ....method_record import MethodRecord, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="glpp",
    revision=3,
    title="Global-locality preserving projection (GLPP)",
    summary=(
        "How much of a test's words remains after a projection of the vectors that keeps neighbours close to one "
        "another."
    ),
    references=("wang2022glpp",),
    score_name="share kept",
    score_range=(0.0, 1.0),
    direction="higher_is_more_robust",
    ideal=1.0,
    interpretation=(
        "1 means that the words of the test can be rebuilt from their projections, 0 that nothing of them is left. To "
        "see the effect of the projection on a bias, run another method on the projected vectors."
    ),
    above="the projection keeps the words of the test",
    below="the projection loses part of the words of the test",
    **parts.ON_WORD_VECTORS,
    columns=("name", "targets_x"),
    optional_columns=("targets_y", "attributes_a", "attributes_b"),
    caveats=(
        "It measures a projection, not a bias: run another method on the projected vectors and on the original ones.",
        "The number of dimensions, the number of neighbours and the weight of the global part are choices: fix them "
        "before looking at scores.",
    ),
    secondary=(
        Secondary(
            "reconstruction_error",
            "reconstruction error",
            "Mean share of the squared length of a word that the projection loses: 1 minus the score.",
        ),
        Secondary(
            "distance",
            "distance",
            "Mean Euclidean distance d between a word and its reconstruction, in the unit of the vectors.",
        ),
    ),
    aggregation=parts.MEAN_OF_TESTS,
    inference=inference_options("same_vector"),
    units=ScoreUnits(
        name="words",
        value="kept",
        list="words",
        lists=("targets_x", "targets_y", "attributes_a", "attributes_b"),
    ),
)
