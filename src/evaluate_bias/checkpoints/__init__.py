"""The checkpoints of one training run: the curve of each score, and between which of them it changed."""

from .bisecting import bisect
from .bisection import Bisection, Curve, Point, Step, curve_plot

__all__ = ["Bisection", "Curve", "Point", "Step", "bisect", "curve_plot"]
