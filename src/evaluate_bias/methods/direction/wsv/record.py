"""What the library knows about wsv."""

from ....method_record import MethodRecord, ScoreUnits
from ... import record_parts as parts

RECORD = MethodRecord(
    name="wsv",
    revision=4,
    title="Weakly Supervised Visualization (WSV)",
    summary=(
        "Correlation of words' positions along the main axis of the embedding features that reveal a protected "
        "property, such as gender, with a statistic of the words, such as the share of feminine mentions of an "
        "occupation."
    ),
    references=("dusi2022graphical",),
    **parts.OF_A_STATISTIC,
    other_score_names={(0.0, 1.0): "absolute correlation"},
    other_interpretations={
        (0.0, 1.0): (
            "0 means that the words' positions on neither axis are related to the statistic, 1 that they lie on one "
            "line with it. Chance alone makes the larger of two correlations positive."
        )
    },
    interpretation=(
        "A positive r places words with a larger statistic nearer to the positive class (with the default "
        "data: occupations with a larger share of feminine mentions nearer to words for women). A negative "
        "r does the opposite."
    ),
    above=(
        "the larger the {statistic|statistic of a word}, the nearer the model places the word to words of the class "
        "{positive|counted as positive}"
    ),
    below=(
        "the larger the {statistic|statistic of a word}, the farther the model places the word from words of the class "
        "{positive|counted as positive}"
    ),
    needs=("embeds words in context",),
    data_defaults={"statistic": "women_bergsma"},
    group_by="axis",
    caveats=(
        "The number of features is a choice: fix it before looking at the sweep, or use the sweep's own p-value, "
        "which allows for the choice.",
        "The first axis has the largest variance among the protected words, which need not come from the "
        "protected property. The share of its variance between the classes shows whether it does.",
        "A correlation with the world shows that the model reflects the world's inequality. It does not show that a "
        "system built on it will treat people unequally.",
    ),
    units=ScoreUnits(name="words", value="component_1", score="function"),
)
