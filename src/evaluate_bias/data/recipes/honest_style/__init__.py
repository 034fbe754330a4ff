"""Prompts in the form of HONEST written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("honest_style", "Prompts in the form of HONEST packaged with evaluate-bias")
