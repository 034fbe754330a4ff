"""What the library knows about rnd."""

from ....method_record import MethodRecord, ScoreUnits
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="rnd",
    revision=4,
    title="Relative Norm Distance (RND)",
    summary=(
        "How much farther attribute words lie from the mean vector of one group of target words than from "
        "the mean vector of another, as a mean difference of distances."
    ),
    references=("garg2018word",),
    score_name="relative norm distance",
    interpretation=(
        "A positive value puts the first attributes nearer to the mean of the second targets, a negative value nearer "
        "to the mean of the first targets."
    ),
    above="the vectors place {a} nearer to {y} than to {x}",
    below="the vectors place {a} nearer to {x} than to {y}",
    **parts.ON_WORD_VECTORS,
    **parts.THREE_LISTS,
    caveats=(
        parts.CHOSEN_WORDS,
        parts.UNIT_OF_VECTORS,
        "The mean vector of a few words lies farther from everything than the mean of many. With target "
        "lists of different size, chance alone therefore gives a score other than 0. The p-value allows "
        "for this, the score does not.",
    ),
    secondary=(parts.second_attributes("rnd", "RND"),),
    aggregation=parts.MEAN_OF_SIGNED_TESTS,
    test="targets",
    inference=inference_options("alternative", "n_resamples", "same_vector"),
    units=ScoreUnits(name="attributes", value="distance", list="attributes", lists=("attributes_a",)),
)
