"""The WSV map on arrays: relevance of features, and two principal axes of the relevant ones (Dusi et al. 2022)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError, UnknownNameError, bad_option
from ...word_lists.cosines import LARGEST, SMALLEST, TOLERANCE, as_vectors
from ..axis import EQUAL

DEFAULT_FEATURES = 50
"""The number of the reference code."""
_CELLS, _EXCHANGES = 1 << 21, 3
_LONGEST = 1e5
"""Of components: with larger ones the classifier's loss loses the digits that the weights hang on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WsvMap:
    """Outcome of :func:`wsv_map`.

    Attributes:
        words: coordinates of the evaluation words, shape (m, 2).
        protected: coordinates of the protected words, shape (n, 2).
        features: positions of the features that were kept, the most relevant first.
        explained: share of the variance of the protected words' kept features along each axis, shape (2,).
    """

    words: FloatArray
    protected: FloatArray
    features: NDArray[np.intp]
    explained: FloatArray


def relevance(protected: ArrayLike, classes: Sequence[str], *, c: float = 1.0) -> FloatArray:
    """How much every feature tells of the classes: its absolute weight in a linear support vector classifier.

    Args:
        protected: vectors of the protected words, shape (n, dimension).
        classes: class of every word, two or more classes.
        c: weight of the squared hinge loss against the norm of the weights, above 0.

    Returns:
        Shape (dimension,), 0 or more, larger is more relevant; with more than two classes the mean over the
        classifiers that tell each class from all others.

    Raises:
        InputError: shapes differ, values are not finite or above 1e5, or ``c`` is not above 0.
        UndefinedScoreError: all words belong to one class, or all vectors are the same.

    References:
        Dusi, Arici, Gerevini, Putelli and Serina (2022), NL4AI at AIxIA 2022.

    Examples:
        >>> relevance([[1.0, 0.1], [0.9, -0.1], [-1.0, 0.1], [-0.9, -0.1]], ["f", "f", "m", "m"]).round(3).tolist()
        [0.922, 0.0]
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    x = _trainable(protected, classes, c)
    # relevance_j = mean over classes of |w_j|, where w of a class minimises ‖w‖²/2 + c Σ max(0, 1 − s (w·x + b))² over
    # the words, s = 1 for those of the class and −1 for the others; coef_ has shape (classifiers, dimension).
    classifier = LinearSVC(C=float(c), dual=False, tol=1e-10, max_iter=10_000)
    with warnings.catch_warnings():
        # After so many steps the weights agree to more digits than their order needs.
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(x, np.array(classes, dtype=str))
    return np.asarray(np.abs(classifier.coef_).mean(axis=0), dtype=np.float64)


def _trainable(protected: ArrayLike, classes: Sequence[str], c: float) -> FloatArray:
    """The vectors that a classifier is trained on."""
    x = _vectors(protected, "protected", classes)
    if (size := float(np.abs(x).max())) > _LONGEST or size < SMALLEST:
        raise InputError(
            f"the largest component of the vectors of the protected words is {size:.3g}, and the classifier cannot "
            "be trained on them",
            hint=f"scale all vectors to between {SMALLEST:g} and {_LONGEST:g}",
        )
    if not 0 < c < np.inf:
        raise bad_option("c", c, "a number above 0")
    if len(set(classes)) < 2:
        raise UndefinedScoreError(
            f"all protected words belong to one class ({classes[0]}): there is nothing to tell apart"
        )
    return x


def importance(
    protected: ArrayLike,
    classes: Sequence[str],
    classifier: Literal["rbf", "boosted", "mlp"],
    *,
    c: float = 1.0,
    seed: int = 0,
) -> FloatArray:
    """How much every feature helps a classifier without weights: its permutation importance on held-out words.

    The words are split into up to five folds, each of which holds words of every class. The classifier is trained on
    the others. The importance of a feature is how much the loss of the held-out words grows when its values are
    exchanged among them, averaged over folds and three exchanges. The loss is the log loss, or, of ``"rbf"``, the
    negative margin: the score of the true class less the largest of the others. Accuracy would not change with nearly
    any feature.

    Args:
        protected: vectors of the protected words, shape (n, dimension).
        classes: class of every word, two or more classes, each with at least two words.
        classifier: ``"rbf"``: a support vector machine with that kernel; ``"boosted"``: gradient boosted trees;
            ``"mlp"``: a network with one layer of 32 units on standardised features.
        c: weight of the loss of ``"rbf"``.
        seed: of folds, exchanges, trees and the network.

    Returns:
        Shape (dimension,), 0 or more; 0 for a feature that does not help.

    Raises:
        InputError: as :func:`relevance`.
        UndefinedScoreError: a class has a single word, or as :func:`relevance`.

    Examples:
        >>> x = [[s, 0.1 * (i % 3)] for i, s in enumerate([1.0, 0.9, 1.1, 1.0, -1.0, -0.9, -1.1, -1.0])]
        >>> int(importance(x, ["f"] * 4 + ["m"] * 4, "rbf").argmax())
        0
    """
    from sklearn.ensemble import GradientBoostingClassifier
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    x, y = _trainable(protected, classes, c), np.unique(np.array(classes, dtype=str), return_inverse=True)[1]
    if (fewest := int(np.bincount(y).min())) < 2:
        raise UndefinedScoreError(
            f"a class of the protected words has a single word, too few for `classifier` {classifier!r}",
            option="classifier",
            hint="give two words or more of every class, or use 'linear'",
        )
    models = {
        "rbf": lambda: SVC(C=float(c), decision_function_shape="ovr"),
        "boosted": lambda: GradientBoostingClassifier(random_state=seed),
        "mlp": lambda: make_pipeline(StandardScaler(), MLPClassifier((32,), max_iter=500, random_state=seed)),
    }
    rng, n, dimension = np.random.default_rng(seed), len(x), x.shape[1]
    total = np.zeros(dimension)
    folds = StratifiedKFold(min(5, fewest), shuffle=True, random_state=seed)
    for train, held_out in folds.split(x, y):
        model = models[classifier]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(x[train], y[train])
        whole = _loss(model, x[held_out], y[held_out])
        # Copies of the held-out words, in each of which one feature is exchanged, as many as fit into memory.
        step = max(1, _CELLS // (len(held_out) * dimension))
        for _ in range(_EXCHANGES):
            order = rng.permutation(len(held_out))
            for start in range(0, dimension, step):
                features = np.arange(start, min(start + step, dimension))
                copies = np.repeat(x[held_out][None], len(features), axis=0)
                copies[np.arange(len(features)), :, features] = x[held_out][order][:, features].T
                labels = np.tile(y[held_out], len(features))
                losses = _loss(model, copies.reshape(-1, dimension), labels).reshape(len(features), -1)
                total[features] += (losses - whole).sum(axis=1)
    return np.asarray((total / (n * _EXCHANGES)).clip(0.0))


def _loss(model: Any, x: FloatArray, y: NDArray[Any]) -> FloatArray:
    """Log loss of every word, or its negative margin where the classifier gives no probabilities."""
    places = np.arange(len(y))
    if hasattr(model, "predict_proba"):
        return np.asarray(-np.log(model.predict_proba(x)[places, y].clip(1e-12)))
    scores = model.decision_function(x)
    if scores.ndim == 1:
        return np.asarray(np.where(y == 1, -scores, scores))
    of_class = scores[places, y]
    scores[places, y] = -np.inf
    return np.asarray(scores.max(axis=1) - of_class)


def wsv_map(
    protected: ArrayLike,
    classes: Sequence[str],
    words: ArrayLike,
    *,
    n_features: int | None = DEFAULT_FEATURES,
    rotate: bool = True,
    c: float = 1.0,
    positive: str | None = None,
) -> WsvMap:
    """Project words on the two principal axes of the features that tell of the protected classes.

    A linear support vector classifier is trained on the protected words, the features with the largest absolute
    weights are kept, a principal component analysis is fitted on the protected words' kept features, and the
    evaluation words are projected with it; two features can be taken as they are instead. With all features kept it is
    plain principal component analysis.

    Args:
        protected: vectors of the protected words, shape (n, dimension), n >= 3.
        classes: class of every protected word.
        words: vectors of the evaluation words, shape (m, dimension).
        n_features: number of features to keep, 2 to dimension; ``None`` for all.
        rotate: whether the axes are principal components; ``False``, with ``n_features=2``: the two features
            themselves, the more relevant one first.
        c: as in :func:`relevance`.
        positive: class that lies on the positive side of each axis, on average; by default the alphabetically first
            one, whatever the order of the words.

    Returns:
        The map. Axes are in units of the embeddings, centred at the mean of the protected words.

    Raises:
        InputError: shapes differ, values are not finite, or an option is out of range.
        UndefinedScoreError: one class only, vectors that do not vary, or in one direction only.

    References:
        Dusi, Arici, Gerevini, Putelli and Serina (2022), NL4AI at AIxIA 2022.

    Examples:
        >>> she_he = [[1.0, 0.9, 3.0], [1.1, 0.8, -3.1], [-0.9, -1.0, 3.1], [-1.0, -1.1, -3.0]]
        >>> jobs = [[0.8, 0.9, 1.5], [-0.9, -1.2, 0.7]]
        >>> word_map = wsv_map(she_he, ["f", "f", "m", "m"], jobs, n_features=2)
        >>> word_map.features.tolist(), word_map.words[:, 0].round(2).tolist()
        ([0, 1], [1.23, -1.45])
    """
    x, targets = _vectors(protected, "protected", classes), _vectors(words, "words")
    if x.shape[1] != targets.shape[1]:
        raise InputError(
            f"vectors of different length cannot share a map: {x.shape[1]} and {targets.shape[1]} dimensions"
        )
    chosen = check_features(n_features, x.shape[1], rotate=rotate)
    ranked = rank(relevance(x, classes, c=c))
    return project(x, classes, targets, ranked[:chosen], check_positive(positive, classes), rotate=rotate)


def rank(weights: FloatArray) -> NDArray[np.intp]:
    """Positions of the features, the most relevant first; of equal ones the first comes first."""
    return np.argsort(-weights, kind="stable")


def project(
    protected: FloatArray,
    classes: Sequence[str],
    words: FloatArray,
    features: NDArray[np.intp],
    positive: str,
    *,
    rotate: bool = True,
) -> WsvMap:
    """Fit the axes on the protected words' kept features, and apply them to the evaluation words.

    Without ``rotate`` two features are the axes themselves, the more relevant one first; more are rotated all the same.

    Raises:
        InputError: the vectors of the words are so long that their squares cannot be computed.
        UndefinedScoreError: the kept features of the protected words vary in one direction only, or not at all, or as
            much in a second direction as in the first.
    """
    if (size := float(np.abs(words).max())) > LARGEST:
        raise InputError(
            f"the largest component of the vectors of the words to evaluate is {size:.3g}, whose square cannot be "
            "computed",
            hint=f"scale all vectors to {LARGEST:g} at most",
        )
    # coordinates = (vectors − mean) @ axes.T, axes (2, kept features) the first right singular vectors of the centred
    # protected vectors (n, kept features); words are (m, kept features).
    # In their own order, so that the rounding is that of the analysis of all features when all are kept.
    rotated = rotate or len(features) > 2
    chosen_features = np.sort(features) if rotated else features
    mean = protected[:, chosen_features].mean(axis=0)
    centred = protected[:, chosen_features] - mean
    if rotated:
        _, spread, axes = np.linalg.svd(centred, full_matrices=False)
    else:
        spread, axes = np.linalg.norm(centred, axis=0), np.eye(2)
    if len(spread) < 2 or min(spread[:2]) <= 1e-10 * max(spread[0], np.abs(protected).max()):
        raise UndefinedScoreError(
            f"the {len(protected)} protected words vary in fewer than two directions of the kept "
            "features, so no map can be made",
            hint="give more words, or keep more features",
        )
    if rotated and spread[0] - spread[1] <= EQUAL * spread[0]:
        raise UndefinedScoreError(
            "the kept features of the protected words vary equally much in two directions, so that rounding decides "
            "which is the first axis",
            hint="give more words, or keep another number of features",
        )
    axes = axes[:2]
    side = np.where(np.array(classes, dtype=object) == positive, 1.0, -1.0)
    axes = axes * _signs(centred @ axes.T, side, axes)[:, None]
    places = (words[:, chosen_features] - mean) @ axes.T
    # What rounding leaves of words in one place is no order of theirs.
    flat = np.ptp(places, axis=0) <= TOLERANCE * max(size, float(np.abs(protected).max()))
    places[:, flat] = places[0, flat]
    return WsvMap(
        words=places,
        protected=centred @ axes.T,
        features=features,
        explained=spread[:2] ** 2 / (spread**2).sum(),
    )


def separation(coordinates: FloatArray, classes: Sequence[str]) -> list[float]:
    """Share of the variance along each axis that lies between the classes, from 0 to 1.

    Examples:
        >>> separation(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), ["f", "f", "m", "m"])
        [1.0, 0.0]
    """
    # Σ over classes of n_class mean² / Σ over words of x², x the centred coordinates, shape (words, axes).
    class_of = np.array(classes, dtype=object)
    centred = coordinates - coordinates.mean(axis=0)
    groups = [centred[class_of == name] for name in sorted(set(classes))]
    between = sum(len(members) * members.mean(axis=0) ** 2 for members in groups)
    return [float(v) for v in between / (centred**2).sum(axis=0)]


def _signs(coordinates: FloatArray, side: FloatArray, axes: FloatArray) -> FloatArray:
    """Turn each axis so that the positive class has the larger mean; where the means agree, its largest loading."""
    difference = coordinates[side > 0].mean(axis=0) - coordinates[side < 0].mean(axis=0)
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    decisive = np.abs(difference) > 1e-9 * np.abs(coordinates).max(axis=0)
    return np.where(np.where(decisive, difference, largest) < 0, -1.0, 1.0)


def check_features(
    n_features: int | None, dimension: int, called: str = "n_features", *, rotate: bool = True
) -> int:
    """Return the number of features to keep, ``None`` standing for all.

    Raises:
        InputError: it is not from 2 to ``dimension``, or other than 2 where axes are not rotated.
    """
    if not rotate and n_features != 2:
        raise InputError(
            f"`rotate` false makes a map of two features as they are, so {called} must be 2, got "
            f"{n_features!r}",
            option="rotate",
        )
    if n_features is None:
        return dimension
    if not 2 <= n_features <= dimension:
        raise InputError(
            f"{called} must be an integer from 2 to {dimension}, the dimension of these vectors, got "
            f"{n_features!r}",
            option="sweep" if called != "n_features" else called,
            hint="omit it to keep them all",
        )
    return n_features


def check_positive(positive: str | None, classes: Sequence[str]) -> str:
    """Return the class of the positive side, by default the alphabetically first: rows in another order change no sign.

    Raises:
        UnknownNameError: no protected word has that class.
    """
    if positive is None:
        return min(classes)
    if positive not in classes:
        raise UnknownNameError("class", positive, set(classes), option="positive")
    return positive


def _vectors(values: ArrayLike, called: str, classes: Sequence[str] | None = None) -> FloatArray:
    array = as_vectors(values, called, zeros=True)
    if array.shape[1] < 2:
        raise InputError(f"{called} must be vectors of dimension 2 or more, not of shape {array.shape}")
    if classes is not None:
        if len(array) < 3:
            raise UndefinedScoreError(
                f"a map of two axes needs at least three {called} words, and there are {len(array)}"
            )
        if np.ptp(array, axis=0).max() <= 1e-12 * np.abs(array).max():
            raise UndefinedScoreError(f"all {called} words have the same vector: nothing tells them apart")
    return array
