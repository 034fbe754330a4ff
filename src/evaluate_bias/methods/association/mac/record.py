"""What the library knows about mac."""

from ....method_record import MethodRecord, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="mac",
    revision=3,
    title="Mean Average Cosine Similarity (MAC)",
    summary="Mean cosine distance between words for groups and sets of attribute words.",
    references=("manzini2019black",),
    score_name="mean average cosine similarity",
    score_range=(0.0, 2.0),
    direction="lower_is_more_biased",
    ideal=1.0,
    interpretation=(
        "1 means that targets and attributes are orthogonal on average. Lower values mean that they lie nearer to one "
        "another, higher values that they point apart."
    ),
    above="the vectors point the target words away from the attribute words",
    below="the vectors place the target words near the attribute words",
    **parts.ON_WORD_VECTORS,
    columns=("name", "targets_x", "attributes_a"),
    optional_columns=("targets_y", "attributes_b"),
    caveats=(
        parts.CHOSEN_WORDS,
        "The score shows whether the words belong together at all, not whether one group is nearer to them "
        "than another. It was made to compare a model before and after debiasing. Vectors that share a "
        "common direction score below 1 in any model.",
    ),
    secondary=tuple(
        Secondary(f"mac_{k}", f"MAC of the {nth} attributes", f"The value for the {nth} list of attributes.")
        for k, nth in (("a", "first"), ("b", "second"))
    ),
    aggregation=parts.MEAN_OF_TESTS,
    inference=inference_options("same_vector"),
    units=ScoreUnits(name="words", value="distance", list="words"),
)
