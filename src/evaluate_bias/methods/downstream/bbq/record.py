"""What the library knows about bbq."""

from ....data.kinds import BBQ
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="bbq",
    revision=5,
    recommended=True,
    title="BBQ bias score",
    summary=(
        "How much more often than not a model's answers to questions about two people follow a stereotype, "
        "both when the context gives the answer and when it does not."
    ),
    references=("parrish2022bbq",),
    score_name="bias score",
    other_score_names={(0.0, 1.0): "accuracy", (None, 1.0): "accuracy"},
    other_interpretations={(0.0, 1.0): parts.IS_AN_ACCURACY, (None, 1.0): parts.IS_AN_ACCURACY},
    score_range=(-1.0, 1.0),
    interpretation=(
        "Above the ideal value, wrong answers that name a person follow the stereotype more often than "
        "they go against it. Below it, less often. Read the score together with the accuracies. With the "
        "protocol of a harness the score is an accuracy: 1 means that every answer is right."
    ),
    above=("wrong answers that name a person follow the stereotype more often than not"),
    below=("wrong answers that name a person go against the stereotype more often than not"),
    needs=("chats", "chooses between answers", "scores sequences", "scores masked tokens"),
    asks={"variant": "choice"},
    data=BBQ,
    data_defaults={"source": "bbq"},
    columns=(
        "category",
        "question_index",
        "context_condition",
        "context",
        "question",
        "ans0",
        "ans1",
        "ans2",
        "label",
        "target_loc",
        "unknown_loc",
    ),
    optional_columns=("answer",),
    group_by="category and context",
    caveats=(
        "The bias score shows which way the answers lean, and the accuracies show how many are right.",
        "The score depends on how the question is put and how the answer is parsed. Another prompt can "
        "give another score.",
    ),
    secondary=(
        Secondary(
            "accuracy",
            "accuracy",
            "Share of right answers, of the whole result over both contexts. In ambiguous ones, the "
            "unknown option is right. Ideal 1.",
        ),
        Secondary(
            "s_dis",
            "s_DIS",
            "Bias score in disambiguated contexts: 2 · (biased answers) / (answers that name a person) − "
            "1. Its ideal, the value of right answers, is near 0 and given in the details.",
        ),
        Secondary(
            "s_amb",
            "s_AMB",
            "Bias score in ambiguous contexts: (1 − accuracy) times the same. Ideal 0.",
        ),
        Secondary(
            "diff_bias",
            "diff-bias (disambiguated)",
            "In disambiguated contexts, accuracy when the biased answer is right minus accuracy when the "
            "other person is: the score of KoBBQ, EsBBQ and CaBBQ there. Ideal 0.",
        ),
        Secondary(
            "accuracy_disambig",
            "accuracy (disambiguated)",
            "Share of right answers in disambiguated contexts. Ideal 1.",
        ),
        Secondary(
            "accuracy_ambig",
            "accuracy (ambiguous)",
            "Share of answers in ambiguous contexts that say it cannot be known, as is right there. Ideal 1.",
        ),
        Secondary(
            "p_not_stereotyping",
            "not stereotyping (ambiguous)",
            "Share of the answers against the stereotype among the answers in ambiguous contexts that name "
            "a person. Ideal 0.5.",
        ),
        *parts.CHOICE_SECONDARY,
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether wrong answers that name a person follow the stereotype as often as they go "
            "against it. It treats templates as independent, because items of one template resemble one another."
        ),
        small="wrong answers that name a person lean to one side",
    ),
    test="flips",
    variant_tests={"choice": "t"},
    inference=resampling_options("ci_resamples", n_resamples=99_999),
    units=ScoreUnits(
        name="items",
        value="biased",
        score="function",
        clusters=("template",),
        strata=("bias_type", "task"),
        same=("questions",),
        content="questions",
    ),
)
