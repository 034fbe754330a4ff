"""What the library knows about ceat."""

from ....data.kinds import WORD_LISTS
from ....method_record import MethodRecord, ScoreUnits, Secondary
from ....options import SharedOptions
from ... import record_parts as parts
from ...word_lists.inference import Inference

RECORD = MethodRecord(
    name="ceat",
    revision=5,
    title="Contextualized Embedding Association Test (CEAT)",
    summary=(
        "Mean of the effect sizes of association tests on words in contexts drawn at random from a corpus, combined "
        "by a random-effects model."
    ),
    references=("guo2021detecting",),
    score_name="combined effect size (CES)",
    score_range=(-2.0, 2.0),
    interpretation=parts.POSITIVE_OF_FOUR_LISTS,
    **parts.THE_MODEL_ASSOCIATES,
    needs=("embeds words in context",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=WORD_LISTS,
    data_defaults={"tests": ("weat6", "weat8", "weat9")},
    caveats=(
        "The p-value and the interval are over words. The paper's, over contexts of these very words, are "
        "reported next to them: they shrink with the number of samples by construction, and with 10,000 "
        "samples any difference between these words is significant.",
        "The score describes the chosen words and the corpus that their contexts come from.",
        "Scores of different representations and layers of one model disagree, often in sign: name both with the "
        "score.",
    ),
    secondary=(
        Secondary(
            "tau2",
            "τ²",
            "Estimated variance of the effect size over contexts, beyond what the chosen variance of a sample "
            "explains.",
        ),
        Secondary(
            "i2",
            "I²",
            "Share of the variation between samples that the chosen variance of a sample does not explain.",
        ),
        Secondary(
            "over_contexts",
            "over contexts",
            "The score with the paper's interval, of the random-effects model, which treats the words as "
            "given.",
        ),
        Secondary(
            "p_contexts",
            "p over contexts",
            "The paper's p-value from the random-effects model. It treats the words as given and tests "
            "whether the mean over random draws of contexts is 0.",
        ),
    ),
    aggregation=parts.MEAN_OF_SIGNED_TESTS,
    inference=SharedOptions(
        Inference(ci="percentile", ci_resamples=1_999),
        ("alternative", "ci_resamples", "confidence_level", "max_missing", "same_vector", "seed"),
    ),
    test="targets",
    units=ScoreUnits(
        name="words",
        value="association",
        score="effect_size",
        list="words",
        lists=("targets_x", "targets_y"),
        proxy_effect_size=True,
    ),
)
