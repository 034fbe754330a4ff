"""Gender pairs and occupations of Bolukbasi et al."""

from __future__ import annotations

from ...dataset_record import DatasetRecord
from .._shared import packaged_words


def words_of_bolukbasi(name: str, title: str, pretty_name: str, caveat: str) -> DatasetRecord:
    """Make the record of words of the paper; ``caveat`` says what its occupations show."""
    papers = ("https://papers.nips.cc/paper/6228", "https://arxiv.org/abs/1607.06520")
    return packaged_words(name, title, pretty_name, (caveat, "Gender is binary in these pairs."), papers)


RECORD = words_of_bolukbasi(
    "bolukbasi_words",
    "Word lists of Bolukbasi et al.",
    "Gender pairs and occupations of Bolukbasi et al. (2016)",
    "The occupations lie at the ends of the axis in one model, so they show the axis, not how much of it a model has "
    "on average.",
)
