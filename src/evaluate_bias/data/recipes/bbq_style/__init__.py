"""Items in the form of BBQ written for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from .._shared import ILLUSTRATIVE

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="bbq_style",
    title="Items in the form of BBQ packaged with evaluate-bias",
    caveats=(ILLUSTRATIVE,),
    illustrative=True,
    packaged=True,
)
