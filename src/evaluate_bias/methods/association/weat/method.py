"""WEAT: the association test on word vectors (Caliskan, Bryson and Narayanan 2017).

:func:`effect_size` and :func:`association_test` work on arrays. :func:`evaluate` accepts a model and word lists
and returns a :class:`~evaluate_bias.result.Result` that also says which words were found and which drive the
score.
"""

from __future__ import annotations

import dataclasses

from ....method import Finding, method
from ....models.base import WordEmbedder
from ....options import Ddof
from ...word_lists.association import association_test
from ...word_lists.cosines import Similarity, WordTest, association, effect_size
from ...word_lists.effect_sizes import MeanAbsolute, effect_size_outcome, target_split
from ...word_lists.inference import Inference
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, measure_tests
from ...word_lists.results import TestOutcome
from .record import RECORD

__all__ = ["Inference", "WordTest", "association", "association_test", "effect_size", "evaluate"]

ONE_WORD = (
    "one word in each target list has two splits, too few for a p-value: `alternative` 'greater' with "
    "`strict` gives the share of splits above the observed one"
)


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    ddof: Ddof = 1,
    similarity: Similarity = "cosine",
    inference: Inference,
) -> Finding:
    """Run WEAT on word vectors.

    With one test the score is its effect size d. With several it is the mean of their absolute effect sizes, so
    that tests of opposite sign do not cancel. The rows have the signed d of every test,
    ``estimates["mean_d"]`` their mean. An absolute value is never 0 by chance: ``expected_by_chance`` is its
    mean over random splits of the targets, and the p-value the share of such splits with as large a mean,
    sampled (not valid with ``strict``). Words that several tests share are split the same way in all of them.
    The interval includes the mean to be expected of other words drawn the same way. Controls (``bias_type``
    "none": flowers and insects, instruments and weapons) are excluded from the score, its interval, p-value
    and ``n``, unless there is nothing else.

    Words are matched as the model's case and accent policy says. A word repeated within a list counts once. A word
    that appears in both target lists is refused, because no split of the targets can place it. A word in both
    attribute lists cancels out if they are equally long, and is named in the warnings.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``.
        ddof: 1 for the sample standard deviation, 0 for the population's. With 0 a test may have one word in each
            target list: d is then 2 or −2, no interval is computed, and a p-value only for
            ``alternative="greater"`` with ``strict=True``.
        similarity: of two words: ``"cosine"``, ``"dot"`` (scalar product) or ``"euclidean"`` (negative distance).

    Returns:
        Score d, range ±2 for target sets of equal size, two-sided, ideal 0. For several tests it is the mean absolute
        d, from 0 up, where higher is more biased. ``n`` is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a list is empty, a target list has one word and ``ddof`` is 1 or the other list has more,
            or the associations do not vary.

    References:
        Caliskan, Bryson and Narayanan (2017): Semantics derived automatically from language corpora contain
        human-like biases. Science 356, 183-186.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...     "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}])
        >>> round(result.score, 3), round(result.p_value, 4), result.n
        (1.723, 0.3333, 4)
    """

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        x, y, a, b = (material.vectors[name] for name in LISTS)
        words = WordTest.from_vectors(x, y, a, b, ddof=ddof, similarity=similarity)
        outcome = association_test(words, inference, material.words.values())
        split = target_split(material.words, outcome)
        result = effect_size_outcome(outcome, (len(x), len(y)), split=split)
        if len(x) > 1 or len(y) > 1:
            return result
        if inference.alternative == "greater" and inference.strict:
            return dataclasses.replace(result, interval=None)
        return dataclasses.replace(result, interval=None, permutation=None, warnings=[ONE_WORD])

    headline = MeanAbsolute(tested="permutation test", resampled="targets and attributes")
    cosine = similarity == "cosine"
    return measure_tests(RECORD, model, tests, compute, inference, headline, differential=cosine)
