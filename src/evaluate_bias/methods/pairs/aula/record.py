"""What the library knows about aula."""

from __future__ import annotations

from ....data.kinds import SENTENCE_PAIRS
from ....method import MethodRecord, Secondary

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="aula",
    title="All Unmasked Likelihood with Attention weights (AULA)",
    summary="As AUL, each token's log-probability weighted by the attention it receives, in percent.",
    paper=(
        "Kaneko and Bollegala (2022): Unmasking the Mask: Evaluating Social Biases in Masked Language "
        "Models. AAAI 2022, 11954-11962"
    ),
    url="https://doi.org/10.1609/aaai.v36i11.21453",
    bibtex="""@inproceedings{kaneko2022unmasking,
  title     = {Unmasking the Mask: Evaluating Social Biases in Masked Language Models},
  author    = {Kaneko, Masahiro and Bollegala, Danushka},
  booktitle = {Proceedings of the AAAI Conference on Artificial Intelligence},
  volume    = {36},
  pages     = {11954--11962},
  year      = {2022},
  doi       = {10.1609/aaai.v36i11.21453}
}""",
    score_name="bias score",
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
        "Attention is not importance: the weights are a choice of the method.",
        (
            "The model sees the very tokens it is scored on, so differences are small and say little about "
            "likelihood."
        ),
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
