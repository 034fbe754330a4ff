"""What the library knows about ect."""

from ....method_record import MethodRecord, PValue, ScoreUnits
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="ect",
    revision=4,
    title="Embedding Coherence Test (ECT)",
    summary="Rank correlation of the attribute words' cosines with the mean vectors of two groups.",
    references=("dev2019attenuating",),
    score_name="embedding coherence",
    score_range=(-1.0, 1.0),
    direction="lower_is_more_biased",
    ideal=1.0,
    interpretation=(
        "1 means that both groups rank the attributes the same way. Lower values mean that the two orders "
        "differ."
    ),
    below="the vectors rank the attributes differently for {x} than for {y}",
    **parts.ON_WORD_VECTORS,
    **parts.THREE_LISTS,
    caveats=(
        parts.CHOSEN_WORDS,
        "The score shows how far the two orders differ, not which attributes are nearer to which group. It "
        "is below 1 for almost any two different sets of words. The p-value shows whether it is lower than "
        "for words mixed at random.",
    ),
    aggregation=parts.MEAN_OF_TESTS,
    p_value=PValue(
        meaning=(
            "The p-value tests whether the correlation is lower than for groups whose words are mixed at random. It "
            "does not test whether the correlation is 1."
        ),
        small="the two groups rank the attributes less similarly than groups mixed at random do",
    ),
    test="targets",
    inference=inference_options("n_resamples", "same_vector", n_resamples=9_999, ci="percentile"),
    units=ScoreUnits(name="attributes", value="cosine_x", score="function", list="attributes"),
)
