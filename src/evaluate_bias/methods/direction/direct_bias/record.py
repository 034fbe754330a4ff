"""What the library knows about direct_bias."""

from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="direct_bias",
    revision=4,
    title="DirectBias",
    summary=(
        "How far words that should be neutral lie along the direction between word pairs such as she and he."
    ),
    **{**parts.ON_PAIRS, "needs": ("embeds words", "embeds words in context")},
    score_name="direct bias",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    interpretation=(
        "0 means that the words are orthogonal to the direction between the pairs, 1 that they lie along it."
    ),
    above="the vectors place {a} partly along the direction between {x} and {y}",
    **parts.THREE_LISTS,
    caveats=(
        parts.CHOSEN_WORDS,
        "Every word lies partly along any direction, so the score is never exactly 0. The p-value compares "
        "it with the directions of random word pairs. The score does not show which words lie on which "
        "side.",
        "Taking a direction out of the vectors can leave words with the same bias close together.",
    ),
    secondary=(
        parts.EXPLAINED_VARIANCE,
        Secondary(
            "z",
            "z of the mean",
            "The mean over its standard error, which Maddalozzo (2023) tests one-sided. The null "
            "hypothesis that the mean of absolute values is 0 is never true.",
        ),
        parts.second_attributes("direct_bias", "DirectBias"),
    ),
    aggregation=parts.MEAN_OF_TESTS,
    p_value=PValue(
        meaning=(
            "The p-value tests whether the words have more of this direction than of the directions of equally many "
            "random word pairs of the vocabulary."
        ),
        small="the words have more of this direction than of the directions of random word pairs",
    ),
    inference=inference_options("n_resamples", "same_vector", n_resamples=999),
    units=ScoreUnits(name="attributes", value="bias", list="attributes", lists=("attributes_a",)),
)
