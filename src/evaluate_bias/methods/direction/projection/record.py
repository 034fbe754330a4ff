"""What the library knows about projection."""

from ....method_record import MethodRecord, ScoreUnits
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="projection",
    revision=5,
    title="Projection on a bias axis",
    summary="The position of words on the axis between word pairs such as she and he.",
    **parts.ON_PAIRS,
    score_name="difference of mean projections",
    score_range=(-2.0, 2.0),
    interpretation=(
        "A positive value puts the first attributes nearer than the second attributes (without these: than "
        "the middle of the axis) to the first words of the pairs. A negative value puts them nearer to the "
        "second words."
    ),
    above="on the axis between {x} and {y}, the vectors place {a} farther towards {x}[ than {b}]",
    below="on the axis between {x} and {y}, the vectors place {a} farther towards {y}[ than {b}]",
    **parts.THREE_LISTS,
    caveats=(
        parts.CHOSEN_WORDS,
        "The middle of the axis is the origin of the vectors, not a neutral point: for a single list of words, a mean "
        "other than 0 need not be a bias.",
    ),
    secondary=(parts.EXPLAINED_VARIANCE,),
    aggregation=parts.MEAN_OF_SIGNED_TESTS,
    test="attributes",
    inference=inference_options("n_resamples", "same_vector"),
    units=ScoreUnits(name="attributes", value="projection", score="difference", list="attributes"),
)
