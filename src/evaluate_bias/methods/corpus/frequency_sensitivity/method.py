"""Frequency sensitivity: does a score follow the frequency of its seed words? (Valentini et al. 2022)"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any, TypeAlias

import numpy as np
from annotated_types import Gt

from .... import stats
from ....arrays import FloatArray
from ....data.word_lists import WordListTest
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....method_record import MethodRecord
from ....options import Subsets
from ....result import Estimate, Result, Skipped
from ...correlation import without_interval
from ...measured import MeasuredMethod, warnings_of_parts
from ...word_lists.inference import Inference
from ...word_lists.inputs import (
    LISTS,
    Material,
    Tests,
    check_coverage,
    error_context,
    parsed_tests,
)
from ...word_lists.results import (
    Headline,
    TestOutcome,
    TestRun,
    finding_of_tests,
    mean_of_tests,
    with_numbers,
)
from .record import RECORD
from .statistics import (
    FrequencyCorrelation,
    Moment,
    frequency_correlation,
    log_frequencies,
    matched_pairs,
    seed_sets,
)

__all__ = ["evaluate", "frequency_correlation", "log_frequencies", "matched_pairs", "seed_sets"]

Unit: TypeAlias = tuple[tuple[str, str], ...]
"""What sets contain or do not contain: a word or a pair, each word with the name of its list."""

_QUICK = 99
"""What the measured method samples for a set of seeds, whose p-value is never read."""


@method(RECORD)
def evaluate(
    model: Any,
    tests: Tests,
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

    The seeds are the target words of a test. Each set holds half of either list, rounded up, and is measured; the score
    is the Pearson correlation, over the sets, of what was measured with the mean log frequency of the seeds in them.
    Where the measured method takes its targets as pairs, sets are of pairs. Then seeds of both lists are matched on
    frequency, and measured once more. With several tests the score is the mean of theirs. Controls (``bias_type``
    "none") are left out of it, unless there is nothing else.

    Args:
        model: a model that the measured method takes.
        tests: word-list tests, or mappings with ``name``, ``targets_x`` and what else the measured method needs.
        measured_method: the method whose score is correlated, one that takes word lists.
        measured_options: its options, by name.
        frequencies: how often words occur, by word, in any unit; by default the counts of a corpus, or the ranks of the
            words in the vocabulary of the model, the frequency at rank r being as 1 / r.
        n_subsets: number of sets of every test; where there are no more, all are measured.
        caliper: largest difference of the decimal logarithms of the frequencies of two matched seeds, above 0.
        moment: correlate with the ``"mean"`` of the log frequencies of a set, or with their ``"variance"``. The
            correlation with a variance has no interval.
        n_resamples: number of random exchanges of the frequencies.
        max_missing: largest share of a list that may lack a frequency, in [0, 1].
        seed: of sets and exchanges, and of the measured method; each test draws from a stream of its own.

    Returns:
        Score r in [-1, 1], two-sided, ideal 0. The p-value exchanges frequencies within the lists; the interval is
        Fisher's, with as many observations as there are seeds. ``estimates["measured_score"]`` and
        ``estimates["matched_score"]`` are the scores, with p-values, of all seeds and of matched ones. ``n`` is the
        number of seeds.

    Raises:
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
        InputError: the measured method takes no word lists, an option is out of range, two tests share a name, or
            nothing says how frequent the seeds are.
        UndefinedScoreError: there are too few seeds, or all sets have the same score or the same mean frequency.
        UnknownNameError: there is no such method.
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
    parsed = parsed_tests(RECORD.name, tests)
    seeds = [word for test in parsed for name in LISTS[:2] for word in getattr(test, name)]
    known, source = log_frequencies(model, list(dict.fromkeys(seeds)), frequencies)
    quick = measure.with_options(n_resamples=_QUICK)
    correlations: dict[str, FrequencyCorrelation] = {}

    def run(test: WordListTest) -> TestRun:
        whole = measure.result([_row_of(test)])
        groups, lost = _seeds(test, whole, known, measure.record.paired, inference.max_missing)
        units, sizes = [unit for group in groups for unit in group], [len(group) for group in groups if group]
        lists = {name: tuple(w for unit in units for of_list, w in unit if of_list == name) for name in LISTS}
        own, skipped = inference.of_test(test.name), [*whole.skipped, *lost]
        with error_context(test.name, skipped):
            if max(sizes, default=0) < 2 or len(units) < 4:
                raise UndefinedScoreError(f"{len(units)} seeds with a frequency are too few for sets of them")
            # A pair is the same one whichever of its words comes first.
            seeds = [[" / ".join(sorted(w for _, w in unit)) for unit in group] for group in groups if group]
            sets, exhaustive = seed_sets(seeds, n_subsets, own.seed)
            results: dict[int, Result] = {}
            for i, inside in enumerate(sets):
                chosen = [entry for unit, is_in in zip(units, inside, strict=True) if is_in for entry in unit]
                targets = {name: tuple(w for of_list, w in chosen if of_list == name) for name in LISTS[:2]}
                with suppress(UndefinedScoreError):
                    results[i] = quick.result([_row_of(test, targets)])
            if len(results) < max(4, len(sets) / 2):
                raise UndefinedScoreError(
                    f"{len(results)} of {len(sets)} sets of seeds have a score, too few for a correlation"
                )
            scored, scores = sets[list(results)], np.array([result.score for result in results.values()])
            correlations[test.name] = correlation = frequency_correlation(
                scores,
                scored,
                np.array([np.mean([known[word] for _, word in unit]) for unit in units]),
                seeds,
                moment=moment,
                exhaustive=exhaustive,
                n_resamples=own.n_resamples,
                seed=own.seed,
            )
        warnings = [
            *warnings_of_parts(whole, list(results.values()), "set"),
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
        outcome = TestOutcome(
            score=correlation.r,
            interval=None,
            permutation=correlation.permutation,
            facts=facts,
            words=_words(units, scores, scored, known),
        )
        list_sizes = {name: len({*getattr(test, name)}) for name in LISTS[:2]}
        material = Material(test=test, words=lists, list_sizes=list_sizes, skipped=skipped)
        return TestRun(material=material, outcome=outcome, warnings=warnings)

    headline = SensitivityHeadline(
        tested="permutation test of the frequencies, two-sided", resampled="", correlations=correlations
    )
    finding = finding_of_tests(RECORD, [run(test) for test in parsed], inference, headline)
    ends = {
        name: correlation.interval(inference.confidence_level) for name, correlation in correlations.items()
    }
    finding = with_numbers(
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
    """The row that the measured method takes for a test, or for some of its targets."""
    fields = {**test.model_dump(), **(targets or {})}
    return {key: value for key, value in fields.items() if value != () or key == LISTS[0]}


def _seeds(
    test: WordListTest, whole: Result, known: Mapping[str, float], paired: bool, max_missing: float
) -> tuple[list[list[Unit]], list[Skipped]]:
    """The seeds that have a score and a frequency, in the order of their text, and the others.

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
        # What the measured method left out altogether, and not because it was given twice.
        unscored = {s.item for s in whole.skipped if s.where == where and not s.reason.startswith("given ")}
        labels = {" / ".join(w for _, w in unit): unit for unit in units}
        scored = {label: unit for label, unit in labels.items() if label not in unscored}
        absent = [label for label, unit in scored.items() if any(w not in known for _, w in unit)]
        if scored:
            check_coverage(
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


def _words(
    units: Sequence[Unit], scores: FloatArray, sets: Any, known: Mapping[str, float]
) -> dict[str, dict[str, list[Any]]]:
    """For every seed its log frequency, and how much higher the sets that hold it score than the others."""
    columns: dict[str, dict[str, list[Any]]] = {
        name: {"log_frequency": [], "contrast": []} for unit in units for name, _ in unit
    }
    for unit, inside in zip(units, sets.T, strict=True):
        both = inside.any() and not inside.all()
        contrast = float(scores[inside].mean() - scores[~inside].mean()) if both else None
        for name, word in unit:
            columns[name]["log_frequency"].append(known[word])
            columns[name]["contrast"].append(contrast)
    return columns


@dataclass(frozen=True, kw_only=True)
class SensitivityHeadline(Headline):
    """Correlations with the frequency of seeds, by the name of the test."""

    correlations: Mapping[str, FrequencyCorrelation]

    def of_several(
        self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The same of several tests; the interval of the mean follows from their standard errors."""
        outcomes = [r.outcome for r in runs]
        numbers = mean_of_tests(outcomes, inference.confidence_level)
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
