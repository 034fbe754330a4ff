"""Values in error messages, at a length that one can read."""

from __future__ import annotations

import reprlib

__all__ = ["shown"]

_QUOTING = reprlib.Repr()
_QUOTING.maxstring = _QUOTING.maxother = 80

shown = _QUOTING.repr
"""Like ``repr``, with the middle of what is long left out."""
