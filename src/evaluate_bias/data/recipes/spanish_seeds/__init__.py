"""Seed words for groups in Spanish."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from ...schemas import WordListTest
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="spanish_seeds",
    title="Spanish seed words",
    caveats=("The lists were written for this project and not validated by native speakers.",),
    packaged=True,
    pretty_name="Seed words for gender and religion in Spanish",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
    task_categories=("feature-extraction",),
    source_datasets=("original",),
    annotations_creators=("other",),
    configs=packaged_configs("spanish_seeds", WordListTest),
)
