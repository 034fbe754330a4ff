"""The interval of CEAT's score over words: the bootstrap draws words with all their contexts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....stats import Interval
from ...word_lists.cosines import TOLERANCE, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from .sampling import Draws, Vectors, unit

Variance: TypeAlias = Literal["reference", "hedges"]

_SAMPLES = 100
"""Samples of contexts that the bootstrap looks at; words vary far more than the mean over so many contexts does."""


def interval_over_words(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors],
    draws: tuple[Draws, Draws, Draws, Draws],
    effect: float,
    *,
    variance: Variance,
    inference: Inference,
) -> Interval | None:
    """Percentile bootstrap interval of the combined effect size, ``None`` where it has no width.

    Each list is resampled on its own and the effect sizes of up to 100 samples of contexts are computed and combined
    again; the interval is then moved by what these leave out of the samples that ``effect`` combines. A word drawn
    twice does not average out the noise of its context, so bootstrapped effects lie nearer to 0 than the data's; BCa
    would take that for a bias of the score and hold the truth in 83 % of cases.

    Args:
        vectors: for X, Y, A and B, one array per word, of shape (contexts, dimension).
        draws: for each of them one integer array a word, of shape (N,): the context it has in each sample.
        effect: the combined effect size of all samples.
        variance: as for the score.
        inference: number of bootstrap samples, level and seed.
    """
    n_x, n_y, n_a, n_b = (len(words) for words in vectors)
    x, y, a, b = (_in_samples(*lists) for lists in zip(vectors, draws, strict=True))
    # (k, n, d) @ (k, d, m): cosines of the targets of a sample with its attributes, as (attributes, k · targets).
    cosines = np.concatenate([x, y], axis=1) @ np.concatenate([a, b], axis=1).transpose(0, 2, 1)
    k = len(cosines)
    to_a, to_b = (
        part.transpose(2, 0, 1).reshape(-1, k * (n_x + n_y))
        for part in (cosines[:, :, :n_a], cosines[:, :, n_a:])
    )

    def combined(indices: list[NDArray[np.intp]]) -> FloatArray:
        in_x, in_y, in_a, in_b = indices
        s = draw_weights(in_a, n_a) @ to_a - draw_weights(in_b, n_b) @ to_b
        s = s.reshape(len(s), k, n_x + n_y)  # associations, (batch, samples, targets)
        of_x, of_y = len(in_x[0]), len(in_y[0])
        w_x, w_y = draw_weights(in_x, n_x)[:, :, None], draw_weights(in_y, n_y)[:, :, None]
        mean_x, mean_y = (s[..., :n_x] @ w_x)[..., 0], (s[..., n_x:] @ w_y)[..., 0]
        share = np.concatenate([of_x * w_x, of_y * w_y], axis=1) / (of_x + of_y)
        mean = (of_x * mean_x + of_y * mean_y) / (of_x + of_y)
        spread = (((s - mean[..., None]) ** 2) @ share)[..., 0] * (of_x + of_y) / (of_x + of_y - 1)
        undefined = spread <= TOLERANCE**2
        spread = np.where(undefined, 1.0, spread)
        d = (mean_x - mean_y) / np.sqrt(spread)
        v = spread if variance == "reference" else stats.effect_size_variance(d, of_x, of_y)
        return np.where(undefined.any(axis=1), np.nan, stats.random_effects_mean(d, v))

    found = bootstrap_interval(vectors, combined, inference, cells=k * (n_x + n_y))
    if found is None:
        return None
    moved = effect - found.estimate
    assert found.replicates is not None
    return dataclasses.replace(
        found,
        low=found.low + moved,
        high=found.high + moved,
        estimate=effect,
        replicates=found.replicates + moved,
    )


def _in_samples(words: Vectors, draws: Sequence[NDArray[np.integer[Any]]]) -> FloatArray:
    """Unit vectors of the words in the first samples, shape (samples, words, dimension)."""
    return np.stack([unit(word)[drawn[:_SAMPLES]] for word, drawn in zip(words, draws, strict=True)], axis=1)
