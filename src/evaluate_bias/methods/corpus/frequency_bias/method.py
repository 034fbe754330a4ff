"""Frequency bias: how much of a word's neighbourhood with two groups is with the first? (Maddalozzo 2023)"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

from .... import stats
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import CountsWords
from ....options import LimitedCount
from ...word_lists.inference import Inference
from ...word_lists.inputs import Tests
from ..counted_words import Cells, WordValue, measure_corpus, values_of_sets
from .record import RECORD


def pair_frequency(cells: Cells, *, confidence_level: float = 0.95) -> WordValue | str:
    """Share f_X,w / (f_X,w + f_Y,w) of a word's neighbourhoods with seeds of two groups that is with the first.

    Args:
        cells: the counts.
        confidence_level: confidence level.

    Returns:
        The share with its Wilson interval and the exact binomial p-value against 1/2, or the reason why it
        has none.

    References:
        Maddalozzo (2023), thesis, equations 3.2 and 3.3.

    Examples:
        >>> bias = pair_frequency(Cells(8, 100, 2, 100))
        >>> bias.value, round(bias.low, 3), round(bias.high, 3), round(bias.p_value, 4)
        (0.8, 0.49, 0.943, 0.1094)
    """
    x, n = round(cells.with_x), round(cells.with_x + cells.with_y)
    if not n:
        return "is near no seed of either group"
    interval = stats.wilson_interval(x, n, confidence_level)
    return WordValue(
        value=x / n,
        low=interval.low,
        high=interval.high,
        p_value=stats.binomial_test(x, n).p_value,
        p_method="binomial test",
        facts={"count_x": x, "count_y": n - x},
    )


def pooled_pair_frequency(
    sets: Sequence[Cells], with_both: Sequence[float] = (), *, confidence_level: float = 0.95
) -> WordValue | str:
    """Share of the counts of a set of words that is with the first group, or the difference of two such shares.

    Args:
        sets: the counts of one set or of two, added up over the words.
        with_both: not used.
        confidence_level: confidence level.

    Returns:
        For one set, :func:`pair_frequency` of its counts. For two sets the difference, with Newcombe's interval from
        both Wilson intervals and the p-value of the z test of two proportions, or the reason why it is missing.

    Examples:
        >>> pooled_pair_frequency([Cells(13, 0, 10, 0)]).value.__round__(3)
        0.565
    """
    alone = values_of_sets(sets, partial(pair_frequency, confidence_level=confidence_level))
    if isinstance(alone, str) or len(alone) == 1:
        return alone if isinstance(alone, str) else alone[0]
    a, b = alone
    counts = [(one.facts["count_x"], one.facts["count_x"] + one.facts["count_y"]) for one in (a, b)]
    value = a.value - b.value
    try:
        p_value = stats.two_proportions_z_test(*counts[0], *counts[1]).p_value
    except UndefinedScoreError as error:
        return str(error)
    return WordValue(
        value=value,
        low=value - math.hypot(a.value - a.low, b.high - b.value),
        high=value + math.hypot(a.high - a.value, b.value - b.low),
        p_value=p_value,
        p_method="z test of two proportions",
        facts=a.facts,
    )


@method(RECORD)
def evaluate(
    model: CountsWords,
    tests: Tests,
    *,
    window: LimitedCount = 10,
    sentences: bool = False,
    pooled: bool = False,
    inference: Inference,
) -> Finding:
    """Measure the share of words' neighbourhoods that is with one of two groups.

    The targets are the seeds of two groups. Of the times that a word of the attributes appears within
    ``window`` words of a seed of either group, its value is the share with the first. The score is the mean
    over the first attributes, less the mean over the second if a test has any. With several tests it is the mean of
    theirs. Controls (``bias_type`` "none") are excluded, unless there is nothing else.

    Args:
        model: a corpus, see :func:`evaluate_bias.load_corpus`.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        window: number of words on either side of a seed, within its text.
        sentences: use the sentence around a seed instead of a window.
        pooled: add up the counts of each list of attributes (thesis, section 3.1.1). The score is the share of the
            list, or the difference of the shares of two lists.
        n_resamples: number of random splits or sign patterns, if there are too many to count.
        seed: of splits, sign patterns and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in [0, 1] with ideal 0.5 if the tests have one list of attributes, in [-1, 1] with ideal 0 if they have
        two. Interval and p-value of the score are over words. Every word has its own row with the Wilson interval and
        the binomial p-value. With ``pooled=True`` the score of one list has these too. The difference of two lists has
        Newcombe's interval and the z test of two proportions. ``n`` is the number of words.

    Raises:
        CapabilityError: the model is not a corpus.
        CoverageError: no seed of a group is in the corpus, or more than ``max_missing`` of a list has no score.
        DataError: the corpus contains no word.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists, or with
            ``pooled`` in both attribute lists.
        UndefinedScoreError: a list is empty.

    References:
        Maddalozzo (2023), thesis, equations 3.2 and 3.3. The counts are from Valentini, Rosati, Blasi, Slezak and
        Altszyler (2021): On the interpretability and significance of bias metrics in texts: a PMI-based approach.
        arXiv:2104.06474.

    Examples:
        >>> from evaluate_bias.corpora.corpus import Corpus
        >>> texts = ["she is a nurse"] * 6 + ["he is a nurse"] * 2
        >>> result = evaluate(Corpus(texts), [{"name": "toy", "targets_x": ["she"], "targets_y": ["he"],
        ...                   "attributes_a": ["nurse"]}])
        >>> result.score, result.ideal
        (0.75, 0.5)
    """
    return measure_corpus(
        RECORD,
        model,
        tests,
        partial(pair_frequency, confidence_level=inference.confidence_level),
        inference,
        centre=0.5,
        window=None if sentences else window,
        pool=partial(pooled_pair_frequency, confidence_level=inference.confidence_level) if pooled else None,
    )
