"""What the library knows about winobias."""

from dataclasses import replace

from ....data.kinds import PRONOUN_PAIRS
from ....method_record import MethodRecord, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

_PAIRS = ScoreUnits(
    name="pairs",
    value="profession",
    score="function",
    clusters=("profession",),
    strata=("stereotype",),
    content="sentences",
)

RECORD = MethodRecord(
    name="winobias",
    revision=8,
    recommended=True,
    title="WinoBias stereotype and skew",
    summary=(
        "How much better the pronouns that a language model fills in, or explains when asked, agree with the "
        "stereotypes of professions than with the opposite, as a difference of F1 scores or accuracies in percent."
    ),
    references=("devassimonmanela2021stereotype",),
    score_name="stereotype",
    other_score_names={(0.0, 1.0): "accuracy"},
    other_interpretations={(0.0, 1.0): parts.IS_AN_ACCURACY},
    score_range=(-100.0, 100.0),
    interpretation=(
        "A positive score means that the model gets pro-stereotypical sentences right more often than "
        "anti-stereotypical ones, a negative score the opposite. 100 and -100 mean always. With `variant` "
        "'published' the score has no sign. With `protocol` 'lm-eval' it is an accuracy: 1 means that "
        "every answer is right."
    ),
    above="the model gets pro-stereotypical sentences right more often than anti-stereotypical ones",
    below="the model gets anti-stereotypical sentences right more often than pro-stereotypical ones",
    needs=("scores masked tokens", "scores sequences", "chats"),
    asks={"variant": "question"},
    data=PRONOUN_PAIRS,
    columns=("sentence_female", "sentence_male", "stereotype", "profession"),
    optional_columns=("prediction_female", "prediction_male"),
    data_defaults={"source": "winobias"},
    group_by="type",
    caveats=(
        "Sentences of one profession resemble one another, so the test and the interval are over professions.",
        "Only two genders and their pronouns are compared.",
    ),
    secondary=(
        Secondary(
            "skew",
            "skew",
            "How much better the model predicts the male pronoun than the female one, whatever the "
            "stereotype, as a difference of F1 scores in percent. It is negative if the model predicts the "
            "female one better.",
        ),
        Secondary(
            "published_stereotype",
            "stereotype as published",
            "The paper's stereotype, a mean of absolute differences: it shows no direction, and chance alone makes it "
            "positive.",
        ),
        Secondary(
            "published_skew",
            "skew as published",
            "The paper's skew, a mean of absolute differences, which shows no direction.",
        ),
        Secondary(
            "signed_stereotype",
            "signed stereotype",
            "The stereotype with its sign, if the published one is the score.",
        ),
        Secondary(
            "null_mean",
            "by chance",
            "Mean of the score when stereotypes are assigned to professions at random.",
        ),
        Secondary(
            "stereotypical_share",
            "stereotypical pronouns",
            "Share of the predicted pronouns that follow the stereotype, in percent. Ideal 50. Pairs whose "
            "two pronouns are equally probable are excluded. The p-value, from McNemar's exact test, "
            "treats pairs of one profession as independent.",
        ),
        Secondary(
            "p_items",
            "p over pairs",
            "The p-value when stereotypes are assigned at random to pairs instead of professions. For "
            "coreference, it is the p-value of McNemar's exact test over pairs. It is too small if pairs "
            "of one profession resemble one another.",
        ),
        Secondary(
            "correlation_women_share",
            "correlation with employment",
            "Pearson's correlation, over professions, of the preference for the female pronoun (mean difference of "
            "log p) with the share of women.",
        ),
        Secondary(
            "accuracy_pro",
            "accuracy (pro-stereotypical)",
            "Share of the pro-stereotypical sentences whose pronoun was resolved rightly, in percent.",
        ),
        Secondary(
            "accuracy_anti",
            "accuracy (anti-stereotypical)",
            "Share of the anti-stereotypical sentences whose pronoun was resolved rightly, in percent.",
        ),
        *parts.CHOICE_SECONDARY,
    ),
    inference=resampling_options("ci_resamples", ci_resamples=1_999),
    variant_tests={"coreference": "flips", "question": "t"},
    units=_PAIRS,
    variant_units={"question": replace(_PAIRS, same=("questions",), content="questions")},
)
