"""GAP (Webster et al. 2018): ambiguous pronouns with two names, for the accuracy of coreference systems by gender."""

from __future__ import annotations

from typing import Any, Literal

from ....errors import DataError, quoted
from ...dataset_record import Config, Converted, describe_dataset
from ...origins import RepositoryFile, checksums
from ...schemas import Schema
from ...table_files import decoded
from .._shared import require_columns

_COLUMNS = {"text": "Text", "pronoun": "Pronoun", "a": "A", "b": "B"}
_OFFSETS = {"pronoun_offset": "Pronoun-offset", "a_offset": "A-offset", "b_offset": "B-offset"}
_GENDER = {"she": "feminine", "her": "feminine", "hers": "feminine", "he": "masculine", "him": "masculine",
           "his": "masculine"}  # fmt: skip


class GapExample(Schema):
    """A passage with a pronoun and two names; ``references`` and ``groups`` are columns of the methods on predictions.

    Attributes:
        id: as published.
        text: the passage.
        pronoun, a, b: the pronoun and the two names as they stand in the text, at the characters ``…_offset``.
        references: which of the two the pronoun stands for.
        groups: gender of the pronoun.
    """

    id: str
    text: str
    pronoun: str
    pronoun_offset: int
    a: str
    a_offset: int
    b: str
    b_offset: int
    references: Literal["A", "B", "neither"]
    groups: Literal["feminine", "masculine"]
    language: str = "en"


def _examples(raw: bytes, name: str) -> Converted:
    """Turn the published table, in which quotes are letters, into rows; nothing is left out but the addresses."""
    head, *lines = (line.split("\t") for line in decoded(raw, name, "utf-8").splitlines() if line.strip())
    table: list[dict[str, Any]] = [dict(zip(head, line, strict=False)) for line in lines]
    require_columns(table, ["ID", *_COLUMNS.values(), *_OFFSETS.values(), "A-coref", "B-coref"], name)
    return Converted([_example(row, name) for row in table])


def _example(row: dict[str, Any], name: str) -> dict[str, Any]:
    try:
        true = [side for side in "AB" if {"TRUE": True, "FALSE": False}[row[f"{side}-coref"]]]
        return {
            "id": row["ID"],
            **{key: row[column] for key, column in _COLUMNS.items()},
            **{key: int(row[column]) for key, column in _OFFSETS.items()},
            "references": (true or ["neither"])[0],
            "groups": _GENDER[row["Pronoun"].lower()],
        }
    except (KeyError, ValueError):
        raise DataError(f"{name}: the row {quoted(row.get('ID'))} does not have the form of GAP") from None


RECORD = describe_dataset(
    "gap",
    configs=(
        Config(
            name="en",
            splits={
                path[4:-4]: RepositoryFile(
                    repository="google-research-datasets/gap-coreference",
                    commit="83135f26025cdd705c04f77e940d0c9201116b80",
                    path=path,
                    sha256=sha256,
                    in_benchmarks=f"GAP/data/{path}",
                )
                for path, sha256 in checksums("gap").items()
            },
            convert=_examples,
            schema=GapExample,
            licence="apache-2.0",
            rights="Google AI Language: GAP Coreference Dataset (the passages are from Wikipedia, CC BY-SA)",
            refusal="its passages are Wikipedia's, under CC BY-SA, and its makers publish it themselves.",
        ),
    ),
)
"""The three published files. They are built only when asked for."""
