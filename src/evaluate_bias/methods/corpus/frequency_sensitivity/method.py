"""Frequency sensitivity: does a score follow the frequency of its seed words? (Valentini et al. 2022)"""

from __future__ import annotations

import dataclasses
import itertools
import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from annotated_types import Gt
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.word_lists import WordListTest
from ....errors import InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....method_record import MethodRecord
from ....options import Subsets
from ....result import Estimate, Result, Skipped
from ....stats import Names, Orders, PermutationTest, count_items, item_streams
from ...correlation import TOLERANCE, fisher_interval, normal_reach, without_interval
from ...measured import MeasuredMethod, warnings_of_parts
from ...rows import is_score
from ...word_lists import inputs, results
from ...word_lists.inference import Inference
from ...word_lists.inputs import LISTS
from .record import RECORD

_CELLS = 1 << 21
Moment = Literal["mean", "variance"]
"""What of the log frequencies of a set is correlated with its score."""

Unit: TypeAlias = tuple[tuple[str, str], ...]
"""What sets contain or do not contain: a word or a pair, each word with the name of its list."""

_QUICK = 99
"""What the measured method samples for a set of seeds, whose p-value is never read."""


@method(RECORD)
def evaluate(
    model: Any,
    tests: inputs.Tests,
    *,
    measured_method: str = "weat",
    measured_options: Mapping[str, Any] | None = None,
    frequencies: Mapping[str, float] | None = None,
    n_subsets: Subsets = 200,
    caliper: Annotated[float, Gt(0)] = 0.5,
    moment: Moment = "mean",
    inference: Inference,
) -> Finding:
    """Correlate a score with the mean log frequency of its seeds, over many sets of them.

    The seeds are the target words of a test. Each set contains half of either list, rounded up, and is
    measured. The score is the Pearson correlation, over the sets, of what was measured with the mean log
    frequency of the seeds in them. If the measured method takes its targets as pairs, sets are of pairs. Then
    seeds of both lists are matched on frequency, and measured once more. With several tests the score is the
    mean of theirs. Controls (``bias_type`` "none") are excluded, unless there is nothing else.

    Args:
        model: a model that the measured method accepts.
        tests: word-list tests, or mappings with ``name``, ``targets_x`` and what else the measured method needs.
        measured_method: the method whose score is correlated, one that accepts word lists.
        measured_options: its options, by name.
        frequencies: how often words occur, by word, in any unit. The default is the counts of a corpus, or 1 / r for
            the word at rank r of the model's vocabulary.
        n_subsets: number of sets of every test. If fewer exist, all are measured.
        caliper: largest difference of the decimal logarithms of the frequencies of two matched seeds, above 0.
        moment: correlate with the ``"mean"`` of the log frequencies of a set, or with their ``"variance"``. The
            correlation with a variance has no interval.
        n_resamples: number of random exchanges of the frequencies.
        max_missing: largest share of a list that may lack a frequency, in [0, 1].
        seed: of sets and exchanges, and of the measured method. Each test draws from a stream of its own.

    Returns:
        Score r in [-1, 1], two-sided, ideal 0. The p-value exchanges frequencies within the lists. The
        interval is Fisher's, with as many observations as there are seeds. ``estimates["measured_score"]``
        and ``estimates["matched_score"]`` are the scores, with p-values, of all seeds and of matched ones.
        ``n`` is the number of seeds.

    Raises:
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        InputError: the measured method accepts no word lists, an option is out of range, two tests share a
            name, or nothing says how frequent the seeds are.
        UndefinedScoreError: there are too few seeds, or all sets have the same score or the same mean frequency.
        UnknownNameError: no such method.
        BiasError: what the measured method raises.

    References:
        Valentini, Rosati, Fernandez Slezak and Altszyler (2022): The undesirable dependence on frequency of gender bias
        metrics based on word embeddings. Findings of EMNLP 2022.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.2], "her": [2.0, 0.2], "hers": [4.0, 0.2], "he": [1.0, 1.0], "him": [1.0, 1.1],
        ...            "home": [9.0, 0.0]}
        >>> result = evaluate(load_model(vectors), [{"name": "toy", "targets_x": ["she", "her", "hers"],
        ...                   "targets_y": ["he", "him"], "attributes_a": ["home"]}], measured_method="rnd")
        >>> round(result.score, 2), result.n
        (0.92, 5)
    """
    measure = MeasuredMethod.of(
        model, measured_method, measured_options, _refuse, ci="none", seed=inference.seed
    )
    parsed = inputs.parsed_tests(RECORD.name, tests)
    seeds = [word for test in parsed for name in LISTS[:2] for word in getattr(test, name)]
    known, source = log_frequencies(model, list(dict.fromkeys(seeds)), frequencies)
    quick = measure.with_options(n_resamples=_QUICK)
    correlations: dict[str, FrequencyCorrelation] = {}

    def run(test: WordListTest) -> results.TestRun:
        whole = measure.result([_row_of(test)])
        groups, lost = _seeds(test, whole, known, measure.record.paired, inference.max_missing)
        units, sizes = [unit for group in groups for unit in group], [len(group) for group in groups if group]
        lists = {name: tuple(w for unit in units for of_list, w in unit if of_list == name) for name in LISTS}
        test_inference, skipped = inference.of_test(test.name), [*whole.skipped, *lost]
        with inputs.error_context(test.name, skipped):
            if max(sizes, default=0) < 2 or len(units) < 4:
                raise UndefinedScoreError(f"{len(units)} seeds with a frequency are too few for sets of them")
            # A pair is the same one whichever of its words comes first.
            seeds = [[" / ".join(sorted(w for _, w in unit)) for unit in group] for group in groups if group]
            sets, exhaustive = seed_sets(seeds, n_subsets, test_inference.seed)
            result_of_set: dict[int, Result] = {}
            for i, inside in enumerate(sets):
                chosen = [entry for unit, is_in in zip(units, inside, strict=True) if is_in for entry in unit]
                targets = {name: tuple(w for of_list, w in chosen if of_list == name) for name in LISTS[:2]}
                with suppress(UndefinedScoreError):
                    result_of_set[i] = quick.result([_row_of(test, targets)])
            if len(result_of_set) < max(4, len(sets) / 2):
                raise UndefinedScoreError(
                    f"{len(result_of_set)} of {len(sets)} sets of seeds have a score, too few for a correlation"
                )
            scored, scores = (
                sets[list(result_of_set)],
                np.array([result.score for result in result_of_set.values()]),
            )
            correlations[test.name] = correlation = frequency_correlation(
                scores,
                scored,
                np.array([np.mean([known[word] for _, word in unit]) for unit in units]),
                seeds,
                moment=moment,
                exhaustive=exhaustive,
                n_resamples=test_inference.n_resamples,
                seed=test_inference.seed,
            )
        warnings = [
            *warnings_of_parts(whole, list(result_of_set.values()), "set"),
            *without_interval({test.name: correlation.r}),
        ]
        if n := len(sets) - len(scored):
            warnings.append(f"{test.name}: {n} of {len(sets)} sets of seeds have no score and are ignored")
        # The score of seeds of both lists that are as frequent as one another, if there are two such pairs or more.
        x, y = lists["targets_x"], lists["targets_y"]
        f_x, f_y = ([known[w] for w in words] for words in (x, y))
        if measure.record.paired:  # pairs stay what they are
            pairs = [(i, i) for i in range(len(x)) if abs(f_x[i] - f_y[i]) <= caliper]
        else:
            pairs = matched_pairs(f_x, f_y, caliper)
        facts: dict[str, Any] = {
            "measured_method": measure.record.name,
            "measured_score": Estimate(whole.score, p=whole.p_value),
            "n_sets": len(scores),
            "smallest_p": stats.smallest_order_p(*sizes),
            "n_matched": len(pairs),
        }
        if len(pairs) < 2:
            few = f"{len(pairs)} pairs of seeds are as frequent as one another, too few to be measured"
            warnings.append(f"{test.name}: {few}")
        else:
            targets = {
                "targets_x": tuple(x[i] for i, _ in pairs),
                "targets_y": tuple(y[j] for _, j in pairs),
            }
            try:
                again = measure.result([_row_of(test, targets)])
            except UndefinedScoreError as error:
                warnings.append(f"{test.name}: matched seeds have no score: {error}")
            else:
                facts["matched_score"] = Estimate(again.score, p=again.p_value)
                warnings += [f"matched seeds: {w}" for w in again.warnings if w not in whole.warnings]
        # Of every seed its log frequency, and how much higher the sets that contain it score than the others.
        columns: dict[str, dict[str, list[Any]]] = {
            name: {"log_frequency": [], "contrast": []} for unit in units for name, _ in unit
        }
        for unit, inside in zip(units, scored.T, strict=True):
            both = inside.any() and not inside.all()
            contrast = float(scores[inside].mean() - scores[~inside].mean()) if both else None
            for name, word in unit:
                columns[name]["log_frequency"].append(known[word])
                columns[name]["contrast"].append(contrast)
        outcome = results.TestOutcome(
            score=correlation.r,
            interval=None,
            permutation=correlation.permutation,
            facts=facts,
            words=columns,
        )
        list_sizes = {name: len({*getattr(test, name)}) for name in LISTS[:2]}
        material = inputs.Material(test=test, words=lists, list_sizes=list_sizes, skipped=skipped)
        return results.TestRun(material=material, outcome=outcome, warnings=warnings)

    headline = SensitivityHeadline(
        tested="permutation test of the frequencies, two-sided", resampled="", correlations=correlations
    )
    finding = results.finding_of_tests(RECORD, [run(test) for test in parsed], inference, headline)
    ends = {
        name: correlation.interval(inference.confidence_level) for name, correlation in correlations.items()
    }
    finding = results.with_numbers(
        finding,
        {
            name: {"ci_low": e[0], "ci_high": e[1], "ci_method": "Fisher"} if e else {}
            for name, e in ends.items()
        },
    )
    return dataclasses.replace(finding, details={**finding.details, "frequencies": source})


