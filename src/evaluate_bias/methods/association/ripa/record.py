"""What the library knows about ripa."""

from ....method_record import MethodRecord, PValue, ScoreUnits
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="ripa",
    revision=4,
    title="Relational Inner Product Association (RIPA)",
    summary="How far attribute words lie along the direction between the two words of pairs, such as he and she.",
    references=("ethayarajh2019understanding",),
    score_name="relational inner product",
    interpretation=(
        "A positive value associates the first attributes more strongly with the first words of the pairs, a negative "
        "value more strongly with the second words."
    ),
    above="the vectors associate {a} more strongly with {x} than with {y}",
    below="the vectors associate {a} more strongly with {y} than with {x}",
    **parts.ON_WORD_VECTORS,
    **parts.THREE_LISTS,
    data_defaults={"source": "bolukbasi_words"},
    paired=True,
    caveats=(
        parts.CHOSEN_WORDS,
        parts.UNIT_OF_VECTORS,
        "Target lists are read as pairs, in their order. Words that do not belong together, such as names, make "
        "meaningless pairs.",
    ),
    secondary=(parts.second_attributes("ripa", "RIPA"),),
    aggregation=parts.MEAN_OF_SIGNED_TESTS,
    p_value=PValue(
        meaning=(
            "The p-value tests, for these attributes, whether the two words of every pair could be exchanged."
        ),
        small=(
            "the attributes lie farther to one side of the pairs than random exchanges within the pairs explain"
        ),
    ),
    test="pairs",
    inference=inference_options("n_resamples", "same_vector"),
    units=ScoreUnits(name="pairs", value="projection", list="words", lists=("targets_x",)),
)
