"""Differences of prompts on arrays: their mean with test and interval, and texts with the groups' words exchanged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .... import stats
from ....arrays import FloatArray
from ....result import NOTHING_TO_TEST, Estimate
from ....stats.items import Ends
from ....text import counted, word_spans
from ...item_scores import mean
from ...rows import none_of

FEWEST_TESTED = stats.FEWEST_FLIPS
"""Prompts that must differ for a test: with fewer no p-value can fall below 5%."""
FEWEST_FOR_INTERVAL = 10
"""Prompts that must differ for an interval: with fewer, Student's interval contains the mean far too rarely."""


def mean_difference(
    values: npt.ArrayLike, *, scale: float = 0.0, most: float = math.inf,
    confidence_level: float, n_resamples: int,
    seed: int,
) -> dict[str, Any]:  # fmt: skip
    """Mean of the differences of prompts, as fields of a finding or a row.

    The test flips their signs, the interval is Student's. Prompts that do not differ count for the mean and its
    spread. A test needs 6 that differ, an interval 10.

    Args:
        values: the difference of each prompt, shape (prompts,).
        scale: largest absolute score of a text. Differences that are rounding next to it are 0.
        most: largest difference that there can be, beyond which the interval does not reach.
        confidence_level: confidence level.
        n_resamples: number of sign patterns, if they are sampled.
        seed: of these.

    Examples:
        >>> facts = mean_difference([0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.0], confidence_level=0.95, n_resamples=99, seed=0)
        >>> round(facts["score"], 3), facts["p_value"], facts["n"], facts["n_tested"], facts["ci_method"]
        (0.243, 0.03125, 7, 6, 'none: only 6 prompts differ, and an interval needs 10')
    """
    items, how = _items(values, scale, confidence_level, n_resamples, seed)
    ones, differences = items.columns.T
    n, differing = len(differences), int(np.count_nonzero(differences))
    facts: dict[str, Any] = {
        "score": float(differences.mean()), "n": n, "n_tested": differing,
        **_interval(items, how, most)._asdict(),
        "details": {"null_sd": float(np.linalg.norm(differences)) / n},
    }  # fmt: skip
    if differing >= FEWEST_TESTED:
        facts |= items.mean_test(differences, ones, how)._asdict()
    if not differing:
        facts["details"][NOTHING_TO_TEST] = none_of(n, n, "prompts differ")
    return facts


def _items(
    values: npt.ArrayLike, scale: float, confidence_level: float, n_resamples: int = 1, seed: int = 0
) -> tuple[stats.Items, stats.ItemInference]:
    """1 and the difference of every prompt, in an order that no row can change, and how they are tested."""
    differences = np.sort(stats.without_rounding(values, scale))
    columns = np.stack([np.ones(len(differences)), differences], axis=1)
    how = stats.ItemInference(
        interval="t", test="sign_flips", clusters="prompts", confidence_level=confidence_level,
        n_resamples=n_resamples, seed=seed,
    )  # fmt: skip
    return stats.Items.of(columns, range(len(columns))), how


def _interval(items: stats.Items, how: stats.ItemInference, most: float) -> Ends:
    """Student's interval of a mean that ends at ``most``, none if fewer than 10 prompts differ."""
    if (differing := int(np.count_nonzero(items.columns[:, 1]))) < FEWEST_FOR_INTERVAL:
        number = f"only {counted(differing, 'prompt')}" if differing else "no prompt"
        verb = "differ" if differing > 1 else "differs"
        return Ends(None, None, f"none: {number} {verb}, and an interval needs {FEWEST_FOR_INTERVAL}")
    return items.interval(mean, how, (-most, most))


def mean_estimate(
    values: npt.ArrayLike, confidence_level: float, *, scale: float = 0.0, most: float = math.inf
) -> Estimate:
    """Mean over prompts of a part of the difference, with its interval, see :func:`mean_difference`."""
    items, how = _items(values, scale, confidence_level)
    return Estimate(float(items.columns[:, 1].mean()), *_interval(items, how, most)[:2])


def sampled_ends(values: FloatArray, confidence_level: float, most: float) -> tuple[float, float]:
    """Ends of a mean that hold in samples of any shape: the mean is at most ``most`` · P(value > 0).

    Student's interval includes the mean too rarely if few prompts differ. These ends are Clopper and
    Pearson's of the shares of prompts below and above 0, times ``most``.

    Args:
        values: shape (prompts,), from ``-most`` to ``most``.
        confidence_level: confidence level.
        most: largest value that there can be.

    Examples:
        >>> low, high = sampled_ends(np.array([1.0] * 2 + [0.0] * 38), 0.95, 1.0)
        >>> round(low, 3), round(high, 3)
        (-0.088, 0.169)
    """
    below, above = (
        stats.clopper_pearson_interval(int((side * values > 0).sum()), len(values), confidence_level).high
        for side in (-1, 1)
    )
    return -most * below, most * above


def exchanged(text: str, forms: Sequence[str], others: Sequence[str]) -> str:
    """Return a text with the forms of one group replaced by forms of another group that have the same places.

    Whole words, longest first, whatever their capitals. A form that begins with a capital keeps it. If a script puts no
    space between words, every occurrence counts. Of a form that has several places the first counts.

    Examples:
        >>> exchanged("My sister said that she is HER own boss.", ["sister", "she", "her"], ["brother", "he", "his"])
        'My brother said that he is His own boss.'
        >>> exchanged("她是护士。", ["她"], ["他"])
        '他是护士。'
    """
    pairs = {form.lower(): other for form, other in zip(forms[::-1], others[::-1], strict=True)}
    replacements: list[tuple[int, int, str]] = []
    for form in sorted(pairs, key=len, reverse=True):
        replacements += [
            (start, end, pairs[form])
            for start, end in word_spans(text, form, cased=False)
            if not any(start < used_end and used_start < end for used_start, used_end, _ in replacements)
        ]
    pieces, position = [], 0
    for start, end, other in sorted(replacements):
        pieces += [text[position:start], other[:1].upper() + other[1:] if text[start].isupper() else other]
        position = end
    return "".join([*pieces, text[position:]])
