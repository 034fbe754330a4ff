"""What the library knows about weat."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, Secondary, Units

RECORD = MethodRecord(
    name="weat",
    title="Word Embedding Association Test (WEAT)",
    summary=(
        "How much more strongly one set of target words is associated with one set of attribute words than "
        "another set of target words is, as a standardised difference of mean cosine similarities."
    ),
    paper=(
        "Caliskan, Bryson and Narayanan (2017): Semantics derived automatically from language corpora "
        "contain human-like biases. Science 356(6334), 183-186"
    ),
    url="https://doi.org/10.1126/science.aal4230",
    bibtex="""@article{caliskan2017semantics,
  title   = {Semantics derived automatically from language corpora contain human-like biases},
  author  = {Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind},
  journal = {Science},
  volume  = {356},
  number  = {6334},
  pages   = {183--186},
  year    = {2017},
  doi     = {10.1126/science.aal4230}
}""",
    score_name="effect size d",
    score_range=(-2.0, 2.0),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "A positive d associates the first targets with the first attributes and the second targets with "
        "the second attributes; a negative d the other way round."
    ),
    needs=("embeds words",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=WORD_LISTS,
    scale="cohen_d",
    group_by="test",
    caveats=(
        "The score describes the chosen words: other words for the same concepts give other values.",
        (
            "A p-value near 0 tells that the association is not a chance split of these words; it does not "
            "tell how large it is, nor that a system built on the vectors will discriminate."
        ),
        "An effect size near 0 shows only that these lists found no association.",
    ),
    secondary=(
        Secondary(
            key="mean_d",
            title="mean signed d",
            meaning="Mean of the effect sizes of several tests with their signs; opposite ones cancel in it.",
        ),
    ),
    aggregation=(
        "The score of several tests is the mean of their absolute effect sizes, so that opposite signs do "
        "not cancel; it is not 0 by chance, so its ideal value is its mean over random splits of the "
        "target words, and its p-value is the share of such splits with as large a mean. Its interval is "
        "the percentile interval of that mean over bootstrap samples, in each of which the words of every "
        "test, targets and attributes, are drawn anew, centred at the score. Control tests are left out."
    ),
    min_n_for_significance=7,
    units=Units(name="words", value="association", score="effect_size", list="words"),
)
