"""Words of the maps of Dusi et al. (2022): gendered words with job titles, or with Winogender's occupations."""

from __future__ import annotations

import json
from functools import partial

from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import WSV_WORDS
from ...origins import RepositoryTexts
from ...table_files import read_rows
from .._shared import require_columns
from ..winogender_occupations import STATISTICS

_COMMIT = "cc1c1d69552ba48b4da2387faae6904873939244"
_GENDERED = {
    "data/properties/gender/words-01.csv": "adf7b27eaffccc63dd4f9ec2c5c6017f6b8a0ee43fd0dce42e225dd498617bfc"
}
_JOBS = {
    "data/properties/profession/words-01.csv": "a004e9fcb0af34878278a88b90294aaa8aa8718ab0e8ffdf433cb67b18c8d5ff"
}
_OCCUPATIONS = {
    "data/properties/profession/words-02.csv": "b0d25a6f102612ec260aa4a3bee2d1b219a074323f66d3dfc014cb6c55467e6f"
}


def _words(statistic: str, raw: bytes, name: str) -> Converted:
    """Gendered words with their class, then the words to evaluate, with a share where the file has one."""
    gendered, evaluated = (read_rows(text.encode(), f"{path}.csv") for path, text in json.loads(raw).items())
    require_columns(gendered, ["word", "value"], name)
    require_columns(evaluated, ["word", *(["female_perc"] if statistic else [])], name)
    rows = [{"word": row["word"].strip(), "group": row["value"]} for row in gendered]
    for row in evaluated:
        share = (
            {"statistic": round(float(row["female_perc"]) / 100, 6), "statistic_label": STATISTICS[statistic]}
            if statistic
            else {}
        )
        rows.append({"word": row["word"].strip(), **share})
    facts = {"language": "en", "source": "Dusi et al. (2022)"}
    return Converted([{**row, **facts} for row in rows])


RECORD = describe_dataset(
    "wsv_words",
    configs=tuple(
        Config(
            name=name,
            splits={
                "test": RepositoryTexts.pinned(
                    "micheledusi/SupervisedBiasDetection", _COMMIT, {**_GENDERED, **evaluated}
                )
            },
            convert=partial(_words, statistic),
            schema=WSV_WORDS,
            licence="unknown",
            rights="Michele Dusi, Nicola Arici, Alfonso E. Gerevini, Luca Putelli and Ivan Serina",
            refusal=(
                "its repository micheledusi/SupervisedBiasDetection states no licence. It was built on this machine "
                "for measuring only; ask its authors before you pass it on."
            ),
        )
        for name, evaluated, statistic in (
            ("en", _OCCUPATIONS, "women_bergsma"),
            ("en-jobtitles", _JOBS, ""),
        )
    ),
)
"""Two configurations, built only when asked for."""
