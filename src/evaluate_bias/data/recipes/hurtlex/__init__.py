"""HurtLex 1.2 (Bassignana, Basile and Patti 2018) in the languages of HONEST, fetched on request only."""

from __future__ import annotations

from functools import partial

from ....errors import DataError
from ...dataset_record import Config, Converted, columns_schema, describe_dataset
from ...origins import RepositoryFile
from ...table_files import decoded

_COLUMNS = ("word", "category", "level", "pos", "stereotype", "id", "language")
_SHA256 = {
    "en": "a734820a63c87994781d182692e6dc7ec262c402016971a7fa31946ced0d470c",
    "es": "5adadf7886ea332e6e07de1f5abb98a71a3dacbf3bea993b21100c9b4bffd4ba",
    "fr": "8405124a1374b65d777cba39020f817e047598c6c8cf455fb9c106ee4cad4625",
    "it": "043fb72213c2158b9c2b75651e7193bad249b8dc577c1f1e6c71a2b69d415eef",
    "pt": "157ed297e7f0f9dcf5ab69e8ad7e231dad64473e516d168bda1c9582c372c16d",
    "ro": "6c60592407154dcfc366e0ddcf05d594ac54dfd9affa170f1b870023927fddd7",
}


def _entries(language: str, raw: bytes, name: str) -> Converted:
    """Turn the published table into rows: its lemma is the word; nothing is left out. Quotes are letters in it."""
    head, *lines = (line.split("\t") for line in decoded(raw, name, "utf-8").splitlines() if line.strip())
    if not {"lemma", "category", "level"} <= set(head) or any(len(line) != len(head) for line in lines):
        raise DataError(
            f"{name} does not have the form of HurtLex: lines of {', '.join(_COLUMNS[1:-1])} and lemma"
        )
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    return Converted(
        [
            {**{c: row.get(c, "") for c in _COLUMNS}, "word": row["lemma"], "language": language}
            for row in rows
        ]
    )


RECORD = describe_dataset(
    "hurtlex",
    configs=tuple(
        Config(
            name=language,
            splits={
                "test": RepositoryFile(
                    repository="valeriobasile/hurtlex",
                    commit="e8205fa73b533d802d8b7fb6f846abd4be69ea63",
                    path=f"lexica/{language.upper()}/1.2/hurtlex_{language.upper()}.tsv",
                    sha256=sha256,
                )
            },
            convert=partial(_entries, language),
            schema=partial(columns_schema, *_COLUMNS),
            licence="cc-by-nc-sa-4.0",
            rights="Elisa Bassignana, Valerio Basile and Viviana Patti: HurtLex",
            refusal="its licence, CC BY-NC-SA 4.0, forbids commercial use, and its makers publish it themselves.",
        )
        for language, sha256 in _SHA256.items()
    ),
)
"""One configuration a language, none of which is published again."""
