"""A few hurtful words written down for this project, packaged with the library and published nowhere."""

from __future__ import annotations

from .._shared import illustrative

__all__ = ["RECORD"]

RECORD = illustrative("hurtful_words", "Illustrative hurtful words packaged with evaluate-bias")
