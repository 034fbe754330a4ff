"""What the library knows about rnsb."""

from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import inference_options

RECORD = MethodRecord(
    name="rnsb",
    revision=4,
    title="Relative Negative Sentiment Bias (RNSB)",
    summary=(
        "How unevenly a sentiment classifier, trained on positive and negative words, spreads negative sentiment over "
        "words for groups, as a divergence from the uniform distribution."
    ),
    references=("sweeney2019transparent",),
    score_name="relative negative sentiment bias",
    score_range=(0.0, None),
    direction="higher_is_more_biased",
    interpretation=(
        "0 means that all target words are equally negative. Higher values mean that negative sentiment "
        "concentrates on some of them."
    ),
    above="negative sentiment falls more on some target words than on others",
    **parts.ON_WORD_VECTORS,
    columns=("name", "targets_x", "attributes_a", "attributes_b"),
    optional_columns=("targets_y",),
    data_defaults={"source": "sentiment_words"},
    caveats=(
        parts.CHOSEN_WORDS,
        "Words always differ somewhat, so the divergence of a finite list is above 0: compare it with the "
        "divergence of random labels (the p-value), not with 0 alone.",
        "The score is meaningful only if the classifier works: look at its accuracy in the cross-validation.",
    ),
    secondary=(
        Secondary(
            "accuracy",
            "accuracy of the classifier",
            "Share of the sentiment words that it gets right in a cross-validation of five folds.",
        ),
        Secondary(
            "share_x",
            "share of the first targets",
            "Share of the negative sentiment that falls on the first targets. An even spread gives their "
            "share of the words.",
        ),
    ),
    aggregation=parts.MEAN_OF_TESTS,
    p_value=PValue(
        meaning=(
            "The p-value tests whether it matters which sentiment words are negative: it compares the score with the "
            "scores of classifiers trained on randomly labelled words."
        ),
        small=(
            "the classifier spreads negative sentiment less evenly over the target words than classifiers trained on "
            "random labels do"
        ),
    ),
    inference=inference_options(
        "n_resamples", "same_vector", n_resamples=999, ci="percentile", ci_resamples=999
    ),
    test="attributes",
    units=ScoreUnits(name="words", value="negative", score="function", list="words"),
)
