"""What the library knows about wsv."""

from __future__ import annotations

from ....data.kinds import WSV_WORDS
from ....method import MethodRecord, Units
from ...record_parts import DUSI_2022

RECORD = MethodRecord(
    name="wsv",
    title="Weakly Supervised Visualization (WSV)",
    summary=(
        "Correlation of words' positions along the main axis of the embedding features that tell a "
        "protected property, such as gender, with a statistic of the words, such as the share of women in "
        "an occupation."
    ),
    **DUSI_2022,
    score_name="correlation r",
    score_range=(-1.0, 1.0),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "A positive r places words with a larger statistic nearer to the positive class (with the default "
        "data: occupations of women nearer to words for women); a negative r the other way round."
    ),
    above=(
        "words with a larger statistic, such as occupations of women, "
        "lie nearer to the positive class, such as women"
    ),
    below=(
        "words with a larger statistic, such as occupations of women, "
        "lie nearer to the other class, such as men"
    ),
    needs=("embeds words in context",),
    columns=("word", "group", "statistic"),
    data=WSV_WORDS,
    scale="cohen_r",
    group_by="axis",
    caveats=(
        (
            "The number of features is a choice: fix it before looking at the sweep, or take the sweep's "
            "own p-value, which pays for the choice."
        ),
        (
            "The first axis is that of the largest variance among the protected words, which need not be "
            "the protected property; the share of its variance between the classes tells."
        ),
        (
            "A correlation with the world says that the model knows the world's inequality; it does not "
            "say that a system built on it will treat people unequally."
        ),
    ),
    units=Units(name="words", value="component_1", score="own"),
)
