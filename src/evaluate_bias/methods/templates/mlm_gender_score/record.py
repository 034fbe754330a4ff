"""What the library knows about mlm_gender_score."""

from ....data.kinds import OCCUPATIONS
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="mlm_gender_score",
    revision=4,
    title="MLM gender score",
    summary=(
        "Mean over occupations and templates of a masked language model's probability of 'she' minus its "
        "probability of 'he' for the occupation."
    ),
    references=("dusi2022graphical",),
    score_name="MLM score",
    score_range=(-1.0, 1.0),
    interpretation="Above 0, 'she' is the more likely pronoun for the occupations. Below 0, 'he' is.",
    above="the model finds 'she' more likely than 'he' for occupations",
    below="the model finds 'he' more likely than 'she' for occupations",
    needs=("scores masked tokens",),
    columns=("word", "women_bls"),
    data=OCCUPATIONS,
    group_by="template",
    caveats=(
        "'He' is the more frequent pronoun in most texts, so a mean below 0 says little about occupations. The "
        "correlation with the share of women shows whether the scores follow them.",
        "Only two pronouns are compared. People who use another one are not covered.",
        parts.TEMPLATES_DISAGREE,
    ),
    secondary=(
        Secondary(
            "correlation_women_bls",
            "correlation with employment",
            "Pearson correlation of the occupations' scores with the share of women among those employed: "
            "above 0 if 'she' is more likely for occupations in which more women work.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the mean over such occupations is 0. It does not test whether "
            "occupations differ, which the correlation shows."
        ),
        small="the mean over occupations differs from 0",
    ),
    inference=resampling_options(),
    test="t",
    units=ScoreUnits(name="occupations", value="score"),
)
