"""What the library knows about token_sets."""

from dataclasses import replace

from ....data.kinds import TOKEN_SETS
from ....method_record import MethodRecord, Secondary
from ..shared import CANCEL_OUT, PREFERENCE, counting_options

RECORD = MethodRecord(
    **{
        **PREFERENCE,
        "interpretation": (
            "Above the ideal value (50 without ties), the model more often gives the stereotypical words "
            "more probability than the anti-stereotypical ones. Below it, less often."
        ),
        "above": "the model more often finds the stereotypical words more likely in the blank",
        "below": "the model more often finds the anti-stereotypical words more likely in the blank",
        "data": TOKEN_SETS,
        "inference": counting_options("round_to", "lower"),
        "data_defaults": {"source": "stereoset"},
        "units": replace(PREFERENCE["units"], name="items"),
        "secondary": (
            replace(PREFERENCE["secondary"][0], title="share of the decided items"),
            Secondary(
                "mean_delta",
                "mean log ratio",
                "Mean of log P(stereotypical words) − log P(anti-stereotypical words). Ideal 0.",
            ),
            Secondary(
                "lms",
                "language modelling score",
                "Share of the sentences with unrelated words in which the words of both sets together have "
                "more probability than the unrelated ones, in percent. Without any preference 66.7 if "
                "every set has one word.",
            ),
        ),
    },
    name="token_sets",
    revision=2,
    title="Token sets at one mask",
    summary=(
        "Share of sentences in whose blank a masked language model gives stereotypical words more probability "
        "together than anti-stereotypical ones, in percent."
    ),
    references=("maddalozzo2023methods",),
    score_name="share of stereotypical sets",
    needs=("scores masked tokens",),
    columns=("text", "stereotypical", "anti_stereotypical", "bias_type"),
    optional_columns=("unrelated",),
    caveats=(
        "The two sets compete as wholes: a frequent word, or one word more on one side, moves the score without any "
        "stereotype.",
        "StereoSet's sentences of one target term resemble one another. The p-value counts them as "
        "independent, and is too small.",
        CANCEL_OUT,
    ),
)
