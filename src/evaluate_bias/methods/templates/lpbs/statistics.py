"""The log-probability bias score on arrays: scores of attributes, their effect size, its test and interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....errors import InputError, UndefinedScoreError
from ...cosine_association import Alternative, AssociationTest, Method, check_ci

__all__ = ["ROUNDING", "LogProbs", "Sets", "Variant", "attribute_scores", "attribute_test"]

Variant = Literal["default", "kurita-code", "bias-framework"]
FloatArray = NDArray[np.float64]

ROUNDING = 1e-5
"""Scores closer than this, in nats, are equal: that is how far models in single precision round."""
_BATCH_NUMBERS = 1 << 22


class LogProbs(NamedTuple):
    """Log-probabilities of a set of target words, each array of shape (targets, templates, attributes).

    Attributes:
        target: of the target beside the attribute.
        prior: of the target beside the hidden attribute.
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

    The association of a target with an attribute is the log-probability of the target beside the attribute less that
    beside the hidden attribute. A score is the mean association of X less that of Y, averaged over templates. With
    ``"kurita-code"`` the probabilities of the words of a set are summed instead, as the published code does.

    Args:
        x: of the first targets, arrays of shape (…, targets, templates, attributes); several sets where singular and
            plural words have templates of their own, over all of which the score is averaged.
        y: of the second targets, as many sets.
        variant: ``"default"``, ``"kurita-code"`` or ``"bias-framework"``.

    Returns:
        Shape (…, attributes), in nats; positive where the attribute goes with X, 0 is ideal.

    Examples:
        >>> he = LogProbs(np.log([[[0.30, 0.10]]]), np.log([[[0.20, 0.20]]]))
        >>> she = LogProbs(np.log([[[0.05, 0.20]]]), np.log([[[0.10, 0.10]]]))
        >>> attribute_scores(he, she).round(4).tolist()
        [1.0986, -1.3863]
    """
    by_template = [
        _raised(own, variant) - _raised(other, variant) for own, other in zip(_sets(x), _sets(y), strict=True)
    ]
    return np.asarray(np.concatenate(by_template, axis=-2).mean(axis=-2))


def _sets(words: Sets) -> Sequence[LogProbs]:
    return [words] if isinstance(words, LogProbs) else words


def _raised(words: LogProbs, variant: Variant) -> FloatArray:
    if variant == "kurita-code":
        return np.asarray(
            np.logaddexp.reduce(words.target, axis=-3) - np.logaddexp.reduce(words.prior, axis=-3)
        )
    return np.asarray((words.target - words.prior).mean(axis=-3))


def attribute_test(
    x: Sets,
    y: Sets,
    n_a: int,
    *,
    variant: Variant = "default",
    ddof: int = 1,
    alternative: Alternative = "two-sided",
    p_method: Method = "auto",
    n_resamples: int = 99_999,
    ci: Literal["bca", "percentile", "none"] = "bca",
    ci_resamples: int = 9_999,
    level: float = 0.95,
    keep_replicates: bool = False,
    seed: int = 0,
) -> AssociationTest:
    """Test whether attributes A go with targets X, and B with Y, more than chance splits of the attributes do.

    Args:
        x: of the first targets, arrays of shape (targets, templates, attributes); a set for each number of the words.
        y: of the second targets, as many sets.
        n_a: number of attributes that belong to A; they come first, those of B follow.
        variant: see :func:`attribute_scores`; ``"bias-framework"`` also counts as that does: splits beyond the
            observed one among ``n_resamples`` random ones, plus one, over ``n_resamples``, and at most 1.
        ddof: 1 for the sample standard deviation, 0 for the population's.
        alternative: ``"two-sided"``, ``"greater"`` or ``"less"``.
        p_method: see :func:`evaluate_bias.stats.permutation_test`.
        n_resamples: number of random splits of ``"monte_carlo"``.
        ci: kind of bootstrap interval over the four lists, or ``"none"``; singular and plural targets are drawn apart.
        ci_resamples: number of bootstrap samples.
        level: confidence level.
        keep_replicates: keep the effect size of every bootstrap sample in the interval.
        seed: of random splits and bootstrap.

    Returns:
        The effect size is the difference of the mean scores of A and B in standard deviations over both; the
        permutation test is over splits of the attributes. ``associations_x`` and ``associations_y`` are the mean
        association of every target with A less that with B, in nats.

    Raises:
        InputError: an option is out of range.
        UndefinedScoreError: fewer than two attributes in a set, no target, or scores that do not vary.

    Examples:
        >>> he = LogProbs(np.log([[[0.3, 0.4, 0.1, 0.1]]]), np.log([[[0.2] * 4]]))
        >>> she = LogProbs(np.log([[[0.1, 0.1, 0.2, 0.3]]]), np.log([[[0.1] * 4]]))
        >>> outcome = attribute_test(he, she, 2, ci="none")
        >>> round(outcome.effect_size, 3), round(outcome.permutation.p_value, 3)
        (1.709, 0.333)
    """
    if variant not in get_args(Variant):
        raise InputError(f"variant must be one of {', '.join(get_args(Variant))}, not {variant!r}")
    check_ci(ci)
    x, y = _sets(x), _sets(y)
    if not x or not all(len(words.target) for words in (*x, *y)):
        raise UndefinedScoreError("a target set is empty: every one of the four lists needs words")
    n_b = x[0].target.shape[-1] - n_a
    if min(n_a, n_b) < 2:
        raise UndefinedScoreError(f"the test needs at least two attributes in each set, got {n_a} and {n_b}")
    scores = attribute_scores(x, y, variant)
    d = _effect_size(scores, n_a, ddof)
    by_framework = variant == "bias-framework"
    permutation = stats.permutation_test(
        scores[:n_a],
        scores[n_a:],
        alternative=alternative,
        method="monte_carlo" if by_framework else p_method,
        strict=by_framework,
        n_resamples=n_resamples,
        seed=seed,
        tolerance=ROUNDING,
    )
    if by_framework:
        counted = permutation.p_value * (n_resamples + 1) / n_resamples
        permutation = replace(permutation, p_value=min(1.0, counted))
    interval = None
    if ci != "none":
        sizes = [len(words.target) for words in (*x, *y)]
        interval = stats.bootstrap_ci(
            (*sizes, n_a, n_b),
            lambda indices: _resampled(x, y, n_a, ddof, variant, indices),
            method=ci,
            n_resamples=ci_resamples,
            level=level,
            seed=seed,
            resample=(*(size > 1 for size in sizes), True, True),
            batch=max(1, _BATCH_NUMBERS // sum(words.target.size for words in (*x, *y))),
            keep_replicates=keep_replicates,
        )
    by_target = {name: _of_targets(words, n_a) for name, words in (("x", x), ("y", y))}
    return AssociationTest(
        effect_size=d,
        difference=float(scores[:n_a].mean() - scores[n_a:].mean()),
        sd=float(scores.std(ddof=ddof)),
        ddof=ddof,
        permutation=permutation,
        interval=interval,
        associations_x=by_target["x"],
        associations_y=by_target["y"],
        influence=_influence(x, y, n_a, ddof, variant, d),
    )


def _of_targets(sets: Sequence[LogProbs], n_a: int) -> FloatArray:
    """Mean association of every target with A less that with B, over the templates of its number."""
    table = np.concatenate([(words.target - words.prior).mean(axis=1) for words in sets])
    return np.asarray(table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1))


def _effect_size(scores: FloatArray, n_a: int, ddof: int) -> float:
    if np.ptp(scores) <= ROUNDING:
        raise UndefinedScoreError(
            "the effect size is undefined: all attributes have the same score, so the standard deviation is 0"
        )
    return stats.effect_size(scores[:n_a], scores[n_a:], ddof=ddof)


def _resampled(
    x: Sequence[LogProbs],
    y: Sequence[LogProbs],
    n_a: int,
    ddof: int,
    variant: Variant,
    indices: list[NDArray[Any]],
) -> FloatArray:
    """Effect size of every resample, NaN where the resampled attributes have all the same score."""
    *of_targets, in_a, in_b = indices
    drawn = [words.of(rows) for words, rows in zip((*x, *y), of_targets, strict=True)]
    scores = attribute_scores(drawn[: len(x)], drawn[len(x) :], variant)
    a = np.take_along_axis(scores[:, :n_a], in_a, axis=1)
    b = np.take_along_axis(scores[:, n_a:], in_b, axis=1)
    sd = np.concatenate([a, b], axis=1).std(axis=1, ddof=ddof)
    undefined = sd <= ROUNDING
    d = (a.mean(axis=1) - b.mean(axis=1)) / np.where(undefined, 1.0, sd)
    return np.asarray(np.where(undefined, np.nan, d))


def _influence(
    x: Sequence[LogProbs], y: Sequence[LogProbs], n_a: int, ddof: int, variant: Variant, d: float
) -> dict[str, list[float | None]]:
    def change(scores: FloatArray, n_first: int) -> float | None:
        try:
            return d - _effect_size(scores, n_first, ddof)
        except UndefinedScoreError:
            return None

    def of_targets(own: Sequence[LogProbs], others: Sequence[LogProbs], sign: int) -> list[float | None]:
        out: list[float | None] = []
        for i, words in enumerate(own):
            n = len(words.target)
            for k in range(n):
                # The only word of its number cannot be left out: its templates would have none.
                left = [*own[:i], words.of(np.delete(np.arange(n), k)), *own[i + 1 :]]
                out.append(None if n == 1 else change(sign * attribute_scores(left, others, variant), n_a))
        return out

    scores = attribute_scores(x, y, variant)
    attributes = [change(np.delete(scores, k), n_a - (k < n_a)) for k in range(len(scores))]
    return {
        "x": of_targets(x, y, 1),
        "y": of_targets(y, x, -1),
        "a": attributes[:n_a],
        "b": attributes[n_a:],
    }
