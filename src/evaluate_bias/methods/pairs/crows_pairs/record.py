"""What the library knows about crows_pairs."""

from __future__ import annotations

from ....data.kinds import SENTENCE_PAIRS
from ....method import MethodRecord, Secondary

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="crows_pairs",
    title="CrowS-Pairs",
    summary=(
        "Share of sentence pairs whose more stereotypical sentence a language model finds more likely, in "
        "percent."
    ),
    paper=(
        "Nangia, Vania, Bhalerao and Bowman (2020): CrowS-Pairs: A Challenge Dataset for Measuring Social "
        "Biases in Masked Language Models. EMNLP 2020, 1953-1967"
    ),
    url="https://doi.org/10.18653/v1/2020.emnlp-main.154",
    bibtex="""@inproceedings{nangia2020crows,
  title     = {{CrowS}-Pairs: A Challenge Dataset for Measuring Social Biases in Masked Language Models},
  author    = {Nangia, Nikita and Vania, Clara and Bhalerao, Rasika and Bowman, Samuel R.},
  booktitle = {Proceedings of EMNLP 2020},
  pages     = {1953--1967},
  year      = {2020},
  doi       = {10.18653/v1/2020.emnlp-main.154}
}""",
    score_name="metric score",
    score_range=(0.0, 100.0),
    direction="two_sided",
    ideal=50.0,
    interpretation=(
        "Above 50 the model finds the more stereotypical sentence of a pair more likely more often than "
        "not; below 50 the less stereotypical one."
    ),
    above="the more stereotypical sentences are likelier",
    below="the less stereotypical sentences are likelier",
    needs=("scores masked tokens", "scores sequences"),
    columns=("sent_more", "sent_less", "stereo_antistereo", "bias_type"),
    data=SENTENCE_PAIRS,
    data_defaults={"source": "crows_pairs"},
    group_by="bias type",
    caveats=(
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
