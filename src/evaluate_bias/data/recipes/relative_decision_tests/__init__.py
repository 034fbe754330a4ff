"""Scenarios of the relative decisions of Bai et al."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from ...decision_tests import DecisionTest
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="relative_decision_tests",
    title="Relative decision tests of Bai et al.",
    caveats=(
        "The scenarios were made in the United States: their names and words stand for groups as seen there.",
        "Many scenarios share out words such as 'joy' and 'agony': what a decision about them means is open.",
    ),
    packaged=True,
    pretty_name="Relative decision tests for chat models",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "evaluation"),
    task_categories=("text-generation",),
    source_datasets=("extended",),
    annotations_creators=("expert-generated",),
    papers=("https://arxiv.org/abs/2402.04105",),
    configs=packaged_configs(
        "relative_decision_tests",
        DecisionTest,
        {"en": "mit"},
        without=("decisions",),
        rights="Copyright (c) 2025 Xuechunzi Bai",
    ),
)
"""One configuration, in English."""
