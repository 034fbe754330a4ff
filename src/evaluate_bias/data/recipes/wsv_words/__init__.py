"""Words of the maps of Dusi et al. (2022): gendered words with job titles, or with Winogender's occupations."""

from __future__ import annotations

import json
from functools import partial

from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import WSV_WORDS
from ...origins import RepositoryTexts, checksums
from ...table_files import read_rows
from .._shared import require_columns
from ..winogender_occupations import STATISTICS

_COMMIT = "cc1c1d69552ba48b4da2387faae6904873939244"
_FOLDER = "data/properties"
_SUMS = checksums("wsv_words")


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
                    "micheledusi/SupervisedBiasDetection",
                    _COMMIT,
                    {
                        path: _SUMS[path]
                        for path in (f"{_FOLDER}/gender/words-01.csv", f"{_FOLDER}/profession/{file}")
                    },
                )
            },
            convert=partial(_words, statistic),
            schema=WSV_WORDS,
            licence="unknown",
            rights="Michele Dusi, Nicola Arici, Alfonso E. Gerevini, Luca Putelli and Ivan Serina",
            refusal=(
                "its repository micheledusi/SupervisedBiasDetection states no licence. It was built on this machine "
                "for measuring only. Ask its authors before you pass it on."
            ),
        )
        for name, file, statistic in (
            ("en", "words-02.csv", "women_bergsma"),
            ("en-jobtitles", "words-01.csv", ""),
        )
    ),
)
"""Two configurations, built only when asked for."""
