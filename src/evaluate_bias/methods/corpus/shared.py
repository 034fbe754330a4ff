"""What the records of the methods on a corpus, with the counts of Valentini et al. (2021), say alike."""

from __future__ import annotations

from typing import Any, Final

from ...data.kinds import WORD_LISTS
from ...method import ScoreUnits
from ..record_parts import MEAN_OF_SIGNED_TESTS
from ..word_lists.inference import inference_options

THIS_CORPUS: Final = "The score describes the chosen words and this corpus, not a model trained on it."

ON_A_CORPUS: Final[dict[str, Any]] = {
    "paper": (
        "Valentini, Rosati, Blasi, Slezak and Altszyler (2021): On the interpretability and significance of bias "
        "metrics in texts: a PMI-based approach. arXiv:2104.06474"
    ),
    "url": "https://arxiv.org/abs/2104.06474",
    "bibtex": """@article{valentini2021interpretability,
  title   = {On the Interpretability and Significance of Bias Metrics in Texts: a PMI-based Approach},
  author  = {Valentini, Francisco and Rosati, Germ{\\'a}n and Blasi, Dami{\\'a}n and Slezak, Diego Fernandez and
             Altszyler, Edgar},
  journal = {arXiv preprint arXiv:2104.06474},
  year    = {2021}
}""",
    "direction": "two_sided",
    "above": "the corpus links {a} more closely [than {b} ]to {x} rather than {y}",
    "below": "the corpus links {a} more closely [than {b} ]to {y} rather than {x}",
    "needs": ("counts words",),
    "columns": ("name", "targets_x", "targets_y", "attributes_a"),
    "optional_columns": ("attributes_b",),
    "data": WORD_LISTS,
    "data_defaults": {"source": "bolukbasi_words"},
    "group_by": "test",
    "aggregation": MEAN_OF_SIGNED_TESTS,
    "min_n_for_significance": 6,
    "inference": inference_options("n_resamples"),
    "units": ScoreUnits(name="words", value="value", score="difference", list="attributes"),
}
"""Fields of their records."""
