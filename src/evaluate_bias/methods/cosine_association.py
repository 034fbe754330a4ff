"""Association of two sets of targets with two sets of attributes, from their vectors.

The arithmetic that WEAT shares with its contextual relatives: cosine associations, the effect size, its permutation
test, its bootstrap interval, and how much every single vector drives it. Pure functions over arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import stats
from ..errors import InputError, UndefinedScoreError
from ..options import validated
from ..stats import Interval, PermutationTest

__all__ = [
    "Alternative",
    "AssociationTest",
    "Method",
    "association",
    "cosine_similarity",
    "effect_size",
    "effect_size_bound",
    "test",
]

Alternative = Literal["greater", "less", "two-sided"]
Method = Literal["auto", "exact", "lattice", "monte_carlo", "normal"]
FloatArray = NDArray[np.float64]

TOLERANCE = 1e-12
"""Associations closer than this are equal: it is the rounding of cosines, which are at most 1, however far their
difference cancels."""


def _vectors(values: ArrayLike, name: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be vectors of equal length, as an array of shape (words, dimension)"
        ) from None
    if array.ndim != 2:
        raise InputError(f"{name} must be an array of shape (words, dimension), not of shape {array.shape}")
    if array.shape[0] == 0:
        raise UndefinedScoreError(f"{name} is empty: an association needs at least one vector in every set")
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array).all(axis=1)))
        raise InputError(f"{name} has NaN or infinity in vector {row}; remove the word or repair its vector")
    if not array.any(axis=1).all():
        row = int(np.argmin(array.any(axis=1)))
        raise InputError(
            f"{name} has a zero vector at position {row}: its cosine is undefined; remove the word"
        )
    return array


def _unit(array: FloatArray) -> FloatArray:
    # Scaling by the largest component first keeps tiny and huge vectors from under- or overflowing in the norm.
    scaled = array / np.abs(array).max(axis=1, keepdims=True)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def cosine_similarity(left: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return the cosine of every vector of ``left`` with every vector of ``right``.

    Args:
        left: array of shape (n, dimension).
        right: array of shape (m, dimension).

    Returns:
        Array of shape (n, m), values in [-1, 1].

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty.

    Examples:
        >>> cosine_similarity([[2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]]).tolist()
        [[1.0, 0.0]]
    """
    a, b = _vectors(left, "left"), _vectors(right, "right")
    if a.shape[1] != b.shape[1]:
        raise InputError(
            f"vectors of different length cannot be compared: {a.shape[1]} and {b.shape[1]} dimensions"
        )
    return np.clip(_unit(a) @ _unit(b).T, -1.0, 1.0)


