"""What the library knows about representation_compatibility."""

from __future__ import annotations

from ....data.kinds import OCCUPATION_TEST
from ....method import MethodRecord, PValue

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="representation_compatibility",
    title="Representation compatibility",
    summary=(
        "Mean correlation of the association scores that different representations of words give to the "
        "same subsets of words."
    ),
    paper=(
        "Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers: A "
        "Comparative Study on Bias Metrics for Pre-trained Language Models. NAACL-HLT 2022, 1693-1706"
    ),
    url="https://doi.org/10.18653/v1/2022.naacl-main.122",
    bibtex="""@inproceedings{delobelle2022measuring,
  title     = {Measuring Fairness with Biased Rulers: A Comparative Study on Bias Metrics for Pre-trained Language
               Models},
  author    = {Delobelle, Pieter and Tokpo, Ewoenam Kwaku and Calders, Toon and Berendt, Bettina},
  booktitle = {Proceedings of NAACL-HLT 2022},
  pages     = {1693--1706},
  year      = {2022},
  doi       = {10.18653/v1/2022.naacl-main.122}
}""",
    score_name="mean correlation",
    score_range=(-1.0, 1.0),
    direction="higher_is_more_robust",
    ideal=1.0,
    interpretation=(
        "Near 1 all representations rank subsets of words alike; near 0 a score depends on the "
        "representation it was measured with."
    ),
    needs=("embeds words in context",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=OCCUPATION_TEST,
    group_by="representation",
    caveats=(
        (
            "It measures the measurement: representations can agree on a bias that is not there, and "
            "disagree on one that is."
        ),
        (
            "Subsets of one word list overlap: ordinary p-values of these correlations are too small. The "
            "permutation p-values are valid; the ordinary ones are reported for comparison only."
        ),
        "Twenty subsets are a small sample: other subsets (another seed) give somewhat other correlations.",
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests that no two representations have anything in common, not that they agree "
            "well: any agreement makes it small."
        ),
        small="Some representations agree more than unrelated ones would",
        large="The representations cannot be told from unrelated ones",
    ),
)
