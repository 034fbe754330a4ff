"""Items in the form of StereoSet written for this project, packaged with the library and published nowhere."""

from .._shared import illustrative

RECORD = illustrative("stereoset_style", "Items in the form of StereoSet packaged with evaluate-bias")
