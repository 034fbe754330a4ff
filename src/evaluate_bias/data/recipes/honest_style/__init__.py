"""Prompts in the form of HONEST written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("honest_style", "Prompts in the form of HONEST packaged with evaluate-bias")
