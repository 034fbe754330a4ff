"""The pipeline of all methods on word lists, which any family may import. It is not a family itself.

``inputs`` reads tests and looks words up, ``inference`` says how p-values and intervals are made, ``pipeline`` runs a
method on every test, ``results`` makes rows and the score of several tests. ``association``, ``cosines`` and
``splits`` are arithmetic on arrays.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ON_AXIS"]

ON_AXIS: Final = "projection"
"""The key, in the details of a row, of the position of a word on an axis."""
