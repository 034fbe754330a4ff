"""Items in the form of StereoSet written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("stereoset_style", "Items in the form of StereoSet packaged with evaluate-bias")