def split_similarities(words: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Cosines of every word with the first, and with the second attributes."""
    similarities = cosine_similarity(words, np.concatenate([a, b]))
    return similarities[:, : len(a)], similarities[:, len(a) :]


def association(words: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Differential association s(w, A, B) = mean over A of cos(w, a) - mean over B of cos(w, b).

    Args:
        words: array of shape (n, dimension).
        a: first attributes, shape (n_a, dimension).
        b: second attributes, shape (n_b, dimension).

    Returns:
        Array of shape (n,), values in [-2, 2]; positive means closer to A, 0 means equally close.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty.

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186.

    Examples:
        >>> association([[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0]], [[0.0, 1.0]]).round(12).tolist()
        [1.0, 0.0]
    """
    cos_a, cos_b = split_similarities(*check_vectors(words=words, attributes_a=a, attributes_b=b))
    return np.asarray(cos_a.mean(axis=1) - cos_b.mean(axis=1))


def check_vectors(**sets: ArrayLike) -> list[FloatArray]:
    """Return sets of vectors as arrays of one dimension, none of them empty, zero or not finite.

    Raises:
        InputError, UndefinedScoreError: as :func:`association`.
    """
    arrays = [_vectors(values, name) for name, values in sets.items()]
    sizes = {name: array.shape[1] for name, array in zip(sets, arrays, strict=True)}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError(f"all vectors must have the same number of dimensions, got {told}")
    return arrays


def check_ci(ci: str) -> None:
    """Refuse an unknown kind of interval.

    Raises:
        InputError: it is none.
    """
    if ci not in ("bca", "percentile", "none"):
        raise InputError(f"ci must be 'bca', 'percentile' or 'none', not {ci!r}")


def effect_size(x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, *, ddof: int = 1) -> float:
    """WEAT effect size d = (mean over X of s - mean over Y of s) / sd of s over X and Y together.

    Args:
        x: first targets, shape (n_x, dimension).
        y: second targets, shape (n_y, dimension).
        a: first attributes, shape (n_a, dimension).
        b: second attributes, shape (n_b, dimension).
        ddof: 1 for the sample standard deviation, which gives the published values; 0 for the population's.

    Returns:
        d, between -2 and 2 for targets of equal number; positive means X goes with A and Y with B; ideal 0.

    Raises:
        InputError: shapes differ, a vector is zero, NaN or infinite, or ``ddof`` is not 0 or 1.
        UndefinedScoreError: a set is empty, or all targets are equally associated (standard deviation 0).

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186.

    Examples:
        >>> x, y = [[1.0, 0.0], [1.0, 0.2]], [[0.0, 1.0], [0.1, 1.0]]
        >>> round(effect_size(x, y, a=[[1.0, 0.1]], b=[[0.1, 1.0]]), 4)
        1.7248
    """
    x_, y_, a_, b_ = check_vectors(targets_x=x, targets_y=y, attributes_a=a, attributes_b=b)
    s = association(np.concatenate([x_, y_]), a_, b_)
    return standardised(s[: len(x_)], s[len(x_) :], ddof)


def standardised(s_x: FloatArray, s_y: FloatArray, ddof: int) -> float:
    """Effect size from associations; undefined where they differ by no more than rounding."""
    if np.ptp(np.concatenate([s_x, s_y])) <= TOLERANCE:
        raise UndefinedScoreError(
            "the effect size is undefined: all targets are equally associated, so the standard deviation is 0"
        )
    return stats.effect_size(s_x, s_y, ddof=ddof)


def effect_size_bound(n_x: int, n_y: int, ddof: int = 1) -> float:
    """Largest possible |d| for these sizes.

    The extreme is reached when all of X share one association and all of Y another. It is 2 for sets of equal size
    with ``ddof=0`` and grows when the sizes differ.

    Examples:
        >>> effect_size_bound(8, 8, ddof=0), round(effect_size_bound(8, 8), 4), round(effect_size_bound(2, 8), 4)
        (2.0, 1.9365, 2.3717)
    """
    if n_x < 1 or n_y < 1:
        raise InputError(f"both sets need at least one word, not {n_x} and {n_y}")
    n = n_x + n_y
    return float(n / np.sqrt(n_x * n_y) * np.sqrt((n - ddof) / n))


@dataclass(frozen=True, slots=True, kw_only=True)
class AssociationTest:
    """Outcome of :func:`test`.

    Attributes:
        effect_size: d, see :func:`effect_size`.
        difference: mean association of X minus mean association of Y, the statistic of the permutation test.
        sd: standard deviation of the associations over X and Y.
        ddof: 1 (sample) or 0 (population).
        permutation: the permutation test of ``difference``.
        interval: bootstrap interval of d; ``None`` when it was not asked for.
        associations_x, associations_y: s(w, A, B) of every target.
        influence: for ``"x"``, ``"y"``, ``"a"`` and ``"b"``, by how much d falls when that one vector is left out
            (positive: the vector pushes d up); ``None`` where d does not exist without it.
    """

    effect_size: float
    difference: float
    sd: float
    ddof: int
    permutation: PermutationTest
    interval: Interval | None
    associations_x: FloatArray
    associations_y: FloatArray
    influence: dict[str, list[float | None]]


@validated
def test(
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
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
) -> AssociationTest:
    """Test whether X goes with A and Y with B more than chance splits of the same targets do.

    The null distribution is that of the difference of mean associations over all splits of the targets into sets of
    the observed sizes. The interval resamples the four sets independently of each other.

    Args:
        x: first targets, shape (n_x, dimension), at least two.
        y: second targets, shape (n_y, dimension), at least two.
        a: first attributes, shape (n_a, dimension); a single one is kept fixed in the interval.
        b: second attributes, shape (n_b, dimension); likewise.
        ddof: 1 for the sample standard deviation, 0 for the population's.
        alternative: ``"greater"`` (the paper's one-sided test), ``"less"`` or ``"two-sided"``.
        method: how to get the p-value, see :func:`evaluate_bias.stats.permutation_test`.
        strict: count only splits above the observed one, as the paper writes; the default also counts equal ones.
        n_resamples: number of random splits of ``"monte_carlo"``.
        ci: kind of bootstrap interval, or ``"none"``.
        ci_resamples: number of bootstrap samples.
        level: confidence level, between 0 and 1.
        keep_replicates: keep the effect size of every bootstrap sample in the interval.
        seed: of the random splits and the bootstrap.

    Returns:
        The effect size with its test, interval, and the contribution of every vector.

    Raises:
        InputError: shapes or options are wrong, or a vector is zero, NaN or infinite.
        UndefinedScoreError: fewer than two targets in a set, no attribute in a set, or zero standard deviation.

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186.

    Examples:
        >>> x, y = [[1.0, 0.0], [1.0, 0.2], [0.9, 0.1]], [[0.0, 1.0], [0.1, 1.0], [0.3, 0.8]]
        >>> t = test(x, y, [[1.0, 0.1], [0.8, 0.2]], [[0.1, 1.0], [0.2, 0.7]])
        >>> round(t.effect_size, 4), t.permutation.p_value, t.permutation.n_partitions
        (1.8023, 0.05, 20)
    """
    for option, value, least in (("n_resamples", n_resamples, 1), ("ci_resamples", ci_resamples, 2)):
        if value < least:
            raise InputError(f"{option} must be a whole number, {least} or more, not {value!r}")
    x_, y_, a_, b_ = check_vectors(targets_x=x, targets_y=y, attributes_a=a, attributes_b=b)
    for name, array in (("targets_x", x_), ("targets_y", y_)):
        if len(array) < 2:
            raise UndefinedScoreError(
                f"{name} has one word: the test needs at least two target words in each set"
            )
    n_x = len(x_)
    cos_a, cos_b = split_similarities(np.concatenate([x_, y_]), a_, b_)
    s = cos_a.mean(axis=1) - cos_b.mean(axis=1)
    d = standardised(s[:n_x], s[n_x:], ddof)
    permutation = stats.permutation_test(
        s[:n_x],
        s[n_x:],
        alternative=alternative,
        method=method,
        strict=strict,
        n_resamples=n_resamples,
        seed=seed,
        tolerance=TOLERANCE,
    )
    interval = None
    if ci != "none":
        interval = stats.bootstrap_ci(
            (n_x, len(y_), len(a_), len(b_)),
            lambda indices: _resampled_effect_size(cos_a, cos_b, n_x, ddof, indices),
            method=ci,
            n_resamples=ci_resamples,
            level=level,
            seed=seed,
            resample=(True, True, len(a_) > 1, len(b_) > 1),
            keep_replicates=keep_replicates,
        )
    return AssociationTest(
        effect_size=d,
        difference=float(s[:n_x].mean() - s[n_x:].mean()),
        sd=float(s.std(ddof=ddof)),
        ddof=ddof,
        permutation=permutation,
        interval=interval,
        associations_x=s[:n_x],
        associations_y=s[n_x:],
        influence=_influence(cos_a, cos_b, n_x, ddof, d),
    )


test.__test__ = False  # type: ignore[attr-defined]  # pytest must not take it for a test case


def draw_weights(indices: NDArray[Any], size: int) -> FloatArray:
    """Share of each of ``size`` items in every resample, shape (batch, size)."""
    batch, drawn = indices.shape
    flat = (indices + np.arange(batch)[:, None] * size).ravel()
    return np.asarray(np.bincount(flat, minlength=batch * size).reshape(batch, size) / drawn)


def _resampled_effect_size(
    cos_a: FloatArray, cos_b: FloatArray, n_x: int, ddof: int, indices: list[NDArray[Any]]
) -> FloatArray:
    """Effect size of every resample, NaN where the resampled targets are all equally associated."""
    in_x, in_y, in_a, in_b = indices
    s = draw_weights(in_a, cos_a.shape[1]) @ cos_a.T - draw_weights(in_b, cos_b.shape[1]) @ cos_b.T
    s_x = np.take_along_axis(s[:, :n_x], in_x, axis=1)
    s_y = np.take_along_axis(s[:, n_x:], in_y, axis=1)
    both = np.concatenate([s_x, s_y], axis=1)
    sd = both.std(axis=1, ddof=ddof)
    # A spread at rounding level is no spread: the same word drawn every time.
    undefined = sd <= TOLERANCE
    difference = s_x.mean(axis=1) - s_y.mean(axis=1)
    return np.asarray(
        np.where(undefined, np.nan, difference / np.where(undefined, 1.0, sd)), dtype=np.float64
    )


def _influence(
    cos_a: FloatArray, cos_b: FloatArray, n_x: int, ddof: int, d: float
) -> dict[str, list[float | None]]:
    s = cos_a.mean(axis=1) - cos_b.mean(axis=1)

    def without(scores: FloatArray, n_first: int) -> float | None:
        if n_first == 0 or n_first == len(scores):
            return None
        try:
            return d - standardised(scores[:n_first], scores[n_first:], ddof)
        except UndefinedScoreError:
            return None

    def without_column(cosines: FloatArray, others: FloatArray, sign: float, j: int) -> float | None:
        if cosines.shape[1] == 1:
            return None
        rest = (cosines.sum(axis=1) - cosines[:, j]) / (cosines.shape[1] - 1)
        return without(sign * (rest - others.mean(axis=1)), n_x)

    return {
        "x": [without(np.delete(s, i), n_x - 1) for i in range(n_x)],
        "y": [without(np.delete(s, i), n_x) for i in range(n_x, len(s))],
        "a": [without_column(cos_a, cos_b, 1.0, j) for j in range(cos_a.shape[1])],
        "b": [without_column(cos_b, cos_a, -1.0, j) for j in range(cos_b.shape[1])],
    }
