"""The direction between two lists of words such as she and he, and random directions to compare with.

Directions of pairs are computed in the space of the pairs: a direction is a mixture Σ cᵢ dᵢ of their differences dᵢ, so
that a bootstrap sample or a random direction costs an eigenproblem of the number of pairs, not of dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import FloatArray
from ...errors import InputError, UndefinedScoreError
from ...stats import PermutationTest, batches
from ...text import counted
from ..word_lists.cosines import LARGEST, SMALLEST, TOLERANCE, check_vectors, cosine_similarity, draw_weights
from ..word_lists.inference import Inference, pair_names

Direction = Literal["pair_centred_pca", "difference_pca", "difference", "mean_difference"]
"""How a direction follows from pairs."""
OfLists = Literal["sum", "all_pairs"]
"""How a direction follows from two lists of any sizes."""

EQUAL = 1e-6
"""Components nearer to each other than this share of them differ by the rounding of vectors in single precision."""
REFERENCE = 20_000
"""Random pairs are made of so many of a vocabulary's first words."""
BATCHED = 16
"""Eigenproblems up to this size are solved whole and together. Larger ones are solved one by one, and only
for the largest part.
"""
COMPONENTS, RANDOM_PAIRS = 10, 99
"""Components whose shares of the variance are kept, and sets of random pairs that they are compared with."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A direction between the words of pairs.

    Attributes:
        vector: unit vector, shape (dimension,). It points from the second words to the first.
        explained: share of the variance of the differences that it explains, ``None`` if no components were
            taken.
    """

    vector: FloatArray
    explained: float | None

    @property
    def facts(self) -> dict[str, Any]:
        """What results say of it."""
        return {} if self.explained is None else {"explained_variance": self.explained}


def bias_direction(x: ArrayLike, y: ArrayLike, direction: Direction | OfLists = "pair_centred_pca") -> Axis:
    """Return the direction between the words of pairs, or between two lists.

    Args:
        x: first words, shape (n_x, dimension).
        y: second words, shape (n_y, dimension). Pairs need n_x = n_y.
        direction: how it is made. For pairs: ``"pair_centred_pca"`` (first principal component of the words less the
            centre of their pair, the code of Bolukbasi et al.), ``"difference_pca"`` (first principal component of the
            differences about their mean, their text), ``"difference"`` (of one pair), or ``"mean_difference"``. For
            lists of any sizes: ``"sum"`` (the sum of the first list scaled to length 1 minus the sum of the second
            scaled to length 1, Maddalozzo 2023), or ``"all_pairs"`` (``"pair_centred_pca"`` of every word of the first
            list with every word of the second).

    Returns:
        The direction. Its sign is the sign of the sum of the differences.

    Raises:
        InputError: shapes differ, a vector is zero, NaN or infinite, or ``"difference"`` got several pairs.
        UndefinedScoreError: the pairs have no direction: their words are identical, their differences cancel, or two
            components explain equally much.

    References:
        Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), NeurIPS, section 5.

    Examples:
        >>> axis = bias_direction([[3.0, 1.0], [5.0, 0.0]], [[1.0, 1.0], [1.0, 0.0]])
        >>> axis.vector.round(12).tolist(), round(axis.explained, 12)
        ([1.0, 0.0], 1.0)
    """
    x_, y_ = check_vectors(targets_x=x, targets_y=y)
    if direction == "sum":
        (vector,) = directions_of(x_[None], y_[None], direction)
        if not np.isfinite(vector).all():
            raise UndefinedScoreError(
                "the lists have no direction: their sums are equal, or one of them is 0"
            )
        return Axis(vector, None)
    if direction == "all_pairs":
        x_, y_ = all_pairs(x_, y_)
        direction = "pair_centred_pca"
    if len(x_) != len(y_):
        raise InputError(f"the words are not pairs: {len(x_)} first and {len(y_)} second ones")
    differences = x_ - y_
    weights, explained = mixtures(differences, np.ones((1, len(x_))), direction)
    if not np.isfinite(weights).all():
        raise UndefinedScoreError(
            "the pairs have no direction: the words of each are identical, or their differences cancel or are all equal"
        )
    if explained is not None and len(differences) > 1:
        _refuse_equal_components(differences - (direction == "difference_pca") * differences.mean(axis=0))
    vector = weights[0] @ differences
    return Axis(vector, None if explained is None else float(explained[0]))


