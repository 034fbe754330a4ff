"""What the library knows about word_association."""

from ....data.kinds import ASSOCIATION_TESTS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="word_association",
    revision=5,
    title="Word association test for chat models",
    summary="Whether a chat model, asked to choose one of two groups for each word, chooses as the stereotype does.",
    references=("bai2025explicitly",),
    score_name="D",
    score_range=(-1.0, 1.0),
    interpretation=(
        "A positive score means that the words of the first list go to the first group and the words of "
        "the second list to the second group more often than the other way round. 1 means always, -1 never."
    ),
    **parts.THE_MODEL_ASSOCIATES,
    needs=("chats",),
    asks={"variant": "readable"},
    data=ASSOCIATION_TESTS,
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    optional_columns=("answers",),
    caveats=(
        parts.CHOSEN_WORDS,
        "The model must choose a group for each word: a high score shows which choice it makes when asked, not what "
        "it would say unasked.",
        "The score depends on how the question is put. Another prompt variant can give another score.",
    ),
    secondary=(
        Secondary(
            "one_group",
            "one group for all",
            "Share of the scored answers that give all their words to one group: they say nothing about the "
            "attributes and count as 0.",
        ),
        Secondary(
            "assigned",
            "words assigned",
            "Share of the words of the scored answers that got one of the two groups. Words given to both, "
            "to neither or to another name do not count.",
        ),
        Secondary(
            "p_words",
            "p over words",
            "The p-value of the permutation of the attributes' labels alone. It is too small if the "
            "direction changes from one answer to the next.",
        ),
        parts.READABLE,
        parts.BOUNDS,
    ),
    aggregation=(
        "The score of several tests is the mean of their scores with their signs. Its interval and its "
        "p-value are computed for this mean, over all tests. Labels are "
        "permuted together in tests that have the same attributes."
    ),
    p_value=PValue(
        meaning=(
            "The p-value is the larger of two. One permutes the labels of the attributes, once for all "
            "answers, as a word leans the same way in all of them. The other matches the interval."
        ),
        small="the two lists of attributes get the two groups differently often",
    ),
    test="attributes",
    inference=resampling_options(),
    units=ScoreUnits(
        name="words", value="association", score="difference", list="words",
        lists=("attributes_a", "attributes_b"),
        meaning="how much more often it got X than Y, weighted so that D is the mean of A minus the mean of B",
    ),
    variant_units={"published": None},
    no_units="The published score is not a difference of the words' associations, so it has no items to exchange.",
)  # fmt: skip
