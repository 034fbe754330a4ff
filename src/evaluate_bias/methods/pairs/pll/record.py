"""What the library knows about pll."""

from __future__ import annotations

from ....data.kinds import SENTENCE_PAIRS
from ....method import MethodRecord, Secondary

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="pll",
    title="Pseudo-log-likelihood preference (PLL)",
    summary=(
        "Share of sentence pairs whose more stereotypical sentence has the higher pseudo-log-likelihood, "
        "in percent."
    ),
    paper="Salazar, Liang, Nguyen and Kirchhoff (2020): Masked Language Model Scoring. ACL 2020, 2699-2712",
    url="https://doi.org/10.18653/v1/2020.acl-main.240",
    bibtex="""@inproceedings{salazar2020masked,
  title     = {Masked Language Model Scoring},
  author    = {Salazar, Julian and Liang, Davis and Nguyen, Toan Q. and Kirchhoff, Katrin},
  booktitle = {Proceedings of ACL 2020},
  pages     = {2699--2712},
  year      = {2020},
  doi       = {10.18653/v1/2020.acl-main.240}
}""",
    score_name="preference score",
    score_range=(0.0, 100.0),
    direction="two_sided",
    ideal=50.0,
    interpretation=(
        "Above 50 the model finds the more stereotypical sentence of a pair more likely more often than "
        "not; below 50 the less stereotypical one."
    ),
    above="the more stereotypical sentences are likelier",
    below="the less stereotypical sentences are likelier",
    needs=("scores masked tokens",),
    columns=("sent_more", "sent_less", "bias_type"),
    data=SENTENCE_PAIRS,
    data_defaults={"source": "crows_pairs"},
    group_by="bias type",
    caveats=(
        "The whole sentence is scored, the group word included: a frequent group word alone can decide a pair.",
        (
            "A score near 50 can come from stereotypical and anti-stereotypical preferences that cancel "
            "out; look at the bias types and at the mean difference."
        ),
    ),
    secondary=(
        Secondary(
            key="decided_score",
            title="share of the decided pairs",
            meaning="The score without ties, which sentences and plots speak of; ideal 50.",
        ),
        Secondary(
            key="mean_delta",
            title="mean Δ",
            meaning=(
                "Mean difference between the scores of the two sentences of a pair, positive where the "
                "more stereotypical one scores higher; ideal 0."
            ),
        ),
        Secondary(
            key="stereo_score",
            title="stereotype score",
            meaning=(
                "The score on pairs that demonstrate a stereotype of a disadvantaged group, ties left out; "
                "ideal 50."
            ),
        ),
        Secondary(
            key="antistereo_score",
            title="anti-stereotype score",
            meaning="The score on pairs that violate such a stereotype, ties left out; ideal 50.",
        ),
        Secondary(
            key="neutral",
            title="ties",
            meaning="Pairs whose two sentences score the same; they count as not preferred.",
        ),
    ),
    min_n_for_significance=6,
)
