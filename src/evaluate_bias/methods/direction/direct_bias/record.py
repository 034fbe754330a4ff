"""What the library knows about direct_bias."""

from __future__ import annotations

from ....method import MethodRecord, PValue, Secondary, Units
from ...record_parts import CHOSEN_WORDS, MEAN_OF_TESTS, second_attributes
from ..bolukbasi import EXPLAINED_VARIANCE, ON_PAIRS

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="direct_bias",
    title="DirectBias",
    summary=(
        "How much of the direction between word pairs such as she and he lies in words that should have none of it."
    ),
    **ON_PAIRS,
    score_name="direct bias",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    ideal=0.0,
    interpretation=(
        "0 means that the words are orthogonal to the direction between the pairs, 1 that they lie along it."
    ),
    above="the words lie along the direction between the pairs",
    columns=("name", "targets_x", "targets_y", "attributes_a"),
    optional_columns=("attributes_b",),
    caveats=(
        CHOSEN_WORDS,
        (
            "Any word has some part along any direction, so the score is never 0: the p-value compares it with the "
            "directions of random word pairs. It says nothing about which words lie on which side."
        ),
        "A direction can be taken out of vectors while words keep the company of others with the same bias.",
    ),
    secondary=(
        EXPLAINED_VARIANCE,
        Secondary(
            key="z",
            title="z of the mean",
            meaning=(
                "The mean over its standard error, as a thesis of 2023 tests it; "
                "the null hypothesis that the mean of absolute values is 0 is never true."
            ),
        ),
        second_attributes("direct_bias", "DirectBias"),
    ),
    aggregation=MEAN_OF_TESTS,
    p_value=PValue(
        meaning=(
            "The p-value tests whether the words have more of this direction than of the directions of as many random "
            "word pairs of the vocabulary."
        ),
        small="the words have more of this direction than of that of random word pairs",
        large="the words have no more of this direction than of that of random word pairs",
    ),
    units=Units(name="attributes", value="bias", list="attributes", lists=("attributes_a",)),
)
