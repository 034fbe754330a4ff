"""What the records of several methods say the same way: papers, caveats, secondary values, how tests are summed up."""

from __future__ import annotations

from typing import Any, Final

from ..data.kinds import OCCUPATION_TEST, WORD_LISTS, WSV_WORDS
from ..method_record import Aspect, PValue, Robustness, ScoreUnits, Secondary
from .word_lists.inference import inference_options, resampling_options

ON_WORD_VECTORS: Final[dict[str, Any]] = {
    "needs": ("embeds words",),
    "data": WORD_LISTS,
}
"""Fields of the records of the methods on word lists and word vectors."""
THREE_LISTS: Final[dict[str, Any]] = {
    "columns": ("name", "targets_x", "targets_y", "attributes_a"),
    "optional_columns": ("attributes_b",),
}
"""The columns of methods that need no second attributes."""
CHOSEN_WORDS: Final = (
    "The score describes the chosen words: other words for the same concepts give other values."
)
BESIDE_TARGETS: Final = "mean log-probability with X minus with Y, from −∞ to ∞"
"""What the association of an attribute is in language models."""
UNIT_OF_VECTORS: Final = (
    "The score has the unit of the vectors: models whose vectors differ in length cannot be compared unless the "
    "vectors are scaled to length 1."
)
TEMPLATES_DISAGREE: Final = (
    "Scores of different templates disagree, often in sign (Delobelle et al. 2022): name the templates with the "
    "score."
)
POSITIVE_OF_FOUR_LISTS: Final = (
    "A positive value associates the first targets more strongly than the second targets with the first "
    "attributes rather than the second attributes. A negative value does the opposite."
)
THE_MODEL_ASSOCIATES: Final[dict[str, Any]] = {
    "above": "the model associates {x} more strongly than {y} with {a} rather than {b}",
    "below": "the model associates {y} more strongly than {x} with {a} rather than {b}",
}
"""The direction in words of tests with four lists."""
MEAN_D: Final = Secondary(
    "mean_d",
    "mean signed d",
    "Mean of the signed effect sizes of several tests. Opposite signs cancel.",
)
MEAN_OF_SIGNED_TESTS: Final = (
    "The score of several tests is the mean of their scores with their signs, so opposite ones cancel in "
    "it. Its interval is the percentile interval of that mean over bootstrap samples. Each test has its "
    "own p-value. Control tests are excluded."
)
MEAN_OF_TESTS: Final = (
    "The score of several tests is the mean of their scores. Its interval is the percentile interval of "
    "that mean over bootstrap samples. Control tests are excluded."
)


READABLE: Final = Secondary(
    "readable",
    "readable answers",
    "In a chat: share of the requests whose answer could be parsed. Refusals do not count as parsed.",
)
BOUNDS: Final = Secondary(
    "bounds",
    "bounds",
    "If answers could not be parsed: the score (of log-odds: the difference of the rates of yes), and the "
    "ends between which it lies whatever these answers are, widened by the uncertainty of sampling.",
)


IS_AN_ACCURACY: Final = (
    "The score is an accuracy: 1 means that every answer is right. It does not tell whether wrong answers follow the "
    "stereotype or go against it."
)


def p_groups(within: str) -> Secondary:
    """Return the p-value of all groups together, which are exchanged within what is named."""
    return Secondary(
        "p_groups",
        "p over all groups",
        (
            "The omnibus p-value of three groups or more: how often the largest difference is as large when the "
            f"groups are exchanged within every {within}."
        ),
    )


CHOICE_SECONDARY: Final = (
    Secondary(
        "option_order_effect",
        "position effect",
        "Of choices: how much more often than by chance the option listed first is chosen. 0 means that "
        "the option order does not matter.",
    ),
    Secondary(
        "first_replies",
        "score of first replies",
        "The score without the answers that were given only when the question was followed up.",
    ),
    READABLE,
    BOUNDS,
)
"""Values next to every score of choices."""


def mean_absolute_of_tests(units: str) -> str:
    """How tests of an effect size are summed up, with what is drawn again in the bootstrap samples of its interval."""
    return (
        "The score of several tests is the mean of their absolute effect sizes, so opposite signs do not "
        "cancel. Chance alone makes it larger than 0: it is compared with its mean over random splits of "
        "the target words, and its p-value is the share of such splits with a mean at least as large. Its "
        f"interval is the percentile interval over bootstrap samples, in each of which {units}, centred at "
        "the score. Control tests are excluded."
    )


