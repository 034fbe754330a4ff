"""Prompts about women and men written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("counterfactual_style", "Prompts about two groups packaged with evaluate-bias")
