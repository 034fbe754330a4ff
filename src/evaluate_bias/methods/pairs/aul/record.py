"""What the library knows about aul."""

from ....method_record import MethodRecord
from ..shared import CANCEL_OUT, PREFERENCE, SEES_ITS_TOKENS

RECORD = MethodRecord(
    **PREFERENCE,
    references=("kaneko2022unmasking",),
    name="aul",
    revision=3,
    title="All Unmasked Likelihood (AUL)",
    summary=(
        "Share of sentence pairs whose more stereotypical sentence has the higher mean log-probability of its tokens "
        "with nothing masked, in percent."
    ),
    score_name="bias score",
    needs=("scores masked tokens",),
    columns=("sent_more", "sent_less", "bias_type"),
    caveats=(SEES_ITS_TOKENS, CANCEL_OUT),
)
