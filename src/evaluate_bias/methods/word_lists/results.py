"""What tests on word lists found: a row for each of them, and one number for several."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ... import stats
from ...data.dataset_record import is_control
from ...errors import UndefinedScoreError
from ...method import Finding
from ...method_record import MethodRecord
from ...result import Coverage, Estimate, Row
from ...stats import Interval, PermutationTest, RandomisationTest
from ...stats.distributions import mean_z_test
from ..rows import digest
from .association import TargetSplit
from .cosines import TOLERANCE
from .inference import Alternative, Inference
from .inputs import LISTS, Material

ScoreRange: TypeAlias = tuple[float | None, float | None]
Numbers: TypeAlias = tuple[dict[str, Any], dict[str, Any]]
"""Fields of a finding, and further facts."""

_SHARED_WORDS = (
    "tests share words, so the interval of their mean, which treats them as independent, is too narrow"
)
FEW_WORDS = 5
"""With fewer targets than this a bootstrap interval cannot keep its level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOutcome:
    """The numbers of one test.

    Attributes:
        score: the method's score.
        interval: its bootstrap interval. ``None`` when it was not asked for, or has no width.
        permutation: the test of its null hypothesis, ``None`` if the method has none.
        score_range: of the score on these lists, if it is not the method's.
        n_tested: number of units of the test, if these are not the targets.
        facts: secondary values and details, of the row and, if there is a single test, of the result.
        row_facts: facts of the row alone.
        words: for a list, what is said of each of its words: columns of one value per word.
        warnings: what a reader must know of this test.
        split: what its permutation test splits, if several tests are combined by that.
    """

    score: float
    interval: Interval | None
    permutation: PermutationTest | RandomisationTest | None = None
    score_range: ScoreRange | None = None
    n_tested: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    row_facts: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    split: TargetSplit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """One test that was run: what it was computed from, its numbers, and all that a reader must know of both."""

    material: Material
    outcome: TestOutcome
    warnings: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Headline:
    """How the numbers of tests become a method's score: of one test its own, of several the mean with their signs.

    Attributes:
        tested: what the test is, such as ``"permutation test of the targets"``.
        resampled: what the bootstrap resamples.
        units: the lists whose words the test and the interval are over. The result counts them.
    """

    tested: str = ""
    resampled: str
    units: tuple[str, ...] = LISTS[:2]

    def of_one(self, run: TestRun) -> Numbers:
        """Fields of the finding, and further facts, of a single test."""
        o = run.outcome
        numbers = row_numbers(o.score, o.permutation, o.interval)
        if o.permutation is not None:
            numbers["p_method"] += f" {self.tested}"
        if o.interval is not None:
            numbers["ci_method"] += f" bootstrap over {self.resampled}"
        return {**numbers, "score_range": o.score_range, "n_tested": o.n_tested}, dict(o.facts)

    def of_several(self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference) -> Numbers:
        """Return the same for several tests."""
        outcomes = [r.outcome for r in runs]
        ranges = {o.score_range for o in outcomes}
        numbers = mean_of_tests(outcomes, inference.confidence_level)
        facts: dict[str, Any] = {"n_tests": len(outcomes)}
        for key in (s.key for s in record.secondary):
            values = [v for o in outcomes if isinstance(v := o.facts.get(key), float)]
            if len(values) == len(outcomes):
                facts[key] = float(np.mean(values))
        return {**numbers, "score_range": ranges.pop() if len(ranges) == 1 else None}, facts

    def interval_notes(
        self, interval: Interval | None, words: Mapping[str, Collection[str]], ci: str
    ) -> list[str]:
        """Return what a reader must know of a test's interval over these words of its lists."""
        sizes = {key: len(items) for key, items in words.items()}
        if interval is None:
            if max(sizes.values()) < 2:
                return ["one word in every list, so the interval is undefined"]
            return [] if ci == "none" else [stats.NO_WIDTH]
        notes = []
        few = [n for n in self.units if sizes[n] < FEW_WORDS]
        if few:
            notes.append(f"fewer than {FEW_WORDS} words in {' and '.join(few)}, so the interval is rough")
        single = [n for n in LISTS if n not in self.units and sizes[n] == 1]
        if single:
            notes.append(f"one word in {' and '.join(single)}, whose choice the interval cannot reflect")
        if interval.note:
            notes.append(interval.note)
        if n := interval.n_undefined:
            notes.append(f"{n} bootstrap samples have no score and are ignored in the interval")
        return notes


