"""SEAT's effect size as a function of totals over words: of each, its sentences, their associations and squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import effect_size, numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Sentences and summed associations in X and in Y, and summed squares, shape (n, 5)."""
    n, mean, sd = (numbers([u[key] for u in units]) for key in ("sentences", "association", "association_sd"))
    # Centred and scaled over all sentences, which gives both models one scale and changes no d.
    centre = float(np.average(mean, weights=n))
    scale = float(np.sqrt(np.average(sd**2 + (mean - centre) ** 2, weights=n))) or 1.0
    mean, sd = (mean - centre) / scale, sd / scale
    in_x = numbers([u["list"] == "targets_x" for u in units])
    in_y = 1 - in_x
    return np.stack([n * in_x, n * in_y, n * mean * in_x, n * mean * in_y, n * (sd**2 + mean**2)], axis=1)


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """d = (mean over X − mean over Y) / standard deviation over all sentences."""
    return effect_size(totals, int(settings.get("ddof", 1)))
