"""Gaps between true positive rates from counts, and what chance makes of such counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....result import Estimate
from ....stats import has_width, unpaired_interval, wilson_interval
from ....stats.permutation import TIE_TOLERANCE, sampled_p
from ...word_lists.inference import Inference

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RecognitionCounts:
    """Members of every class in every group, and how many of them were recognised.

    Attributes:
        classes, groups: their names.
        hits, totals: shape (classes, groups).
    """

    classes: tuple[str, ...]
    groups: tuple[str, ...]
    hits: Ints
    totals: Ints

    def of(self, classes: Sequence[int], groups: Sequence[int]) -> RecognitionCounts:
        """Those of some classes and groups, given by number."""
        cells = np.ix_(classes, groups)
        return RecognitionCounts(
            tuple(self.classes[i] for i in classes),
            tuple(self.groups[g] for g in groups),
            self.hits[cells],
            self.totals[cells],
        )


def gaps(hits: Ints | Floats, totals: Ints | Floats) -> Floats:
    """Largest less smallest true positive rate of a class, over the groups that have members; shape (…, classes).

    Args:
        hits: shape (…, classes, groups).
        totals: shape (classes, groups); every class has members in two groups or more.

    Examples:
        >>> gaps(np.array([[3, 1], [2, 2]]), np.array([[4, 4], [2, 4]]))
        array([0.5, 0.5])
    """
    # TPR(class, group) = hits / members; gap(class) = max over groups − min over groups
    there = totals > 0
    rates = hits / np.where(there, totals, 1)
    found = np.where(there, rates, -np.inf).max(axis=-1) - np.where(there, rates, np.inf).min(axis=-1)
    return np.asarray(found, dtype=np.float64)


def summaries(found: Floats) -> Mapping[str, Floats]:
    """Mean, root of the mean square, and maximum over the classes, the last axis."""
    return {
        "mean": found.mean(axis=-1),
        "rms": np.sqrt((found**2).mean(axis=-1)),
        "max": found.max(axis=-1),
    }


class TestedGap(NamedTuple):
    """A gap, or a summary of gaps, with what chance makes of it, by the names that a finding and a row have for it.

    Its ideal is its mean over the reorderings.
    """

    score: float
    ideal: float
    ci_low: float | None
    ci_high: float | None
    p_value: float
    p_low: float
    p_high: float

    def estimate(self) -> Estimate:
        """As a secondary value."""
        return Estimate(self.score, self.ci_low, self.ci_high, self.p_value)


def tested(counts: RecognitionCounts, inference: Inference) -> dict[str, TestedGap]:
    """The summaries by name, and the gap of every class under ``"class:"`` and its name.

    The null hypothesis: within a class, what is predicted does not depend on the group. Reordering the groups among the
    members of a class makes the hits of its groups multivariate hypergeometric. The interval draws the hits of every
    cell anew (binomial, which is the bootstrap of its members). Both a mean of absolute differences and its bootstrap
    lie above the population's value; the bootstrap is therefore centred on the observed value, and the interval is one
    for the score that is expected with these numbers of members, as the value by chance is.
    """
    of_null, of_interval = np.random.SeedSequence(inference.seed).spawn(2)
    null = _by_name(counts.classes, gaps(_reordered(counts, inference.n_resamples, of_null), counts.totals))
    drawn = _by_name(
        counts.classes, gaps(_redrawn(counts, inference.ci_resamples, of_interval), counts.totals)
    )
    observed = _by_name(counts.classes, gaps(counts.hits, counts.totals))
    tails = ((1 - inference.level) / 2, (1 + inference.level) / 2)
    found = {}
    for name, value in observed.items():
        reached = int((null[name] >= value - TIE_TOLERANCE).sum())
        ends: tuple[float | None, float | None] = (None, None)
        if inference.ci_resamples:
            low, high = np.clip(float(value) + np.quantile(drawn[name] - drawn[name].mean(), tails), 0.0, 1.0)
            if has_width(low, high, TIE_TOLERANCE):
                ends = float(low), float(high)
        p = sampled_p(reached, inference.n_resamples)
        found[name] = TestedGap(float(value), float(null[name].mean()), *ends, *p)
    return found


def _by_name(classes: tuple[str, ...], found: Floats) -> dict[str, Floats]:
    named = {f"class:{name}": found[..., i] for i, name in enumerate(classes)}
    return {**summaries(found), **named}


def _reordered(counts: RecognitionCounts, n: int, seed: np.random.SeedSequence) -> Ints:
    """Hits after reordering the groups within each class, shape (n, classes, groups)."""
    rng = np.random.default_rng(seed)
    drawn = [
        rng.multivariate_hypergeometric(totals, int(hits.sum()), size=n, method="marginals")
        for hits, totals in zip(counts.hits, counts.totals, strict=True)
    ]
    return np.stack(drawn, axis=1)


def _redrawn(counts: RecognitionCounts, n: int, seed: np.random.SeedSequence) -> Ints:
    rates = counts.hits / np.maximum(counts.totals, 1)
    found = np.random.default_rng(seed).binomial(counts.totals, rates, size=(n, *counts.totals.shape))
    return np.asarray(found, dtype=np.int64)


def newcombe_interval(hits: Ints, totals: Ints, level: float) -> tuple[float, float]:
    """Interval of a difference of two independent proportions (Newcombe 1998, Statistics in Medicine 17, method 10).

    Examples:
        >>> low, high = newcombe_interval(np.array([56, 48]), np.array([70, 80]), 0.95)
        >>> round(low, 4), round(high, 4)  # his table II, example (a)
        (0.0524, 0.3339)
    """
    found = [wilson_interval(int(k), int(n), level) for k, n in zip(hits, totals, strict=True)]
    first, second = ((own.estimate, own.low, own.high) for own in found)
    return unpaired_interval(second, first)
