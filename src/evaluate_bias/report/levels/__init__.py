"""One association at the levels of a model: its vectors, its likelihoods, the words it chooses, decisions, texts."""

from .construct import LEVELS as LEVELS
from .construct import Construct as Construct
from .construct import construct_names as construct_names
from .construct import load_construct as load_construct
from .level import LevelAgreement as LevelAgreement
from .level import LevelRow as LevelRow
from .level import Levels as Levels
from .level import levels_figure as levels_figure
from .level import levels_plot as levels_plot
from .measuring import levels as levels
