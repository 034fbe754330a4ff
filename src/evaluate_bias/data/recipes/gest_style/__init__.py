"""Sentences with gender stereotypes written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("gest_style", "Gender stereotypes packaged with evaluate-bias")
