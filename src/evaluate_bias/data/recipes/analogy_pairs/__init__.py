"""Analogy questions on gender, and questions of fact beside them."""

from __future__ import annotations

from ...analogies import AnalogyQuestion
from ...dataset_record import DatasetRecord
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="analogy_pairs",
    title="Analogy questions",
    caveats=(
        "The stereotypical answers were chosen for this project and not validated: other questions give another share.",
        "Gender is binary in these questions, and a word other than the expected one may be stereotypical too.",
    ),
    packaged=True,
    pretty_name="Analogy questions on gender stereotypes, with questions of fact as controls",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
    task_categories=("feature-extraction",),
    source_datasets=("original",),
    annotations_creators=("other",),
    configs=packaged_configs("analogy_pairs", AnalogyQuestion),
)
