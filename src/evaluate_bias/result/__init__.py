"""What every method returns: a :class:`Result` with its :class:`Row` objects."""

from .result import SCHEMA_VERSION, Direction, Result, format_p, set_presenters
from .row import Coverage, Estimate, Row, Skipped

__all__ = [
    "SCHEMA_VERSION",
    "Coverage",
    "Direction",
    "Estimate",
    "Result",
    "Row",
    "Skipped",
    "format_p",
    "set_presenters",
]
