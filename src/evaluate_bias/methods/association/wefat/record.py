"""What the library knows about wefat."""

from ....method_record import MethodRecord, ScoreUnits, Secondary
from ... import record_parts as parts

RECORD = MethodRecord(
    name="wefat",
    revision=4,
    recommended=True,
    title="Word Embedding Factual Association Test (WEFAT)",
    summary=(
        "Correlation of words' associations with two sets of attribute words, such as words for women and for men, "
        "with a statistic of the words, such as the share of women in an occupation."
    ),
    references=("caliskan2017semantics",),
    **parts.OF_A_STATISTIC,
    interpretation=(
        "A positive r associates words with a larger statistic more strongly with the first group (with "
        "the default data: occupations with more women with words for women). A negative r does the "
        "opposite."
    ),
    above=(
        "the larger the {statistic|statistic of a word}, the more strongly the vectors associate the word with "
        "{x|the first group's} words rather than {y|the second group's} words"
    ),
    below=(
        "the larger the {statistic|statistic of a word}, the more strongly the vectors associate the word with "
        "{y|the second group's} words rather than {x|the first group's} words"
    ),
    needs=("embeds words",),
    data_defaults={"kinds": ("pronoun", "person", "kinship")},
    group_by="word",
    caveats=(
        "A correlation with the world shows that the vectors reflect the world's inequality. It does not show that a "
        "system built on them will treat people unequally.",
        "The score describes the chosen words: other words, or another statistic, give other values.",
        "The p-value treats the words as independent. Words of one field, such as kinds of teachers, have "
        "similar vectors and similar statistics.",
    ),
    secondary=(
        Secondary(
            "slope",
            "slope",
            "Slope of the fitted line: the change of the statistic when the association rises by 1.",
        ),
        Secondary(
            "spearman",
            "Spearman's ρ",
            "Correlation of the ranks of associations and statistic, which outliers cannot drive.",
        ),
    ),
    units=ScoreUnits(name="words", value="association", score="function"),
)
