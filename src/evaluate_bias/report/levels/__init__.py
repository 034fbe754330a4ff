"""One association at four levels of a model: its vectors, its likelihoods, the words it writes, its decisions."""

from .construct import LEVELS, Construct, construct_names, load_construct
from .level import LevelAgreement, LevelRow, Levels
from .measuring import levels
from .picture import levels_figure, levels_plot

__all__ = [
    "LEVELS",
    "LevelAgreement",
    "Construct",
    "LevelRow",
    "Levels",
    "construct_names",
    "levels",
    "levels_figure",
    "levels_plot",
    "load_construct",
]
