"""Analogy questions on gender, and questions of fact beside them."""

from ...analogies import AnalogyQuestion
from .._shared import packaged_words

RECORD = packaged_words(
    "analogy_pairs",
    "Analogy questions",
    "Analogy questions on gender stereotypes, with questions of fact as controls",
    caveats=(
        "The stereotypical answers were chosen for this project and not validated: other questions give another share.",
        "Gender is binary in these questions, and a word other than the expected one may be stereotypical too.",
    ),
    model=AnalogyQuestion,
)
