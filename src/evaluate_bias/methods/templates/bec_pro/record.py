"""What the library knows about bec_pro."""

from __future__ import annotations

from ....data.kinds import BEC_PRO
from ....method import MethodRecord, PValue, Secondary, Units
from ...record_parts import TEMPLATES_DISAGREE

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="bec_pro",
    title="Bias Evaluation Corpus with Professions (BEC-Pro)",
    summary=(
        "How much more, in nats, professions raise a masked language model's log-probability of words for "
        "persons of the gender that dominates them than of words for persons of the other gender."
    ),
    paper=(
        "Bartl, Nissim and Gatt (2020): Unmasking Contextual Stereotypes: Measuring and Mitigating BERT's "
        "Gender Bias. Second Workshop on Gender Bias in Natural Language Processing, 1-16"
    ),
    url="https://aclanthology.org/2020.gebnlp-1.1",
    bibtex="""@inproceedings{bartl2020unmasking,
  title     = {Unmasking Contextual Stereotypes: Measuring and Mitigating {BERT}'s Gender Bias},
  author    = {Bartl, Marion and Nissim, Malvina and Gatt, Albert},
  booktitle = {Proceedings of the Second Workshop on Gender Bias in Natural Language Processing},
  pages     = {1--16},
  year      = {2020},
  url       = {https://aclanthology.org/2020.gebnlp-1.1}
}""",
    score_name="stereotypical association",
    score_range=(None, None),
    direction="two_sided",
    ideal=0.0,
    interpretation=(
        "Positive: female words gain in female professions and male words in male ones; negative: the "
        "other way round. In a group of professions that no gender dominates, positive says that female "
        "words gain."
    ),
    above="professions go with the gender that prevails in them",
    below="professions go with the gender that does not prevail in them",
    needs=("scores masked tokens",),
    columns=("sentence", "person", "gender", "profession", "profession_gender", "template"),
    data=BEC_PRO,
    group_by="profession",
    caveats=(
        (
            "In languages where a profession has a form for each gender, such as German, the score mostly "
            "tells that the model knows the grammar (Bartl et al. 2020)."
        ),
        TEMPLATES_DISAGREE,
    ),
    secondary=(
        Secondary(
            key="female",
            title="female words",
            meaning=(
                "Mean association of the female words with the professions, in nats: above 0 where the "
                "professions raise their probability."
            ),
        ),
        Secondary(
            key="male",
            title="male words",
            meaning="Mean association of the male words with the professions, in nats.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests, with these words for persons taken as given, whether female and male "
            "professions differ; the interval draws the words too and can hold 0 where the p-value is "
            "small."
        ),
        small="With these words, female and male professions differ",
        large="With these words, female and male professions cannot be told apart",
        parts=PValue(
            meaning=(
                "The p-value of a group of professions tests whether, with these words, those of one "
                "gender gain more in it; words that gain in all professions alike make it small too, so "
                "that it says nothing of a difference between the groups."
            ),
            small="Within the group, the words of one gender gain more than those of the other",
            large="Within the group, the words of the two genders cannot be told apart",
        ),
    ),
    units=Units(name="professions", value="score", score="own", strata=("profession_gender",)),
)
