"""What the library knows about lpbs."""

from ....data.kinds import LPBS_TESTS
from ....method_record import MethodRecord, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="lpbs",
    revision=4,
    title="Log Probability Bias Score (LPBS)",
    summary=(
        "How much more attribute words of one set (such as mathematics) than of another (arts) raise a "
        "masked language model's probability of one set of target words (such as words for men) over "
        "another set (words for women), as a standardised difference."
    ),
    references=("kurita2019measuring",),
    score_name="effect size d",
    score_range=(-2.0, 2.0),
    interpretation=parts.POSITIVE_OF_FOUR_LISTS,
    **parts.THE_MODEL_ASSOCIATES,
    needs=("scores masked tokens",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    optional_columns=("plural_targets", "singular_templates", "plural_templates"),
    data=LPBS_TESTS,
    scale="cohen_d",
    caveats=(
        "The score describes the chosen words and templates: others for the same concepts give other values, often of "
        "the other sign.",
        "In the bare template, which is used for tests without templates, the model reads two words that do not make "
        "a sentence.",
        "An effect size near 0 shows only that these words in these templates found no association.",
    ),
    secondary=(
        Secondary(
            "difference",
            "difference",
            "Mean score of the first attributes minus the mean score of the second, in nats: the size of "
            "the effect, which d does not show.",
        ),
        Secondary(
            "prior",
            "prior",
            "Mean log-probability of the first targets minus the mean of the second when the attribute is "
            "hidden: which targets the model prefers anyway. Ideal 0.",
        ),
    ),
    aggregation=parts.MEAN_OF_SIGNED_TESTS,
    inference=inference_options("alternative", "p_method", "n_resamples"),
    test="attributes",
    units=ScoreUnits(
        name="attributes", value="score", score="effect_size", list="attributes", meaning=parts.BESIDE_TARGETS
    ),
)
