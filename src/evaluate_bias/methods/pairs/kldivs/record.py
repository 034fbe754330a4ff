"""What the library knows about kldivs."""

from ....data.kinds import SENTENCE_PAIRS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ...word_lists.inference import resampling_options
from ..shared import MEAN_DELTA

RECORD = MethodRecord(
    name="kldivs",
    revision=2,
    title="Kullback-Leibler Divergence Score (KLDivS)",
    summary=(
        "The larger of the two Kullback-Leibler divergences between the scores of stereotypical and "
        "anti-stereotypical sentences, both treated as normal, in percent of their sum."
    ),
    references=("liu2023constructing", "liu2024robust"),
    score_name="KLDivS",
    score_range=(50.0, 100.0),
    direction="higher_is_more_biased",
    ideal=50.0,
    interpretation=(
        "The further the score lies above the value expected by chance, the more the two directions of the divergence "
        "differ."
    ),
    needs=("scores masked tokens", "scores sequences"),
    causal={"scoring": "causal"},
    columns=("sent_more", "sent_less", "bias_type"),
    data=SENTENCE_PAIRS,
    data_defaults={"source": "crows_pairs"},
    group_by="bias type",
    caveats=(
        "It compares the two directions of a divergence and ignores its size: scores of equal spread give 50 however "
        "far apart their means are.",
        "Noise alone lifts the score above 50, more so with fewer pairs: compare it with its mean under random swaps, "
        "the value expected by chance.",
        "The score ignores which sentence belongs to which pair.",
        "JSDivS and JSS, reported next to it, are heuristics: neither is based on the Jensen-Shannon "
        "divergence as defined.",
    ),
    secondary=(
        Secondary(
            "null_mean",
            "null mean",
            "Mean of KLDivS when the two sentences of every pair are swapped at random: the value that noise alone "
            "gives.",
        ),
        Secondary(
            "kldivs_all_pairs",
            "KLDivS over all pairs",
            "KLDivS of all pairs as one bias type, as in Maddalozzo (2023). The score is a mean over bias "
            "types.",
        ),
        Secondary(
            "jsdivs",
            "JSDivS",
            "The paper's Jensen-Shannon divergence score, a heuristic that has no lower bound. Ideal 100.",
        ),
        Secondary(
            "jss",
            "JSS",
            "Jensen-Shannon score of Liu (2024), a heuristic between 0 and 100. Ideal 100.",
        ),
        Secondary(
            "ks_p_value",
            "KS p",
            "P-value of the two-sample Kolmogorov-Smirnov test, which treats the scores as independent. "
            "The two scores of a pair rise and fall together, so the test finds only strong preferences.",
        ),
        MEAN_DELTA,
    ),
    p_value=PValue(
        meaning=(
            "The p-value is the share of swaps of the two sentences within pairs that give a KLDivS at "
            "least as large. It asks whether KLDivS exceeds what noise alone gives. A preference that "
            "leaves the spread of the scores as it is does not show in it."
        ),
        small="KLDivS is larger than swapping the sentences of pairs at random explains",
    ),
    test="flips",
    inference=resampling_options("ci_resamples", ci_resamples=1_999),
    units=ScoreUnits(
        name="pairs",
        value="score_more",
        score="function",
        strata=("bias_type",),
        content="sentences",
        one_scale=True,
    ),
)
