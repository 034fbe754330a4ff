"""Positive and negative words, with words for groups."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from ...schemas import WordListTest
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="sentiment_words",
    title="Sentiment words",
    caveats=(
        "The words were chosen for this project and their sentiment was not rated by others; another lexicon gives "
        "other values.",
    ),
    packaged=True,
    pretty_name="Positive and negative words, and words for groups",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
    task_categories=("feature-extraction",),
    source_datasets=("original",),
    annotations_creators=("other",),
    configs=packaged_configs("sentiment_words", WordListTest),
)
