"""What the library knows about seed_sensitivity."""

from ....data.kinds import WORD_LISTS
from ....method_record import MethodRecord, Robustness, Secondary
from ... import record_parts as parts

RECORD = MethodRecord(
    name="seed_sensitivity",
    revision=3,
    title="Seed sensitivity",
    summary=(
        "Share of random subsets of a measurement's words, or items, that lead to the same conclusion as all of them."
    ),
    references=("antoniak2021bad",),
    score_name="share of the subsets with the same conclusion",
    score_range=(0.0, 1.0),
    direction="higher_is_more_robust",
    ideal=1.0,
    interpretation=(
        "Near 1, the conclusion hardly depends on the choice among these words. At one half, every second "
        "subset leads to another conclusion."
    ),
    needs=(
        "embeds words",
        "embeds words in context",
        "scores masked tokens",
        "scores sequences",
        "fills a mask",
        "counts words",
    ),
    columns=("name", "targets_x", "targets_y", "attributes_a", "attributes_b"),
    data=WORD_LISTS,
    caveats=(
        "It measures the measurement: a conclusion can be true for every subset of these words and change "
        "with other words.",
        ("Subsets have fewer words, so many of them lose a p-value just below 5% for lack of words alone."),
    ),
    secondary=(
        Secondary(
            "measured_score",
            "score (range over subsets)",
            "The score of all words, with the central range of the subsets' scores: 95% of them at a confidence level "
            "of 95%.",
        ),
        Secondary(
            "sd",
            "sd over subsets",
            "Standard deviation of the subsets' scores, in units of the score.",
        ),
        Secondary(
            "side_flips",
            "subsets on the other side",
            "Share of the subsets whose score lies on the other side of the ideal value from the score of all words.",
        ),
        Secondary(
            "verdict_flips",
            "subsets with another verdict",
            "Share of the subsets whose p-value is below 5% although the p-value of all words is not, or "
            "the reverse. Absent for methods without a p-value.",
        ),
        Secondary(
            "largest_change",
            "largest change by one word",
            "Largest change of the score when a single word, or item, is removed.",
        ),
    ),
    robustness=Robustness(aspect="seeds"),
    no_units=parts.SUBSETS_OVERLAP,
)
