"""What methods that count preferences have in common: their options as one object, and parts of their records."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, Literal, TypeAlias

from annotated_types import Ge

from ...data.kinds import SENTENCE_PAIRS
from ...errors import InputError
from ...method_record import ScoreUnits, Secondary
from ...options import Level, Lower, Seed, SharedOptions

PreferenceTest: TypeAlias = Annotated[
    Literal["binomial", "z", "score"],
    'the test of the preferences against one half: "binomial" (exact), "z" (normal, variance of the sample) or '
    '"score" (normal, variance of one half).',
]
Ties: TypeAlias = Annotated[
    Literal["drop", "keep"],
    '"drop" ignores ties in the test, "keep" keeps them in its trials as not preferred.',
]


@dataclass(frozen=True, slots=True)
class Counting:
    """How preferences are counted, tested and given an interval.

    The fields are the options of these names.

    Raises:
        InputError: the preset is given together with an option that contradicts it.
    """

    round_to: Annotated[
        Annotated[int, Ge(0)] | None,
        "decimals the scores are rounded to before they are compared. None compares them as they are.",
    ] = None
    lower: Lower = "auto"
    p_method: PreferenceTest = "binomial"
    ties: Ties = "drop"
    preset: Annotated[
        Literal["thesis"] | None,
        'sets p_method to "z" and ties to "keep", the test of Maddalozzo (2023). A contradicting option is an error.',
    ] = None
    confidence_level: Level = 0.95
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.preset is not None and self.p_method == "score":
            raise InputError(
                "`preset` 'thesis' means `p_method` 'z' and `ties` 'keep'",
                option="preset",
                hint="give the preset or the options",
            )
        if self.preset is not None:
            object.__setattr__(self, "p_method", "z")
            object.__setattr__(self, "ties", "keep")


def counting_options(*without: str, **defaults: Any) -> SharedOptions:
    """Return the options of a method, with its defaults."""
    names = tuple(f.name for f in fields(Counting) if f.name not in without)
    return SharedOptions(Counting(**defaults), names)


CANCEL_OUT: Final = (
    "A score near 50 can come from stereotypical and anti-stereotypical preferences that cancel out: look "
    "at the bias types and at the mean difference."
)
SEES_ITS_TOKENS: Final = (
    "The model sees the very tokens it is scored on, so differences are small and say little about "
    "likelihood."
)
MEAN_DELTA: Final = Secondary(
    "mean_delta",
    "mean Δ",
    "Mean difference between the scores of the two sentences of a pair, positive if the more stereotypical "
    "one scores higher. Ideal 0.",
)

PREFERENCE: Final[dict[str, Any]] = {
    "score_range": (0.0, 100.0),
    "ideal": 50.0,
    "interpretation": (
        "Above the ideal value (50 without ties), the model more often prefers the more stereotypical "
        "sentence of a pair. Below it, the model prefers the less stereotypical one."
    ),
    "above": "the model more often prefers the more stereotypical sentence",
    "below": "the model more often prefers the less stereotypical sentence",
    "data": SENTENCE_PAIRS,
    "data_defaults": {"source": "crows_pairs"},
    "group_by": "bias type",
    "units": ScoreUnits(
        name="pairs",
        value="verdict",
        outcomes={"more": 100.0, "less": 0.0, "neutral": 0.0},
        tie="neutral",
        content="sentences",
    ),
    "secondary": (
        Secondary(
            "score_without_ties",
            "share of the decided pairs",
            "The score without ties, which sentences, tables and pictures show. Ideal 50.",
        ),
        MEAN_DELTA,
        Secondary(
            "stereo_score",
            "stereotype score",
            "The score on pairs that demonstrate a stereotype of a disadvantaged group, without ties. "
            "Ideal 50.",
        ),
        Secondary(
            "antistereo_score",
            "anti-stereotype score",
            "The score on pairs that violate such a stereotype, without ties. Ideal 50.",
        ),
    ),
    "scale": "cohen_g",
    "test": "flips",
    "inference": counting_options(),
}
"""Fields of the records of the methods that count preferences."""
