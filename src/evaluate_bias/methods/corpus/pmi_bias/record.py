"""What the library knows about pmi_bias."""

from ....method_record import MethodRecord, Secondary
from ... import record_parts as parts

RECORD = MethodRecord(
    name="pmi_bias",
    revision=4,
    title="PMI bias of a corpus",
    summary=(
        "How much more a corpus puts words near words for one group than near words for another, by "
        "pointwise mutual information."
    ),
    references=("valentini2021interpretability",),
    **parts.ON_A_CORPUS,
    score_name="mean BIAS_PMI",
    interpretation=(
        "A positive value links the first attributes more closely than the second attributes to the first targets "
        "rather than the second targets (without second attributes: more closely to the first targets than to the "
        "second targets). A negative value means the opposite."
    ),
    secondary=(
        Secondary(
            "z",
            "z of the mean",
            "The mean of several tests over its standard error, as Maddalozzo (2023) tests 30 sets of words.",
        ),
    ),
    caveats=(
        parts.THIS_CORPUS,
        "Neighbouring words need not refer to one another: the score counts neighbours and does not resolve names or "
        "pronouns.",
        ("The p-value of a word treats its occurrences as independent. Occurrences in one text are not."),
    ),
)
