"""Minimal pairs written for this project, packaged with the library."""

from ...dataset_record import DatasetRecord
from ...pair_schemas import SentencePair
from .._shared import ILLUSTRATIVE, packaged_configs

RECORD = DatasetRecord(
    name="minimal_pairs",
    title="Minimal pairs packaged with evaluate-bias",
    caveats=(ILLUSTRATIVE,),
    illustrative=True,
    packaged=True,
    pretty_name="Minimal pairs for demonstrations and for the robustness of bias measures",
    size_category="n<1K",
    task_categories=("fill-mask", "text-generation"),
    source_datasets=("original",),
    annotations_creators=("other",),
    configs=packaged_configs("minimal_pairs", SentencePair, without=("exclude",)),
)
