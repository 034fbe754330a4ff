"""Sentences in the form of WinoBias written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from .._shared import ILLUSTRATIVE

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="winobias_style",
    title="Sentences in the form of WinoBias packaged with evaluate-bias",
    caveats=(ILLUSTRATIVE,),
    illustrative=True,
    packaged=True,
)
