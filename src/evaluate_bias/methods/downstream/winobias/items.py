"""Stereotype as a function of totals over pairs: predicted pronouns by the stereotype of their profession."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers
from ...published import HARNESS_SCORE
from .statistics import pronoun_scores


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Predictions and pairs, by stereotype, shape (n, 2, 3); of coreference, gains and pairs, shape (n, 2); of a
    published protocol, right answers and sentences, shape (n, 2).
    """
    if HARNESS_SCORE in settings:
        return np.stack([numbers([u["correct"] for u in units]), np.ones(len(units))], axis=1)
    if settings.get("variant") in ("coreference", "question"):
        gain = numbers([u["pro_correct"] for u in units]) - numbers([u["anti_correct"] for u in units])
        return np.stack([gain, numbers([u.get("weight", 1.0) for u in units])], axis=1)
    predicted = [u["predicted"] for u in units]
    predictions = np.stack(
        [numbers([p == g for p in predicted]) for g in ("male", "female")] + [np.ones(len(units))], axis=1
    )
    expected = numbers([[u["stereotype"] == g for g in ("male", "female")] for u in units])
    return np.asarray(expected[:, :, None] * predictions[:, None, :])


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """All pairs make up the score, those of a type its row; of a published protocol the sentences of a subset."""
    if HARNESS_SCORE in settings:
        is_gotcha, gender = row.name.startswith("gotcha"), row.name.removeprefix("gotcha").removeprefix("_")
        is_in = (unit["gotcha"] or not is_gotcha) and gender in ("", unit["gender"])
        return bool(row.kind == "overall" or is_in)
    return bool(row.kind == "overall" or row.name == (unit["type"] or "without type"))


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Stereotype, in percent; of coreference, the gain; of a published protocol, the accuracy."""
    if HARNESS_SCORE in settings:
        return np.asarray(totals[..., 0] / totals[..., 1])
    if settings.get("variant") in ("coreference", "question"):
        return np.asarray(100 * totals[..., 0] / totals[..., 1])
    is_defined = np.asarray((totals[..., 2] > 0).all(axis=-1))
    safe = np.where(is_defined[..., None, None], totals, 1.0)
    scores = pronoun_scores(safe)
    is_published = settings.get("variant") == "published"
    return np.where(is_defined, scores.published_stereotype if is_published else scores.stereotype, np.nan)
