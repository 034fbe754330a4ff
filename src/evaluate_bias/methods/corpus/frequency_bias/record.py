"""What the library knows about frequency_bias."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, Units
from ....paths import hub_id

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="frequency_bias",
    title="Frequency bias of a corpus",
    summary="Which share of the times that words stand beside words for two groups is beside the first group.",
    paper=(
        "Valentini, Rosati, Blasi, Slezak and Altszyler (2021): On the interpretability and significance of bias "
        "metrics in texts: a PMI-based approach. arXiv:2104.06474"
    ),
    url="https://arxiv.org/abs/2104.06474",
    bibtex="""@article{valentini2021interpretability,
  title   = {On the Interpretability and Significance of Bias Metrics in Texts: a PMI-based Approach},
  author  = {Valentini, Francisco and Rosati, Germ{\\'a}n and Blasi, Dami{\\'a}n and Slezak, Diego Fernandez and
             Altszyler, Edgar},
  journal = {arXiv preprint arXiv:2104.06474},
  year    = {2021}
}""",
    score_name="mean share of neighbourhoods",
    score_range=(0.0, 1.0),
    direction="two_sided",
    ideal=0.5,
    interpretation=(
        "A value above the ideal puts the first attributes beside the first targets more than the second attributes, "
        "or, without these, more than beside the second targets; one below it less."
    ),
    above="the first attributes stand beside the first targets more than what they are compared with",
    below="the first attributes stand beside the second targets more than what they are compared with",
    needs=("counts words",),
    columns=("name", "targets_x", "targets_y", "attributes_a"),
    optional_columns=("attributes_b",),
    data=WORD_LISTS,
    dataset=hub_id("bolukbasi-words"),
    data_defaults={"source": "bolukbasi_words"},
    group_by="test",
    caveats=(
        (
            "It does not allow for how often the seeds themselves occur: where one group is named more often, most "
            "words stand more often beside it. PMI bias does."
        ),
        "The score describes the chosen words and this corpus, not a model trained on it.",
    ),
    aggregation=(
        "The score of several tests is the mean of their scores with their signs, so opposite ones cancel in it; its "
        "interval is the percentile interval of that mean over bootstrap samples, and its p-value the smallest "
        "Holm-adjusted one. Control tests are left out."
    ),
    min_n_for_significance=6,
    units=Units(name="words", value="value", score="difference", list="attributes"),
)