def finding_of_tests(
    record: MethodRecord,
    runs: Sequence[TestRun],
    inference: Inference,
    headline: Headline,
    settings: Mapping[str, Any] | None = None,
) -> Finding:
    """Return what tests found. ``n`` counts the units of those that make up the score.

    Controls (flowers and insects, instruments and weapons) stay out of it, unless there is nothing else.
    """
    controls = [r.material.test.name for r in runs if is_control(r.material.test.bias_type)]
    reported = [r for r in runs if r.material.test.name not in controls] or runs
    notes, names = [], ", ".join(controls)
    if len(controls) == len(runs):
        notes = [f"only controls without social content were asked for ({names}): the score is theirs"]
    elif controls:
        notes = [
            f"{names}: controls without social content, excluded from the score. Every test has its own row"
        ]
    if len(reported) == 1:
        fields, facts = headline.of_one(reported[0])
    else:
        fields, facts = headline.of_several(record, reported, inference)
    shared = any(
        not {*getattr(one.material.test, name)}.isdisjoint(getattr(other.material.test, name))
        for one, other in combinations(reported, 2)
        for name in LISTS
    )
    estimates, details = _estimates_and_details(record, facts)
    return Finding(
        n=sum(len(r.material.words[name]) for r in reported for name in headline.units),
        **fields,
        coverage=Coverage(
            found=sum(len(words) for r in runs for words in r.material.words.values()),
            asked=sum(n for r in runs for n in r.material.list_sizes.values()),
        ),
        rows=[_row(record, run) for run in runs],
        skipped=[s for r in runs for s in r.material.skipped],
        warnings=[
            *notes,
            *(w for r in runs for w in r.warnings),
            *([_SHARED_WORDS] if "ci_low" in fields and shared else []),
        ],
        estimates=estimates,
        details=details,
        settings={**(settings or {}), "tests": [r.material.test.name for r in runs]},
    )


def scored_tests(rows: Sequence[Row]) -> list[Row]:
    """The rows of the tests whose scores make up the result's: all but controls, unless there is nothing else."""
    tests = [row for row in rows if row.kind == "test"]
    return [row for row in tests if not row.details["control"]] or tests


def with_numbers(finding: Finding, numbers: Mapping[str, Mapping[str, Any]]) -> Finding:
    """The finding with further fields of the rows of its tests, which are the result's too if one test is scored."""
    rows = [dataclasses.replace(row, **numbers[row.name]) for row in finding.rows]
    scored = scored_tests(rows)
    return dataclasses.replace(finding, rows=rows, **(numbers[scored[0].name] if len(scored) == 1 else {}))


def with_z_of_tests(finding: Finding, alternative: Alternative) -> Finding:
    """Return the finding with the z statistic of the mean over its tests, if there are several, in its estimates."""
    scores = [row.score for row in scored_tests(finding.rows) if row.score is not None]
    if len(scores) < 2:
        return finding
    further = z_of_mean(scores, alternative)
    notes = [] if further else [f"no z test of their mean: the scores of all {len(scores)} tests are equal"]
    return dataclasses.replace(
        finding, estimates={**finding.estimates, **further}, warnings=[*finding.warnings, *notes]
    )


def z_of_mean(values: ArrayLike, alternative: Alternative) -> dict[str, Estimate]:
    """Return the z statistic of a mean with its p-value, nothing if the values do not vary."""
    try:
        z = mean_z_test(values, alternative=alternative)
    except UndefinedScoreError:
        return {}
    return {"z": Estimate(z.statistic, p=z.p_value)}


def list_contents(test: Any) -> dict[str, str]:
    """Return a short hash of the words of each list of a test, by which a comparison tells what the test is about."""
    return {key: digest(getattr(test, name)) for key, name in zip("xyab", LISTS, strict=True)}


