"""What the library knows about projection."""

from __future__ import annotations

from ....data.kinds import WORD_LISTS
from ....method import MethodRecord, Units
from ....paths import hub_id
from ..bolukbasi import BIBTEX, EXPLAINED_VARIANCE, PAPER, URL

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="projection",
    title="Projection on a bias axis",
    summary="Where words lie on the axis between word pairs such as she and he.",
    paper=PAPER,
    url=URL,
    bibtex=BIBTEX,
    score_name="difference of mean projections",
    score_range=(-2.0, 2.0),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "A positive value puts the first attributes farther to the side of the first words of the pairs than the "
        "second attributes, or, without these, than the middle of the axis; a negative one to that of the second words."
    ),
    above="the first attributes lie farther to the side of the first targets than what they are compared with",
    below="the first attributes lie farther to the side of the second targets than what they are compared with",
    needs=("embeds words",),
    columns=("name", "targets_x", "targets_y", "attributes_a"),
    optional_columns=("attributes_b",),
    data=WORD_LISTS,
    dataset=hub_id("bolukbasi-words"),
    data_defaults={"source": "bolukbasi_words"},
    paired=True,
    group_by="test",
    caveats=(
        "The score describes the chosen words: other words for the same concepts give other values.",
        (
            "The middle of the axis is the origin of the vectors, not a neutral point: of one list of words alone, a "
            "mean beside 0 need not be a bias."
        ),
    ),
    secondary=(EXPLAINED_VARIANCE,),
    aggregation=(
        "The score of several tests is the mean of their scores with their signs, so opposite ones cancel in it; its "
        "interval is the percentile interval of that mean over bootstrap samples, and its p-value the smallest "
        "Holm-adjusted one. Control tests are left out."
    ),
    min_n_for_significance=6,
    units=Units(name="attributes", value="projection", score="difference", list="attributes"),
)
