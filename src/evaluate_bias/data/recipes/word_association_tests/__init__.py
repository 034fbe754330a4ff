"""Word lists of the tests of word association of Bai et al."""

from __future__ import annotations

from ...association_tests import WordAssociationTest
from ...dataset_record import DatasetRecord
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="word_association_tests",
    title="Word association tests of Bai et al.",
    caveats=(
        "The lists come from implicit association tests made in the United States: their names and words stand for "
        "groups as seen there.",
        "Some tests ask about a group by a single word, such as 'gay': a score describes that word.",
    ),
    packaged=True,
    pretty_name="Word association tests for chat models",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "evaluation"),
    task_categories=("text-generation",),
    source_datasets=("extended",),
    annotations_creators=("expert-generated",),
    papers=("https://arxiv.org/abs/2402.04105",),
    configs=packaged_configs(
        "word_association_tests",
        WordAssociationTest,
        {"en": "mit"},
        without=("answers",),
        rights="Copyright (c) 2025 Xuechunzi Bai",
    ),
)
"""One configuration, in English."""
