"""What the library knows about pll."""

from ....method_record import MethodRecord
from ..shared import CANCEL_OUT, PREFERENCE

RECORD = MethodRecord(
    **PREFERENCE,
    name="pll",
    revision=3,
    title="Pseudo-log-likelihood preference (PLL)",
    summary=(
        "Share of sentence pairs whose more stereotypical sentence has the higher pseudo-log-likelihood, in percent."
    ),
    references=("salazar2020masked",),
    score_name="preference score",
    needs=("scores masked tokens",),
    columns=("sent_more", "sent_less", "bias_type"),
    caveats=(
        "The whole sentence is scored, the group word included: a frequent group word alone can decide a pair.",
        CANCEL_OUT,
    ),
)
