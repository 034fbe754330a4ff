"""The arithmetic of CEAT: effect sizes of many samples, each with one context per word, and an interval over words."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ....stats import Interval
from ...word_lists.cosines import LARGEST, TOLERANCE, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval

Vectors = Sequence[NDArray[np.floating[Any]]]
Draws = Sequence[NDArray[np.integer[Any]]]

Variance: TypeAlias = Literal["reference", "hedges"]

_SAMPLES = 100
"""Samples of contexts that the bootstrap looks at. Words vary far more than the mean over so many contexts
does.
"""
_MAX_UNDEFINED = 0.05
_BLOCK_CELLS = 1 << 17
"""Numbers gathered at once, small enough for the processor's cache."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Outcome of :func:`sampled_effect_sizes`.

    Attributes:
        effect_sizes: effect size d of every sample in which it is defined, shape (N,).
        variances: variance of the associations of all targets in these samples, with ddof 1, shape (N,).
        means_x, means_y: mean association of every target word over these samples.
        n_undefined: number of samples left out, because all targets were equally associated.
    """

    effect_sizes: FloatArray
    variances: FloatArray
    means_x: FloatArray
    means_y: FloatArray
    n_undefined: int


def sampled_effect_sizes(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors], draws: tuple[Draws, Draws, Draws, Draws]
) -> Samples:
    """Effect size of the association test in every sample of contexts.

    The mean cosine to a set of attributes is the scalar product with the mean of their unit vectors, so a sample costs
    one vector per word, whatever the number of pairs.

    Args:
        vectors: for X, Y, A and B, one array per word, of shape (contexts, dimension).
        draws: for each of them one integer array a word, of shape (N,): the context it has in each sample.

    Returns:
        Effect sizes with ddof 1, their variances, and the mean association of every word.

    Raises:
        InputError: a vector is zero.
        UndefinedScoreError: more than 5% of the samples have no
            effect size.

    References:
        Guo and Caliskan (2021), AIES 2021, 122-133.

    Examples:
        Two samples; in the second one the words x and y have changed places.

        >>> x, y, a, b = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]
        >>> first, both = np.array([0, 1]), np.array([0, 0])
        >>> sampled_effect_sizes(([np.array(x)], [np.array(y)], [np.array(a)], [np.array(b)]),
        ...                      ([first], [first], [both], [both])).effect_sizes.round(6).tolist()
        [1.414214, -1.414214]
    """
    n, dimension = len(draws[0][0]), vectors[0][0].shape[1]
    targets, attributes = ([unit(word) for of_list in vectors[k : k + 2] for word in of_list] for k in (0, 2))
    target_draws, attribute_draws = ([*draws[k], *draws[k + 1]] for k in (0, 2))
    shares = np.repeat([1.0 / len(vectors[2]), -1.0 / len(vectors[3])], [len(vectors[2]), len(vectors[3])])
    scaled = [word * share for word, share in zip(attributes, shares, strict=True)]
    s = np.empty((n, len(targets)))  # association of every target in every sample
    rows = max(1, _BLOCK_CELLS // dimension)
    for block in (slice(start, start + rows) for start in range(0, n, rows)):
        towards = np.zeros((len(s[block]), dimension))
        for word, word_draws in zip(scaled, attribute_draws, strict=True):
            towards += word[word_draws[block]]
        for k, (word, word_draws) in enumerate(zip(targets, target_draws, strict=True)):
            s[block, k] = np.einsum("nd,nd->n", word[word_draws[block]], towards)
    n_x, sd = len(vectors[0]), s.std(axis=1, ddof=1)
    defined = sd > TOLERANCE
    n_undefined = int(len(s) - defined.sum())
    if n_undefined > _MAX_UNDEFINED * len(s):
        raise UndefinedScoreError(
            f"the effect size is undefined in {n_undefined} of {len(s)} samples: all targets are equally associated, "
            "so the standard deviation is 0"
        )
    s, sd = s[defined], sd[defined]
    return Samples(
        effect_sizes=(s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)) / sd,
        variances=sd**2,
        means_x=s[:, :n_x].mean(axis=0),
        means_y=s[:, n_x:].mean(axis=0),
        n_undefined=n_undefined,
    )


def unit(word: NDArray[np.floating[Any]]) -> FloatArray:
    """The vectors of a word, of length 1; refuses those that have no direction, or are too large for their squares."""
    array = word.astype(np.float64)
    if (largest := np.abs(array).max(initial=0.0)) > LARGEST:
        raise InputError(
            f"the largest component of an embedding is {largest:.3g}, whose square cannot be computed",
            hint=f"scale the embeddings to at most {LARGEST:g}",
        )
    norms = np.linalg.norm(array, axis=1, keepdims=True)
    if not norms.all():
        raise InputError("an embedding is zero, so its cosine is undefined")
    return np.asarray(array / norms)


def interval_over_words(
    vectors: tuple[Vectors, Vectors, Vectors, Vectors],
    draws: tuple[Draws, Draws, Draws, Draws],
    effect: float,
    *,
    words: Sequence[Sequence[str]],
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
        words: the words of X, Y, A and B.
        variance: as for the score.
        inference: number of bootstrap samples, level and seed.
    """
    n_x, n_y, n_a, n_b = (len(words) for words in vectors)
    # Unit vectors of the words of each list in the first samples, shape (samples, words, dimension).
    x, y, a, b = (
        np.stack([unit(word)[drawn[:_SAMPLES]] for word, drawn in zip(*lists, strict=True)], axis=1)
        for lists in zip(vectors, draws, strict=True)
    )
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

    interval = bootstrap_interval(words, combined, inference, cells=k * (n_x + n_y))
    if interval is None:
        return None
    moved = effect - interval.estimate
    assert interval.replicates is not None
    return dataclasses.replace(
        interval,
        low=interval.low + moved,
        high=interval.high + moved,
        estimate=effect,
        replicates=interval.replicates + moved,
    )
