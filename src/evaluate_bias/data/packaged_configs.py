"""What comes with the library of each data set, under which licences."""

from __future__ import annotations

from ..paths import packaged_data
from .dataset_record import Config
from .lpbs_tests import LpbsTest
from .recipes import dataset_names, dataset_record, packaged_languages
from .recipes._shared import BIAS_FRAMEWORK, packaged_configs


def packaged_data_configs() -> dict[str, list[Config]]:
    """What comes with the library of each data set, by its title; also of one that only a method reads."""
    folders = {folder.name for folder in packaged_data(".").iterdir()}
    configs = {
        record.title: [c for c in record.configs if c.name in packaged_languages(record.name)]
        for record in map(dataset_record, dataset_names())
        if record.name in folders
    }
    lpbs = packaged_configs("lpbs_tests", LpbsTest, parts={"en": (BIAS_FRAMEWORK,)})
    return {**configs, "LPBS tests": list(lpbs)}
