"""What the library knows about template_compatibility."""

from __future__ import annotations

from ....data.kinds import OCCUPATION_TEST
from ....method import MethodRecord, PValue

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="template_compatibility",
    title="Template compatibility",
    summary=(
        "Mean correlation of the association scores that different templates give to the same subsets of "
        "words."
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
        "Near 1 all templates rank subsets of words alike; near 0 a score depends on the template it was "
        "measured with."
    ),
    needs=("embeds words in context",),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=OCCUPATION_TEST,
    group_by="template",
    caveats=(
        (
            "It measures the measurement: templates can agree on a bias that is not there, and disagree on "
            "one that is."
        ),
        (
            "Subsets of one word list overlap: ordinary p-values of these correlations are too small. The "
            "permutation p-values are valid; the ordinary ones are reported for comparison only."
        ),
        "Twenty subsets are a small sample: other subsets (another seed) give somewhat other correlations.",
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests that no two templates have anything in common, not that they agree well: "
            "any agreement makes it small."
        ),
        small="Some templates agree more than unrelated ones would",
        large="The templates cannot be told from unrelated ones",
    ),
)
