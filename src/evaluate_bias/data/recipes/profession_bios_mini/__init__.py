"""Synthetic biographies of people of eight professions, written for this project."""

from ...dataset_record import DatasetRecord
from ...profession_bios import ProfessionBio
from .._shared import packaged_configs

RECORD = DatasetRecord(
    name="profession_bios_mini",
    title="Synthetic biographies of eight professions",
    caveats=(
        (
            "These items are illustrative: the biographies are synthetic, made from templates of this "
            "project, and the training split has unequal numbers of women and men on purpose, so that a "
            "classifier shows a gap. A score on them is not a finding about a model."
        ),
    ),
    illustrative=True,
    packaged=True,
    pretty_name="Synthetic biographies of eight professions, to show a gap between true positive rates",
    size_category="n<1K",
    task_categories=("text-classification",),
    source_datasets=("original",),
    annotations_creators=("other",),
    tags=("bias", "fairness", "evaluation", "synthetic"),
    configs=packaged_configs("profession_bios_mini", ProfessionBio),
)
