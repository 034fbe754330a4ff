"""Scenarios of the relative decisions of Bai et al."""

from ...decision_tests import DecisionTest
from .._shared import bai_2025

RECORD = bai_2025(
    name="relative_decision_tests",
    title="Relative decision tests of Bai et al.",
    pretty_name="Relative decision tests for chat models",
    model=DecisionTest,
    without="decisions",
    caveats=(
        "The scenarios were made in the United States: their names and words stand for groups as seen there.",
        "Many scenarios share out words such as 'joy' and 'agony': what a decision about them means is open.",
    ),
)
"""One configuration, in English."""
