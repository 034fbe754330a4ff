"""Whether the labels of options speak: what probability they have among a reply's first tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...arrays import FloatArray

LEAST_MASS = 0.5
"""Probability of all labels together below which they do not decide."""
IMPOSSIBLE = "its log-probabilities are those of no probabilities"
_ROUNDING = 0.01
"""By how much a log-probability of a server may lie above 0."""


def label_mass(alternatives: Mapping[str, float], labels: Sequence[str]) -> tuple[int | str, float]:
    """Position of the likeliest label among the likeliest first tokens, or why there is none, and all labels' mass.

    A label with and without a blank before it is one; one that is not among the tokens is less likely than those that
    are. Of a list that is cut the mass is a lower bound; of numbers that are no log-probabilities it is infinite.

    Args:
        alternatives: log-probabilities of first tokens, by their text.
        labels: the labels.

    Examples:
        >>> place, mass = label_mass({"A": -1.0, " A": -3.0, "B": -0.9, "The": -2.0}, ["A", "B"])
        >>> place, round(mass, 3)
        (0, 0.824)
        >>> label_mass({"I": -0.1, "A": -3.5}, ["A", "B"])
        ('the labels have 3 % of the probability', 0.0301...)
        >>> label_mass({"A": 6.5}, ["A", "B"])
        ('its log-probabilities are those of no probabilities', inf)
    """
    sums = log_sums(alternatives, labels)
    mass = mass_of(sums)
    if not np.isfinite(mass):
        return IMPOSSIBLE, mass
    if mass < LEAST_MASS:
        return little_mass(mass), mass
    best = np.flatnonzero(sums == sums.max())
    return (int(best[0]) if len(best) == 1 else "two labels are equally likely"), mass


def log_sums(
    alternatives: Mapping[str, float], labels: Sequence[str], *, any_capitals: bool = False
) -> FloatArray:
    """Logarithm of the probability of each label, with and without blanks, shape (labels,); -inf for none, NaN where a
    number is no log-probability.
    """
    sums = np.full(len(labels), -np.inf)
    keys = [label.casefold() if any_capitals else label for label in labels]
    for token, logprob in alternatives.items():
        text = token.strip().casefold() if any_capitals else token.strip()
        for i in (i for i, key in enumerate(keys) if key == text):
            with np.errstate(invalid="ignore"):
                sums[i] = np.logaddexp(sums[i], logprob) if logprob <= _ROUNDING else np.nan
    return sums


def mass_of(sums: FloatArray) -> float:
    """Probability of all labels together; infinite where a number is no log-probability."""
    return float("inf") if np.isnan(sums).any() else float(np.exp(sums).sum())


def little_mass(mass: float) -> str:
    """That labels do not speak.

    Examples:
        >>> little_mass(0.031), little_mass(1e-5)
        ('the labels have 3 % of the probability', 'the labels have less than 1 % of the probability')
    """
    share = f"{int(100 * mass + 1e-9)} %" if mass >= 0.01 else "less than 1 %"
    return f"the labels have {share} of the probability"
