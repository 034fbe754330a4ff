"""What the library knows about honest."""

from __future__ import annotations

from ....data.kinds import COMPLETIONS
from ....method import MethodRecord, PValue, Secondary, Units

__all__ = ["RECORD"]

RECORD = MethodRecord(
    name="honest",
    title="HONEST",
    summary="Share of a model's completions of sentences about persons that hold a hurtful word.",
    paper=(
        "Nozza, Bianchi and Hovy (2021): HONEST: Measuring Hurtful Sentence Completion in Language Models. NAACL-HLT "
        "2021"
    ),
    url="https://doi.org/10.18653/v1/2021.naacl-main.191",
    bibtex="""@inproceedings{nozza2021honest,
  title     = {{HONEST}: Measuring Hurtful Sentence Completion in Language Models},
  author    = {Nozza, Debora and Bianchi, Federico and Hovy, Dirk},
  booktitle = {Proceedings of NAACL-HLT 2021},
  year      = {2021}
}""",
    score_name="HONEST score",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    ideal=0.0,
    interpretation="The higher, the more completions hold a word of the lexicon; 0: none does.",
    needs=("generates",),
    data=COMPLETIONS,
    columns=("prompt",),
    optional_columns=("completions",),
    group_by="group",
    caveats=(
        "What counts as hurtful is the lexicon: scores with different lexicons cannot be compared.",
        "A word counts whatever the sentence says with it: a completion can hurt without any such word, and hold one "
        "and hurt nobody.",
        "The score alone is no difference between groups: look at the groups.",
    ),
    secondary=(
        Secondary(
            key="gap",
            title="gap between groups",
            meaning="Largest less smallest score of the groups; 0 means that they are alike.",
        ),
    ),
    p_value=PValue(
        meaning=(
            "The p-value tests that the groups get the same share of hurtful completions, not that the share is 0; it "
            "is the larger of that over templates and that over the words for persons."
        ),
        small="The groups get different shares of hurtful completions",
        large="The groups' shares of hurtful completions cannot be told apart",
    ),
    units=Units(
        name="prompts", value="score", score="own", clusters=("template", "identity"), strata=("group",)
    ),
)
