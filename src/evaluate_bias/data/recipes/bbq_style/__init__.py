"""Items in the form of BBQ written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("bbq_style", "Items in the form of BBQ packaged with evaluate-bias")
