"""Sentences in the form of WinoBias written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("winobias_style", "Sentences in the form of WinoBias packaged with evaluate-bias")
