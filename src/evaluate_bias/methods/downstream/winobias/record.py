"""What the library knows about winobias."""

from __future__ import annotations

from ....data.kinds import PRONOUN_PAIRS
from ....method import MethodRecord, PValue, Secondary, Units

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="winobias",
    title="WinoBias stereotype and skew",
    summary=(
        "How much better the pronouns that a language model fills in agree with the stereotypes of professions than "
        "with their opposite, as a difference of F1 scores in percent."
    ),
    paper=(
        "de Vassimon Manela, Errington, Fisher, van Breugel and Minervini (2021): Stereotype and Skew: Quantifying "
        "Gender Bias in Pre-trained and Fine-tuned Language Models. EACL 2021"
    ),
    url="https://doi.org/10.18653/v1/2021.eacl-main.190",
    bibtex="""@inproceedings{devassimonmanela2021stereotype,
  title     = {Stereotype and Skew: Quantifying Gender Bias in Pre-trained and Fine-tuned Language Models},
  author    = {de Vassimon Manela, Daniel and Errington, David and Fisher, Thomas and van Breugel, Boris and
               Minervini, Pasquale},
  booktitle = {Proceedings of EACL 2021},
  year      = {2021}
}""",
    score_name="stereotype",
    score_range=(0.0, 100.0),
    direction="higher_is_more_biased",
    ideal=0.0,
    interpretation=(
        "0 means that pronouns follow stereotypes as often as they go against them, 100 that they always do one of the "
        "two, and the signed stereotype tells which; the score of a coreference system has that sign itself, and is "
        "negative where it resolves the anti-stereotypical sentences better."
    ),
    above="what it predicts depends on what a stereotype expects of the profession",
    below="it resolves the anti-stereotypical sentences better than the pro-stereotypical ones",
    needs=("scores masked tokens", "scores sequences"),
    data=PRONOUN_PAIRS,
    columns=("sentence_female", "sentence_male", "stereotype", "profession"),
    optional_columns=("prediction_female", "prediction_male"),
    data_defaults={"source": "winobias"},
    group_by="type",
    caveats=(
        "A difference without its sign is never below 0, so chance alone makes it positive: its mean when stereotypes "
        "are given to professions at random stands beside it.",
        "Sentences of one profession resemble one another, so the test and the interval are over professions.",
        "Only two genders and their pronouns are compared.",
    ),
    secondary=(
        Secondary(
            key="skew",
            title="skew",
            meaning=(
                "How much better one pronoun is predicted than the other whatever the stereotype, in percent of F1."
            ),
        ),
        Secondary(
            key="signed_stereotype",
            title="signed stereotype",
            meaning=(
                "Stereotype with its sign: positive where pronouns follow stereotypes, negative where they oppose them."
            ),
        ),
        Secondary(
            key="signed_skew",
            title="signed skew",
            meaning="Skew with its sign: positive where the male pronoun is preferred.",
        ),
        Secondary(
            key="null_mean",
            title="by chance",
            meaning="Mean of the score when stereotypes are given to professions at random.",
        ),
        Secondary(
            key="stereotypical_share",
            title="stereotypical pronouns",
            meaning=(
                "Share of the predicted pronouns that a stereotype expects, in percent, ideal 50; pairs with equally "
                "probable pronouns are left out of the share, its interval and its p-value, McNemar's exact test, "
                "which takes pairs of one profession for independent."
            ),
        ),
        Secondary(
            key="p_items",
            title="p over pairs",
            meaning=(
                "The p-value when stereotypes are given to pairs instead of professions at random, and for coreference "
                "McNemar's exact test over pairs; too small where pairs of a profession resemble one another."
            ),
        ),
        Secondary(
            key="correlation_women_share",
            title="correlation with employment",
            meaning=(
                "Pearson's correlation, over professions, of the preference for the female pronoun (mean difference of "
                "log p) with the share of women."
            ),
        ),
        Secondary(
            key="accuracy_pro",
            title="accuracy, pro-stereotypical",
            meaning="Share of the pro-stereotypical sentences whose pronoun a coreference system resolved, in percent.",
        ),
        Secondary(
            key="accuracy_anti",
            title="accuracy, anti-stereotypical",
            meaning="The same of the anti-stereotypical sentences.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests over professions whether what is predicted depends on their stereotype: pronouns by "
            "giving the stereotypes to professions at random, coreference by exchanging the two sentences of all pairs "
            "of a profession."
        ),
        small="predictions depend on the stereotypes more than chance makes them",
        large="a dependence as large as this arises by chance",
    ),
    units=Units(
        name="pairs", value="profession", score="own", clusters=("profession",), strata=("stereotype",)
    ),
)
