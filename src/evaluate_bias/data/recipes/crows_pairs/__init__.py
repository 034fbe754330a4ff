"""CrowS-Pairs (Nangia et al. 2020) in English, and its Dutch, French and Spanish versions."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from ....errors import DataError
from ....result import Skipped
from ...dataset_record import Config, Converted, columns_schema, describe_dataset
from ...origins import RepositoryFile, checksums
from ...table_files import literal, read_rows
from .._shared import BIASHANDLER, BLODGETT, require_columns

_PAIR = ("id", "sent_more", "sent_less", "stereo_antistereo", "bias_type")


def decode_dutch(raw: bytes) -> str:
    """Decode the Dutch file: Mac OS Roman, except for two cells that hold UTF-8.

    Examples:
        >>> decode_dutch(b"carri\\x8fre, \\xc3\\xa9\\xc3\\xa9n")
        'carrière, één'
    """
    return raw.decode("mac_roman").replace("é".encode().decode("mac_roman"), "é")


def _pairs(
    extra: tuple[str, ...],
    decode: Callable[[bytes], str] | str,
    labelled: bool,
    trimmed: bool,
    raw: bytes,
    name: str,
) -> Converted:
    """Turn a file into rows.

    Args:
        extra: further columns of the file.
        decode: its encoding, or a function that decodes it.
        labelled: whether it says what each pair demonstrates.
        trimmed: whether white space around sentences goes, which harnesses score in the revised pairs.
        raw: its bytes.
        name: its name, for errors.
    """
    if callable(decode):
        table = read_rows(decode(raw).encode(), name)
    else:
        table = read_rows(raw, name, encoding=decode)
    required = [column for column in _PAIR[1:] if labelled or column != "stereo_antistereo"]
    require_columns(table, [*required, *extra], name)
    rows, left_out = [], []
    for position, row in enumerate(table):
        # The English file has its numbers in a column without a name, the Spanish one has none.
        pair: dict[str, Any] = {"id": row.get("id") or row.get("") or str(position)}
        pair |= {column: row.get(column) for column in (*_PAIR[1:], *extra)}
        if trimmed:
            pair = {column: value and value.strip() for column, value in pair.items()}
            for column in ("sent_more", "sent_less"):  # one English sentence has a line break within
                pair[column] = pair[column] and re.sub(r"\s*[\r\n]+\s*", " ", pair[column])
        where = f"{name}, pair {pair['id']}"
        if (label := pair["stereo_antistereo"]) not in ("stereo", "antistereo", None):
            raise DataError(f"{where}: stereo_antistereo is {label!r}, not 'stereo' or 'antistereo'")
        for column in {"annotations", "anon_annotators"}.intersection(extra):
            pair[column] = literal(pair[column] or "[]")
            if not isinstance(pair[column], list):
                raise DataError(f"{where}, {column} is not a list: {pair[column]!r}")
        if empty := next((c for c in ("sent_more", "sent_less") if not pair[c]), ""):
            left_out.append(Skipped(pair["id"], f"{empty} is empty", where=name))
        else:
            rows.append(pair)
    return Converted(rows, tuple(left_out))


_RIGHTS = "Nikita Nangia, Clara Vania, Rasika Bhalerao and Samuel R. Bowman: CrowS-Pairs"
_ANNOTATIONS = ("annotations", "anon_writer", "anon_annotators")
_DUTCH = ("jerryspan/Dutch-CrowS-Pairs", "7cf51965b4818a717d22068477fba951bca1eb90")
_REVISED = ("shijing001/bayes_factor_bias_detection", "9efa5cb6a9854d4f1407d475d86995a1a75968b3")
_SUMS = checksums("crows_pairs")


def _config(
    name: str,
    repository: str,
    commit: str,
    path: str,
    *,
    extra: tuple[str, ...] = (),
    decode: Callable[[bytes], str] | str = "utf-8",
    labelled: bool = True,
    trimmed: bool = True,
    version: str = "",
    in_benchmarks: str = "",
    refusal: str = "",
) -> Config:
    origin = RepositoryFile(
        repository=repository, commit=commit, path=path, sha256=_SUMS[path], in_benchmarks=in_benchmarks
    )
    return Config(
        name=name,
        splits={"test": origin},
        convert=partial(_pairs, extra, decode, labelled, trimmed),
        schema=partial(columns_schema, *_PAIR, *extra, lists=("anon_annotators",), nested=("annotations",)),
        licence="unknown" if refusal else "cc-by-sa-4.0",
        rights=_RIGHTS if name == "en" else f"{_RIGHTS}; this version: {version or repository}",
        refusal=refusal,
    )


RECORD = describe_dataset(
    "crows_pairs",
    above=(BLODGETT,),
    configs=(
        _config(
            "en",
            "nyu-mll/crows-pairs",
            "8aaac11c485473159ec9328a65253a5be9a479dc",
            "data/crows_pairs_anonymized.csv",
            extra=_ANNOTATIONS,
            in_benchmarks="CrowS-Pairs/data/crows_pairs_anonymized.csv",
        ),
        _config("nl", *_DUTCH, "datasets/crows_dutch.csv", decode=decode_dutch),
        _config("fr", *_DUTCH, "datasets/crows_french.csv"),
        _config("en-1463", *_DUTCH, "datasets/crows_eng.csv"),
        _config(
            "es",
            BIASHANDLER["repository"],
            BIASHANDLER["commit"],
            "data/crowspairs/es_en.csv",
            extra=("sent_more_par", "sent_less_par", "sent_more_ran", "sent_less_ran"),
            decode="cp1252",
            labelled=False,
            refusal=BIASHANDLER["refusal"],
        ),
        *(
            _config(
                f"{path[12:14].lower()}-revised",
                *_REVISED,
                path,
                trimmed=False,
                version="Aurélie Névéol, Yoann Dupont, Julien Bezançon and Karën Fort: French CrowS-Pairs",
            )
            for path in ("crows_pairs_EN_revised+210.csv", "crows_pairs_FR_languagearc_contribution+210.csv")
        ),
    ),
)
"""The seven versions. ``es`` is built only when asked for."""
