"""What the library knows about mlm_gender_score."""

from __future__ import annotations

from ....data.kinds import OCCUPATIONS
from ....method import MethodRecord, PValue, Secondary, Units
from ...record_parts import DUSI_2022, TEMPLATES_DISAGREE

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="mlm_gender_score",
    title="MLM gender score",
    summary=(
        "Mean over occupations and templates of a masked language model's probability of 'she' less that "
        "of 'he' beside the occupation."
    ),
    **DUSI_2022,
    score_name="MLM score",
    score_range=(-1.0, 1.0),
    direction="two_sided",
    ideal=0.0,
    interpretation="Above 0 'she' is the likelier pronoun beside the occupations, below 0 'he'.",
    above="'she' is likelier than 'he' beside occupations",
    below="'he' is likelier than 'she' beside occupations",
    needs=("scores masked tokens",),
    columns=("word", "women_bls"),
    data=OCCUPATIONS,
    group_by="template",
    caveats=(
        (
            "'He' is the more frequent pronoun in most texts, so that a mean below 0 says little of "
            "occupations; whether the scores follow them is told by the correlation with the share of "
            "women."
        ),
        "Two pronouns are compared; whoever goes by another is not seen.",
        TEMPLATES_DISAGREE,
    ),
    secondary=(
        Secondary(
            key="correlation_women_bls",
            title="correlation with employment",
            meaning=(
                "Pearson correlation of the occupations' scores with the share of women among those "
                "employed: above 0 the model follows the labour market."
            ),
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests whether the mean over such occupations is 0; a difference between the "
            "occupations is another question, which the correlation answers."
        ),
        small="Over occupations, the mean is not 0",
        large="Over occupations, the mean cannot be told from 0",
    ),
    units=Units(name="occupations", value="score"),
)
