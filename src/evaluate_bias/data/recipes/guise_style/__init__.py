"""Matched guises written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("guise_style", "Matched guises packaged with evaluate-bias")
