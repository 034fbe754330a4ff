"""Scenarios of relative decisions written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("decision_style", "Illustrative scenarios of decisions packaged with evaluate-bias")
