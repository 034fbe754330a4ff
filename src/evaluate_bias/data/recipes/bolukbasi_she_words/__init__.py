"""Gender pairs of Bolukbasi et al. and occupations that lean to one side."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from ...schemas import WordListTest
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="bolukbasi_she_words",
    title="She occupations of Bolukbasi et al.",
    caveats=(
        "The occupations are those that lie at one end of the axis in one model, so that they show what such an axis "
        "explains, not how much it explains on average.",
        "Gender is binary in these pairs.",
    ),
    packaged=True,
    pretty_name="Gender pairs and she occupations of Bolukbasi et al. (2016)",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
    task_categories=("feature-extraction",),
    source_datasets=("extended",),
    annotations_creators=("expert-generated",),
    papers=("https://papers.nips.cc/paper/6228", "https://arxiv.org/abs/1607.06520"),
    configs=packaged_configs("bolukbasi_she_words", WordListTest),
)
