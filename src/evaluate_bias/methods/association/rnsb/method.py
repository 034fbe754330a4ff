"""RNSB: does a sentiment classifier find some groups more negative than others? (Sweeney and Najafian 2019)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ....stats import PermutationTest
from ...word_lists.cosines import check_vectors, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, by_list, influences, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .classifier import coordinates, fit, log_odds
from .record import RECORD

FOLDS = 5
_ONE_WORD = "one word of a sentiment, so the classifier cannot be tested on words that it was not trained on"


def negative_probabilities(
    positive: ArrayLike, negative: ArrayLike, targets: ArrayLike, *, c: float = 1.0
) -> FloatArray:
    """Probability that a target word is negative, by a logistic regression on words of known sentiment.

    Args:
        positive: positive words, shape (n_positive, dimension).
        negative: negative words, shape (n_negative, dimension).
        targets: shape (n, dimension).
        c: inverse strength of the L2 regularisation; the intercept is not regularised.

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
        A number in [0, log n], ideal 0; higher is more biased.

    Raises:
        InputError: a probability is negative, NaN or above 1.
        UndefinedScoreError: there are fewer than two words, or all probabilities are 0.

    References:
        Sweeney and Najafian (2019), ACL, section 3.2.

    Examples:
        >>> round(relative_negative_sentiment_bias([0.2, 0.6]), 4)  # 1/4 log(1/2) + 3/4 log(3/2)
        0.1308
    """
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise InputError("probabilities must be a flat list of numbers between 0 and 1")
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
    c: float = 1.0,
    inference: Inference,
) -> Finding:
    """Run RNSB on word vectors.

    A logistic regression learns to tell the first attributes, which are positive words, from the second, which are
    negative ones. Its probabilities that a target word is negative, of the words of both lists together and divided by
    their sum, are compared with the uniform distribution. With several tests the score is the mean of theirs. Controls
    (``bias_type`` "none") are left out of it, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``attributes_a`` (positive words),
            ``attributes_b`` (negative words) and, if there are any, ``targets_y``.
        c: inverse strength of the L2 regularisation of the classifier, above 0.
        n_resamples: number of random labellings of the sentiment words.
        ci_resamples: number of bootstrap samples; each trains a classifier.
        seed: of labellings, folds and bootstrap; each test draws from a stream of its own.

    Returns:
        Score in nats, from 0 to log n of n target words; ideal 0, higher is more biased. The p-value is the share of
        random labellings of the sentiment words with as large a divergence. ``estimates["accuracy"]`` is the
        classifier's accuracy in a cross-validation of five folds. ``n`` is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
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

    if not c > 0:
        raise InputError(f"c must be above 0, not {c!r}")

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

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            samples = zip(indices, (good, bad), strict=True)
            times = np.concatenate([draw_weights(i, len(rows)) * len(rows) for i, rows in samples], axis=1)
            return _divergences(_probabilities(words, others, np.broadcast_to(y, times.shape), times, c))

        def relabelled(labels: FloatArray) -> FloatArray:
            return _divergences(_probabilities(words, others, labels, np.ones(labels.shape), c))

        rest = [
            _divergences(np.delete(probabilities, i)[None])[0] if len(targets) > 2 else None
            for i in range(len(targets))
        ]
        accuracy = _accuracy(words, y, c, inference.seed)
        facts = {} if accuracy is None else {"accuracy": accuracy}
        if len(groups) == 2:
            facts["share_x"] = float(shares[: len(groups["targets_x"])].sum())
        return TestOutcome(
            score=score,
            permutation=_labels_test(relabelled, y, score, _cells(words), inference),
            interval=bootstrap_interval([good, bad], resampled, inference, cells=_cells(words)),
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

    headline = Headline(
        tested="permutation test of the sentiment labels, greater", resampled="sentiment words"
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


def _cells(words: FloatArray) -> int:
    """Numbers that the classifier of one labelling of words (n, d) needs at once, in some copies."""
    n, d = words.shape
    return 4 * int((d + 1) * (n + d))


def _accuracy(words: FloatArray, y: FloatArray, c: float, seed: int) -> float | None:
    """Share of the sentiment words that classifiers trained on the other folds get right; folds are stratified.

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


def _labels_test(
    divergences: Callable[[FloatArray], FloatArray],
    y: FloatArray,
    score: float,
    cells: int,
    inference: Inference,
) -> PermutationTest:
    """Share of random labellings of the sentiment words, with as many of each, whose divergence is as large."""
    rng, n = np.random.default_rng(inference.seed), inference.n_resamples
    batch = max(1, (1 << 22) // cells)
    count = 0
    for start in range(0, n, batch):
        null_divergences = divergences(rng.permuted(np.tile(y, (min(batch, n - start), 1)), axis=1))
        count += int((null_divergences >= score - 1e-12).sum())
    return PermutationTest.of_counts(score, count, n, alternative="greater")
