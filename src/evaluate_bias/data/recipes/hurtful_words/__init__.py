"""A few hurtful words written down for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from .._shared import ILLUSTRATIVE

__all__ = ["RECORD"]

RECORD = DatasetRecord(
    name="hurtful_words",
    title="Illustrative hurtful words packaged with evaluate-bias",
    caveats=(ILLUSTRATIVE,),
    illustrative=True,
    packaged=True,
)
