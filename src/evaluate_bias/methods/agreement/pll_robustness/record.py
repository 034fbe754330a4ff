"""What the library knows about pll_robustness."""

from ....data.kinds import PARAPHRASED_PAIRS
from ....method_record import MethodRecord, PValue, Robustness, ScoreUnits, Secondary
from ....options import SharedOptions
from ...word_lists.inference import Inference

RECORD = MethodRecord(
    name="pll_robustness",
    revision=2,
    title="Robustness of pseudo-log-likelihood preferences to paraphrase",
    summary=(
        "Cohen's kappa between the preferences for sentence pairs and for their paraphrases: the agreement beyond "
        "chance, as a share of the largest possible."
    ),
    references=("kwon2022empirical",),
    score_name="Cohen's kappa",
    score_range=(-1.0, 1.0),
    direction="higher_is_more_robust",
    ideal=1.0,
    interpretation=(
        "Near 1, the preferences survive a paraphrase. Near 0, they agree as often as independent "
        "preferences would, and below 0 less often."
    ),
    needs=("scores masked tokens", "scores sequences"),
    causal={"scoring": "causal"},
    columns=("sent_more", "sent_less", "sent_more_par", "sent_less_par", "bias_type"),
    optional_columns=("sent_more_par2", "sent_less_par2", "sent_more_ran", "sent_less_ran"),
    data=PARAPHRASED_PAIRS,
    group_by="bias type",
    caveats=("It measures the measurement: a model can be biased and robust, or neither.",),
    secondary=(
        Secondary(
            "paraphrase_sign_agreement",
            "agreement",
            "Share of pairs whose preference is the same for the pair and for its paraphrase. Ideal 1. "
            "With a share p of preferences for the more stereotypical sentence, chance gives p² + (1 − p)².",
        ),
        Secondary(
            "unrelated_sign_agreement",
            "agreement with unrelated pairs",
            "For comparison: how often an unrelated pair gives the same preference. The agreement with the paraphrase "
            "should be far higher.",
        ),
        Secondary(
            "paraphrase_band_agreement",
            "agreement by band",
            "Agreement with the paraphrase when differences within the band count as no preference. Ideal 1.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value is the share of random shuffles of the paraphrases among the pairs that agree at "
            "least as well. It compares kappa with 0. The interval shows how near kappa is to 1."
        ),
        small=(
            "the preferences for the pairs agree better with their own paraphrases than with shuffled "
            "paraphrases"
        ),
    ),
    test="targets",
    robustness=Robustness(aspect="paraphrases", data=("sentence_pairs",)),
    inference=SharedOptions(Inference(alternative="less"), ("alternative", "confidence_level", "seed")),
    units=ScoreUnits(name="pairs", value="delta_paraphrase", score="function", content="sentences"),
)
