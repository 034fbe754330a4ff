"""Professions and their forms."""

from __future__ import annotations

from ...professions import Profession
from .._word_tables import table_recipe

__all__ = ["RECIPE"]

RECIPE = table_recipe(
    "professions",
    "Professions and their forms in nine languages",
    Profession,
    "n<1K",
    # The list of BEC-Pro, in these two languages, comes under its own licence.
    {"en": "cc-by-4.0", "de": "cc-by-4.0", "": "apache-2.0"},
)
