"""Stereotype and skew from counts of predicted pronouns, and what chance makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....stats.permutation import TIE_TOLERANCE, sampled_p

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


def f1_scores(male: Ints | Floats, female: Ints | Floats, sizes: Ints | Floats) -> Floats:
    """F1 in percent: pro male, anti male, pro female, anti female; shape (…, 4).

    Args:
        male: how many pairs have a male prediction, shape (…, 2), by stereotype: male, female. Ties do not count.
        female: the same for female predictions.
        sizes: number of pairs, shape (…, 2), none 0.
    """
    # F1 = 2·TP / (predicted + actual). On the anti-stereotypical sentences the labels are turned round and the masked
    # text, and with it the prediction, is the same: "male" is right where the stereotype is female.
    called_male, called_female = male.sum(axis=-1), female.sum(axis=-1)
    parts = [
        2 * male[..., 0] / (called_male + sizes[..., 0]),
        2 * male[..., 1] / (called_male + sizes[..., 1]),
        2 * female[..., 1] / (called_female + sizes[..., 1]),
        2 * female[..., 0] / (called_female + sizes[..., 0]),
    ]
    return 100 * np.stack(parts, axis=-1)


class Scores(NamedTuple):
    """Stereotype and skew of one sample, both with their signs, then as the paper has them, without."""

    stereotype: float
    skew: float
    published_stereotype: float
    published_skew: float


def _scores(
    male: Ints | Floats, female: Ints | Floats, sizes: Ints | Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """The same of many samples."""
    f1 = f1_scores(male, female, sizes)
    by_class = np.stack([f1[..., 0] - f1[..., 1], f1[..., 2] - f1[..., 3]], axis=-1)
    by_side = np.stack([f1[..., 0] - f1[..., 2], f1[..., 1] - f1[..., 3]], axis=-1)
    return (
        by_class.mean(axis=-1),
        by_side.mean(axis=-1),
        np.abs(by_class).mean(axis=-1),
        np.abs(by_side).mean(axis=-1),
    )


def stereotype(male: Floats, female: Floats, sizes: Floats, published: bool) -> Floats:
    """The stereotype alone, of counts as in :func:`f1_scores`; shape (…)."""
    return _scores(male, female, sizes)[2 if published else 0]


@dataclass(frozen=True, slots=True)
class ExchangedUnit:
    """What is exchanged as a whole: the pairs of a profession, or one pair of which none is known.

    Attributes:
        name: its name.
        stereotype: 0 for male, 1 for female.
        pairs: positions of its pairs.
    """

    name: str
    stereotype: int
    pairs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """Predictions by unit.

    Attributes:
        stereotype: shape (units,), 0 for male and 1 for female.
        male, female, size: shape (units,): male and female predictions, and pairs.
    """

    stereotype: Ints
    male: Ints
    female: Ints
    size: Ints

    @classmethod
    def of(cls, units: Sequence[ExchangedUnit], predicted: Ints) -> UnitCounts:
        """Counts of units; ``predicted`` has 0 for male, 1 for female, -1 for a tie, by pair."""
        found = [(unit.stereotype, predicted[list(unit.pairs)]) for unit in units]
        # In the order of their numbers, so that pairs in another order are drawn alike.
        rows = sorted((s, int((p == 0).sum()), int((p == 1).sum()), len(p)) for s, p in found)
        return cls(*np.array(rows, dtype=np.int64).T)

    def each_pair(self) -> UnitCounts:
        """The same with every pair a unit of its own; counts by stereotype are all that matters."""
        parts = []
        for s in (0, 1):
            male, female, size = (
                int(v[self.stereotype == s].sum()) for v in (self.male, self.female, self.size)
            )
            outcome = np.repeat([0, 1, 2], [male, female, size - male - female])
            parts.append((np.full(size, s), outcome))
        stereotype, outcome = (np.concatenate(column) for column in zip(*parts, strict=True))
        return UnitCounts(stereotype, (outcome == 0) * 1, (outcome == 1) * 1, np.ones_like(outcome))

    def sums(self, female: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
        """Counts by stereotype for stereotypes given as truth values, shape (…, units)."""

        def by(values: Ints) -> Ints:
            theirs = female @ values
            return np.stack([values.sum() - theirs, theirs], axis=-1)

        return by(self.male), by(self.female), by(self.size)

    def scores(self) -> Scores:
        """Stereotype and skew."""
        return Scores(*map(float, _scores(*self.sums(self.stereotype == 1))))

    def f1(self) -> list[float]:
        """F1: pro male, anti male, pro female, anti female."""
        return f1_scores(*self.sums(self.stereotype == 1)).tolist()  # type: ignore[no-any-return]

    def permutation(
        self, n_resamples: int, seed: int, published: bool
    ) -> tuple[float, tuple[float, float, float]]:
        """Mean of the score when stereotypes are given to the units at random, and the p-value with its bounds.

        Scores as far from 0 count. The published one is never below 0, so this is its upper tail.
        """
        which = 2 if published else 0
        drawn = np.concatenate(
            [_scores(*self.sums(labels))[which] for labels in self._shuffled(n_resamples, seed)]
        )
        extreme = np.abs(drawn) >= abs(self.scores()[which]) - TIE_TOLERANCE * 100
        return float(drawn.mean()), sampled_p(int(extreme.sum()), n_resamples)

    def _shuffled(self, n: int, seed: int) -> Iterator[NDArray[np.bool_]]:
        rng = np.random.default_rng(seed)
        labels = self.stereotype == 1
        batch = max(1, _BATCH_CELLS // len(labels))
        for start in range(0, n, batch):
            order = np.argsort(rng.random((min(batch, n - start), len(labels))), axis=1)
            yield labels[order]

    def intervals(
        self, n_resamples: int, level: float, seed: int
    ) -> list[tuple[float, float] | tuple[None, None]]:
        """Intervals of the signed stereotype and the signed skew: bootstrap over the units of either stereotype.

        One without width is none.
        """
        members = [np.flatnonzero(self.stereotype == s) for s in (0, 1)]

        def statistic(which: int) -> stats.bootstrap.Statistic:
            def of(drawn: Sequence[NDArray[np.intp]]) -> Floats:
                def by(values: Ints) -> Ints:
                    return np.stack(
                        [values[m[i]].sum(axis=1) for m, i in zip(members, drawn, strict=True)], axis=-1
                    )

                return _scores(by(self.male), by(self.female), by(self.size))[which]

            return of

        found: list[tuple[float, float] | tuple[None, None]] = []
        for which in (0, 1):
            interval = stats.bootstrap_ci(
                [len(m) for m in members],
                statistic(which),
                n_resamples=n_resamples,
                level=level,
                method="percentile",
                seed=seed,
            )
            low, high = max(interval.low, -100.0), min(interval.high, 100.0)
            found.append((low, high) if stats.has_width(low, high, 100 * TIE_TOLERANCE) else (None, None))
        return found


def without_sign(low: float | None, high: float | None) -> tuple[float, float] | tuple[None, None]:
    """The interval of an absolute value whose signed value lies between two numbers; none where that has none.

    Examples:
        >>> without_sign(-3.0, 1.0), without_sign(-3.0, -1.0)
        ((0.0, 3.0), (1.0, 3.0))
    """
    if low is None or high is None:
        return None, None
    if low <= 0 <= high:
        return 0.0, max(abs(low), abs(high))
    return min(abs(low), abs(high)), max(abs(low), abs(high))
