"""RNSB: does a sentiment classifier find some groups more negative than others? (Sweeney and Najafian 2019)"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from annotated_types import Gt
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ....stats import PermutationTest, batches
from ....stats.threads import on_one_thread
from ...word_lists.cosines import TOLERANCE, check_vectors, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, by_list, influences, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .record import RECORD

FOLDS = 5
_STEPS = 100
_CONVERGED = 1e-10
_SIX_DIGITS = 1e-6
_TOO_LONG = (
    "the classifier cannot be computed to six digits: the vectors are too long, or c too large. Scale all "
    "vectors down, or choose a smaller c"
)
_ONE_WORD = "one word of a sentiment, so the classifier cannot be tested on words that it was not trained on"


def negative_probabilities(
    positive: ArrayLike, negative: ArrayLike, targets: ArrayLike, *, c: float = 1.0
) -> FloatArray:
    """Probability that a target word is negative, by a logistic regression on words of known sentiment.

    Args:
        positive: positive words, shape (n_positive, dimension).
        negative: negative words, shape (n_negative, dimension).
        targets: shape (n, dimension).
        c: inverse strength of the L2 regularisation. The intercept is not regularised.

    Returns:
        Shape (n,), values in (0, 1).

    Raises:
        InputError: shapes differ, a vector is zero, NaN, infinite or too long for the classifier.
        UndefinedScoreError: a set is empty.

    Examples:
        >>> p = negative_probabilities([[1.0, 0.0]], [[-1.0, 0.0]], [[0.0, 1.0], [-3.0, 0.0]])
        >>> p.round(3).tolist()
        [0.5, 0.883]
    """
    good, bad, words = check_vectors(positive=positive, negative=negative, targets=targets)
    seeds, y = np.concatenate([good, bad]), _labels(good, bad)[None]
    return np.asarray(_probabilities(*coordinates(seeds, words), y, np.ones(y.shape), c)[0])


def relative_negative_sentiment_bias(probabilities: ArrayLike) -> float:
    """RNSB = Σ P(i) log(P(i) n): divergence of the normalised negative probabilities of n words from the uniform.

    Args:
        probabilities: of being negative, shape (n,), at least 0.

    Returns:
        A number in [0, log n], ideal 0, higher is more biased.

    Raises:
        UndefinedScoreError: there are fewer than two words, or all probabilities are 0.

    References:
        Sweeney and Najafian (2019), ACL, section 3.2.

    Examples:
        >>> round(relative_negative_sentiment_bias([0.2, 0.6]), 4)  # 1/4 log(1/2) + 3/4 log(3/2)
        0.1308
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if len(p) < 2 or not p.any():
        raise UndefinedScoreError(
            "the divergence needs two words or more, one of them with a probability above 0"
        )
    return float(_divergences(p[None])[0])


