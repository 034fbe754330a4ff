"""What the library knows about weat."""

from ....method_record import MethodRecord, ScoreUnits
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="weat",
    revision=5,
    recommended=True,
    title="Word Embedding Association Test (WEAT)",
    summary=(
        "How much more strongly one set of target words is associated with one set of attribute words than another "
        "set of target words is, as a standardised difference of mean cosine similarities."
    ),
    references=("caliskan2017semantics",),
    score_name="effect size d",
    score_range=(-2.0, 2.0),
    interpretation=parts.POSITIVE_OF_FOUR_LISTS,
    above="the vectors associate {x} more strongly than {y} with {a} rather than {b}",
    below="the vectors associate {y} more strongly than {x} with {a} rather than {b}",
    **parts.ON_WORD_VECTORS,
    instead="for a transformer, use seat with `templates` set to 'none'",
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    scale="cohen_d",
    caveats=(
        parts.CHOSEN_WORDS,
        "A small p-value means that random splits of these words rarely give such an association. It shows neither "
        "how large the association is nor that a system built on the vectors will discriminate.",
        "An effect size near 0 shows only that these lists found no association.",
    ),
    secondary=(parts.MEAN_D,),
    aggregation=parts.mean_absolute_of_tests(
        "the words of every test, targets and attributes, are sampled again"
    ),
    inference=inference_options("alternative", "p_method", "strict", "n_resamples", "same_vector"),
    test="targets",
    units=ScoreUnits(name="words", value="association", score="effect_size", list="words"),
)
