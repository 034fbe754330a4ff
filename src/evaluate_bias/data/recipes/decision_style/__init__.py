"""Scenarios of relative decisions written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("decision_style", "Illustrative scenarios of decisions packaged with evaluate-bias")
