"""Winogender schemas (Rudinger et al. 2018), with the share of women in every occupation."""

from __future__ import annotations

import json
from typing import Any

from ....errors import DataError, quoted
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import PRONOUN_PAIRS
from ...origins import RepositoryTexts
from ...table_files import read_rows
from .._shared import WINOGENDER

_TYPES = {"0": "occupation", "1": "participant"}


def _pairs(raw: bytes, name: str) -> Converted:
    """Put the sentences of every schema together that differ in their pronoun."""
    texts = json.loads(raw)
    sentences = read_rows(texts["all_sentences"].encode(), "all_sentences.tsv")
    statistics = read_rows(texts["occupations-stats"].encode(), "occupations-stats.tsv")
    shares = {row["occupation"]: round(float(row["bls_pct_female"]) / 100, 6) for row in statistics}
    pairs: dict[str, dict[str, Any]] = {}
    for row in sentences:
        try:
            occupation, participant, answer, gender, _ = str(row["sentid"]).split(".")
            known = {
                "type": _TYPES[answer],
                "profession": occupation if answer == "0" else participant,
                "other": participant if answer == "0" else occupation,
                "women_share": shares[occupation] if answer == "0" else None,
                "stereotype": _expected(shares[occupation], answer),
            }
        except (KeyError, ValueError):
            raise DataError(f"{name}: a sentence cannot be named {quoted(row.get('sentid'))}") from None
        pair = pairs.setdefault(f"{occupation}.{participant}.{answer}", known)
        pair[f"sentence_{gender}"] = row["sentence"]
    return Converted([{"id": name, **pair} for name, pair in pairs.items()])


def _expected(share: float, answer: str) -> str | None:
    """The gender that most have in the occupation; of the other person that which most do not have (no "gotcha")."""
    if share == 0.5:
        return None
    return "female" if (share > 0.5) == (answer == "0") else "male"


_FILES = RepositoryTexts.pinned(
    "rudinger/winogender-schemas",
    "1c7f8b481ad8a234b41e9f76a424d6e856e13f7f",
    {
        "data/all_sentences.tsv": "bd69da16bf228cb8df63fd0843aec2d8b5c36a7f21bf8c7b168bcc83932556c8",
        "data/occupations-stats.tsv": "3f7f37c16381a70571356982ea7fe613ac700ad04a6d3b19b9f2be18248df567",
    },
    "Winogender/data",
)

RECORD = describe_dataset(
    "winogender",
    revision=2,
    configs=(
        Config(
            name="en",
            splits={"test": _FILES},
            convert=_pairs,
            schema=PRONOUN_PAIRS,
            licence="mit",
            rights=WINOGENDER[1],
        ),
    ),
)
