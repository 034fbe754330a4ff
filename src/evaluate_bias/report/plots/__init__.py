"""Pictures of results, as SVG and PNG.

Colours are from palettes that people with colour-vision deficiencies can tell apart (Okabe and Ito 2008), and nothing
is shown by colour alone: models differ in marker, significance shows in the marker's filling.
"""

from .details import method_figures, method_pictures, picture_names, picture_text
from .scores import effect_plot, named_score_pictures, result_figure
from .word_rows import associated_words, word_plot

__all__ = [
    "associated_words",
    "effect_plot",
    "method_figures",
    "method_pictures",
    "named_score_pictures",
    "picture_names",
    "picture_text",
    "result_figure",
    "word_plot",
]
