"""Pairs of gendered words."""

from ...dataset_record import DatasetRecord
from ...professions import GenderedPair
from .._shared import packaged_configs

RECORD = DatasetRecord(
    name="gendered_words",
    title="Gendered words",
    caveats=(
        "The pairs in other languages than English were written for this project and not validated by native "
        "speakers.",
        "Gender is binary in these pairs, and the two words of a pair differ in frequency and in further meanings.",
    ),
    packaged=True,
    pretty_name="Pairs of gendered words in ten languages",
    size_category="n<1K",
    task_categories=("fill-mask", "feature-extraction"),
    source_datasets=("original", "extended"),
    annotations_creators=("expert-generated", "other"),
    papers=("https://papers.nips.cc/paper/6228", "https://doi.org/10.1126/science.aal4230"),
    configs=packaged_configs("gendered_words", GenderedPair),
)
