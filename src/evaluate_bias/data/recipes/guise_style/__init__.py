"""Matched guises written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("guise_style", "Matched guises packaged with evaluate-bias")
