"""Sets of seeds, how frequent these are, their correlation with frequency, and seeds matched on it."""

from __future__ import annotations

import dataclasses
import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError, quoted
from ....stats import Names, Orders, PermutationTest, count_items, item_streams
from ...correlation import TOLERANCE, fisher_interval, normal_reach
from ...rows import is_score
from ...word_lists.inputs import forms_of

_CELLS = 1 << 21
Moment = Literal["mean", "variance"]
"""What of the log frequencies of a set is correlated with its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyCorrelation:
    """A correlation of scores with the mean log frequency of their seeds.

    Attributes:
        r: in [-1, 1].
        standard_error: of Fisher's z = artanh(r); ``None`` where there are too few seeds for one.
        permutation: the test whether frequencies could be exchanged within the lists, two-sided.
    """

    r: float
    standard_error: float | None
    permutation: PermutationTest

    def interval(self, confidence_level: float) -> tuple[float, float] | None:
        """Fisher's interval; ``None`` where there is no standard error, or |r| is 1."""
        if self.standard_error is None:
            return None
        return fisher_interval(self.r, normal_reach(confidence_level) * self.standard_error)


def seed_sets(lists: Sequence[Names], n_sets: int, seed: int) -> tuple[NDArray[np.bool_], bool]:
    """Sets of seeds that hold half of every list, rounded up; a list of one word stays whole.

    Args:
        lists: the words of the lists, or how many each has.
        n_sets: number of sets; where there are no more, all are taken.
        seed: of the draw.

    Returns:
        Whether a word is in a set, shape (sets, words), the words of the first list first; and whether these are all
        the sets there are.

    Examples:
        >>> sets, whole = seed_sets([3, 1], 10, 0)
        >>> sets.astype(int).tolist(), whole
        ([[1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]], True)
    """
    sizes = [count_items(items) for items in lists]
    halves = [-(-n // 2) for n in sizes]
    possible = math.prod(math.comb(n, k) for n, k in zip(sizes, halves, strict=True))
    starts = np.cumsum([0, *sizes])
    if exhaustive := possible <= n_sets:
        every = itertools.product(
            *map(itertools.combinations, np.split(np.arange(starts[-1]), starts[1:-1]), halves)
        )
        places = [np.array([[i for part in parts for i in part] for parts in every])]
    else:
        places = [
            start + order[np.argsort(rng.random((n_sets, len(order))), axis=1)[:, :k]]
            for start, k, (order, rng) in zip(starts, halves, item_streams(lists, seed), strict=False)
        ]
    sets = np.zeros((len(places[0]), int(starts[-1])), dtype=bool)
    np.put_along_axis(sets, np.hstack(places), True, axis=1)
    return sets, exhaustive


def frequency_correlation(
    scores: ArrayLike,
    sets: ArrayLike,
    log_frequencies: ArrayLike,
    lists: Sequence[Names],
    *,
    moment: Moment = "mean",
    exhaustive: bool = False,
    n_resamples: int = 9_999,
    seed: int = 0,
) -> FrequencyCorrelation:
    """Pearson correlation, over sets of seeds, of a score with the mean log frequency of the seeds, or its variance.

    The sets overlap, so they are no independent observations: what the test exchanges are the frequencies of the
    words of a list, and the interval counts the words. Where the score is a sum over words, the correlation over all
    sets that take the same number of every list is that over the words, both centred by list.

    Args:
        scores: of the sets, shape (sets,).
        sets: whether a word is in a set, shape (sets, words), see :func:`seed_sets`.
        log_frequencies: of the words, shape (words,).
        lists: the words of the lists, or how many each has, in the order of the words.
        moment: ``"mean"``, or ``"variance"`` of the log frequencies of a set (ddof 0), whose correlation has a test and
            no standard error.
        exhaustive: whether these are all the sets there are; if not, drawing them adds to the error.
        n_resamples: number of random exchanges.
        seed: of these.

    Returns:
        The correlation with its test and the standard error of its Fisher transform.

    Raises:
        UndefinedScoreError: the scores, or the means or variances of the frequencies, do not vary.

    Examples:
        >>> sets, whole = seed_sets([4], 10, 0)
        >>> correlation = frequency_correlation(
        ...     [1.5, 1.0, 2.5, 1.5, 3.0, 2.5], sets, [1.0, 2.0, 2.0, 3.0], [4], exhaustive=whole)
        >>> round(correlation.r, 4), correlation.standard_error  # of words that score 1, 2, 1, 4
        (0.866, 1.0)
    """
    y, inside, f = (np.asarray(values, dtype=np.float64) for values in (scores, sets, log_frequencies))
    # r = z · m / ‖m‖ with z the centred scores of length 1, and m = Vf the centred mean log frequencies of the sets.
    centred = y - y.mean()
    length = float(np.linalg.norm(centred))
    if length <= TOLERANCE * max(1.0, float(np.abs(y).max())) * math.sqrt(len(y)):
        raise UndefinedScoreError(
            "the scores of the sets of seeds are all the same: no correlation is defined"
        )
    z = centred / length
    whole_shares = inside / inside.sum(axis=1, keepdims=True)
    shares = whole_shares - whole_shares.mean(axis=0)

    def correlations(rows: FloatArray) -> FloatArray:
        if moment == "mean":
            means = rows @ shares.T
        else:
            means = rows**2 @ whole_shares.T - (rows @ whole_shares.T) ** 2
            means = means - means.mean(axis=1, keepdims=True)
        lengths = np.linalg.norm(means, axis=1)
        flat = lengths <= TOLERANCE * (1.0 + np.abs(f).max()) * math.sqrt(len(y))
        return np.where(flat, np.nan, means @ z / np.where(flat, 1.0, lengths))

    (observed_r,) = correlations(f[None])
    if np.isnan(observed_r):
        raise UndefinedScoreError(f"the {moment}s of the frequencies of the sets of seeds are all the same")
    r = float(np.clip(observed_r, -1.0, 1.0))
    orders = Orders([lists], n_resamples=n_resamples, seed=seed, width=len(f) + len(y), cells=_CELLS)
    count = sum(
        int((np.abs(np.nan_to_num(correlations(f[order]))) >= abs(r) - TOLERANCE).sum())
        for (order,) in orders
    )
    test = PermutationTest.of_counts(r, count, orders.total, alternative="two-sided", exact=orders.exact)
    return FrequencyCorrelation(
        r=r,
        standard_error=_standard_error([count_items(items) for items in lists], len(y), exhaustive)
        if moment == "mean"
        else None,
        # Of 50,000 to 100,000 orders so many can be drawn that a share is less than one of them all.
        permutation=dataclasses.replace(test, p_value=float(orders.p_value(count))),
    )


def _standard_error(sizes: Sequence[int], n_sets: int, exhaustive: bool) -> float | None:
    """Of Fisher's z: one mean is taken away per list, as in a partial correlation; sets that are drawn add to it."""
    varying = [n for n in sizes if n > 1]
    degrees = sum(varying) - len(varying) - 2
    if degrees < 1 or (n_sets <= 3 and not exhaustive):
        return None
    return math.sqrt(1 / degrees + (0.0 if exhaustive else 1 / (n_sets - 3)))


def matched_pairs(x: ArrayLike, y: ArrayLike, caliper: float) -> list[tuple[int, int]]:
    """Match words of two lists on their log frequency: as many pairs as can be, of these the nearest.

    Args:
        x: log frequencies of the first list, shape (n_x,).
        y: those of the second, shape (n_y,).
        caliper: largest difference within a pair.

    Returns:
        Positions in both lists, in the order of the first.

    Examples:
        >>> matched_pairs([1.0, 3.0, 5.0], [3.2, 0.9], 0.5)
        [(0, 1), (1, 0)]
    """
    from scipy.optimize import linear_sum_assignment

    distance = np.abs(np.asarray(x, dtype=np.float64)[:, None] - np.asarray(y, dtype=np.float64)[None])
    if not distance.size:
        return []
    near = distance <= caliper
    # A pair that is too far apart costs more than all that are not.
    rows, columns = linear_sum_assignment(np.where(near, distance, 1.0 + distance.size * (caliper + 1.0)))
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if near[i, j]]


def log_frequencies(
    model: Any, words: Sequence[str], frequencies: Mapping[str, float] | None
) -> tuple[dict[str, float], str]:
    """Decimal logarithms of the frequencies of words, and where they are from; words without one are absent.

    Args:
        model: a corpus, whose counts are taken, or a model that lists its words, whose ranks are: the frequency of the
            word at rank r is taken to be as 1 / r (Zipf).
        words: the words.
        frequencies: frequencies by word, in any unit; these are taken instead.

    Raises:
        InputError: a given frequency is no number of at least 0, or the model neither counts nor lists words.

    Examples:
        >>> log_frequencies(None, ["she", "he", "xe"], {"she": 100, "he": 1000})
        ({'she': 2.0, 'he': 3.0}, 'given')
    """
    if frequencies is not None:
        return _logarithms({word: frequencies[word] for word in words if word in frequencies}), "given"
    if hasattr(model, "cooccurrences"):
        counted = model.cooccurrences({"seeds": list(dict.fromkeys(words))}, [], window=1).frequency
        return _logarithms({word: counted[word] for word in words}), f"counts of {model.name}"
    listed = getattr(model, "words", None)
    if listed is None:
        raise InputError(
            f"{getattr(model, 'name', 'the model')} does not list its words by frequency",
            option="frequencies",
            hint="give the count of each word as `frequencies`",
        )
    forms = forms_of(model, list(dict.fromkeys(words)))
    sought = set(forms.values())
    ranks: dict[str, int] = {}
    for rank, word in enumerate(listed() if callable(listed) else listed, 1):
        if word in sought:
            ranks.setdefault(word, rank)
            if len(ranks) == len(sought):
                break
    return {
        w: -math.log10(ranks[form]) for w, form in forms.items() if form in ranks
    }, f"ranks of {model.name}"


def _logarithms(frequencies: Mapping[str, Any]) -> dict[str, float]:
    for word, value in frequencies.items():
        if not (is_score(value) and 0 <= value <= sys.float_info.max):
            raise InputError(
                f"the frequency of {quoted(word)} must be a number, 0 or more, got {quoted(value)}",
                option="frequencies",
            )
    return {word: math.log10(value) for word, value in frequencies.items() if value > 0}
