"""One association test for words, sentences and attributes: effect size, permutation test, interval and influence.

An :class:`AssociationTest` says what is compared and how it follows from the four lists.
:func:`association_test` does the rest, the same for WEAT (words), SEAT (sentences that belong to words) and
LPBS (attributes).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import stats
from ...arrays import FloatArray
from ...errors import UndefinedScoreError
from ...stats import Interval, Names, PermutationTest
from .inference import Inference, bootstrap_interval, difference_test

__all__ = ["AssociationOutcome", "AssociationTest", "Inference", "TargetSplit", "association_test"]


@dataclass(frozen=True, kw_only=True)
class AssociationTest(ABC):
    """Two sides of scored units, made from four lists: targets X and Y, attributes A and B.

    Attributes:
        n_first: number of units of the first side.
        ddof: 1 for the sample standard deviation of the scores, 0 for the population's.
        units: what is scored, for errors.
        all_equal: what it means that all scores are equal, for errors.
    """

    n_first: int
    ddof: int = 1

    units: ClassVar[str]
    all_equal: ClassVar[str] = "all targets are equally associated"

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Scores closer than this are equal."""

    @property
    def smallest_side(self) -> int:
        """Number of units that each side needs."""
        return 2

    @property
    @abstractmethod
    def scores(self) -> FloatArray:
        """Score of every unit, shape (units,), the first side first."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, ...]:
        """Number of elements of each list that the bootstrap draws from."""

    @property
    def cells(self) -> int:
        """Numbers that one bootstrap sample needs."""
        return 4 * sum(self.sizes)

    @property
    def sides(self) -> tuple[FloatArray, FloatArray]:
        """Scores of the first and of the second side."""
        return self.scores[: self.n_first], self.scores[self.n_first :]

    @property
    def split(self) -> tuple[FloatArray, FloatArray]:
        """The two groups of numbers that the permutation test splits."""
        return self.sides

    @property
    def associations(self) -> tuple[FloatArray, FloatArray]:
        """Association of every target word of X and of Y."""
        return self.split

    @abstractmethod
    def resampled(self, indices: list[NDArray[Any]]) -> FloatArray:
        """Effect size of bootstrap samples, shape (batch,), NaN if undefined.

        Args:
            indices: for each of the lists of ``sizes``, the elements drawn, shape (batch, elements).
        """

    @abstractmethod
    def without(self, kind: int) -> Iterator[tuple[FloatArray, int] | None]:
        """For every word of the list at place ``kind`` of X, Y, A, B: the scores and number of units of the first side
        when it is omitted, ``None`` if it cannot be. For several words at once, scores of shape (words, units). The
        words of all four are the elements of ``sizes``."""

    def effect_sizes(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """d of every bootstrap sample, shape (batch,), of scores of shapes (batch, n_first) and (batch, n_second)."""
        sd = np.concatenate([first, second], axis=1).std(axis=1, ddof=self.ddof)
        return self.divided(first.mean(axis=1) - second.mean(axis=1), sd)

    def divided(self, difference: FloatArray, sd: FloatArray) -> FloatArray:
        """difference / sd, NaN if the spread is at rounding level, as if the same word is drawn every time."""
        undefined = sd <= self.tolerance
        return np.asarray(np.where(undefined, np.nan, difference / np.where(undefined, 1.0, sd)))

    @cached_property
    def d(self) -> float:
        """The effect size of the data: (mean of the first side − mean of the second) / sd over both.

        Raises:
            UndefinedScoreError: the scores differ by no more than rounding.
        """
        if np.ptp(self.scores) <= self.tolerance:
            raise UndefinedScoreError(
                f"the effect size is undefined: {self.all_equal}, so the standard deviation is 0"
            )
        return stats.effect_size(*self.sides, ddof=self.ddof)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationOutcome:
    """Outcome of :func:`association_test`.

    Attributes:
        effect_size: d = ``difference`` / ``sd``.
        difference: mean score of the first side minus the second's.
        sd: standard deviation of the scores over both sides.
        permutation: the permutation test of the difference of means.
        interval: bootstrap interval of d. ``None`` when it was not asked for, or has no width.
        associations_x, associations_y: association of every target word with A less its association with B.
        influence: for ``"x"``, ``"y"``, ``"a"`` and ``"b"``, by how much d falls when that one word is
            omitted (positive: the word pushes d up), ``None`` if d does not exist without it.
    """

    effect_size: float
    difference: float
    sd: float
    permutation: PermutationTest
    interval: Interval | None
    associations_x: FloatArray
    associations_y: FloatArray
    influence: dict[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class TargetSplit:
    """What the permutation test of one association test splits.

    Attributes:
        words: the words of X, then the words of Y.
        n_x: number of words of X.
        scores: association of every word.
        weights: weight of every word in the mean of its side, such as the number of its sentences.
        sd: standard deviation that the effect size is divided by. No split changes it.
    """

    words: tuple[str, ...]
    n_x: int
    scores: FloatArray
    weights: FloatArray
    sd: float

    def effect_sizes(self, chosen: NDArray[np.intp]) -> FloatArray:
        """Effect size if the words at these places, shape (batch, n_x), are the first side."""
        weighted = self.weights * self.scores
        weight, total = self.weights[chosen].sum(axis=1), weighted[chosen].sum(axis=1)
        rest = (weighted.sum() - total) / (self.weights.sum() - weight)
        return np.asarray((total / weight - rest) / self.sd)

    @property
    def null_sd(self) -> float:
        """Standard deviation of the effect size over all splits. If weights differ, over 9,999 random ones."""
        n, n_y = len(self.scores), len(self.scores) - self.n_x
        if np.ptp(self.weights) == 0:
            # Var(mean of X - mean of Y) = S² (1/n_x + 1/n_y), S² = sum of squared deviations / (n - 1).
            return float(self.scores.std(ddof=1) * np.sqrt(1 / self.n_x + 1 / n_y) / self.sd)
        order = np.random.default_rng(0).random((9_999, n))[:, np.argsort(np.argsort(self.words))]
        return float(self.random_effect_sizes(order).std())

    def random_effect_sizes(self, order: FloatArray) -> FloatArray:
        """Effect size if the words with the smallest numbers are one side, from numbers of shape (batch, words)."""
        # Which side takes them must not depend on what a test calls X, for sides of unequal size.
        if min(self.words[self.n_x :]) < min(self.words[: self.n_x]):
            order = -order
        return self.effect_sizes(np.argpartition(order, self.n_x - 1, axis=1)[:, : self.n_x])


def association_test(
    compared: AssociationTest,
    inference: Inference | None = None,
    lists: Iterable[Sequence[str]] | None = None,
) -> AssociationOutcome:
    """Test whether the two sides differ by more than chance splits of the same units do.

    The null distribution comes from the difference of means over all splits of the units into sides of the
    observed sizes. The interval resamples the lists independently of each other. A list of one element is
    kept fixed. The interval is missing if all bootstrap samples have the same effect size, as for two groups without
    spread.

    Args:
        compared: what is compared: :class:`~evaluate_bias.methods.word_lists.cosines.WordTest`, for example.
        inference: how p-value and interval are made.
        lists: the words of X, Y, A and B, in the order of the elements of ``compared.sizes``. With them the interval
            does not depend on which list is called X, or A.

    Returns:
        The effect size with its test, interval, and the contribution of every word.

    Raises:
        InputError: an option is out of range.
        UndefinedScoreError: fewer than two units on a side, or scores that do not vary.

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186.

    Examples:
        >>> from evaluate_bias.methods.word_lists.cosines import WordTest
        >>> x, y = [[1.0, 0.0], [1.0, 0.2], [0.9, 0.1]], [[0.0, 1.0], [0.1, 1.0], [0.3, 0.8]]
        >>> t = association_test(WordTest.from_vectors(x, y, [[1.0, 0.1], [0.8, 0.2]], [[0.1, 1.0], [0.2, 0.7]]))
        >>> round(t.effect_size, 4), t.permutation.p_value, t.permutation.n_partitions
        (1.8023, 0.1, 20)
    """
    settings = inference or Inference()
    first, second = compared.sides
    if min(len(first), len(second)) < compared.smallest_side:
        raise UndefinedScoreError(
            f"the test needs at least two {compared.units} in each set, got {len(first)} and {len(second)}"
        )
    d, sd = compared.d, float(compared.scores.std(ddof=compared.ddof))
    permutation = difference_test(*compared.split, compared.tolerance, settings)
    without = [_effect_sizes(compared, compared.without(kind)) for kind in range(4)]
    sets: Sequence[Names] = compared.sizes
    if lists is not None:
        words = chain.from_iterable(lists)
        sets = [list(islice(words, size)) for size in compared.sizes]
    interval = bootstrap_interval(
        sets,
        compared.resampled,
        settings,
        rounding=compared.tolerance / sd,
        cells=compared.cells,
        left_out=np.split(np.concatenate(without), np.cumsum(compared.sizes)[:-1]),
    )
    of_x, of_y = compared.associations
    return AssociationOutcome(
        effect_size=d,
        difference=float(first.mean() - second.mean()),
        sd=sd,
        permutation=permutation,
        interval=interval,
        associations_x=of_x,
        associations_y=of_y,
        influence={
            key: [None if np.isnan(reduced_d) else d - reduced_d for reduced_d in of_list]
            for key, of_list in zip("xyab", without, strict=True)
        },
    )


def _effect_sizes(compared: AssociationTest, without: Iterator[tuple[FloatArray, int] | None]) -> list[float]:
    """d of what is left without each word of a list, by the same sums as for the data, NaN if it has none."""
    effect_sizes: list[float] = []
    for reduced_scores, n_first in (reduced or (np.empty(0), 0) for reduced in without):
        if not 0 < n_first < reduced_scores.shape[-1]:
            effect_sizes.append(np.nan)
            continue
        # In C order, so that a row of several is summed as one alone is.
        scores = np.atleast_2d(np.ascontiguousarray(reduced_scores))
        spread = np.ptp(scores, axis=1)
        equal = (spread <= compared.tolerance) | (spread <= stats.TIE_TOLERANCE * np.abs(scores).max(axis=1))
        difference = scores[:, :n_first].mean(axis=1) - scores[:, n_first:].mean(axis=1)
        sd = np.where(equal, np.nan, scores.std(axis=1, ddof=compared.ddof))
        effect_sizes += (difference / sd).tolist()
    return effect_sizes
