"""The tab that says what the numbers are, and what they are not."""

from __future__ import annotations

from ...registry import METHODS
from ..limits import (
    KEPT_SECONDS,
    MAX_ROWS,
    MAX_TABLE_BYTES,
    MAX_TEXT_BYTES,
    MAX_VECTOR_BYTES,
    REQUEST_SECONDS,
)
from ..parts import render


def about_html() -> str:
    """What the numbers are not, how to read every method, and what happens to a visitor's data."""
    return render(
        "about",
        records=METHODS.values(),
        vectors=MAX_VECTOR_BYTES // 2**20,
        tables=MAX_TABLE_BYTES // 2**20,
        pairs=MAX_ROWS,
        texts=MAX_TEXT_BYTES // 2**20,
        hours=round(KEPT_SECONDS / 3600),
        seconds=REQUEST_SECONDS,
    )
