"""What was probably meant by a name in a config that is not found."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Literal

from ..assets import CATALOGUE
from ..data.recipes import dataset_key, dataset_names
from ..errors import quoted
from ..files import is_there

_MOST_FILES = 1_000


def closest_hint(name: str, known: Iterable[str]) -> str:
    """The end of an error message that suggests a similarly spelt name; empty if there is none.

    Examples:
        >>> closest_hint("frist.txt", ["first.txt", "other"])
        "; did you mean 'first.txt'?"
    """
    close = difflib.get_close_matches(name[:100], [text for text in known if len(text) <= 100], n=1)
    return f"; did you mean {quoted(close[0])}?" if close else ""


def source_hint(name: str, kind: Literal["model", "data"], folder: Path) -> str:
    """The end of a message on a missing model or data set: a similar name, or the field where it belongs.

    Files and folders from the config's folder are offered too.

    Examples:
        >>> source_hint("crow_pairs", "data", Path()), source_hint("glove-6b-50d", "data", Path())
        ("; did you mean 'crows_pairs'?", '; it is a model, which belongs under models')
    """
    if is_there(folder / name):
        return ""
    if name in CATALOGUE:
        return "; it is a model, which belongs under models" if kind == "data" else ""
    if dataset_key(name):
        return "; it is a data set, which belongs under data" if kind == "model" else ""
    path = Path(name)
    beside = [
        str(path.parent / file) if path.parent != Path() else file for file in _files(folder / path.parent)
    ]
    return closest_hint(str(path), [*(CATALOGUE if kind == "model" else dataset_names()), *beside])


def _files(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name for entry in islice(entries, _MOST_FILES) if not entry.name.startswith(".")
            )
    except (OSError, ValueError):
        return []
