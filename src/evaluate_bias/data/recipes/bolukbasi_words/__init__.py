"""Gender pairs and occupations of Bolukbasi et al."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from ...schemas import WordListTest
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="bolukbasi_words",
    title="Word lists of Bolukbasi et al.",
    caveats=(
        (
            "The occupations lie at the ends of the axis in one model, so they show the axis, not how "
            "much of it a model has on average."
        ),
        "Gender is binary in these pairs.",
    ),
    packaged=True,
    pretty_name="Gender pairs and occupations of Bolukbasi et al. (2016)",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
    task_categories=("feature-extraction",),
    source_datasets=("extended",),
    annotations_creators=("expert-generated",),
    papers=("https://papers.nips.cc/paper/6228", "https://arxiv.org/abs/1607.06520"),
    configs=packaged_configs("bolukbasi_words", WordListTest),
)
