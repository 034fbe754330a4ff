"""What the library knows about aula."""

from ....method_record import MethodRecord
from ..shared import CANCEL_OUT, PREFERENCE, SEES_ITS_TOKENS

RECORD = MethodRecord(
    **PREFERENCE,
    references=("kaneko2022unmasking",),
    name="aula",
    revision=3,
    title="All Unmasked Likelihood with Attention weights (AULA)",
    summary=(
        "Like AUL, but each token's log-probability is weighted by the attention it receives, in percent."
    ),
    score_name="bias score",
    needs=("scores masked tokens",),
    columns=("sent_more", "sent_less", "bias_type"),
    caveats=(
        "Attention is not importance: the weights are a choice of the method.",
        SEES_ITS_TOKENS,
        CANCEL_OUT,
    ),
)
