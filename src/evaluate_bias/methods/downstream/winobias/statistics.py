"""Stereotype and skew from counts of predicted pronouns, and what chance makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....stats.permutation import TIE_TOLERANCE, sampled_p
from ...word_lists.inference import Inference, batch_sizes, percentile_interval

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW_UNITS = 8
_BATCH_CELLS = 1 << 22


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
        Stereotype, the mean over the classes of the difference between pro and anti; and skew, the mean over pro and
        anti of the difference between the classes; both without sign, 0 or more, as the paper has them.

    References:
        de Vassimon Manela et al. (2021): Stereotype and Skew. EACL 2021, section 3; table 2, BERT on type 2.

    Examples:
        >>> f1 = {"f1_pro_male": 66.41, "f1_anti_male": 58.89, "f1_pro_female": 31.78, "f1_anti_female": 16.99}
        >>> [round(value, 1) for value in stereotype_and_skew(**f1)]
        [11.2, 38.3]
    """
    stereotype = (abs(f1_pro_male - f1_anti_male) + abs(f1_pro_female - f1_anti_female)) / 2
    skew = (abs(f1_pro_male - f1_pro_female) + abs(f1_anti_male - f1_anti_female)) / 2
    return stereotype, skew


def f1_scores(counts: Ints | Floats) -> Floats:
    """F1 in percent: pro male, anti male, pro female, anti female; shape (…, 4).

    ``counts`` are how many pairs have a male and a female prediction, and how many there are, not 0, by stereotype:
    shape (…, 2, 3), male first. Ties do not count as predictions.
    """
    # F1 = 2·TP / (predicted + actual). On the anti-stereotypical sentences the labels are turned round and the masked
    # text, and with it the prediction, is the same: "male" is right where the stereotype is female.
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


def pronoun_scores(counts: Ints | Floats) -> Scores:
    """Stereotype and skew of counts as in :func:`f1_scores`, each of shape (…)."""
    f1 = f1_scores(counts)
    by_class = np.stack([f1[..., 0] - f1[..., 1], f1[..., 2] - f1[..., 3]], axis=-1)
    by_side = np.stack([f1[..., 0] - f1[..., 2], f1[..., 1] - f1[..., 3]], axis=-1)
    signed = (by_class, by_side)
    return Scores(*(v.mean(axis=-1) for v in (*signed, *map(np.abs, signed))))


class ExchangedUnit(NamedTuple):
    """What is exchanged as a whole: the pairs of a profession, or one pair of which none is known.

    Attributes:
        name: its name.
        stereotype: 0 for male, 1 for female.
        pairs: positions of its pairs.
    """

    name: str
    stereotype: int
    pairs: list[int]


class UnitCounts(NamedTuple):
    """Predictions by unit.

    Attributes:
        stereotype: shape (units,), 0 for male and 1 for female.
        counts: male predictions, female predictions, and pairs, shape (units, 3).
    """

    stereotype: Ints
    counts: Ints

    @classmethod
    def of(cls, units: Sequence[ExchangedUnit], predicted: Ints) -> UnitCounts:
        """Counts of units; ``predicted`` has 0 for male, 1 for female, -1 for a tie, by pair."""
        predictions = [(unit.stereotype, predicted[unit.pairs]) for unit in units]
        # In the order of their numbers, so that pairs in another order are drawn alike.
        rows = np.array(sorted((s, (p == 0).sum(), (p == 1).sum(), len(p)) for s, p in predictions))
        return cls(rows[:, 0], rows[:, 1:])

    def each_pair(self) -> UnitCounts:
        """The same with every pair a unit of its own; counts by stereotype are all that matters."""
        outcomes, sums = (
            np.array([(1, 0, 1), (0, 1, 1), (0, 0, 1)]),
            self.by_stereotype(),
        )  # male, female, tie
        rows = [outcomes.repeat((male, female, n - male - female), axis=0) for male, female, n in sums]
        return UnitCounts(np.repeat((0, 1), sums[:, 2]), np.concatenate(rows))

    def by_stereotype(self, female: NDArray[np.bool_] | None = None) -> Ints:
        """Counts by stereotype, (…, 2, 3), also for other stereotypes given as booleans, shape (…, units)."""
        theirs = (self.stereotype == 1 if female is None else female) @ self.counts
        return np.stack([self.counts.sum(axis=0) - theirs, theirs], axis=-2)

    def permutation(self, n_resamples: int, seed: int, published: bool) -> tuple[float, tuple[float, float]]:
        """Mean of the score when stereotypes are given to the units at random, and the p-value with its error.

        Scores as far from 0 count. The published one is never below 0, so this is its upper tail.
        """
        which = 2 if published else 0
        rng, labels = np.random.default_rng(seed), self.stereotype == 1
        parts = []
        for size in batch_sizes(n_resamples, len(labels), _BATCH_CELLS):
            order = np.argsort(rng.random((size, len(labels))), axis=1)
            parts.append(pronoun_scores(self.by_stereotype(labels[order]))[which])
        null_scores = np.concatenate(parts)
        observed = abs(pronoun_scores(self.by_stereotype())[which])
        extreme = np.abs(null_scores) >= observed - TIE_TOLERANCE * 100
        return float(null_scores.mean()), sampled_p(int(extreme.sum()), n_resamples)

    def interval(self, which: int, inference: Inference) -> tuple[float, float] | tuple[None, None]:
        """Interval of one of the :class:`Scores`: bootstrap over the units of either stereotype.

        One without width is none.
        """
        members = [np.flatnonzero(self.stereotype == s) for s in (0, 1)]

        def statistic(samples: Sequence[NDArray[np.intp]]) -> Floats:
            sums = [self.counts[m[i]].sum(axis=1) for m, i in zip(members, samples, strict=True)]
            return np.asarray(pronoun_scores(np.stack(sums, axis=-2))[which])

        bootstrap = percentile_interval([len(m) for m in members], statistic, inference)
        low, high = max(bootstrap.low, -100.0), min(bootstrap.high, 100.0)
        return (low, high) if stats.has_width(low, high, 100 * TIE_TOLERANCE) else (None, None)


def without_sign(low: float | None, high: float | None) -> tuple[float, float] | tuple[None, None]:
    """The interval of an absolute value whose signed value lies between two numbers; none where that has none.

    Examples:
        >>> without_sign(-3.0, 1.0), without_sign(-3.0, -1.0)
        ((0.0, 3.0), (1.0, 3.0))
    """
    if low is None or high is None:
        return None, None
    smallest, largest = sorted((abs(low), abs(high)))
    return (0.0 if low <= 0 <= high else smallest), largest
