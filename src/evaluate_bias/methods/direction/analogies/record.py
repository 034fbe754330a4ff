"""What the library knows about analogies."""

from ....data.kinds import ANALOGIES
from ....method_record import MethodRecord, ScoreUnits, Secondary

RECORD = MethodRecord(
    name="analogies",
    revision=2,
    title="Analogies",
    summary="How often word vectors complete an analogy (a is to b as c is to …) with the expected word.",
    references=("bolukbasi2016man",),
    score_name="share of expected answers",
    score_range=(0.0, 1.0),
    direction="higher_is_more_biased",
    interpretation=(
        "A higher value means that more questions are answered first with a stereotypical word, once the words of the "
        "question are ruled out."
    ),
    above="the vectors complete analogies with stereotypical words",
    needs=("embeds words",),
    columns=("a", "b", "c", "expected"),
    optional_columns=("relation", "bias_type", "sources", "targets"),
    data=ANALOGIES,
    group_by="relation",
    caveats=(
        "The words of the question are ruled out as answers. Without that rule the first answer is mostly one of them "
        "(Nissim et al. 2020), so an expected answer does not prove a bias.",
        "The score describes the chosen questions: other questions give another share.",
    ),
    secondary=(
        Secondary(
            "unrestricted_share",
            "expected answer, nothing ruled out",
            "Share of the questions whose first answer is an expected word when no word is ruled out.",
        ),
        Secondary(
            "input_share",
            "input word first",
            "Share of the questions whose first answer is one of their own three words when no word is ruled out.",
        ),
        Secondary(
            "top_k_share",
            "expected among the first k",
            "Share of the questions with an expected word among the first k answers, input words ruled out.",
        ),
        Secondary(
            "control_share",
            "controls answered",
            "Share of the factual questions whose first answer is the expected word. If it is low, the model cannot "
            "complete analogies, and a low score says little.",
        ),
    ),
    units=ScoreUnits(name="questions", value="score"),
)
