"""CrowS-Pairs (Nangia et al. 2020) in English, and its Dutch, French and Spanish versions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ....errors import DataError
from ....result import Skipped
from ...dataset_record import Config, Converted, columns_schema, describe_dataset
from ...origins import RepositoryFile
from ...table_files import read_rows
from .._shared import BIASHANDLER, BLODGETT, require_columns

_PAIR = ("id", "sent_more", "sent_less", "stereo_antistereo", "bias_type")
_SPANISH_EXTRA = ("sent_more_par", "sent_less_par", "sent_more_ran", "sent_less_ran")


def decode_dutch(raw: bytes) -> str:
    """Decode the Dutch file: Mac OS Roman, except for two cells that hold UTF-8.

    Examples:
        >>> decode_dutch(b"carri\\x8fre, \\xc3\\xa9\\xc3\\xa9n")
        'carrière, één'
    """
    return raw.decode("mac_roman").replace("é".encode().decode("mac_roman"), "é")


def _converted(
    extra: tuple[str, ...], decode: Callable[[bytes], str] | str, labelled: bool, raw: bytes, name: str
) -> Converted:
    """Turn a file with ``extra`` columns into rows; ``labelled``: it says what each pair demonstrates."""
    required = ["sent_more", "sent_less", "bias_type", *(["stereo_antistereo"] if labelled else []), *extra]
    if callable(decode):
        table = read_rows(decode(raw).encode(), name)
    else:
        table = read_rows(raw, name, encoding=decode)
    require_columns(table, required, name)
    rows, left_out = [], []
    for position, row in enumerate(table):
        pair = _pair(row, position, name, extra)
        if pair["sent_more"] and pair["sent_less"]:
            rows.append(pair)
        else:
            lacking = "sent_less" if pair["sent_more"] else "sent_more"
            left_out.append(Skipped(str(pair["id"]), f"{lacking} is empty", where=name))
    return Converted(rows, tuple(left_out))


def _pair(row: Mapping[str, Any], position: int, name: str, extra: tuple[str, ...]) -> dict[str, Any]:
    pair: dict[str, Any] = {
        column: None if row.get(column) is None else str(row[column]).strip() for column in _PAIR[1:]
    }
    for column in ("sent_more", "sent_less"):  # one English sentence has a line break within
        pair[column] = pair[column] and re.sub(r"\s*[\r\n]+\s*", " ", pair[column])
    # The English file has its numbers in a column without a name, the Spanish one has none.
    pair["id"] = row.get("id") or row.get("") or str(position)
    if pair["stereo_antistereo"] not in ("stereo", "antistereo", None):
        raise DataError(
            f"{name}, pair {pair['id']}: stereo_antistereo is {pair['stereo_antistereo']!r}, "
            "not 'stereo' or 'antistereo'"
        )
    for column in extra:
        value = row[column]
        if column in ("annotations", "anon_annotators"):
            pair[column] = _python_list(value, f"{name}, pair {pair['id']}, {column}")
        else:
            pair[column] = None if value is None else value.strip()
    return pair


def _python_list(text: str | None, where: str) -> list[Any]:
    """Read a list that was written as Python code."""
    try:
        value = ast.literal_eval(text or "[]")
    except (ValueError, SyntaxError):
        value = None
    if not isinstance(value, list):
        raise DataError(f"{where} is not a list: {text!r}")
    return value


def _revised(raw: bytes, name: str) -> Converted:
    """Turn the revised pairs into rows; sentences keep the white space around them, as harnesses score it."""
    table = read_rows(raw, name)
    require_columns(table, _PAIR[1:], name)
    rows, left_out = [], []
    for row in table:
        pair = {column: row[column] for column in _PAIR[1:]} | {"id": str(row.get("") or row.get("id"))}
        if pair["sent_more"] and pair["sent_less"]:
            rows.append(pair)
        else:
            left_out.append(Skipped(pair["id"], "sent_less is empty", where=name))
    return Converted(rows, tuple(left_out))


def _config(
    name: str,
    repository: str,
    commit: str,
    path: str,
    sha256: str,
    *,
    extra: tuple[str, ...] = (),
    decode: Callable[[bytes], str] | str = "utf-8",
    labelled: bool = True,
    in_benchmarks: str = "",
    licence: str = "cc-by-sa-4.0",
    refusal: str = "",
) -> Config:
    origin = RepositoryFile(
        repository=repository, commit=commit, path=path, sha256=sha256, in_benchmarks=in_benchmarks
    )
    return Config(
        name=name,
        splits={"test": origin},
        convert=partial(_converted, extra, decode, labelled),
        schema=partial(columns_schema, *_PAIR, *extra, lists=("anon_annotators",), nested=("annotations",)),
        licence=licence,
        rights=_RIGHTS if name == "en" else f"{_RIGHTS}; this version: {repository}",
        refusal=refusal,
    )


_RIGHTS = "Nikita Nangia, Clara Vania, Rasika Bhalerao and Samuel R. Bowman: CrowS-Pairs"
_ANNOTATIONS = ("annotations", "anon_writer", "anon_annotators")
_REVISED = "9efa5cb6a9854d4f1407d475d86995a1a75968b3"
_NEVEOL = "Aurélie Névéol, Yoann Dupont, Julien Bezançon and Karën Fort: French CrowS-Pairs"
_DUTCH = ("jerryspan/Dutch-CrowS-Pairs", "7cf51965b4818a717d22068477fba951bca1eb90")

RECORD = describe_dataset(
    "crows_pairs",
    above=(BLODGETT,),
    configs=(
        _config(
            "en",
            "nyu-mll/crows-pairs",
            "8aaac11c485473159ec9328a65253a5be9a479dc",
            "data/crows_pairs_anonymized.csv",
            "dfb36986ce0502abbaf7055b9176da3d08d48e07df1251991b5dfbcbceab9d0c",
            extra=_ANNOTATIONS,
            in_benchmarks="CrowS-Pairs/data/crows_pairs_anonymized.csv",
        ),
        _config(
            "nl",
            *_DUTCH,
            "datasets/crows_dutch.csv",
            "07b9b562e947e782a0409ebac85b28b417838cf2d33c2f7f2a13766b431ddf35",
            decode=decode_dutch,
        ),
        _config(
            "fr",
            *_DUTCH,
            "datasets/crows_french.csv",
            "7fc34d474623cec3f88544d88156212780ee65f408666463c8d7a833ad5efe83",
        ),
        _config(
            "en-1463",
            *_DUTCH,
            "datasets/crows_eng.csv",
            "84dd3f4a7c5c52c48b89e3d7b59e1fba64165afa650b0fd52dac3826f74bfb3b",
        ),
        _config(
            "es",
            BIASHANDLER["repository"],
            BIASHANDLER["commit"],
            "data/crowspairs/es_en.csv",
            "2bf31d1a9cf2d03e5fcdcd07878abbe08fb8f7bec6a0c60870310b67da7ab383",
            extra=_SPANISH_EXTRA,
            decode="cp1252",
            labelled=False,
            licence="unknown",
            refusal=BIASHANDLER["refusal"],
        ),
        *(
            Config(
                name=f"{language}-revised",
                splits={
                    "test": RepositoryFile(
                        repository="shijing001/bayes_factor_bias_detection",
                        commit=_REVISED,
                        path=path,
                        sha256=sha256,
                    )
                },
                convert=_revised,
                schema=partial(columns_schema, *_PAIR),
                licence="cc-by-sa-4.0",
                rights=f"{_RIGHTS}; this version: {_NEVEOL}",
            )
            for language, path, sha256 in (
                (
                    "en",
                    "crows_pairs_EN_revised+210.csv",
                    "c2c449a051ae93a61dae7a882c7a3efdfce04215c492ed2365d01c0861cecafe",
                ),
                (
                    "fr",
                    "crows_pairs_FR_languagearc_contribution+210.csv",
                    "1b5de822b34188375c04b949ec2e2678373b65f81d8f0bfbbef9b7df3958d2e9",
                ),
            )
        ),
    ),
)
"""The seven versions; ``es`` is built only when asked for."""
