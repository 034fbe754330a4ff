"""Preference by the attention-weighted likelihood of all unmasked tokens: AULA (Kaneko and Bollegala 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....method import Finding, method
from ...pair_scoring import Pair
from ..preference import preference
from ..shared import Counting
from .record import RECORD


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[Pair],
    *,
    inference: Counting,
) -> Finding:
    """Share of pairs whose more stereotypical sentence has the higher AULA, in percent.

    AULA (AUL with attention weights) is the mean over a sentence's real tokens of a · log p(token | the whole sentence,
    nothing masked), where a is the attention that the token receives, averaged over layers, heads and all queries,
    special tokens included. The weights are not renormalised.

    Args:
        model: a masked language model that gives attention weights, ``None`` when the data contain scores.
        data: sentence pairs, or mappings with numbers as ``sent_more`` and ``sent_less``.

    Returns:
        Score in percent, 0 to 100. 50 is ideal, less if there are ties. The breakdown is as for CrowS-Pairs.

    Raises:
        InputError: scores that are not finite.
        CapabilityError: the model does not score masked tokens, or gives no attention weights.
        UndefinedScoreError: no pair can be scored, all pairs are ties, or the z test of all pairs is undefined because
            the model prefers the same side in each.

    References:
        Kaneko and Bollegala (2022): Unmasking the Mask: Evaluating Social Biases in Masked Language Models. AAAI 2022.

    Examples:
        >>> evaluate(None, [{"sent_more": -1.0, "sent_less": -1.5}, {"sent_more": -2.0, "sent_less": -2.5}]).score
        100.0
    """
    return preference(RECORD.name, model, data, "aula", inference)
