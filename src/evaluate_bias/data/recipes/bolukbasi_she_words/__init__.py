"""Gender pairs of Bolukbasi et al. and occupations that lean to one side."""

from ..bolukbasi_words import words_of_bolukbasi

RECORD = words_of_bolukbasi(
    "bolukbasi_she_words",
    "She occupations of Bolukbasi et al.",
    "Gender pairs and she occupations of Bolukbasi et al. (2016)",
    "The occupations are those that lie at one end of the axis in one model, so that they show what such an axis "
    "explains, not how much it explains on average.",
)