def _refuse(record: MethodRecord) -> None:
    if record.data.name != RECORD.data.name or record.name == RECORD.name:
        raise InputError(
            f"{RECORD.name} needs a method that measures seeds and attributes of word lists, got "
            f"{record.name}",
            option="method",
        )


def _row_of(test: WordListTest, targets: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return the row that the measured method accepts for a test, or for some of its targets."""
    fields = {**test.model_dump(), **(targets or {})}
    return {key: value for key, value in fields.items() if value != () or key == LISTS[0]}


def _seeds(
    test: WordListTest, whole: Result, known: Mapping[str, float], paired: bool, max_missing: float
) -> tuple[list[list[Unit]], list[Skipped]]:
    """Return the seeds that have a score and a frequency, in the order of their text, and the others.

    Seeds are words of either list, or pairs of them.
    """
    if paired:
        pairs = sorted({*zip(test.targets_x, test.targets_y, strict=True)})
        units_of: dict[str, list[Unit]] = {"targets": [tuple(zip(LISTS, p, strict=False)) for p in pairs]}
    else:
        units_of = {name: [((name, w),) for w in dict.fromkeys(getattr(test, name))] for name in LISTS[:2]}
    groups: list[list[Unit]] = []
    lost: list[Skipped] = []
    for name, units in units_of.items():
        where = f"{test.name}/{name}"
        # What the measured method omitted altogether, and not because it was given twice.
        unscored = {s.item for s in whole.skipped if s.where == where and not s.reason.startswith("given ")}
        labels = {" / ".join(w for _, w in unit): unit for unit in units}
        scored = {label: unit for label, unit in labels.items() if label not in unscored}
        absent = [label for label, unit in scored.items() if any(w not in known for _, w in unit)]
        if scored:
            inputs.check_coverage(
                where,
                absent,
                len(scored),
                max_missing,
                missing="have no frequency",
                advice="give `frequencies` with counts of them",
            )
        reason = "a word has no frequency" if paired else "has no frequency"
        lost += [Skipped(label, reason, where) for label in absent]
        groups.append(sorted(unit for label, unit in scored.items() if label not in absent))
    return groups, lost


@dataclass(frozen=True, kw_only=True)
class SensitivityHeadline(results.Headline):
    """Correlations with the frequency of seeds, by the name of the test."""

    correlations: Mapping[str, FrequencyCorrelation]

    def of_several(
        self, record: MethodRecord, runs: Sequence[results.TestRun], inference: Inference
    ) -> results.Numbers:
        """Return the same for several tests. The interval of the mean follows from their standard errors."""
        outcomes = [r.outcome for r in runs]
        numbers = results.mean_of_tests(outcomes, inference.confidence_level)
        correlations = [self.correlations[r.material.test.name] for r in runs]
        if all(f.interval(inference.confidence_level) is not None for f in correlations):
            # r̄ ± z sqrt(Σ ((1 − r²) s)²) / k, with s the standard errors of Fisher's z of the k tests.
            parts = [(1 - f.r**2) * (f.standard_error or 0.0) for f in correlations]
            reach = (
                NormalDist().inv_cdf(0.5 + inference.confidence_level / 2) * math.hypot(*parts) / len(runs)
            )
            low, high = (float(np.clip(numbers["score"] + side * reach, -1, 1)) for side in (-1, 1))
            numbers |= {"ci_low": low, "ci_high": high, "ci_method": "normal, of the mean over tests"}
        return numbers, {"n_tests": len(runs), "measured_method": outcomes[0].facts["measured_method"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyCorrelation:
    """A correlation of scores with the mean log frequency of their seeds.

    Attributes:
        r: in [-1, 1].
        standard_error: of Fisher's z = artanh(r), ``None`` if there are too few seeds for one.
        permutation: the test whether frequencies could be exchanged within the lists, two-sided.
    """

    r: float
    standard_error: float | None
    permutation: PermutationTest

    def interval(self, confidence_level: float) -> tuple[float, float] | None:
        """Fisher's interval. ``None`` if no standard error exists, or |r| is 1."""
        if self.standard_error is None:
            return None
        return fisher_interval(self.r, normal_reach(confidence_level) * self.standard_error)


def seed_sets(lists: Sequence[Names], n_sets: int, seed: int) -> tuple[NDArray[np.bool_], bool]:
    """Sets of seeds that contain half of every list, rounded up. A list of one word stays whole.

    Args:
        lists: the words of the lists, or how many each has.
        n_sets: number of sets. If fewer exist, all are returned.
        seed: of the draw.

    Returns:
        Whether a word is in a set, shape (sets, words), the words of the first list first, and whether these
        are all the sets there are.

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

    The sets overlap, so they are not independent observations: what the test exchanges are the frequencies of
    the words of a list, and the interval counts the words. If the score is a sum over words, the correlation over all
    sets with the same number of words of every list equals the correlation over the words, both centred by list.

    Args:
        scores: of the sets, shape (sets,).
        sets: whether a word is in a set, shape (sets, words), see :func:`seed_sets`.
        log_frequencies: of the words, shape (words,).
        lists: the words of the lists, or how many each has, in the order of the words.
        moment: ``"mean"``, or ``"variance"`` of the log frequencies of a set (ddof 0), whose correlation has a test and
            no standard error.
        exhaustive: whether these are all the sets there are. If not, drawing them adds to the error.
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
    """Standard error of Fisher's z. One degree of freedom is lost per list, as in a partial correlation.

    Drawing the sets adds to it.
    """
    varying = [n for n in sizes if n > 1]
    degrees = sum(varying) - len(varying) - 2
    if degrees < 1 or (n_sets <= 3 and not exhaustive):
        return None
    return math.sqrt(1 / degrees + (0.0 if exhaustive else 1 / (n_sets - 3)))


def matched_pairs(x: ArrayLike, y: ArrayLike, caliper: float) -> list[tuple[int, int]]:
    """Match words of two lists on their log frequency: as many pairs as can be, of these the nearest.

    Args:
        x: log frequencies of the first list, shape (n_x,).
        y: log frequencies of the second list, shape (n_y,).
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
    """Decimal logarithms of the frequencies of words, and where they are from. Words without one are absent.

    Args:
        model: a corpus, whose counts are taken, or a model that lists its words, whose ranks are: the frequency of the
            word at rank r is taken to be as 1 / r (Zipf).
        words: the words.
        frequencies: frequencies by word, in any unit. These are used instead of the model's.

    Raises:
        InputError: a given frequency is not a number of at least 0, or the model neither counts nor lists
            words.

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
    forms = inputs.forms_of(model, list(dict.fromkeys(words)))
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