def all_pairs(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every word of x with every word of y, (..., n_x, dimension) and (..., n_y, dimension), as two arrays of pairs."""
    n_x, n_y = x.shape[-2], y.shape[-2]
    repeated = np.repeat(x, n_y, axis=-2)
    return repeated, np.tile(y, (*(1,) * (y.ndim - 2), n_x, 1))


def directions_of(x: FloatArray, y: FloatArray, direction: Direction | OfLists) -> FloatArray:
    """Directions of many lists: (batch, n_x, dimension) and (batch, n_y, dimension) to (batch, dimension).

    NaN if a direction is undefined.
    """
    if direction == "sum":
        g = _scale_to_length_1(x.sum(axis=1)) - _scale_to_length_1(y.sum(axis=1))
        return _scale_to_length_1(g)
    if direction == "all_pairs":
        x, y = all_pairs(x, y)
        direction = "pair_centred_pca"
    weights, _ = mixtures(x - y, np.ones(x.shape[:2]), direction)
    return np.asarray(np.einsum("bp,bpd->bd", weights, x - y))


def best_pair(
    words: Mapping[str, Sequence[str]],
    x: FloatArray,
    y: FloatArray,
    axis: Axis,
    direction: Direction | OfLists,
) -> dict[str, Any]:
    """Of all pairs of two lists the one whose difference lies most along their direction, with its cosine.

    Only for the direction of all pairs.
    """
    if direction != "all_pairs":
        return {}
    differences = np.subtract(*all_pairs(x, y))
    lengths = np.linalg.norm(differences, axis=1)
    cosines = differences @ axis.vector / np.where(lengths > TOLERANCE, lengths, np.inf)
    best = int(np.argmax(cosines))
    pair = words["targets_x"][best // len(y)], words["targets_y"][best % len(y)]
    return {"best_pair": " / ".join(pair), "best_pair_cosine": float(cosines[best])}


def _scale_to_length_1(vectors: FloatArray) -> FloatArray:
    """Vectors scaled to length 1, NaN for one of length 0."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > TOLERANCE, lengths, np.nan)


def projections(words: ArrayLike, direction: ArrayLike) -> FloatArray:
    """cos(w, g) of every word w with the direction g.

    Args:
        words: shape (n, dimension).
        direction: g, shape (dimension,).

    Returns:
        Shape (n,), values in [-1, 1]. Positive is on the side of the first words of the pairs.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.

    Examples:
        >>> projections([[3.0, 4.0], [-2.0, 0.0]], [1.0, 0.0]).round(4).tolist()
        [0.6, -1.0]
    """
    return cosine_similarity(words, np.asarray(direction)[None])[:, 0]


def _refuse_equal_components(differences: FloatArray) -> None:
    sizes = np.linalg.svd(differences, compute_uv=False)
    if len(sizes) > 1 and sizes[0] - sizes[1] <= EQUAL * sizes[0]:
        raise UndefinedScoreError(
            "the pairs have no single direction: their two largest components explain equally much, so that "
            "rounding decides which one is taken",
            option="direction",
            hint="give more pairs, or set `direction` to 'mean_difference'",
        )


def component_shares(x: ArrayLike, y: ArrayLike, direction: Direction | OfLists) -> list[float]:
    """Shares of the variance of pairs that their first ten components explain, the largest first. A mean has none.

    Examples:
        >>> shares = component_shares([[3.0, 1.0], [5.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]], "pair_centred_pca")
        >>> [round(share, 3) for share in shares]
        [0.962, 0.038]
    """
    x_, y_ = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if direction == "all_pairs":
        x_, y_ = all_pairs(x_, y_)
    elif direction not in ("pair_centred_pca", "difference_pca"):
        return []
    differences = x_ - y_
    if len(differences) < 2:
        return []
    centred = differences - (direction == "difference_pca") * differences.mean(axis=0)
    squares = np.linalg.svd(centred, compute_uv=False) ** 2
    return [float(share) for share in squares[:COMPONENTS] / squares.sum()]


def shares_by_chance(
    reference: FloatArray | None, sizes: tuple[int, int], direction: Direction | OfLists, seed: int
) -> list[float]:
    """Return the mean of these shares over random lists of these sizes, nothing if the vocabulary has too few words."""
    n_x, n = sizes[0], sum(sizes)
    if reference is None or len(reference) < 5 * n:
        return []
    rng, shares = np.random.default_rng(seed), []
    for _ in range(RANDOM_PAIRS):
        sample = reference[rng.choice(len(reference), n, replace=False)]
        shares.append(component_shares(sample[:n_x], sample[n_x:], direction))
    return [float(share) for share in np.mean(shares, axis=0)]


def mixtures(
    differences: FloatArray, counts: FloatArray, direction: Direction
) -> tuple[FloatArray, FloatArray | None]:
    """Return the mixtures of differences that are the directions of resampled pairs, of length 1.

    With D the differences, shape (pairs, dimension), K = DDᵀ and n = Σ counts, a direction is g = Dᵀm with mᵀKm = 1.
    ``"mean_difference"``: m ∝ counts. ``"pair_centred_pca"``: a pair contributes ±d/2, so that g is the first
    right-singular vector of diag(√counts) D: with its left one v, m ∝ √counts v. ``"difference_pca"``: the same of
    D − 1 d̄ with d̄ = countsᵀD / n.

    Args:
        differences: D, shape (pairs, dimension), or one for every batch, (batch, pairs, dimension).
        counts: how often every pair counts, shape (batch, pairs).
        direction: see :func:`bias_direction`.

    Returns:
        m of shape (batch, pairs), NaN if undefined, and the share of variance explained, shape (batch,).

    Raises:
        InputError: ``"difference"`` got several pairs.
    """
    n = counts.shape[1]
    if direction == "difference" and n > 1:
        raise InputError(
            f"`direction` 'difference' needs one pair, got {n}",
            option="direction",
            hint="use 'mean_difference' or 'pair_centred_pca'",
        )
    gram = differences @ differences.swapaxes(-1, -2)
    scale = np.trace(gram, axis1=-2, axis2=-1)
    explained = None
    if direction in ("difference", "mean_difference"):
        mixed = counts / counts.sum(axis=1, keepdims=True)
        smallest = TOLERANCE**2 * scale
    else:
        roots = np.sqrt(counts)
        # The weighted mean is taken away by I − 1 shareᵀ.
        share = (counts / counts.sum(axis=1, keepdims=True)) * (direction == "difference_pca")
        if n > differences.shape[-1]:
            # The right-singular vector of the smaller side: rows (batch, pairs, dimension), left = rows @ right.
            rows = roots[:, :, None] * (differences - (share[:, None, :] @ differences))
            largest, total, right = _largest_components(rows.transpose(0, 2, 1) @ rows)
            left_vectors = (rows @ right[:, :, None])[:, :, 0]
        elif n <= BATCHED:
            largest, total, left_vectors = _largest_components(_inner(gram, roots, share))
        else:
            # Pairs that were not drawn are rows of zeros: the eigenproblem is unchanged for the others.
            largest, total, left_vectors = np.zeros(len(roots)), np.zeros(len(roots)), np.zeros(roots.shape)
            for i, of_draw in enumerate(np.broadcast_to(gram, (len(roots), n, n))):
                present = np.flatnonzero(roots[i])
                part = _inner(of_draw[np.ix_(present, present)], roots[i, present], share[i, present])
                (largest[i],), (total[i],), left_vectors[i, present] = _largest_components(part[None])
        whole = total > 1e-20 * scale * n
        explained = np.where(whole, largest / np.where(whole, total, 1.0), np.nan)
        weights = roots * left_vectors
        mixed = np.where(whole[:, None], weights - weights.sum(axis=1, keepdims=True) * share, np.nan)
        smallest = 0.0
    against = np.einsum("...ij,...j->...i", gram, mixed)
    squares = (mixed * against).sum(axis=1)
    with np.errstate(invalid="ignore"):
        lengths = np.sqrt(np.where(squares > smallest, squares, np.nan))
        # The sign of the sum of the differences.
        signs = np.where((against * counts).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(mixed * (signs / lengths)[:, None]), explained


def _inner(gram: FloatArray, roots: FloatArray, share: FloatArray) -> FloatArray:
    """(I − 1 shareᵀ) K (I − share 1ᵀ), times the roots of the counts on both sides, of shape (..., n, n)."""
    if share.any():
        across = np.einsum("...ij,...j->...i", gram, share)
        middle = (across * share).sum(axis=-1)[..., None, None]
        gram = gram - across[..., :, None] - across[..., None, :] + middle
    return gram * roots[..., :, None] * roots[..., None, :]


def _largest_components(products: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of matrices (batch, n, n) of products the largest eigenvalue, the sum of all, and the vector of the largest."""
    from scipy.linalg import eigh

    total, last = np.trace(products, axis1=1, axis2=2), products.shape[-1] - 1
    if last < BATCHED:
        values, vectors = np.linalg.eigh(products)
        return values[:, -1], total, vectors[:, :, -1]
    solved = [eigh(one, subset_by_index=[last, last], check_finite=False) for one in products]
    return np.array([v[0] for v, _ in solved]), total, np.array([v[:, 0] for _, v in solved])


def drawn_mixtures(differences: FloatArray, pairs: NDArray[Any], direction: Direction) -> FloatArray:
    """Return the mixtures of pairs that were drawn, shape (batch, drawn), as :func:`mixtures` gives them."""
    n = len(differences)
    return mixtures(differences, draw_weights(pairs, n) * n, direction)[0]


def drawn_axes(
    x: FloatArray, y: FloatArray, indices: Sequence[NDArray[Any]], direction: Direction | OfLists
) -> FloatArray:
    """Directions of words that were drawn, (batch, dimension): of pairs, or of each of two lists."""
    if direction == "sum" or direction == "all_pairs":
        return directions_of(x[indices[0]], y[indices[1]], direction)
    return drawn_mixtures(x - y, indices[0], direction) @ (x - y)


def drawn_lists(
    x: Sequence[str], y: Sequence[str], dimension: int, direction: Direction | OfLists
) -> tuple[list[Sequence[str]], int]:
    """Names of what :func:`drawn_axes` draws from, and the numbers that one draw needs."""
    if direction not in get_args(OfLists):
        return [pair_names(x, y)], 4 * len(x) ** 2
    n_pairs = len(x) * len(y) if direction == "all_pairs" else len(x) + len(y)
    return [x, y], 4 * n_pairs * max(n_pairs, dimension)


def reference_vectors(model: Any, normalize: bool) -> FloatArray | None:
    """Vectors of a vocabulary's first words, for random pairs. ``None`` for a model that has no list of words.

    Those that no measured word may have, too small or too large for their squares, are not part of it.
    """
    words = getattr(model, "words", None)
    if words is None:
        return None
    # Sorted, so that the order of the vocabulary changes no draw.
    first = sorted(islice(words() if callable(words) else words, REFERENCE))
    vectors, _ = model.embed_words(first)
    array = np.asarray(vectors, dtype=np.float64)
    sizes = np.abs(array).max(axis=1, initial=0.0)
    array = np.asarray(array[(sizes >= SMALLEST) & (sizes <= LARGEST)])
    return array / np.linalg.norm(array, axis=1, keepdims=True) if normalize else array


def reference_test(
    score: float,
    statistic: Callable[[FloatArray], FloatArray],
    reference: FloatArray | None,
    sizes: tuple[int, int],
    direction: Direction | OfLists,
    inference: Inference,
) -> tuple[PermutationTest | None, list[str]]:
    """Count along how many directions of random words a score is as high.

    Args:
        score: the observed one.
        statistic: scores along unit vectors, shape (batch, dimension) to (batch,).
        reference: vectors of the words that random lists are made of.
        sizes: numbers of words of both lists of a direction.
        direction: how it follows from them.
        inference: the number of random directions and their seed.

    Returns:
        The test, ``None`` if none exists, and what a reader must know of it.
    """
    if reference is None:
        return None, ["no p-value: the model has no list of words to make random pairs of"]
    if len(reference) < 5 * sum(sizes):
        of_pairs = direction not in get_args(OfLists)
        unit = counted(sizes[0], "pair") if of_pairs else counted(sum(sizes), "word")
        return None, [f"no p-value: {len(reference)} other words are too few for random sets of {unit}"]
    # The smaller list first, so that exchanging the lists turns every direction round and draws no other words.
    n, rng, (n_x, n_y) = inference.n_resamples, np.random.default_rng(inference.seed), sorted(sizes)
    n_pairs = n_x * n_y if direction == "all_pairs" else max(sizes)
    scores = []
    for size in batches(n, max(n_pairs * int(reference.shape[1]), len(reference)), 1 << 22):
        order = np.argpartition(rng.random((size, len(reference))), n_x + n_y - 1, axis=1)
        first, second = reference[order[:, :n_x]], reference[order[:, n_x : n_x + n_y]]
        scores.append(statistic(directions_of(first, second, direction)))
    null_scores = np.concatenate(scores)
    defined = np.isfinite(null_scores)
    if not defined.any():
        return None, ["no p-value: the score is undefined along every random direction"]
    null_scores, lost = null_scores[defined], int((~defined).sum())
    count = int((null_scores >= score - TOLERANCE).sum())
    test = PermutationTest.of_counts(score, count, len(null_scores), alternative="greater")
    return test, [f"{lost} of {n} random directions have no score and are ignored"] if lost else []
