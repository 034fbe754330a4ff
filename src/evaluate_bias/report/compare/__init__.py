"""Two measurements side by side: what changed between them, how surely, and whether a build may pass."""

from .change import Change, ChangeVerdict
from .change_plot import difference_plot
from .comparing import compare, compare_results
from .comparison import Comparison
from .gate import Gate, GateCheck, gate

__all__ = [
    "Change",
    "ChangeVerdict",
    "GateCheck",
    "Comparison",
    "Gate",
    "compare",
    "compare_results",
    "difference_plot",
    "gate",
]