def _row(record: MethodRecord, run: TestRun) -> Row:
    """Return the row of a test. ``n`` counts the targets."""
    o, test, words = run.outcome, run.material.test, run.material.words
    sizes = {f"n_{key}": len(words.get(name, ())) for key, name in zip("xyab", LISTS, strict=True)}
    facts = {**o.facts, **o.row_facts, **_lines(run)}
    if isinstance(o.permutation, PermutationTest):
        facts["n_partitions"] = o.permutation.n_partitions
    estimates, details = _estimates_and_details(record, facts)
    return Row(
        name=test.name,
        kind="test",
        n=sizes["n_x"] + sizes["n_y"],
        n_tested=o.n_tested,
        ideal=record.ideal,
        direction=record.direction,
        score_range=o.score_range or record.score_range,
        coverage=Coverage(
            sum(sizes.values()),
            sum(run.material.list_sizes.get(name, len(words.get(name, ()))) for name in LISTS),
        ),
        labels={
            **{key: getattr(test, key) for key in ("title", "language", "origin", "bias_type")},
            **{key: getattr(test, f"{key}_label") for key in "xyab"},
        },
        estimates=estimates,
        details={
            **details,
            **sizes,
            "skipped": [s.to_dict() for s in run.material.skipped],
            "control": is_control(test.bias_type),
            "lists": list_contents(test),
        },
        **row_numbers(o.score, o.permutation, o.interval),
    )


def _lines(run: TestRun) -> dict[str, list[dict[str, Any]]]:
    """Return what is said of the words: computed in the order of their text, shown in the order of the test's lists."""
    test, columns, lines = run.material.test, run.outcome.words, {}
    for key, names in (("words", LISTS[:2]), ("attributes", LISTS[2:])):
        word_facts = [
            {"word": word, "list": name, **dict(zip(columns[name], values, strict=True))}
            for name in names
            if name in columns
            for word, *values in zip(run.material.words[name], *columns[name].values(), strict=True)
        ]
        if word_facts:
            lines[key] = sorted(
                word_facts,
                key=lambda of: (LISTS.index(of["list"]), getattr(test, of["list"]).index(of["word"])),
            )
    return lines


def _estimates_and_details(
    record: MethodRecord, facts: Mapping[str, Any]
) -> tuple[dict[str, Estimate], dict[str, Any]]:
    """Facts that the record declares as secondary values, and the others."""
    keys = {s.key for s in record.secondary}
    estimates = {k: v if isinstance(v, Estimate) else Estimate(v) for k, v in facts.items() if k in keys}
    return estimates, {k: v for k, v in facts.items() if k not in keys}


def row_numbers(
    score: float,
    p: PermutationTest | RandomisationTest | None,
    interval: Interval | None,
) -> dict[str, Any]:
    """Score, p-value and interval of a test, as fields of its row."""
    numbers: dict[str, Any] = {"score": score}
    if p is not None:
        numbers |= {"p_value": p.p_value, "p_error": p.p_error, "p_method": p.method}
    if interval is not None:
        numbers |= {"ci_low": interval.low, "ci_high": interval.high, "ci_method": interval.method}
    return numbers


def mean_of_tests(outcomes: Sequence[TestOutcome], confidence_level: float) -> dict[str, Any]:
    """The mean score of several tests with its interval. A p-value is each test's own, and none is the mean's."""
    numbers: dict[str, Any] = {"score": float(np.mean([o.score for o in outcomes]))}
    if samples := replicates(outcomes):
        means = np.mean(np.stack(samples), axis=0)
        low, high = np.nanquantile(means, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
        # Replicates of a score that resampling shrinks can all lie on one side of it: that is not an interval.
        if low <= numbers["score"] <= high:
            numbers |= bounds(float(low), float(high), "percentile bootstrap of the mean over tests")
    return numbers


def bounds(low: float, high: float, method: str) -> dict[str, Any]:
    """Return the interval of several tests as fields of the finding."""
    if not stats.has_width(low, high, TOLERANCE):
        return {"ci_method": f"none: {stats.NO_WIDTH}"}
    return {"ci_low": low, "ci_high": high, "ci_method": method}


def replicates(outcomes: Sequence[TestOutcome]) -> list[Any]:
    """Scores of the bootstrap samples of every test, nothing if one has no interval, as then their mean has none."""
    intervals = [o.interval for o in outcomes]
    samples = [i.replicates for i in intervals if i is not None and i.replicates is not None]
    return samples if len(samples) == len(intervals) else []
