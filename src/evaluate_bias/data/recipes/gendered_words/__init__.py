"""Pairs of gendered words."""

from __future__ import annotations

from ...professions import GenderedPair
from .._word_tables import table_recipe

__all__ = ["RECIPE"]

RECIPE = table_recipe(
    "gendered_words", "Pairs of gendered words in nine languages", GenderedPair, "n<1K", {"": "apache-2.0"}
)
