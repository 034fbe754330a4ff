"""Two measurements side by side: what changed between them, how surely, and whether a build may pass."""

from .change import Change as Change
from .change import ChangeConclusion as ChangeConclusion
from .comparing import compare as compare
from .comparing import compare_results as compare_results
from .comparison import Comparison as Comparison
from .gate import gate as gate
