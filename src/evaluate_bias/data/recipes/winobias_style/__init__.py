"""Sentences in the form of WinoBias written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("winobias_style", "Sentences in the form of WinoBias packaged with evaluate-bias")
