"""The association in answers that assign words to two groups, its test and its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .... import stats
from ....arrays import FloatArray
from ....stats.items import ItemTest, linearised
from ...rows import numbered, tail_facts
from ...word_lists.inference import Inference

PUBLISHED_OFFSET = 0.01
"""What the published code adds to each denominator."""

_STEP = 1e-4
"""Of a number of words: the step of a derivative."""


@dataclass(frozen=True, slots=True)
class ScoredAnswers:
    """The answers about one test that are scored.

    Attributes:
        words: keys of the attribute words.
        first: whether a word is one of the attributes that the stereotype gives to the first group, shape
            (words,).
        sides: 1 if a word got the first group, -1 if it got the second, else 0, shape (answers, words).
        columns: of each answer, the prompt variant or the pair of group words that it belongs to. Any labels.
        offset: added to each denominator.
    """

    words: Sequence[str]
    first: npt.NDArray[np.bool_]
    sides: npt.NDArray[np.int64]
    columns: Sequence[object]
    offset: float = 0.0

    def weights(self) -> FloatArray:
        """Return what each word adds to the association of each answer if it is one of the first attributes.

        With n_x and n_y the words that an answer gives to the groups, w is 1 / n_x for words of the first group,
        -1 / n_y for words of the second, 0 if all words got one group, which says nothing of the attributes.
        Shape (answers, words).
        """
        sizes = [(self.sides == side).sum(axis=1, keepdims=True) for side in (1, -1)]
        x, y = (
            np.where(self.sides == side, 1.0, 0.0) / np.maximum(n + self.offset, 1e-300)
            for side, n in zip((1, -1), sizes, strict=True)
        )
        both = (sizes[0] > 0) & (sizes[1] > 0) | (self.offset > 0)
        return np.asarray(np.where(both, x - y, 0.0))

    def counts(self) -> FloatArray:
        """What each word adds to the totals of its answer, see :func:`association`, shape (answers, words, 4)."""
        got = np.stack([self.sides > 0, self.sides < 0], axis=-1)
        return np.concatenate([got & of[:, None] for of in (self.first, ~self.first)], axis=-1).astype(float)

    def scores(self) -> FloatArray:
        """Return the association D of each answer, shape (answers,)."""
        return association(self.counts().sum(axis=1), self.offset)

    def mean_weights(self) -> FloatArray:
        """Mean over answers of the weights, shape (words,). Those of the first attributes add up to the mean of D."""
        return np.asarray(self.weights().mean(axis=0))

    def influence(self) -> FloatArray:
        """Return what each assignment moves the mean of D by, shape (answers, words). Over all they add up to 0.

        Within an answer it is the gradient of D times what the word adds, of words drawn within their list.
        Between answers it is their deviation from the mean, shared among their words.
        """
        counts, is_read = self.counts(), self.sides != 0
        totals = counts.sum(axis=1)
        scores, gradients = linearised(association, totals, np.full(4, _STEP), (4,))
        moves = np.einsum("awk,ak->aw", counts, gradients)
        # If all words got one group, none moves D.
        moves *= (totals[:, [0]] + totals[:, [2]] > 0) & (totals[:, [1]] + totals[:, [3]] > 0)
        r = len(self.first)
        for of in (self.first, ~self.first):
            n, n_read = int(of.sum()), np.maximum(is_read[:, of].sum(axis=1, keepdims=True), 1)
            centred = moves[:, of] - moves[:, of].sum(axis=1, keepdims=True) / n_read
            # The variance over rows takes R / (R - 1) for all. Words are drawn within each list.
            moves[:, of] = centred * math.sqrt(n / max(n - 1, 1) * (r - 1) / r)
        between = (scores - scores.mean()) / np.maximum(is_read.sum(axis=1), 1)
        return np.asarray(np.where(is_read, moves + between[:, None], 0.0) / len(scores))


def association(totals: FloatArray, offset: float = 0.0) -> FloatArray:
    """D = N(x, A) / N(x) + N(y, B) / N(y) - 1, shape (...,), 0 if all words got one group.

    Args:
        totals: how many words of the first attributes got the first group and the second, and how many of the
            others, shape (..., 4).
        offset: added to each denominator, as published: then an answer without words of a group has a D too.

    Examples:
        >>> association(np.array([[2.0, 0.0, 1.0, 1.0], [2.0, 0.0, 2.0, 0.0]])).round(3).tolist()
        [0.667, 0.0]
    """
    x_a, y_a, x_b, y_b = np.moveaxis(totals, -1, 0)
    n_x, n_y, tiny = x_a + x_b, y_a + y_b, np.finfo(float).tiny
    # x_a / n_x - 1/2 = (x_a - x_b) / 2 n_x, so that lists that change places turn the sign of every digit.
    of_x, of_y = (
        (x_a - x_b - offset) / np.maximum(n_x + offset, tiny),
        (y_b - y_a - offset) / np.maximum(n_y + offset, tiny),
    )
    return np.where((n_x + n_y > 0) if offset else (n_x > 0) & (n_y > 0), (of_x + of_y) / 2, 0.0)


def hypergeometric_p(sides: npt.NDArray[np.int64], first: npt.NDArray[np.bool_]) -> float:
    """Two-sided p-value of one answer: the share of the ways to call as many of its words first attributes that give
    a D at least as far from 0.

    Examples:
        >>> hypergeometric_p(np.array([1, 1, 1, -1, -1, -1]), np.array([True, True, True, False, False, False]))
        0.1
    """
    n_x, n_y = int((sides > 0).sum()), int((sides < 0).sum())
    n_a = int((first & (sides != 0)).sum())
    # D is linear in k, the first attributes among the words of x, with mean 0 at k = n_x n_a / n: integers n k.
    n, seen = n_x + n_y, int((first & (sides > 0)).sum())
    far = abs(n * seen - n_x * n_a)
    counts = range(max(0, n_a - n_y), min(n_x, n_a) + 1)
    ways = (math.comb(n_x, k) * math.comb(n_y, n_a - k) for k in counts if abs(n * k - n_x * n_a) >= far)
    return sum(ways) / math.comb(n, n_a)


class MeanPermutation(NamedTuple):
    """P-value of a mean of D, its Monte Carlo error, and how it was made."""

    p_value: float
    p_error: float
    p_method: str


def mean_test(tests: Sequence[ScoredAnswers], n_resamples: int, seed: int) -> MeanPermutation:
    """Permutation test of the mean of D over tests.

    The labels of the attributes are permuted once for all answers, and once for all tests with the same two lists.
    """
    lists: dict[tuple[frozenset[str], frozenset[str]], dict[str, float]] = {}
    for test in tests:
        names = np.asarray(test.words, dtype=object)
        both = lists.setdefault((frozenset(names[test.first]), frozenset(names[~test.first])), {})
        for word, weight in zip(test.words, test.mean_weights() / len(tests), strict=True):
            both[word] = both.get(word, 0.0) + float(weight)
    parts: list[tuple[FloatArray, npt.NDArray[np.bool_]]] = []
    words_of = [sorted(by_word) for by_word in lists.values()]
    for words, ((first, _), by_word) in zip(words_of, lists.items(), strict=True):
        parts.append((np.array([by_word[w] for w in words]), np.array([w in first for w in words])))
    what = "of the labels of the attributes, once for all answers"
    if len(parts) == 1:
        ((weights, of_first),) = parts
        permutation = stats.permutation_test(weights[of_first], weights[~of_first], alternative="two-sided")
        p = (permutation.p_value, permutation.p_error)
        return MeanPermutation(*p, f"{permutation.method} permutation {what}")
    # The sum of the weights of the first attributes, less its mean over all labels.
    observed = sum(float(weights[first].sum() - first.mean() * weights.sum()) for weights, first in parts)
    sums = np.zeros(n_resamples)
    for (weights, of_first), (_, rng) in zip(parts, stats.item_streams(words_of, seed), strict=True):
        # Drawn are the words of the shorter list, or of the list with the first word, whichever is called the first.
        n_a, n_b = int(of_first.sum()), int((~of_first).sum())
        side = 1.0 if (n_a, not of_first[0]) < (n_b, of_first[0]) else -1.0
        size = n_a if side > 0 else n_b
        chosen = np.argsort(rng.random((n_resamples, len(weights))), axis=1)[:, :size]
        sums += side * (weights[chosen].sum(axis=1) - size / len(weights) * weights.sum())
    tolerance = stats.TIE_TOLERANCE * sum(float(np.abs(weights).sum()) for weights, _ in parts)
    extreme = int(np.count_nonzero(np.abs(sums) >= abs(observed) - tolerance))
    how = f"monte_carlo permutation {what} about tests of the same attributes"
    return MeanPermutation(*stats.sampled_p(extreme, n_resamples), how)


def mean_interval(
    tests: Sequence[ScoredAnswers], confidence_level: float, over: str
) -> tuple[dict[str, Any], ItemTest]:
    """Return the mean of D over tests with its interval, and the test of the same influences.

    ``over`` is what the interval is over, apart from words.
    """
    value = float(np.mean([answers.scores().mean() for answers in tests]))
    # Of every assignment its influence on the mean, and the numbers of its word and of its column.
    influence = np.concatenate([test.influence().ravel() / len(tests) for test in tests])
    words = numbered(word for test in tests for word in [*test.words] * len(test.sides))
    columns = numbered(column for test in tests for column in test.columns for _ in test.words)
    how = stats.ItemInference(
        interval="crossed", test="crossed", clusters="words", across=over, confidence_level=confidence_level
    )
    # Near its ends D varies little and to one side: on the scale of Fisher's z the interval keeps its level.
    items = stats.Items.of(influence, words, across=columns)
    ends, test = items.crossed(value, influence, how, (-1.0, 1.0), link=stats.FISHER_Z)
    return {"score": value, **ends._asdict()}, test


def mean_association(
    tests: Sequence[ScoredAnswers], inference: Inference, over: str
) -> tuple[dict[str, Any], MeanPermutation]:
    """Score, interval and p-value of the mean of D over tests, and the permutation test alone.

    ``over`` is what the interval is over, apart from words.
    """
    interval, crossed_test = mean_interval(tests, inference.confidence_level, over)
    test = mean_test(tests, inference.n_resamples, inference.seed)
    facts = {**interval, **tail_facts(test), "p_method": test.p_method}
    if crossed_test.p_value is not None:
        facts["p_method"] = f"the larger of 2: {test.p_method}; {crossed_test.p_method}"
        if crossed_test.p_value > test.p_value:
            facts |= {"p_value": crossed_test.p_value, "p_error": 0.0}
    return facts, test
