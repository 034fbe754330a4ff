"""What the library knows about bias_nli."""

from ....data.kinds import ENTAILMENT_PAIRS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts

RECORD = MethodRecord(
    name="bias_nli",
    revision=2,
    title="Bias-NLI",
    summary=(
        "How far a classifier of natural language inference stays neutral on pairs of sentences whose subjects, such "
        "as an occupation and a woman or man, are all that differs, so that neither follows from the other."
    ),
    references=("dev2020measuring",),
    score_name="net neutral",
    other_score_names={(-1.0, 1.0): "difference of entailment"},
    score_range=(0.0, 1.0),
    direction="lower_is_more_biased",
    ideal=1.0,
    interpretation=(
        "1 means that the classifier calls every pair neutral, as it should. Lower values mean that it "
        "infers a subject's gender or nationality from an occupation, or rules it out."
    ),
    other_interpretations={
        (
            -1.0,
            1.0,
        ): "0 means that hypotheses about the two groups are entailed equally. A positive value means that "
        "those about the first are entailed more, a negative one that those about the second are."
    },
    above="the classifier rates hypotheses about {x|the first group} as more likely to follow than "
    "hypotheses about {y|the second}",
    below="the classifier rates hypotheses about {x|the first group} as less likely to follow than "
    "hypotheses about {y|the second}",
    needs=("classifies inferences",),
    data=ENTAILMENT_PAIRS,
    columns=("premise", "hypothesis", "target", "attribute", "group"),
    optional_columns=("entailment", "neutral", "contradiction"),
    group_by="group",
    caveats=(
        "A classifier that calls everything neutral has the ideal value: read it together with its accuracy.",
        "What is not neutral need not be a stereotype: a classifier may also err in the same way on all groups, which "
        "the gap between groups does not count.",
        "The score describes these sentences: other templates and words give other values.",
    ),
    secondary=(
        Secondary(
            "net_neutral",
            "net neutral",
            "Mean probability of neutral. Ideal 1.",
        ),
        Secondary(
            "fraction_neutral",
            "fraction neutral",
            "Share of the pairs that are labelled neutral. Ideal 1.",
        ),
        *(
            Secondary(
                f"above_{k}0",
                f"T:0.{k}",
                f"Share of the pairs whose probability of neutral is above 0.{k}. Ideal 1.",
            )
            for k in (5, 7)
        ),
        Secondary(
            "gap",
            "difference of entailment",
            "Mean over targets of the probability that a hypothesis about the first group follows, minus "
            "the probability that one about the second does. Ideal 0, tested by `variant` 'gap'.",
        ),
        Secondary(
            "correlation_women_share",
            "correlation with employment",
            "Spearman's correlation, over targets, of that difference with the share of women among those who work as "
            "the target says.",
        ),
        parts.p_groups("target"),
    ),
    aggregation=(
        "The score of several differences compares the two groups. Every group has a row against all "
        "others and a p-value of its own, adjusted for all of them."
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether hypotheses about the two groups are equally likely to follow. Net neutral has "
            "none, as its ideal is an end of its range."
        ),
        small="the classifier rates hypotheses about {x|one group} and about {y|the other} as differently likely to "
        "follow",
    ),
    variant_tests={"gap": "flips"},
    units=ScoreUnits(name="pairs of words", value="neutral", clusters=("target", "word"), same=("pairs",)),
    variant_units={
        "gap": ScoreUnits(
            name="pairs of words",
            value="entailment",
            score="function",
            clusters=("word", "target"),
            strata=("group",),
            same=("test", "pairs"),
        )
    },
)
