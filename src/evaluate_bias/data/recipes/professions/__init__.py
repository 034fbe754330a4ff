"""Professions and their forms."""

from ...dataset_record import DatasetRecord
from ...professions import Profession
from .. import packaged_languages
from .._shared import BEC_PRO, WINOGENDER, packaged_configs

RECORD = DatasetRecord(
    name="professions",
    title="Professions",
    caveats=(
        "The forms in other languages than English, except the German ones of BEC-Pro, were written for this "
        "project and not validated by native speakers; some feminine forms are contested or rare.",
        (
            "Employment in the United States decides which professions count as female or male. In the "
            "list of Delobelle et al. (2022), from 2015, some are first words of longer titles (server, "
            "model, helper) and wider than these titles."
        ),
    ),
    packaged=True,
    pretty_name="Professions and their forms in nine languages",
    size_category="n<1K",
    task_categories=("fill-mask", "feature-extraction"),
    source_datasets=("original", "extended"),
    annotations_creators=("expert-generated", "other"),
    papers=(
        "https://doi.org/10.18653/v1/N18-2002",
        "https://doi.org/10.18653/v1/2022.naacl-main.122",
        "https://aclanthology.org/2020.gebnlp-1.1",
    ),
    configs=packaged_configs(
        "professions",
        Profession,
        # The occupations of Winogender are in every language, the list of BEC-Pro in these two.
        parts={
            language: (WINOGENDER, *([BEC_PRO] if language in ("en", "de") else []))
            for language in packaged_languages("professions")
        },
    ),
)
