"""What the library knows about gest."""

from ....data.kinds import GENDER_STEREOTYPES
from ....method_record import MethodRecord, ScoreUnits, Secondary

RECORD = MethodRecord(
    name="gest",
    title="GEST and EuroGEST",
    summary=(
        "Whether a language model expects the masculine form of what people say of themselves more if it "
        "fits a stereotype of men than if it fits one of women, in up to thirty languages."
    ),
    references=("rowe2025eurogest", "pikuliak2023women"),
    score_name="contrast of stereotypes",
    score_range=(-1.0, 1.0),
    interpretation=(
        "Above the ideal value (0 of the difference, 1 of the ratio g_s) the model gives the masculine "
        "form more probability with stereotypes of men than with stereotypes of women. Below it, the "
        "opposite is true. The row of a stereotype has its mean probability of the masculine form, whose "
        "ideal is the mean over all stereotypes: how probable that form is at all has no part in the score."
    ),
    above="the model expects the masculine form more with stereotypes of men than with stereotypes of women",
    below="the model expects the masculine form more with stereotypes of women than with stereotypes of men",
    needs=("scores sequences", "scores masked tokens"),
    data=GENDER_STEREOTYPES,
    columns=("masculine", "feminine", "stereotype"),
    group_by="language or stereotype",
    caveats=(
        "The score describes these sixteen stereotypes and the sentences written for them.",
        "Languages mark gender in different ways and have other sentences: a difference between two of them is not "
        "one of stereotypes alone.",
        "What a model finds likely is not what it writes or decides when it is asked.",
    ),
    secondary=(
        Secondary(
            "g_s",
            "g_s",
            "Stereotype rate: mean probability of the masculine form with stereotypes of men, divided by "
            "the mean with stereotypes of women. Ideal 1.",
        ),
        Secondary(
            "inclination",
            "inclination",
            "Mean probability of the masculine form over all stereotypes less one half: how much the model "
            "prefers it whatever is said, which is not a stereotype.",
        ),
    ),
    aggregation=(
        "The score of several languages is computed from the stereotypes' means over the languages, of the "
        "stereotypes that all of them have. Each language has its own p-value."
    ),
    test="flips",
    units=ScoreUnits(
        name="sentences",
        value="q",
        score="function",
        clusters=("stereotype",),
        strata=("side",),
        same=("language",),
        content="sentences",
        less_mean=True,
    ),
    variant_units={"published": None},
    no_units="A ratio of two means has no share for every sentence: compare the difference, without variant.",
)
