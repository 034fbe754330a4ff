"""The association test on several vectors per word: representations of sentences, which belong to words.

The effect size and the paper's permutation test take every sentence as it comes. Sentences made of one word are no
independent draws, so the interval resamples words with all their sentences, and the permutation test splits words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ...word_lists.association import AssociationTest
from ...word_lists.cosines import TOLERANCE, check_vectors, draw_weights, split_similarities
from ...word_lists.inputs import LISTS

Owners = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class SentenceTest(AssociationTest):
    """Sentences on target words, scored by their association with the sentences on attribute words.

    Attributes:
        cos_a: cosines of the target sentences, those of X first, with the sentences of A, shape (m_x + m_y, m_a).
        cos_b: with those of B, shape (m_x + m_y, m_b).
        owners: for each list, the number of the word each sentence belongs to, counted from 0 without gaps, shape (m,).
    """

    cos_a: FloatArray
    cos_b: FloatArray
    owners: tuple[Owners, Owners, Owners, Owners]

    units = "target sentences"
    tolerance = TOLERANCE

    @classmethod
    def from_vectors(
        cls, sets: Sequence[ArrayLike], owners: Sequence[ArrayLike], *, ddof: int = 1
    ) -> SentenceTest:
        """Sentences by their vectors.

        Args:
            sets: first and second targets, first and second attributes, each of shape (sentences, dimension).
            owners: for each set, the number of the word each sentence belongs to, counted from 0 without gaps.
            ddof: 1 for the sample standard deviation over sentences, 0 for the population's.

        Raises:
            InputError: shapes differ, or a vector is zero, NaN or infinite.
            UndefinedScoreError: a set is empty.

        Examples:
            Two words with two sentences each, on either side:

            >>> from evaluate_bias.methods.word_lists.association import association_test
            >>> x = [[1.0, 0.0], [1.0, 0.1], [0.9, 0.2], [1.0, 0.3]]
            >>> y = [[0.0, 1.0], [0.1, 1.0], [0.3, 1.0], [0.2, 0.8]]
            >>> pairs = [0, 0, 1, 1]
            >>> a, b, owners = [[1.0, 0.0]], [[0.0, 1.0]], [pairs, pairs, [0], [0]]
            >>> t = association_test(SentenceTest.from_vectors([x, y, a, b], owners))
            >>> round(t.effect_size, 3), round(t.permutation.p_value, 4)
            (1.849, 0.3333)
        """
        x, y, a, b = check_vectors(**dict(zip(LISTS, sets, strict=True)))
        of_x, of_y, of_a, of_b = (np.asarray(word_numbers, dtype=np.intp) for word_numbers in owners)
        cos_a, cos_b = split_similarities(np.concatenate([x, y]), a, b)
        return cls(n_first=len(x), ddof=ddof, cos_a=cos_a, cos_b=cos_b, owners=(of_x, of_y, of_a, of_b))

    @cached_property
    def scores(self) -> FloatArray:
        """Association of every target sentence, shape (m_x + m_y,)."""
        return np.asarray(self.cos_a.mean(axis=1) - self.cos_b.mean(axis=1))

    @cached_property
    def split(self) -> tuple[FloatArray, FloatArray]:
        """Mean association of every word of X and of Y."""
        of_x, of_y = (
            np.bincount(word_numbers, scores) / np.bincount(word_numbers)
            for word_numbers, scores in zip(self.owners[:2], self.sides, strict=True)
        )
        return of_x, of_y

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of words of X, Y, A and B."""
        return tuple(int(word_numbers.max()) + 1 for word_numbers in self.owners)

    @property
    def cells(self) -> int:
        """Numbers that one bootstrap sample needs, with a weight for every sentence."""
        return 4 * len(self.cos_a)

    @cached_property
    def _counts(self) -> list[FloatArray]:
        """For each list the number of sentences of every word, shape (words,)."""
        return [np.bincount(word_numbers).astype(np.float64) for word_numbers in self.owners]

    @cached_property
    def _sums(self) -> list[FloatArray]:
        """For A and B the cosines summed over the sentences of every word, shape (target sentences, words)."""
        return [
            np.asarray(
                cosines @ (word_numbers[:, None] == np.arange(word_numbers.max() + 1)).astype(np.float64)
            )
            for cosines, word_numbers in zip((self.cos_a, self.cos_b), self.owners[2:], strict=True)
        ]

    def resampled(self, indices: list[NDArray[Any]]) -> FloatArray:
        """Effect size of bootstrap samples, in which word w of a list is drawn k_w times with all its sentences.

        A target sentence i then has the weight k_i of its word, and with m_w sentences of word w

            s_i = Σ_{w in A} k_w Σ_{j of w} cos(i, j) / Σ_{w in A} k_w m_w, less the same for B,
            d   = (mean of s over X − mean over Y) / sqrt(Σ_i k_i (s_i − mean)² / (Σ_i k_i − ddof)),

        where every mean of s is weighted with k_i.
        """
        # k of every word, shape (batch, words), list by list
        x, y, a, b = (
            draw_weights(word_indices, size) * word_indices.shape[1]
            for word_indices, size in zip(indices, self.sizes, strict=True)
        )
        to_a, to_b = (
            (k @ sums.T) / (k @ counts)[:, None]
            for k, sums, counts in zip((a, b), self._sums, self._counts[2:], strict=True)
        )
        s = to_a - to_b  # (batch, target sentences), as is all that follows up to the sums over sentences
        weights = np.concatenate([x[:, self.owners[0]], y[:, self.owners[1]]], axis=1)
        n = weights.sum(axis=1)
        deviation = s - ((weights * s).sum(axis=1) / n)[:, None]
        sd = np.sqrt((weights * deviation**2).sum(axis=1) / (n - self.ddof))
        weighted = weights * deviation
        mean_x, mean_y = (
            weighted[:, side].sum(axis=1) / weights[:, side].sum(axis=1)
            for side in (slice(None, self.n_first), slice(self.n_first, None))
        )
        return self.divided(mean_x - mean_y, sd)

    def without(self, kind: int) -> Iterator[tuple[FloatArray, int] | None]:
        """Associations without all sentences of each word of one list."""
        for word in range(self.sizes[kind]):
            if self.sizes[kind] == 1:
                yield None
                continue
            masks = [np.ones(len(word_numbers), dtype=bool) for word_numbers in self.owners]
            masks[kind] = self.owners[kind] != word
            rows = np.concatenate(masks[:2])
            to_a, to_b = self.cos_a[rows][:, masks[2]], self.cos_b[rows][:, masks[3]]
            yield to_a.mean(axis=1) - to_b.mean(axis=1), int(masks[0].sum())
