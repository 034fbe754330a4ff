"""Gender pairs and occupations of Bolukbasi et al."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from ...schemas import WordListTest
from .. import packaged_languages
from .._shared import packaged_configs

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="bolukbasi_words",
    title="Word lists of Bolukbasi et al.",
    caveats=(
        "The occupations are those that lie at the ends of the axis in one model, so that they show what such an axis "
        "is, not how much of it a model has on average.",
        "Gender is binary in these pairs.",
    ),
    packaged=True,
    pretty_name="Gender pairs and occupations of Bolukbasi et al. (2016)",
    size_category="n<1K",
    tags=("bias", "fairness", "social-bias", "word-embeddings", "evaluation"),
    configs=packaged_configs(
        "bolukbasi_words", WordListTest, packaged_languages("bolukbasi_words"), {"": "apache-2.0"}
    ),
)
