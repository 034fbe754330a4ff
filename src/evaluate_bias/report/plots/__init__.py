"""Pictures of results, as SVG and PNG.

Colours are from palettes that people with colour-vision deficiencies can tell apart (Okabe and Ito 2008), and nothing
is shown by colour alone: models differ in marker, significance shows in the marker's filling.
"""

from .details import method_figures, method_pictures, picture_names, picture_text, write_method_plots
from .scores import effect_plot, named_score_pictures, plots_by_method, result_figure
from .word_rows import associated_words, word_plot

__all__ = [
    "associated_words",
    "effect_plot",
    "method_figures",
    "method_pictures",
    "named_score_pictures",
    "picture_names",
    "picture_text",
    "plots_by_method",
    "result_figure",
    "word_plot",
    "write_method_plots",
]
