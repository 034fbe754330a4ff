"""Occupations of Winogender with the share of women in them."""

from __future__ import annotations

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import OCCUPATIONS
from ...origins import RepositoryFile
from ...table_files import read_rows
from .._shared import WINOGENDER

STATISTICS = {
    "women_bls": "share of women (USA, BLS 2015-2016)",
    "women_bergsma": "share of feminine mentions (Bergsma and Lin 2006)",
}
"""What the statistics of occupations are."""


def _occupations(raw: bytes, name: str) -> Converted:
    """Turn the published table into rows: its percentages become shares."""
    rows = []
    for number, row in enumerate(read_rows(raw, name), start=1):
        if row.get("bls_pct_female") is None:
            raise DataError(f"{name}, row {number}: bls_pct_female is missing, from which women_bls is made")
        known = {
            "word": row.get("occupation"),
            "language": "en",
            "women_bls": _share(row.get("bls_pct_female")),
            "bls_year": row.get("bls_year"),
            "women_bergsma": _share(row.get("bergsma_pct_female")),
            "source": _STATISTICS,
        }
        rows.append(known)
    return Converted(rows)


def _share(percent: str | None) -> float | None:
    return None if percent is None else round(float(percent) / 100, 6)


_WINOGENDER = RepositoryFile(
    repository="rudinger/winogender-schemas",
    commit="1c7f8b481ad8a234b41e9f76a424d6e856e13f7f",
    path="data/occupations-stats.tsv",
    sha256="a96e6089117f57bf0080ebb2742ed50aed8acad4ae4ebd0295bd2bbba8a9599e",
    in_benchmarks="Winogender/data/occupations-stats.tsv",
)
_STATISTICS = (
    "occupations-stats.tsv of Rudinger, Naradowsky, Leonard and Van Durme (2018), rudinger/winogender-schemas at "
    f"{_WINOGENDER.commit}; after the U.S. Bureau of Labor Statistics and Bergsma and Lin (2006)"
)

RECORD = describe_dataset(
    "winogender_occupations",
    packaged=True,
    configs=(
        Config(
            name="en",
            splits={"test": _WINOGENDER},
            convert=_occupations,
            schema=OCCUPATIONS,
            licence=WINOGENDER[0],
            rights=WINOGENDER[1],
        ),
    ),
)
