"""Items in the form of BBQ written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("bbq_style", "Items in the form of BBQ packaged with evaluate-bias")
