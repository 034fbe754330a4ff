"""What the library knows about frequency_sensitivity."""

from ....data.kinds import WORD_LISTS
from ....method_record import MethodRecord, PValue, Secondary
from ....options import SharedOptions
from ...word_lists.inference import Inference

RECORD = MethodRecord(
    name="frequency_sensitivity",
    revision=5,
    title="Frequency sensitivity",
    summary=(
        "Correlation of an association score with the frequency of its seed words, over many sets of seeds."
    ),
    references=("valentini2022undesirable",),
    score_name="correlation r with the mean log frequency of the seeds",
    score_range=(-1.0, 1.0),
    interpretation=(
        "A positive r means that sets of more frequent seeds give a higher score, a negative r that they give a lower "
        "score."
    ),
    above="sets of more frequent seed words give a higher score",
    below="sets of more frequent seed words give a lower score",
    needs=("embeds words", "counts words", "embeds words in context"),
    columns=("name", "targets_x"),
    optional_columns=("targets_y", "attributes_a", "attributes_b"),
    data=WORD_LISTS,
    caveats=(
        "It measures a measurement, not a bias: a score that follows frequency may still describe the words correctly.",
        "Frequent and rare seeds differ in other ways too, such as their meaning: a correlation does not show the "
        "cause.",
        ("Ranks in a vocabulary represent frequencies only if its file is sorted by frequency, as most are."),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the frequencies of the seeds could be exchanged within their lists. It says "
            "nothing about the size of a bias."
        ),
        small="the score follows the frequency of its seeds more closely than chance explains",
    ),
    secondary=(
        Secondary(
            "measured_score",
            "score of all seeds",
            "The score of the measured method on all seeds of the test, with its p-value.",
        ),
        Secondary(
            "matched_score",
            "score of matched seeds",
            "The same, with its p-value, on seeds of both groups that were matched on frequency. Absent "
            "for a test with too few of them.",
        ),
    ),
    aggregation=(
        "The score of several tests is the mean of their correlations with their signs, so opposite ones "
        "cancel in it. Its interval treats the tests as independent. Each test has its own p-value. "
        "Control tests are excluded."
    ),
    inference=SharedOptions(
        Inference(n_resamples=9_999), ("n_resamples", "confidence_level", "max_missing", "seed")
    ),
    no_units=("The sets behind its score share words of the test, so no set can be exchanged alone."),
)
