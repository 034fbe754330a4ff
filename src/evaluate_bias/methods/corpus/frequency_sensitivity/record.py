"""What the library knows about frequency_sensitivity."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, PValue, Secondary

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="frequency_sensitivity",
    title="Frequency sensitivity",
    summary="Correlation of an association score with how frequent its seed words are, over many sets of seeds.",
    paper=(
        "Valentini, Rosati, Fernandez Slezak and Altszyler (2022): The undesirable dependence on frequency of gender "
        "bias metrics based on word embeddings. Findings of EMNLP 2022"
    ),
    url="https://arxiv.org/abs/2301.00792",
    bibtex="""@inproceedings{valentini2022undesirable,
  title     = {The Undesirable Dependence on Frequency of Gender Bias Metrics Based on Word Embeddings},
  author    = {Valentini, Francisco and Rosati, Germ{\\'a}n and Fernandez Slezak, Diego and Altszyler, Edgar},
  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2022},
  year      = {2022}
}""",
    score_name="correlation r with the mean log frequency of the seeds",
    score_range=(-1.0, 1.0),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "A positive r means that sets of more frequent seeds give a higher score, a negative one that they give a "
        "lower one; near 0 the score does not follow the frequency of its seeds."
    ),
    above="sets of more frequent seed words give a higher score",
    below="sets of more frequent seed words give a lower score",
    needs=("embeds words", "counts words", "embeds words in context"),
    columns=("name", "targets_x"),
    optional_columns=("targets_y", "attributes_a", "attributes_b"),
    data=WORD_LISTS,
    group_by="test",
    caveats=(
        "It measures a measurement, not a bias: a score that follows frequency may still describe the words rightly.",
        "Frequent and rare seeds differ in other ways too, such as their meaning: a correlation is no cause.",
        "Ranks of a vocabulary stand for frequencies only where its file is sorted by them, as most are.",
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the frequencies of the seeds could be exchanged within their lists, and says "
            "nothing about the size of a bias."
        ),
        small="The score follows the frequency of its seeds more than it would by chance",
        large="The score cannot be told from one that does not follow the frequency of its seeds",
    ),
    secondary=(
        Secondary(
            key="measured_score",
            title="score of all seeds",
            meaning="The measured method's score, with its p-value, of all the seeds of the test.",
        ),
        Secondary(
            key="matched_score",
            title="score of matched seeds",
            meaning=(
                "The same, with its p-value, of seeds of both groups that were matched on frequency; a test without "
                "enough of them has none."
            ),
        ),
    ),
    aggregation=(
        "The score of several tests is the mean of their correlations with their signs, so opposite ones cancel in it; "
        "its interval takes the tests as independent, and its p-value is the smallest Holm-adjusted one. Control tests "
        "are left out."
    ),
    no_units=(
        "Its score is a correlation over overlapping sets of the test's words, so that no set could be "
        "exchanged alone."
    ),
)
