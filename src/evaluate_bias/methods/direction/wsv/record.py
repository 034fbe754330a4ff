"""What the library knows about wsv."""

from __future__ import annotations

from ....data.kinds import WSV_WORDS
from ....method import MethodRecord, Units

RECORD = MethodRecord(
    name="wsv",
    title="Weakly Supervised Visualization (WSV)",
    summary=(
        "Correlation of words' positions along the main axis of the embedding features that tell a "
        "protected property, such as gender, with a statistic of the words, such as the share of women in "
        "an occupation."
    ),
    paper=(
        "Dusi, Arici, Gerevini, Putelli and Serina (2022): Graphical Identification of Gender Bias in BERT "
        "with a Weakly Supervised Approach. NL4AI at AIxIA 2022, CEUR-WS 3287, paper 16"
    ),
    url="https://ceur-ws.org/Vol-3287/paper16.pdf",
    bibtex="""@inproceedings{dusi2022graphical,
  title     = {Graphical Identification of Gender Bias in {BERT} with a Weakly Supervised Approach},
  author    = {Dusi, Michele and Arici, Nicola and Gerevini, Alfonso E. and Putelli, Luca and Serina, Ivan},
  booktitle = {Proceedings of the Sixth Workshop on Natural Language for Artificial Intelligence (NL4AI 2022)},
  series    = {CEUR Workshop Proceedings},
  volume    = {3287},
  year      = {2022},
  url       = {https://ceur-ws.org/Vol-3287/paper16.pdf}
}""",
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
