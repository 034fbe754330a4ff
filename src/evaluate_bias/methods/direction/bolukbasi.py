"""What the records of the methods of Bolukbasi et al. (2016) share."""

from __future__ import annotations

from typing import Any, Final

from ...method import Secondary
from ..record_parts import BOLUKBASI_2016, ON_WORD_VECTORS

ON_PAIRS: Final[dict[str, Any]] = {
    **BOLUKBASI_2016,
    **ON_WORD_VECTORS,
    "data_defaults": {"source": "bolukbasi_words"},
    "paired": True,
}
"""Fields of the records of the methods on the direction between the words of pairs."""

EXPLAINED_VARIANCE = Secondary(
    key="explained_variance",
    title="explained variance",
    meaning=(
        "Share of the variance of the pairs that the direction explains; a low share means that the "
        "pairs have no single direction."
    ),
)
