"""What the library knows about indirect_bias."""

from ....method_record import MethodRecord, PValue
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="indirect_bias",
    revision=4,
    title="IndirectBias",
    summary=(
        "Share of the similarity of words that is due to the direction between word pairs such as she and he."
    ),
    **parts.ON_PAIRS | {"data_defaults": {"source": "bolukbasi_she_words"}},
    score_name="indirect bias",
    direction="higher_is_more_biased",
    interpretation=(
        "1 means that the similarity of the words is due to the direction alone, 0 that the direction plays no part, "
        "a negative value that they are more similar without it."
    ),
    above="part of the similarity of {a} and {b} comes from the direction between {x} and {y}",
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    caveats=(
        parts.CHOSEN_WORDS,
        "The score divides by the similarity of words and is weighted by it. If the words are hardly "
        "similar, there is little to explain: look at single words.",
    ),
    secondary=(parts.EXPLAINED_VARIANCE,),
    aggregation=parts.MEAN_OF_TESTS,
    p_value=PValue(
        meaning=(
            "The p-value tests whether this direction explains more of the similarities than the directions of "
            "equally many random word pairs of the vocabulary."
        ),
        small=("the direction explains more of the similarities than the directions of random word pairs do"),
    ),
    inference=inference_options(
        "n_resamples", "same_vector", n_resamples=999, ci="percentile", ci_resamples=1_999
    ),
    no_units=(
        "Its score is a mean over pairs of words, every word in many of them, weighted by their similarity in the "
        "same model, so that no item could be exchanged alone."
    ),
)
