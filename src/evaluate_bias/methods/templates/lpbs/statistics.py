"""The log-probability bias score on arrays: scores of attributes, their effect size, its test and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ...word_lists.association import AssociationTest

Variant = Literal["default", "kurita-code", "bias-framework"]

ROUNDING = 1e-5
"""Scores closer than this, in nats, are equal: that is how far models in single precision round."""


class LogProbs(NamedTuple):
    """Log-probabilities of a set of target words, each array of shape (targets, templates, attributes).

    Attributes:
        target: of the target next to the attribute.
        prior: of the target next to the hidden attribute.
    """

    target: FloatArray
    prior: FloatArray

    def of(self, words: Any) -> LogProbs:
        """Those of some target words, by an index array of any shape."""
        return LogProbs(self.target[words], self.prior[words])


Sets = LogProbs | Sequence[LogProbs]
"""Target words: of one number, or a set for each number, which have templates of their own."""


def attribute_scores(x: Sets, y: Sets, variant: Variant = "default") -> FloatArray:
    """Log-probability bias score of every attribute: how much more it raises targets X than targets Y.

    The association of a target with an attribute is the log-probability of the target next to the attribute
    less that next to the hidden attribute. A score is the mean association of X less Y's, averaged over
    templates. With ``"kurita-code"`` the probabilities of the words of a set are summed instead, as the
    published code does.

    Args:
        x: of the first targets, arrays of shape (…, targets, templates, attributes). Several sets if singular and
            plural words have templates of their own, over all of which the score is averaged.
        y: of the second targets, as many sets.
        variant: ``"default"``, ``"kurita-code"`` or ``"bias-framework"``.

    Returns:
        Shape (…, attributes), in nats, positive if the attribute goes with X, 0 is ideal.

    Examples:
        >>> he = LogProbs(np.log([[[0.30, 0.10]]]), np.log([[[0.20, 0.20]]]))
        >>> she = LogProbs(np.log([[[0.05, 0.20]]]), np.log([[[0.10, 0.10]]]))
        >>> attribute_scores(he, she).round(4).tolist()
        [1.0986, -1.3863]
    """
    by_template = [
        _apply_variant(x_set, variant) - _apply_variant(other, variant)
        for x_set, other in zip(_sets(x), _sets(y), strict=True)
    ]
    return np.asarray(np.concatenate(by_template, axis=-2).mean(axis=-2))


def prior_difference(x: Sets, y: Sets) -> float:
    """Mean log-probability of the targets X next to the hidden attribute less Y's, over templates.

    Delobelle et al. (2022, section 3.3) name it as the measure of RobBERT's paper for Dutch pronouns.

    Examples:
        >>> he = LogProbs(np.log([[[0.30, 0.10]]]), np.log([[[0.20, 0.20]]]))
        >>> she = LogProbs(np.log([[[0.05, 0.20]]]), np.log([[[0.10, 0.10]]]))
        >>> round(prior_difference(he, she), 4)
        0.6931
    """
    by_template = [
        x_set.prior.mean(axis=0) - y_set.prior.mean(axis=0)
        for x_set, y_set in zip(_sets(x), _sets(y), strict=True)
    ]
    return float(np.concatenate(by_template).mean())


def _sets(words: Sets) -> Sequence[LogProbs]:
    return [words] if isinstance(words, LogProbs) else words


def _apply_variant(words: LogProbs, variant: Variant) -> FloatArray:
    if variant == "kurita-code":
        return np.asarray(
            np.logaddexp.reduce(words.target, axis=-3) - np.logaddexp.reduce(words.prior, axis=-3)
        )
    return np.asarray((words.target - words.prior).mean(axis=-3))


@dataclass(frozen=True, kw_only=True)
class AttributeTest(AssociationTest):
    """Attribute words, A first, scored by how much they raise targets X over targets Y: what LPBS compares.

    Attributes:
        x: of the first targets, arrays of shape (targets, templates, attributes). A set for each number of
            the words.
        y: of the second targets, as many sets.
        variant: see :func:`attribute_scores`.
    """

    x: Sequence[LogProbs]
    y: Sequence[LogProbs]
    variant: Variant = "default"

    units = "attributes"
    all_equal = "all attributes have the same score"
    tolerance = ROUNDING

    @classmethod
    def of(cls, x: Sets, y: Sets, n_a: int, *, variant: Variant = "default", ddof: int = 1) -> AttributeTest:
        """Attributes by the log-probabilities of the targets next to them.

        Args:
            x: of the first targets, arrays of shape (targets, templates, attributes). Singular and plural
                targets, which have templates of their own, are two sets and drawn apart.
            y: of the second targets, as many sets.
            n_a: number of attributes that belong to A. They come first, B's follow.
            variant: see :func:`attribute_scores`.
            ddof: 1 for the sample standard deviation, 0 for the population's.

        Raises:
            UndefinedScoreError: a target set is empty.

        Examples:
            >>> from evaluate_bias.methods.word_lists.association import Inference, association_test
            >>> he = LogProbs(np.log([[[0.3, 0.4, 0.1, 0.1]]]), np.log([[[0.2] * 4]]))
            >>> she = LogProbs(np.log([[[0.1, 0.1, 0.2, 0.3]]]), np.log([[[0.1] * 4]]))
            >>> outcome = association_test(AttributeTest.of(he, she, 2), Inference(alternative="two-sided", ci="none"))
            >>> round(outcome.effect_size, 3), round(outcome.permutation.p_value, 3)
            (1.709, 0.333)
        """
        x, y = _sets(x), _sets(y)
        if not x or not all(len(words.target) for words in (*x, *y)):
            raise UndefinedScoreError("a target set is empty: every one of the four lists needs words")
        return cls(n_first=n_a, ddof=ddof, x=x, y=y, variant=variant)

    @cached_property
    def scores(self) -> FloatArray:
        """Score of every attribute, shape (attributes,)."""
        return attribute_scores(self.x, self.y, self.variant)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of targets of every set of X, then of Y, and of attributes of A and B."""
        n_b = len(self.scores) - self.n_first
        return (*(len(words.target) for words in (*self.x, *self.y)), self.n_first, n_b)

    @property
    def cells(self) -> int:
        """Numbers that one bootstrap sample needs, with all log-probabilities."""
        return sum(words.target.size for words in (*self.x, *self.y))

    @property
    def associations(self) -> tuple[FloatArray, FloatArray]:
        """Mean association of every target with A less B, over the templates of its number."""
        n_a = self.n_first

        def of_targets(sets: Sequence[LogProbs]) -> FloatArray:
            table = np.concatenate([(words.target - words.prior).mean(axis=1) for words in sets])
            return np.asarray(table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1))

        return of_targets(self.x), of_targets(self.y)

    def resampled(self, indices: list[NDArray[Any]]) -> FloatArray:
        """Effect size of every bootstrap sample, see :class:`AssociationTest`."""
        *of_targets, in_a, in_b = indices
        samples = [words.of(rows) for words, rows in zip((*self.x, *self.y), of_targets, strict=True)]
        n, n_a = len(self.x), self.n_first
        scores = attribute_scores(samples[:n], samples[n:], self.variant)  # (batch, attributes)
        return self.effect_sizes(
            np.take_along_axis(scores[:, :n_a], in_a, axis=1),
            np.take_along_axis(scores[:, n_a:], in_b, axis=1),
        )

    def without(self, kind: int) -> Iterator[tuple[FloatArray, int] | None]:
        """Scores without each word of one list, see :class:`AssociationTest`."""
        n_a = self.n_first
        if kind >= 2:
            for k in range(n_a) if kind == 2 else range(n_a, len(self.scores)):
                yield np.delete(self.scores, k), n_a - (kind == 2)
            return
        targets, others, sign = (self.x, self.y, 1) if kind == 0 else (self.y, self.x, -1)
        for i, words in enumerate(targets):
            n = len(words.target)
            for k in range(n):
                # The only word of its number cannot be omitted: its templates would have none.
                reduced_sets = [*targets[:i], words.of(np.delete(np.arange(n), k)), *targets[i + 1 :]]
                yield None if n == 1 else (sign * attribute_scores(reduced_sets, others, self.variant), n_a)
