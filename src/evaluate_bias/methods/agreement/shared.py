"""What the records of template and of representation compatibility say alike."""

from __future__ import annotations

from typing import Any

from ...data.kinds import OCCUPATION_TEST
from ...method_record import Aspect, PValue, Robustness
from ..record_parts import DELOBELLE_2022
from ..word_lists.inference import resampling_options


def compatibility_of(setting: str, aspect: Aspect) -> dict[str, Any]:
    """Fields of the record of a method that compares settings.

    Args:
        setting: what is compared.
        aspect: what the settings vary.
    """
    return {
        **DELOBELLE_2022,
        "score_name": "mean correlation",
        "score_range": (-1.0, 1.0),
        "direction": "higher_is_more_robust",
        "ideal": 1.0,
        "interpretation": (
            f"Near 1, all {setting}s rank subsets of words alike; near 0, a score depends on the {setting}."
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
        "no_units": (
            "The subsets behind its score share most of their words, so no subset can be exchanged alone."
        ),
        "p_value": PValue(
            meaning=(
                f"The p-value tests whether the {setting}s are unrelated, not whether they agree well: any agreement "
                "between two of them makes it small."
            ),
            small=f"some {setting}s agree more than unrelated ones would",
        ),
    }
