"""Seed words for groups in Spanish."""

from __future__ import annotations

from .._shared import packaged_words

__all__ = ["RECORD"]

RECORD = packaged_words(
    "spanish_seeds",
    "Spanish seed words",
    "Seed words for gender and religion in Spanish",
    caveats=("The lists were written for this project and not validated by native speakers.",),
)
