"""The association test on several vectors a word: representations of sentences, which belong to words.

The effect size and the paper's permutation test take every sentence as it comes. Sentences made of one word are no
independent draws, so the interval resamples words with all their sentences, and a second permutation test splits words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....errors import UndefinedScoreError
from ....stats import Interval, PermutationTest
from ...cosine_association import (
    TOLERANCE,
    Alternative,
    AssociationTest,
    Method,
    check_ci,
    check_vectors,
    draw_weights,
    split_similarities,
    standardised,
    test,
)

__all__ = ["ClusteredTest", "clustered_test"]

FloatArray = NDArray[np.float64]
Words = NDArray[np.intp]

_BATCH_CELLS = 1 << 20


@dataclass(frozen=True, slots=True)
class ClusteredTest:
    """Outcome of :func:`clustered_test`.

    Attributes:
        outcome: effect size, difference and deviation over sentences; interval over words; permutation test that
            splits words, on the mean association of each; association and influence of every word (its mean over the
            word's sentences, and by how much d falls without all of them).
        over_sentences: the paper's permutation test, which splits sentences.
    """

    outcome: AssociationTest
    over_sentences: PermutationTest


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Cosines of sentences, with which word each sentence belongs to."""

    cos_a: FloatArray
    cos_b: FloatArray
    words: tuple[Words, Words, Words, Words]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of words of each set."""
        return tuple(int(w.max()) + 1 for w in self.words)

    def scores(self) -> FloatArray:
        """Association of every target sentence."""
        return np.asarray(self.cos_a.mean(axis=1) - self.cos_b.mean(axis=1))

    def without(self, kind: int, word: int) -> _Grouped:
        """Leave out a word of one set, with all its sentences."""
        kept = [np.ones(len(w), dtype=bool) for w in self.words]
        kept[kind] = self.words[kind] != word
        rows = np.concatenate(kept[:2])
        words = [w[k] for w, k in zip(self.words, kept, strict=True)]
        return _Grouped(
            self.cos_a[rows][:, kept[2]],
            self.cos_b[rows][:, kept[3]],
            (words[0], words[1], words[2], words[3]),
        )


def clustered_test(
    sets: Sequence[ArrayLike],
    words: Sequence[ArrayLike],
    *,
    ddof: int = 1,
    alternative: Alternative = "greater",
    method: Method = "auto",
    strict: bool = False,
    n_resamples: int = 99_999,
    ci: Literal["bca", "percentile", "none"] = "bca",
    ci_resamples: int = 9_999,
    level: float = 0.95,
    keep_replicates: bool = False,
    seed: int = 0,
) -> ClusteredTest:
    """Test whether the sentences of X go with those of A and the sentences of Y with those of B.

    Args:
        sets: first and second targets, first and second attributes, each of shape (sentences, dimension).
        words: for each set, the number of the word each sentence belongs to, counted from 0 without gaps.
        ddof: 1 for the sample standard deviation over sentences, 0 for the population's.
        alternative: of both permutation tests, see :func:`evaluate_bias.stats.permutation_test`.
        method: likewise.
        strict: likewise.
        n_resamples: likewise.
        ci: kind of interval, or ``"none"``.
        ci_resamples: of the interval, see :func:`evaluate_bias.stats.bootstrap_ci`.
        level: likewise.
        keep_replicates: likewise.
        seed: of random splits and bootstrap.

    Returns:
        The outcome, and both permutation tests.

    Raises:
        InputError, UndefinedScoreError: as :func:`evaluate_bias.methods.cosine_association.test`.

    Examples:
        Two words with two sentences each, on either side:

        >>> x, y = [[1.0, 0.0], [1.0, 0.1], [0.9, 0.2], [1.0, 0.3]], [[0.0, 1.0], [0.1, 1.0], [0.3, 1.0], [0.2, 0.8]]
        >>> pairs = [0, 0, 1, 1]
        >>> t = clustered_test([x, y, [[1.0, 0.0]], [[0.0, 1.0]]], [pairs, pairs, [0], [0]])
        >>> round(t.outcome.effect_size, 3), round(t.over_sentences.p_value, 4), round(t.outcome.permutation.p_value, 4)
        (1.849, 0.0143, 0.1667)
    """
    check_ci(ci)
    options: dict[str, Any] = {
        "alternative": alternative,
        "method": method,
        "strict": strict,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    plain = test(*sets, ddof=ddof, ci="none", ci_resamples=ci_resamples, level=level, **options)
    x, y, a, b = check_vectors(
        targets_x=sets[0], targets_y=sets[1], attributes_a=sets[2], attributes_b=sets[3]
    )
    of_x, of_y, of_a, of_b = (np.asarray(w, dtype=np.intp) for w in words)
    grouped = _Grouped(*split_similarities(np.concatenate([x, y]), a, b), (of_x, of_y, of_a, of_b))
    means = [
        np.bincount(w, s) / np.bincount(w)
        for w, s in zip(grouped.words[:2], (plain.associations_x, plain.associations_y), strict=True)
    ]
    over_words = stats.permutation_test(*means, tolerance=TOLERANCE, **options)
    interval = None
    if ci != "none":
        interval = _interval(
            grouped,
            ddof,
            method=ci,
            n_resamples=ci_resamples,
            level=level,
            seed=seed,
            keep_replicates=keep_replicates,
        )
    outcome = dataclasses.replace(
        plain,
        permutation=over_words,
        interval=interval,
        associations_x=means[0],
        associations_y=means[1],
        influence=_influence(grouped, ddof, plain.effect_size),
    )
    return ClusteredTest(outcome, plain.permutation)


def _interval(grouped: _Grouped, ddof: int, **options: Any) -> Interval:
    """Bootstrap interval; a word is drawn with all its sentences."""
    sizes = grouped.sizes
    return stats.bootstrap_ci(
        sizes,
        _resampled(grouped, ddof),
        resample=[size > 1 for size in sizes],
        batch=max(1, _BATCH_CELLS // len(grouped.cos_a)),
        **options,
    )


def _resampled(grouped: _Grouped, ddof: int) -> Callable[[list[NDArray[Any]]], FloatArray]:
    """Return the function from resamples of words to effect sizes, NaN where all targets are equally associated."""
    n_x = len(grouped.words[0])
    counts = [np.bincount(w).astype(np.float64) for w in grouped.words]
    sums = [_summed(c, w) for c, w in zip((grouped.cos_a, grouped.cos_b), grouped.words[2:], strict=True)]

    def statistic(indices: list[NDArray[Any]]) -> FloatArray:
        draws = [draw_weights(i, size) * i.shape[1] for i, size in zip(indices, grouped.sizes, strict=True)]
        towards = [
            (draw @ total.T) / (draw @ count)[:, None]
            for draw, total, count in zip(draws[2:], sums, counts[2:], strict=True)
        ]
        s = towards[0] - towards[1]
        weights = np.concatenate([d[:, w] for d, w in zip(draws[:2], grouped.words[:2], strict=True)], axis=1)
        n = weights.sum(axis=1)
        deviation = s - ((weights * s).sum(axis=1) / n)[:, None]
        variance = (weights * deviation**2).sum(axis=1) / (n - ddof)
        weighted = weights * deviation
        difference = weighted[:, :n_x].sum(axis=1) / weights[:, :n_x].sum(axis=1) - weighted[:, n_x:].sum(
            axis=1
        ) / weights[:, n_x:].sum(axis=1)
        sd = np.sqrt(variance)
        # A spread at rounding level is no spread: the same word drawn every time.
        undefined = sd <= TOLERANCE
        return np.asarray(np.where(undefined, np.nan, difference / np.where(undefined, 1.0, sd)))

    return statistic


def _summed(cosines: FloatArray, words: Words) -> FloatArray:
    """Sum the columns of every word, shape (targets, words)."""
    member = np.zeros((len(words), int(words.max()) + 1))
    member[np.arange(len(words)), words] = 1.0
    return np.asarray(cosines @ member)


def _influence(grouped: _Grouped, ddof: int, d: float) -> dict[str, list[float | None]]:
    """By how much d falls without each word; ``None`` where d does not exist without it."""

    def fall(kind: int, word: int) -> float | None:
        if grouped.sizes[kind] == 1:
            return None
        rest = grouped.without(kind, word)
        s, n_x = rest.scores(), len(rest.words[0])
        try:
            return d - standardised(s[:n_x], s[n_x:], ddof)
        except UndefinedScoreError:
            return None

    return {key: [fall(kind, word) for word in range(grouped.sizes[kind])] for kind, key in enumerate("xyab")}
