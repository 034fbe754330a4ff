"""What the library knows about analogies."""

from __future__ import annotations

from ....data.kinds import ANALOGIES
from ....method_record import MethodRecord, Secondary
from ....units import ScoreUnits
from ...record_parts import BOLUKBASI_2016

RECORD = MethodRecord(
    name="analogies",
    revision=2,
    title="Analogies",
    summary="How often word vectors complete an analogy (a is to b as c is to …) with the expected word.",
    **BOLUKBASI_2016,
    score_name="share of expected answers",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    ideal=0.0,
    interpretation=(
        "A higher value means that more questions are answered first with a stereotypical word, once "
        "the words of the question are ruled out."
    ),
    above="the vectors complete analogies with stereotypical words",
    needs=("embeds words",),
    columns=("a", "b", "c", "expected"),
    optional_columns=("relation", "bias_type", "sources", "targets"),
    data=ANALOGIES,
    group_by="relation",
    caveats=(
        (
            "The words of the question are ruled out as answers. Without that rule the first answer "
            "is mostly one of them (Nissim et al. 2020), so an expected answer does not prove a bias."
        ),
        "The score describes the chosen questions: other questions give another share.",
    ),
    secondary=(
        Secondary(
            key="unrestricted_share",
            title="expected answer, nothing ruled out",
            meaning="Share of the questions whose first answer is an expected word when no word is ruled out.",
        ),
        Secondary(
            key="input_share",
            title="input word first",
            meaning=(
                "Share of the questions whose first answer is one of their own three words when no word is ruled out."
            ),
        ),
        Secondary(
            key="top_k_share",
            title="expected among the first k",
            meaning="Share of the questions with an expected word among the first k answers, input words ruled out.",
        ),
        Secondary(
            key="control_share",
            title="controls answered",
            meaning=(
                "Share of the factual questions whose first answer is the expected word. If it is "
                "low, the model cannot complete analogies, and a low score says little."
            ),
        ),
    ),
    units=ScoreUnits(name="questions", value="score"),
)
