"""The WSV map, and how far templates and representations agree."""

from __future__ import annotations

from typing import Any

from ..method_record import MethodRecord, PValue

__all__ = ["RECORDS"]

_DELOBELLE = """@inproceedings{delobelle2022measuring,
  title     = {Measuring Fairness with Biased Rulers: A Comparative Study on Bias Metrics for Pre-trained Language
               Models},
  author    = {Delobelle, Pieter and Tokpo, Ewoenam Kwaku and Calders, Toon and Berendt, Bettina},
  booktitle = {Proceedings of NAACL-HLT 2022},
  pages     = {1693--1706},
  year      = {2022},
  doi       = {10.18653/v1/2022.naacl-main.122}
}"""
_COMPATIBILITY: dict[str, Any] = {
    "paper": "Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers: A Comparative Study "
    "on Bias Metrics for Pre-trained Language Models. NAACL-HLT 2022, 1693-1706",
    "url": "https://doi.org/10.18653/v1/2022.naacl-main.122",
    "bibtex": _DELOBELLE,
    "score_name": "mean correlation",
    "score_range": (-1.0, 1.0),
    "direction": "higher_is_more_robust",
    "ideal": 1.0,
    "needs": ("embeds words in context",),
    "columns": ("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    "extra_columns": (
        "language",
        "title",
        "x_label",
        "y_label",
        "a_label",
        "b_label",
        "origin",
        "source",
        "licence",
        "bias_type",
        "notes",
    ),
    "dataset": "bias/professions",
    "loader": "evaluate_bias.data.occupation_test:load_occupation_test",
    "data_options": ("source", "language", "tests", "n_targets"),
}
_MEASUREMENT = (
    "It measures the measurement: {0} can agree on a bias that is not there, and disagree on one that is."
)
_SUBSETS = (
    "Subsets of one word list overlap: ordinary p-values of these correlations are too small. The permutation p-values "
    "are valid; the ordinary ones are reported for comparison only."
)
_FEW = "Twenty subsets are a small sample: other subsets (another seed) give somewhat other correlations."

RECORDS = (
    MethodRecord(
        name="wsv",
        title="Weakly Supervised Visualization (WSV)",
        summary="Correlation of words' positions along the main axis of the embedding features that tell a protected "
        "property, such as gender, with a statistic of the words, such as the share of women in an occupation.",
        paper="Dusi, Arici, Gerevini, Putelli and Serina (2022): Graphical Identification of Gender Bias in BERT with "
        "a Weakly Supervised Approach. NL4AI at AIxIA 2022, CEUR-WS 3287, paper 16",
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
        reading="A positive r places words with a larger statistic nearer to the positive class (with the default "
        "data: occupations of women nearer to words for women); a negative r the other way round.",
        needs=("embeds words in context",),
        columns=("word", "group", "statistic"),
        extra_columns=("statistic_label", "language", "source"),
        dataset="bias/winogender-occupations",
        entry="evaluate_bias.methods.direction.wsv.method:evaluate",
        loader="evaluate_bias.data.wsv_words:load_wsv_words",
        data_options=("source", "language", "statistic", "kinds"),
        group_by="axis",
        caveats=(
            "The number of features is a choice: fix it before looking at the sweep, or take the sweep's own p-value, "
            "which pays for the choice.",
            "The first axis is that of the largest variance among the protected words, which need not be the protected "
            "property; the share of its variance between the classes tells.",
            "A correlation with the world says that the model knows the world's inequality; it does not say that a "
            "system built on it will treat people unequally.",
        ),
    ),
    MethodRecord(
        **_COMPATIBILITY,
        name="template_compatibility",
        title="Template compatibility",
        summary="Mean correlation of the association scores that different templates give to the same subsets of "
        "words.",
        reading="Near 1 all templates rank subsets of words alike; near 0 a score depends on the template it was "
        "measured with.",
        entry="evaluate_bias.methods.agreement.template_compatibility.method:evaluate",
        group_by="template",
        caveats=(_MEASUREMENT.format("templates"), _SUBSETS, _FEW),
        p_value=PValue(
            meaning="The p-value tests that no two templates have anything in common, not that they agree well: any "
            "agreement makes it small.",
            small="Some templates agree more than unrelated ones would",
            large="The templates cannot be told from unrelated ones",
        ),
    ),
    MethodRecord(
        **_COMPATIBILITY,
        name="representation_compatibility",
        title="Representation compatibility",
        summary="Mean correlation of the association scores that different representations of words give to the same "
        "subsets of words.",
        reading="Near 1 all representations rank subsets of words alike; near 0 a score depends on the representation "
        "it was measured with.",
        entry="evaluate_bias.methods.agreement.representation_compatibility.method:evaluate",
        group_by="representation",
        caveats=(_MEASUREMENT.format("representations"), _SUBSETS, _FEW),
        p_value=PValue(
            meaning="The p-value tests that no two representations have anything in common, not that they agree well: "
            "any agreement makes it small.",
            small="Some representations agree more than unrelated ones would",
            large="The representations cannot be told from unrelated ones",
        ),
    ),
)