def _divergences(p: FloatArray) -> FloatArray:
    """KL divergence from the uniform of every row of probabilities, shape (batch, n) to (batch,)."""
    shares = p / p.sum(axis=1, keepdims=True)
    logs = np.log(np.where(shares > 0, shares * p.shape[1], 1.0))
    return np.asarray(np.maximum((shares * logs).sum(axis=1), 0.0))


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    c: Annotated[float, Gt(0)] = 1.0,
    inference: Inference,
) -> Finding:
    """Run RNSB on word vectors.

    A logistic regression learns to tell the first attributes, which are positive words, from the second, which are
    negative ones. Its probabilities that a target word is negative, of the words of both lists together and divided by
    their sum, are compared with the uniform distribution. With several tests the score is the mean of theirs. Controls
    (``bias_type`` "none") are excluded, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``attributes_a`` (positive words),
            ``attributes_b`` (negative words) and, if there are any, ``targets_y``.
        c: inverse strength of the L2 regularisation of the classifier, above 0.
        n_resamples: number of random labellings of the sentiment words.
        ci_resamples: number of bootstrap samples. Each trains a classifier.
        seed: of labellings, folds and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in nats, from 0 to log n of n target words, ideal 0, higher is more biased. The p-value is the
        share of random labellings of the sentiment words with as large a divergence.
        ``estimates["accuracy"]`` is the classifier's accuracy in a cross-validation of five folds. ``n`` is
        the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, or the vectors
            are too long for the classifier.
        UndefinedScoreError: a needed list is empty, or there are fewer than two target words.

    References:
        Sweeney and Najafian (2019): A transparent framework for evaluating unintended demographic bias in word
        embeddings. ACL 2019, 1662-1667.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.5], "he": [-1.0, 0.5], "good": [1.0, 0.0], "nice": [2.0, 1.0],
        ...            "bad": [-1.0, 0.0], "vile": [-2.0, 1.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she"], "targets_y": ["he"],
        ...     "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}])
        >>> round(result.score, 3), result.n
        (0.112, 2)
    """

    headline = Headline(
        tested="permutation test of the sentiment labels, greater", resampled="sentiment words"
    )

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        groups = {name: words for name, words in material.vectors.items() if name in LISTS[:2]}
        targets = np.concatenate(list(groups.values()))
        if len(targets) < 2:
            raise UndefinedScoreError("the divergence needs two target words or more")
        good, bad = (material.vectors[name] for name in LISTS[2:])
        words, others = coordinates(np.concatenate([good, bad]), targets)
        y = _labels(good, bad)
        probabilities = _probabilities(words, others, y[None], np.ones((1, len(y))), c)[0]
        score, shares = relative_negative_sentiment_bias(probabilities), probabilities / probabilities.sum()
        # Numbers that the classifier of one labelling of words (n, d) needs at once, in some copies.
        n, d = words.shape
        cells = 4 * int((d + 1) * (n + d))

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            samples = zip(indices, (good, bad), strict=True)
            times = np.concatenate([draw_weights(i, len(rows)) * len(rows) for i, rows in samples], axis=1)
            return _divergences(_probabilities(words, others, np.broadcast_to(y, times.shape), times, c))

        # Random labellings of the sentiment words, with as many of each, whose divergence is as large.
        rng, extreme = np.random.default_rng(inference.seed), 0
        for size in batches(inference.n_resamples, cells, 1 << 22):
            labels = rng.permuted(np.tile(y, (size, 1)), axis=1)
            null = _divergences(_probabilities(words, others, labels, np.ones(labels.shape), c))
            extreme += int((null >= score - TOLERANCE).sum())
        rest: list[float | None] = [None] * len(targets)
        if len(targets) > 2:
            rest = [_divergences(np.delete(probabilities, i)[None])[0] for i in range(len(targets))]
        accuracy = _accuracy(words, y, c, inference.seed)
        facts = {} if accuracy is None else {"accuracy": accuracy}
        if len(groups) == 2:
            facts["share_x"] = float(shares[: len(groups["targets_x"])].sum())
        return TestOutcome(
            score=score,
            permutation=PermutationTest.of_counts(
                score, extreme, inference.n_resamples, alternative="greater"
            ),
            interval=bootstrap_interval(
                [material.words[name] for name in LISTS[2:]], resampled, inference, cells=cells
            ),
            score_range=(0.0, float(np.log(len(targets)))),
            facts=facts,
            words=by_list(
                groups,
                negative=probabilities.tolist(),
                share=shares.tolist(),
                influence=influences(score, rest),
            ),
            warnings=[_ONE_WORD] if accuracy is None else [],
        )

    return measure_tests(RECORD, model, tests, compute, inference, headline)


def _labels(good: FloatArray, bad: FloatArray) -> FloatArray:
    """-1 for every positive word, 1 for every negative one."""
    return np.repeat([-1.0, 1.0], [len(good), len(bad)])


