"""Two measurements side by side: what changed between them, how surely, and whether a build may pass."""

from .change import Change, ChangeVerdict
from .comparing import compare, compare_results
from .comparison import Comparison
from .gate import Check, Gate, gate
from .picture import difference_plot

__all__ = [
    "Change",
    "ChangeVerdict",
    "Check",
    "Comparison",
    "Gate",
    "compare",
    "compare_results",
    "difference_plot",
    "gate",
]
