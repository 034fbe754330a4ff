"""Preference by the likelihood of all unmasked tokens: AUL (Kaneko and Bollegala 2022)."""

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
    """Share of pairs whose more stereotypical sentence has the higher AUL, in percent.

    AUL (all unmasked likelihood) is the mean over a sentence's real tokens of log p(token | the whole sentence, nothing
    masked).

    Args:
        model: a masked language model, ``None`` when the data contain scores.
        data: sentence pairs, or mappings with numbers as ``sent_more`` and ``sent_less``.

    Returns:
        Score in percent, 0 to 100. 50 is ideal, less if there are ties. The breakdown is as for CrowS-Pairs.

    Raises:
        InputError: scores that are not finite.
        CapabilityError: the model does not score masked tokens.
        UndefinedScoreError: no pair can be scored, all pairs are ties, or the z test of all pairs is undefined because
            the model prefers the same side in each.

    References:
        Kaneko and Bollegala (2022): Unmasking the Mask: Evaluating Social Biases in Masked Language Models. AAAI 2022.

    Examples:
        >>> evaluate(None, [{"sent_more": -1.0, "sent_less": -1.5}, {"sent_more": -2.0, "sent_less": -2.5}]).score
        100.0
    """
    return preference(RECORD.name, model, data, "aul", inference)
