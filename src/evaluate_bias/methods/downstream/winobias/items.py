"""Stereotype and skew as functions of totals over pairs: predicted pronouns by the stereotype of their profession."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers
from ...published import HARNESS_SCORE

GENDERS = ("male", "female")


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Predictions and pairs, by stereotype, shape (n, 2, 3). For coreference, gains and pairs, shape (n, 2). For a
    published protocol, right answers and sentences, shape (n, 2).
    """
    if HARNESS_SCORE in settings:
        return np.stack([numbers([u["correct"] for u in units]), np.ones(len(units))], axis=1)
    if settings.get("variant") in ("coreference", "question"):
        gain = numbers([u["pro_correct"] for u in units]) - numbers([u["anti_correct"] for u in units])
        return np.stack([gain, numbers([u.get("weight", 1.0) for u in units])], axis=1)
    predicted = [u["predicted"] for u in units]
    predictions = np.stack(
        [numbers([p == g for p in predicted]) for g in GENDERS] + [np.ones(len(units))], axis=1
    )
    expected = numbers([[u["stereotype"] == g for g in GENDERS] for u in units])
    return np.asarray(expected[:, :, None] * predictions[:, None, :])


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """All pairs make up the score, the pairs of a type its row. For a published protocol, sentences of a subset do."""
    if HARNESS_SCORE in settings:
        is_gotcha, gender = row.name.startswith("gotcha"), row.name.removeprefix("gotcha").removeprefix("_")
        is_in = (unit["gotcha"] or not is_gotcha) and gender in ("", unit["gender"])
        return bool(row.kind == "overall" or is_in)
    return bool(row.kind == "overall" or row.name == (unit.get("type") or "without type"))


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Stereotype, in percent. For coreference, the gain. For a published protocol, the accuracy."""
    if HARNESS_SCORE in settings:
        return np.asarray(totals[..., 0] / totals[..., 1])
    if settings.get("variant") in ("coreference", "question"):
        return np.asarray(100 * totals[..., 0] / totals[..., 1])
    scores = pronoun_scores(totals)
    return np.asarray(
        scores.published_stereotype if settings.get("variant") == "published" else scores.stereotype
    )


def stereotype_and_skew(
    *, f1_pro_male: float, f1_anti_male: float, f1_pro_female: float, f1_anti_female: float
) -> tuple[float, float]:
    """Stereotype and skew of four F1 scores, in their unit.

    Args:
        f1_pro_male: F1 of the male class on the pro-stereotypical sentences.
        f1_pro_female: F1 of the female class on them.
        f1_anti_male: F1 of the male class on the anti-stereotypical sentences.
        f1_anti_female: F1 of the female class on them.

    Returns:
        Stereotype, the mean over the classes of the difference between pro and anti, and skew, the mean over
        pro and anti of the difference between the classes. Both without sign, 0 or more, as the paper has
        them.

    References:
        de Vassimon Manela et al. (2021): Stereotype and Skew. EACL 2021, section 3. Table 2, BERT on type 2.

    Examples:
        >>> f1 = {"f1_pro_male": 66.41, "f1_anti_male": 58.89, "f1_pro_female": 31.78, "f1_anti_female": 16.99}
        >>> [round(value, 1) for value in stereotype_and_skew(**f1)]
        [11.2, 38.3]
    """
    stereotype = (abs(f1_pro_male - f1_anti_male) + abs(f1_pro_female - f1_anti_female)) / 2
    skew = (abs(f1_pro_male - f1_pro_female) + abs(f1_anti_male - f1_anti_female)) / 2
    return stereotype, skew


def f1_scores(counts: FloatArray) -> FloatArray:
    """F1 in percent: pro male, anti male, pro female, anti female, shape (…, 4).

    ``counts`` are how many pairs have a male and a female prediction, and how many there are, not 0, by stereotype:
    shape (…, 2, 3), male first. Ties do not count as predictions.
    """
    # F1 = 2·TP / (predicted + actual). On the anti-stereotypical sentences the labels are turned round and the masked
    # text, and with it the prediction, is the same: "male" is right if the stereotype is female.
    male, female, sizes = np.moveaxis(counts, -1, 0)
    called_male, called_female = male.sum(axis=-1), female.sum(axis=-1)
    parts = [
        2 * male[..., 0] / (called_male + sizes[..., 0]),
        2 * male[..., 1] / (called_male + sizes[..., 1]),
        2 * female[..., 1] / (called_female + sizes[..., 1]),
        2 * female[..., 0] / (called_female + sizes[..., 0]),
    ]
    return 100 * np.stack(parts, axis=-1)


class Scores(NamedTuple):
    """Stereotype and skew, both with their signs, then as the paper has them, without."""

    stereotype: Any
    skew: Any
    published_stereotype: Any
    published_skew: Any


def pronoun_scores(counts: FloatArray) -> Scores:
    """Stereotype and skew of counts as in :func:`f1_scores`, each of shape (…), NaN without both stereotypes."""
    is_defined = np.asarray((counts[..., 2] > 0).all(axis=-1))
    f1 = f1_scores(np.where(is_defined[..., None, None], counts, 1.0))
    by_class = np.stack([f1[..., 0] - f1[..., 1], f1[..., 2] - f1[..., 3]], axis=-1)
    by_side = np.stack([f1[..., 0] - f1[..., 2], f1[..., 1] - f1[..., 3]], axis=-1)
    values = (by_class, by_side, np.abs(by_class), np.abs(by_side))
    return Scores(*(np.where(is_defined, value.mean(axis=-1), np.nan) for value in values))


def without_sign(low: float | None, high: float | None) -> tuple[float, float] | tuple[None, None]:
    """Return the interval of an absolute value whose signed value lies between two numbers, none if that has none.

    Examples:
        >>> without_sign(-3.0, 1.0), without_sign(-3.0, -1.0)
        ((0.0, 3.0), (1.0, 3.0))
    """
    if low is None or high is None:
        return None, None
    smallest, largest = sorted((abs(low), abs(high)))
    return (0.0 if low <= 0 <= high else smallest), largest