def _probabilities(
    words: FloatArray, others: FloatArray, y: FloatArray, weights: FloatArray, c: float
) -> FloatArray:
    """Negative probabilities of others under every labelling of the words, shape (batch, others)."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds(others, fit(words, y, weights, c)), -500, 500))))


def _accuracy(words: FloatArray, y: FloatArray, c: float, seed: int) -> float | None:
    """Share of the sentiment words that classifiers trained on the other folds get right. Folds are stratified.

    ``None`` with a single word of either sentiment, without which nothing can be learned.
    """
    if min((y > 0).sum(), (y < 0).sum()) < 2:
        return None
    rng = np.random.default_rng(seed)
    folds = np.empty(len(y), dtype=int)
    for label in (-1.0, 1.0):
        label_places = np.flatnonzero(y == label)
        folds[rng.permutation(label_places)] = np.arange(len(label_places)) % FOLDS
    right = 0
    for fold in range(FOLDS):
        out = folds == fold
        if not out.any():
            continue
        weights = fit(words, y[None], (~out).astype(float)[None], c)
        right += int((np.sign(log_odds(words[out], weights)[0]) == y[out]).sum())
    return right / len(y)


def coordinates(words: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Vectors of n words, and of others, in min(n, dimension) coordinates with the same products.

    A classifier of the words lies in the space that they span, so what others have outside it plays no part.

    Args:
        words: shape (n, dimension).
        others: shape (m, dimension).
    """
    if len(words) >= words.shape[1]:
        return words, others
    axes, triangle = np.linalg.qr(words.T)  # words = ownᵀ axesᵀ
    return triangle.T, others @ axes


@on_one_thread
def fit(words: ArrayLike, labels: ArrayLike, weights: ArrayLike, c: float = 1.0) -> FloatArray:
    """L2-regularised logistic regression, for a batch of labellings or weightings of the same words.

    Minimises ½ |β|² + C Σᵢ wᵢ log(1 + exp(−yᵢ(Xβ + b)ᵢ)). The intercept b is not regularised. Newton's method
    with step halving. The loss is strictly convex. A step solves d + 1 equations for every labelling.

    Args:
        words: X, shape (n, d).
        labels: y, shape (batch, n), 1 or −1.
        weights: w, shape (batch, n), at least 0: how often a word counts.
        c: inverse strength of the regularisation.

    Returns:
        β followed by b, of shape (batch, d + 1).

    Raises:
        InputError: the vectors are so long that rounding hides the minimum.
        UndefinedScoreError: a labelling has words of one class only.
    """
    x, y, w = (np.asarray(v, dtype=np.float64) for v in (words, labels, weights))
    if not (((w > 0) & (y > 0)).any(axis=1) & ((w > 0) & (y < 0)).any(axis=1)).all():
        raise UndefinedScoreError("a classifier needs words of both classes")
    z, penalty = _with_one(x), np.append(np.ones(x.shape[1]), 0.0)

    def loss(beta: FloatArray) -> FloatArray:
        lost = w * np.logaddexp(0.0, -y * (beta @ z.T))
        return np.asarray(0.5 * (penalty * beta**2).sum(axis=1) + c * lost.sum(axis=1))

    beta = np.zeros((len(y), z.shape[1]))
    last = loss(beta)
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(np.clip(y * (beta @ z.T), -500, 500)))  # of the label's opposite
        gradient = penalty * beta - (c * w * y * p) @ z
        hessian = (z.T * (c * w * p * (1.0 - p))[:, None, :]) @ z + np.diag(penalty)
        try:
            step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            raise InputError(_TOO_LONG) from None
        size = np.ones((len(y), 1))
        for _ in range(30):
            moved = beta + size * step
            now = loss(moved)
            worse = now > last + 1e-12 * np.abs(last)
            if not worse.any():
                break
            size = np.where(worse[:, None], size / 2, size)
        beta, last = moved, now
        largest_step, reached = np.abs(step).max(axis=1), np.abs(beta).max(axis=1)
        if (largest_step <= _CONVERGED * reached).all():
            break
    if not (largest_step <= _SIX_DIGITS * reached).all():
        raise InputError(_TOO_LONG)
    return beta


def log_odds(others: ArrayLike, beta: FloatArray) -> FloatArray:
    """Log odds of the class 1 of other words, shape (batch, m), by their vectors, shape (m, d)."""
    return np.asarray(beta @ _with_one(np.asarray(others, dtype=np.float64)).T)


def _with_one(vectors: FloatArray) -> FloatArray:
    return np.concatenate([vectors, np.ones((len(vectors), 1))], axis=1)
