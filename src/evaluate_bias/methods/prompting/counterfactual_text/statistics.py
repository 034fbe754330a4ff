"""Differences of prompts on arrays: their mean with test and interval; and texts with the groups' words exchanged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from .... import stats
from ....arrays import FloatArray
from ....result import NOTHING_TO_TEST, Estimate
from ....text import counted, word_spans
from ...rows import none_of

FEWEST_TESTED = stats.FEWEST_FLIPS
"""Prompts that must differ for a test: with fewer no p-value can fall below 5 %."""
FEWEST_FOR_INTERVAL = 10
"""Prompts that must differ for an interval: with fewer Student's holds the mean far too rarely."""


def mean_difference(
    values: npt.ArrayLike, *, scale: float = 0.0, most: float = math.inf,
    confidence_level: float, n_resamples: int,
    seed: int,
) -> dict[str, Any]:  # fmt: skip
    """Mean of the differences of prompts, as fields of a finding or a row.

    The test flips their signs, the interval is Student's. Prompts that do not differ count for the mean and its
    spread; a test takes 6 that differ, an interval 10.

    Args:
        values: the difference of each prompt, shape (prompts,).
        scale: largest absolute score of a text; differences that are rounding beside it are 0.
        most: largest difference that there can be, beyond which the interval does not reach.
        confidence_level: confidence level.
        n_resamples: number of sign patterns, where they are sampled.
        seed: of these.

    Examples:
        >>> facts = mean_difference([0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.0], confidence_level=0.95, n_resamples=99, seed=0)
        >>> round(facts["score"], 3), facts["p_value"], facts["n"], facts["n_tested"], facts["ci_method"]
        (0.243, 0.03125, 7, 6, 'none: only 6 prompts differ, and an interval takes 10')
    """
    differences = np.sort(stats.without_rounding(values, scale))  # the order of prompts changes no digit
    differing = int(np.count_nonzero(differences))
    test = stats.sign_flip_test(differences, n_resamples=n_resamples, seed=seed)
    facts: dict[str, Any] = {"score": test.statistic, "n": len(differences), "n_tested": differing}
    if differing >= FEWEST_TESTED:
        facts |= {"p_value": test.p_value, "p_error": test.p_error}
        facts["p_method"] = f"{test.method} sign-flip test over prompts, two-sided"
    low, high = interval(differences, confidence_level, most)
    number = f"only {counted(differing, 'prompt')}" if differing else "no prompt"
    few = f"{number} {'differ' if differing > 1 else 'differs'}, and an interval takes {FEWEST_FOR_INTERVAL}"
    why = few if differing < FEWEST_FOR_INTERVAL else "all prompts differ alike"
    how = f"none: {why}" if low is None else "Student's t over prompts"
    details: dict[str, Any] = {"null_sd": test.null_sd}
    if not differing:
        details[NOTHING_TO_TEST] = none_of(len(differences), len(differences), "prompts differ")
    facts |= {"ci_low": low, "ci_high": high, "ci_method": how, "details": details}
    return facts


def interval(
    values: FloatArray, confidence_level: float, most: float = math.inf
) -> tuple[float | None, float | None]:
    """Student's interval of a mean, shape (prompts,); none where fewer than 10 differ from 0 or nothing varies.

    It ends at ``most`` on either side.

    Examples:
        >>> low, high = interval(np.arange(1.0, 11.0), 0.95)
        >>> round(low, 3), round(high, 3)
        (3.334, 7.666)
    """
    n = len(values)
    if np.count_nonzero(values) < FEWEST_FOR_INTERVAL:
        return None, None
    mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n)
    half = error * float(special.stdtrit(n - 1, (1 + confidence_level) / 2))
    low, high = max(mean - half, -most), min(mean + half, most)
    return (low, high) if stats.has_width(low, high) else (None, None)


def mean_estimate(
    values: npt.ArrayLike, confidence_level: float, *, scale: float = 0.0, most: float = math.inf
) -> Estimate:
    """Mean over prompts of a part of the difference, with its interval.

    Args:
        values: shape (prompts,).
        confidence_level: confidence level.
        scale: largest absolute score of a text; values that are rounding beside it are 0.
        most: largest value that there can be.
    """
    known = np.sort(stats.without_rounding(values, scale))
    return Estimate(float(known.mean()), *interval(known, confidence_level, most))


def sampled_ends(values: FloatArray, confidence_level: float, most: float) -> tuple[float, float]:
    """Ends of a mean that hold in samples of any shape: the mean is at most ``most`` · P(value > 0).

    Student's interval holds the mean too rarely where few prompts differ. These ends are Clopper and Pearson's of the
    shares of prompts below and above 0, times ``most``.

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
    """A text with the forms of one group replaced by those of another that have the same places.

    Whole words, longest first, whatever their capitals; one that begins with a capital stays so. Where a script puts no
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
