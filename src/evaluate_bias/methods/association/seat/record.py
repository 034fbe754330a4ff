"""What the library knows about seat."""

from ....data.kinds import SEAT_TESTS
from ....method_record import MethodRecord, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="seat",
    revision=5,
    recommended=True,
    title="Sentence Encoder Association Test (SEAT)",
    summary=(
        "How much more strongly sentences on one set of target words are associated with sentences on one set of "
        "attribute words than sentences on another set of target words are, as a standardised difference of mean "
        "cosine similarities."
    ),
    references=("may2019measuring",),
    score_name="effect size d",
    score_range=(-2.0, 2.0),
    interpretation=(
        f"{parts.POSITIVE_OF_FOUR_LISTS} The bounds are ±2 if both target sets have equally many sentences, and a "
        "little wider otherwise."
    ),
    **parts.THE_MODEL_ASSOCIATES,
    needs=("embeds words in context",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=SEAT_TESTS,
    scale="cohen_d",
    caveats=(
        "The p-value is over words. The paper's p-value, reported next to it, treats sentences as "
        "independent. Sentences made of one word are not, so the paper's p-value is too small, often by "
        "far.",
        "Scores of different templates, representations and layers of one model disagree, often in sign (Delobelle et "
        "al. 2022): name all three with the score.",
        parts.CHOSEN_WORDS,
        "An effect size near 0 shows only that these sentences found no association.",
    ),
    secondary=(
        Secondary(
            "p_sentences",
            "p over sentences",
            "The paper's p-value, from a permutation test that splits sentences as if those made of one word were "
            "independent.",
        ),
        parts.MEAN_D,
    ),
    aggregation=parts.mean_absolute_of_tests(
        "the words of every test are sampled again with all their sentences"
    ),
    inference=inference_options("alternative", "p_method", "strict", "n_resamples", "same_vector"),
    test="targets",
    units=ScoreUnits(
        name="words",
        value="association_sd",
        score="function",
        list="words",
        strata=("list",),
        less_mean=True,
    ),
)
