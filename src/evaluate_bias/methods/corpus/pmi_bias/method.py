"""PMI bias: which words does a text put next to one group rather than another? (Valentini et al. 2021)"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

from ....errors import bad_option
from ....method import Finding, method
from ....models.base import CountsWords
from ....options import LimitedCount
from ...word_lists.inference import Alternative, Inference
from ...word_lists.inputs import Tests
from ...word_lists.results import with_z_of_tests
from ..counted_words import Cells, WordValue, measure_corpus, values_of_sets
from .record import RECORD

Variant = Literal["pmi", "log_odds"]


def pmi_bias(
    cells: Cells,
    *,
    smoothing: float = 0.0,
    confidence_level: float = 0.95,
    by_sentence: bool = False,
    variant: Variant = "pmi",
) -> WordValue | str:
    """BIAS_PMI of one word, from its counts with the seeds of two groups.

    BIAS_PMI = log[ (f_X,w / (f_X,w + f_X,¬w)) / (f_Y,w / (f_Y,w + f_Y,¬w)) ]. If words next to seeds were counted, its
    interval and p-value come from the log odds ratio, which it approaches for words that are rare next to the seeds:
    the standard error is the root of the sum of the four reciprocal counts. If sentences were counted, they come from
    the log ratio of two shares, with the standard error sqrt(1/f_X,w − 1/f_X + 1/f_Y,w − 1/f_Y).

    Args:
        cells: the counts.
        smoothing: added to each of the four counts.
        confidence_level: confidence level.
        by_sentence: whether sentences were counted.
        variant: ``"log_odds"`` for the log odds ratio as the value, as the code of Maddalozzo's thesis has it.

    Returns:
        The value, positive if the word occurs more with X, or the reason why it has none.

    Raises:
        InputError: ``smoothing`` is below 0 or not a finite number.

    References:
        Valentini, Rosati, Blasi, Slezak and Altszyler (2021): On the interpretability and significance of bias metrics
        in texts: a PMI-based approach. arXiv:2104.06474.

    Examples:
        >>> bias = pmi_bias(Cells(30, 970, 10, 990))
        >>> round(bias.value, 4), round(bias.low, 4), round(bias.high, 4), round(bias.p_value, 5)
        (1.0986, 0.3775, 1.8197, 0.00235)
    """
    if not (math.isfinite(smoothing) and smoothing >= 0):
        raise bad_option("smoothing", smoothing, "0 or more")
    x, not_x, y, not_y = (
        value + smoothing for value in (cells.with_x, cells.without_x, cells.with_y, cells.without_y)
    )
    if not min(x, y) > 0:
        where = "neither group" if max(x, y) <= 0 else f"the {'first' if x > 0 else 'second'} group alone"
        return f"occurs near seeds of {where}, so its PMI is infinite or undefined without smoothing"
    value = math.log(x / (x + not_x)) - math.log(y / (y + not_y))
    facts = {"count_x": int(cells.with_x), "count_y": int(cells.with_y)}
    if by_sentence and variant == "pmi":
        error = math.sqrt(1 / x - 1 / (x + not_x) + 1 / y - 1 / (y + not_y))
        if not error:
            return "is in every sentence with seeds of either group, so its PMI has no error"
        return _z_test(value, value, error, confidence_level, "log ratio", facts)
    if not min(not_x, not_y) > 0:
        return f"leaves no other {'sentence with' if by_sentence else 'word near'} the seeds of a group"
    odds = math.log(x / not_x) - math.log(y / not_y)
    error = math.sqrt(1 / x + 1 / not_x + 1 / y + 1 / not_y)
    centre = odds if variant == "log_odds" else value
    return _z_test(centre, odds, error, confidence_level, "log odds ratio", {"log_odds_ratio": odds, **facts})


def _z_test(
    value: float, tested: float, error: float, confidence_level: float, what: str, facts: dict[str, Any]
) -> WordValue:
    """Return a value with its normal interval, and the p-value of what is tested."""
    from scipy.special import ndtr, ndtri

    width = float(ndtri((1 + confidence_level) / 2)) * error
    return WordValue(
        value=value,
        low=value - width,
        high=value + width,
        p_value=float(2 * ndtr(-abs(tested) / error)),
        p_method=f"z test of the {what}",
        facts={"standard_error": error, **facts},
    )


def pooled_pmi_bias(
    sets: Sequence[Cells],
    with_both: Sequence[float] = (0.0, 0.0),
    *,
    smoothing: float = 0.0,
    confidence_level: float = 0.95,
    by_sentence: bool = False,
    variant: Variant = "pmi",
) -> WordValue | str:
    """BIAS_PMI of a set of words, or the difference of two, from the counts of each with the seeds.

    Of one set it is :func:`pmi_bias` of its counts, as the paper has it. In the difference of two sets what else occurs
    with the seeds cancels out: it is log[ (f_X,A · f_Y,B) / (f_X,B · f_Y,A) ], with the standard error of the log odds
    ratio. If sentences were counted, sentences with a word of both sets are subtracted: its variance is the sum
    over both groups of 1/f_A + 1/f_B − 2 f_AB / (f_A f_B).

    Args:
        sets: the counts of one set or of two.
        with_both: number of sentences with a seed of each group and a word of both sets.
        smoothing: as in :func:`pmi_bias`.
        confidence_level: confidence level.
        by_sentence: as in :func:`pmi_bias`.
        variant: as in :func:`pmi_bias`.

    Raises:
        InputError: ``smoothing`` is out of range, or ``variant`` is ``"log_odds"`` for two sets.

    Examples:
        >>> nurses, smiths = Cells(30, 70, 10, 90), Cells(10, 90, 20, 80)
        >>> round(pooled_pmi_bias([nurses]).value, 4), round(pooled_pmi_bias([nurses, smiths]).value, 4)
        (1.0986, 1.7918)
    """
    options: dict[str, Any] = {"smoothing": smoothing, "confidence_level": confidence_level}
    if len(sets) == 2 and variant == "log_odds":
        raise bad_option("variant", variant, "'pmi' for the difference of two sets")
    alone = values_of_sets(sets, partial(pmi_bias, **options, by_sentence=by_sentence, variant=variant))
    if isinstance(alone, str) or len(alone) == 1:
        return alone if isinstance(alone, str) else alone[0]
    a, b = sets
    both = pmi_bias(Cells(a.with_x, b.with_x, a.with_y, b.with_y), **options, variant="log_odds")
    assert isinstance(both, WordValue)  # as both sets occur with both groups
    if not by_sentence:
        return both
    counts = ((a.with_x, b.with_x), (a.with_y, b.with_y))
    shared = sum(
        2 * n_both / ((n_a + smoothing) * (n_b + smoothing))
        for (n_a, n_b), n_both in zip(counts, with_both, strict=True)
    )
    if not (variance := both.facts["standard_error"] ** 2 - shared) > 1e-12:
        return "a set of words is in the same sentences as the other one, so their difference has no error"
    facts = {key: both.facts[key] for key in ("count_x", "count_y")}
    return _z_test(both.value, both.value, math.sqrt(variance), confidence_level, "log ratio", facts)


@method(RECORD)
def evaluate(
    model: CountsWords,
    tests: Tests,
    *,
    window: LimitedCount = 10,
    sentences: bool = False,
    smoothing: float = 0.0,
    pooled: bool = False,
    variant: Variant = "pmi",
    z_alternative: Alternative = "two-sided",
    inference: Inference,
) -> Finding:
    """Measure PMI bias in a corpus.

    The targets are the seeds of two groups. Every word of the attributes gets a BIAS_PMI from how often it
    appears within ``window`` words of a seed. The score is the mean over the first attributes, less the mean over the
    second if a test has any. With several tests it is the mean of theirs. Controls (``bias_type`` "none") are excluded,
    unless there is nothing else.

    Args:
        model: a corpus, see :func:`evaluate_bias.load_corpus`.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        window: number of words on either side of a seed, within its text.
        sentences: count sentences instead of words: f_X,w is the number of sentences with a seed of X and the word, and
            f_X,¬w the number with a seed of X and without the word. A sentence counts once (Maddalozzo 2023).
        smoothing: added to each of a word's four counts. 0 omits words that are never next to one of the groups.
        pooled: treat each list of attributes as one set, as in the paper's formula: any of its words counts. The score
            is the BIAS_PMI of the set, or the difference of two sets.
        variant: ``"log_odds"`` for log odds ratios instead of BIAS_PMI, as the code of the thesis prints them.
        z_alternative: of the z test over several tests: ``"two-sided"``, ``"greater"`` or ``"less"``.
        n_resamples: number of random splits or sign patterns, if there are too many to count.
        seed: of splits, sign patterns and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in nats, two-sided, ideal 0, positive if the first attributes appear more next to seeds of ``targets_x``.
        Interval and p-value of the score are over words. Every word has its own row with the interval and p-value of
        the log odds ratio, or, if sentences are counted, of the log ratio. With ``pooled=True`` the score has these
        too. For several tests ``estimates["z"]`` is the z statistic of the mean of their scores with its p-value, as
        Maddalozzo's thesis has it over 30 sets of words. ``n`` is the number of words.

    Raises:
        CapabilityError: the model is not a corpus.
        CoverageError: no seed of a group is in the corpus, or more than ``max_missing`` of a list has no score.
        DataError: the corpus contains no word.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists, or with
            ``pooled`` in both attribute lists.
        UndefinedScoreError: a list is empty.

    References:
        Valentini, Rosati, Blasi, Slezak and Altszyler (2021): On the interpretability and significance of bias metrics
        in texts: a PMI-based approach. arXiv:2104.06474.

    Examples:
        >>> from evaluate_bias.corpora.corpus import Corpus
        >>> texts = ["she is a nurse"] * 6 + ["he is a nurse"] * 2 + ["he is a smith"] * 4
        >>> result = evaluate(Corpus(texts), [{"name": "toy", "targets_x": ["she"], "targets_y": ["he"],
        ...                   "attributes_a": ["nurse"]}])
        >>> round(result.score, 4), result.n
        (1.0986, 1)
    """
    options: dict[str, Any] = {
        "smoothing": smoothing,
        "confidence_level": inference.confidence_level,
        "by_sentence": sentences,
        "variant": variant,
    }
    finding = measure_corpus(
        RECORD,
        model,
        tests,
        partial(pmi_bias, **options),
        inference,
        centre=0.0,
        window=None if sentences else window,
        by_sentence=sentences,
        pool=partial(pooled_pmi_bias, **options) if pooled else None,
    )
    return with_z_of_tests(finding, z_alternative)
