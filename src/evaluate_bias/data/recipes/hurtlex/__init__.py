"""HurtLex 1.2 (Bassignana, Basile and Patti 2018) in the languages of HONEST, fetched on request only."""

from __future__ import annotations

from functools import partial

from ....errors import DataError
from ...dataset_record import Config, Converted, columns_schema, describe_dataset
from ...origins import RepositoryFile, checksums
from ...table_files import decoded

_COLUMNS = ("word", "category", "level", "pos", "stereotype", "id", "language")


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
                    path=path,
                    sha256=sha256,
                )
            },
            convert=partial(_entries, language),
            schema=partial(columns_schema, *_COLUMNS),
            licence="cc-by-nc-sa-4.0",
            rights="Elisa Bassignana, Valerio Basile and Viviana Patti: HurtLex",
            refusal="its licence, CC BY-NC-SA 4.0, forbids commercial use, and its makers publish it themselves.",
        )
        for path, sha256 in checksums("hurtlex").items()
        for language in [path[7:9].lower()]
    ),
)
"""One configuration a language, none of which is published again."""
