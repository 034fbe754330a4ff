"""Word lists of the tests of word association of Bai et al."""

from ...association_tests import WordAssociationTest
from .._shared import bai_2025

RECORD = bai_2025(
    name="word_association_tests",
    title="Word association tests of Bai et al.",
    pretty_name="Word association tests for chat models",
    model=WordAssociationTest,
    without="answers",
    caveats=(
        "The lists come from implicit association tests made in the United States: their names and words stand for "
        "groups as seen there.",
        "Some tests ask about a group by a single word, such as 'gay': a score describes that word.",
    ),
)
"""One configuration, in English."""
