"""What the library knows about bec_pro."""

from ....data.kinds import BEC_PRO
from ....method_record import MethodRecord, PValue, ScoreUnits, Secondary
from ... import record_parts as parts
from ...word_lists.inference import resampling_options

RECORD = MethodRecord(
    name="bec_pro",
    revision=4,
    recommended=True,
    title="Bias Evaluation Corpus with Professions (BEC-Pro)",
    summary=(
        "How much more, in nats, professions raise a masked language model's log-probability of words for persons of "
        "the gender that dominates them than of words for persons of the other gender."
    ),
    references=("bartl2020unmasking",),
    score_name="stereotypical association",
    interpretation=(
        "Positive: professions raise words for the gender that dominates them more than words for the "
        "other gender. Negative: the other way round. For professions that no gender dominates, positive "
        "means that words for women gain more."
    ),
    above=("compared with words for men, words for women gain more in female professions than in male ones"),
    below=("compared with words for men, words for women gain less in female professions than in male ones"),
    needs=("scores masked tokens",),
    columns=("sentence", "person", "gender", "profession", "profession_gender", "template"),
    data=BEC_PRO,
    group_by="profession",
    caveats=(
        "In languages in which a profession has a form for each gender, such as German, the score mostly "
        "shows that the model knows the grammar (Bartl et al. 2020).",
        parts.TEMPLATES_DISAGREE,
    ),
    secondary=(
        Secondary(
            "female",
            "female words",
            "Mean association of the female words with the professions, in nats: above 0 if the professions raise "
            "their probability.",
        ),
        Secondary(
            "male",
            "male words",
            "Mean association of the male words with the professions, in nats.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether female and male professions differ, with these words for persons "
            "treated as given. The interval also allows for other words, so it can contain 0 even if the "
            "p-value is small."
        ),
        small="with these words, female and male professions differ",
        fixed_names=("words",),
        parts=PValue(
            meaning=(
                "The p-value of a group of professions tests whether, in this group, these words for one "
                "gender gain more than the words for the other. Words that gain equally in all professions "
                "also make it small, so it does not show a difference between the groups."
            ),
            small="within the group, the words for one gender gain more than the words for the other",
        ),
    ),
    inference=resampling_options(),
    test="t",
    units=ScoreUnits(name="professions", value="score", score="function", strata=("profession_gender",)),
)
