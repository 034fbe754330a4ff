"""Pictures of results, as SVG and PNG.

Colours are from palettes that people with colour-vision deficiencies can tell apart (Okabe and Ito 2008), and nothing
is shown by colour alone: models differ in marker, significance shows in the marker's filling.
"""

from .details import method_pictures as method_pictures
from .details import picture_names as picture_names
from .details import picture_text as picture_text
from .scores import effect_plot as effect_plot
from .scores import named_score_pictures as named_score_pictures
from .scores import result_figure as result_figure
from .word_rows import associated_words as associated_words
from .word_rows import word_plot as word_plot