def second_attributes(method: str, title: str) -> Secondary:
    """Return the value of the second attributes, if the score is about the first."""
    return Secondary(
        f"{method}_b",
        f"{title} of the second attributes",
        "The same value for the second list of attributes, which does not enter the score.",
    )


SUBSETS_OVERLAP: Final = (
    "The subsets behind its score share most of their words, so no subset can be exchanged alone."
)
"""Why two scores that are made of subsets of words have no units to exchange."""


AGREEMENT: Final[dict[str, Any]] = {
    "references": ("delobelle2022measuring",),
    "score_name": "mean correlation",
    "score_range": (-1.0, 1.0),
    "direction": "higher_is_more_robust",
    "ideal": 1.0,
}
"""Fields of the records of the methods that ask whether measurements agree, by Delobelle et al. (2022)."""
OF_A_STATISTIC: Final[dict[str, Any]] = {
    "score_name": "correlation r",
    "score_range": (-1.0, 1.0),
    "scale": "cohen_r",
    "columns": ("word", "group", "statistic"),
    "data": WSV_WORDS,
    "test": "order",
}
"""Fields of the records of the methods that correlate words with a statistic of theirs."""


def compatibility_of(setting: str, aspect: Aspect) -> dict[str, Any]:
    """Fields of the record of a method that compares settings.

    Args:
        setting: what is compared.
        aspect: what the settings vary.
    """
    return {
        **AGREEMENT,
        "interpretation": (
            f"Near 1, all {setting}s rank subsets of words the same way. Near 0, a score depends on the "
            f"{setting}."
        ),
        "needs": ("embeds words in context",),
        "robustness": Robustness(aspect=aspect, data=("word_lists", "occupation_test")),
        "inference": resampling_options("ci_resamples", "max_missing", "same_vector", ci_resamples=1_999),
        "columns": ("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
        "data": OCCUPATION_TEST,
        "group_by": setting,
        "caveats": (
            f"It measures the measurement: {setting}s can agree on a bias that is not there, and disagree on one that "
            "is.",
            "Subsets of one word list overlap: ordinary p-values of these correlations are too small. The permutation "
            "p-values are valid; the ordinary ones are reported for comparison only.",
            "Twenty subsets are a small sample: other subsets (another seed) give somewhat other correlations.",
        ),
        "no_units": SUBSETS_OVERLAP,
        "p_value": PValue(
            meaning=(
                f"The p-value tests whether the {setting}s are unrelated, not whether they agree well: any agreement "
                "between two of them makes it small."
            ),
            small=f"some {setting}s agree more than unrelated ones would",
        ),
    }


ON_PAIRS: Final[dict[str, Any]] = {
    "references": ("bolukbasi2016man",),
    **ON_WORD_VECTORS,
    "data_defaults": {"source": "bolukbasi_words"},
    "paired": True,
}
"""Fields of the records of the methods on the direction between the words of pairs, by Bolukbasi et al. (2016)."""

EXPLAINED_VARIANCE: Final = Secondary(
    "explained_variance",
    "explained variance",
    "Share of the variance of the pairs that the direction explains. A low share means that the pairs have "
    "no single direction.",
)
THIS_CORPUS: Final = "The score describes the chosen words and this corpus, not a model trained on it."

ON_A_CORPUS: Final[dict[str, Any]] = {
    "above": "the corpus links {a} more closely [than {b} ]to {x} rather than {y}",
    "below": "the corpus links {a} more closely [than {b} ]to {y} rather than {x}",
    "needs": ("counts words",),
    **THREE_LISTS,
    "data": WORD_LISTS,
    "data_defaults": {"source": "bolukbasi_words"},
    "aggregation": MEAN_OF_SIGNED_TESTS,
    "test": "attributes",
    "inference": inference_options("n_resamples"),
    "units": ScoreUnits(name="words", value="value", score="difference", list="attributes"),
}
"""Fields of the records of the methods on a corpus, with the counts of Valentini et al. (2021)."""
