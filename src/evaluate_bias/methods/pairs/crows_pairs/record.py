"""What the library knows about crows_pairs."""

from ....method_record import MethodRecord, ScoreUnits
from ... import record_parts as parts
from ..shared import CANCEL_OUT, PREFERENCE, counting_options

RECORD = MethodRecord(
    **{
        **PREFERENCE,
        "secondary": (*PREFERENCE["secondary"], *parts.CHOICE_SECONDARY),
        "inference": counting_options(round_to=3),
    },
    name="crows_pairs",
    revision=5,
    recommended=True,
    title="CrowS-Pairs",
    summary=(
        "Share of sentence pairs whose more stereotypical sentence a language model finds more likely or, when asked, "
        "chooses, in percent."
    ),
    references=("nangia2020crows",),
    score_name="metric score",
    needs=("scores masked tokens", "scores sequences", "chats"),
    asks={"variant": "choice"},
    causal={"variant": "causal"},
    columns=("sent_more", "sent_less", "stereo_antistereo", "bias_type"),
    caveats=(CANCEL_OUT,),
    variant_tests={"choice": "t"},
    variant_units={
        "choice": ScoreUnits(name="pairs", value="share", same=("questions",), content="questions")
    },
)
