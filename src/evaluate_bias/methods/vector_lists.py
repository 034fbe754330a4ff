"""Scores of the vectors of a test's word lists: what RND and its relatives share beside their statistic.

A method gives a function from the vectors of one test to an :class:`Outcome`; :func:`measure_tests` looks the words up,
runs every test, and says what one or several of them found.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import stats
from ..arrays import FloatArray
from ..data.schemas import WordListTest
from ..errors import InputError, UndefinedScoreError, quoted
from ..method import Finding, MethodRecord
from ..models.base import WordEmbedder
from ..result import Row, Skipped
from ..stats import Interval, PermutationTest, SignFlipTest
from .association_inputs import (
    LISTS,
    CommonOptions,
    Forms,
    Found,
    caveats,
    check_coverage,
    check_lists,
    derive_seed,
    error_context,
    forms_of,
    headline_of,
    interval_notes,
    look_up,
    parsed_tests,
    refuse_zero,
    with_absent_lists,
)
from .association_result import finding_of_tests, mean_of_tests, row_numbers, row_of_test
from .cosine_association import LARGEST, SMALLEST, TOLERANCE

__all__ = ["ON_AXIS", "Outcome", "Resampling", "Sets", "influences", "left_out_of_mean", "measure_tests"]

ON_AXIS = "projection"
"""The key, in the details of a row, of where a word lies on an axis."""

Sets: TypeAlias = Mapping[str, FloatArray]
"""Vectors of the lists that a test has, each of shape (words, dimension)."""
Range: TypeAlias = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Resampling:
    """What the bootstrap draws anew.

    Attributes:
        sets: what is resampled, each of shape (elements, …); one of a single element stays fixed.
        statistic: the score of bootstrap samples, given the elements drawn of every set.
        cells: numbers that one sample needs, where that is more than its elements.
        rounding: how far scores that are equal may differ.
    """

    sets: Sequence[FloatArray]
    statistic: Callable[[list[NDArray[Any]]], FloatArray]
    cells: int = 0
    rounding: float = TOLERANCE

    def interval(self, options: CommonOptions, seed: int) -> Interval | None:
        """The interval; ``None`` when it was not asked for, has no width, or no list has two elements."""
        sizes = [len(some) for some in self.sets]
        if options.ci == "none" or max(sizes) < 2:
            return None
        interval = stats.bootstrap_ci(
            sizes,
            self.statistic,
            method=options.ci,
            n_resamples=options.ci_resamples,
            level=options.level,
            seed=seed,
            resample=[size > 1 for size in sizes],
            batch=max(1, (1 << 22) // max(self.cells, sum(sizes))),
            keep_replicates=True,
        )
        return interval if stats.has_width(interval.low, interval.high, self.rounding) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The numbers of one test.

    Attributes:
        score: the method's score.
        resampling: what its bootstrap interval draws anew.
        permutation: the test of its null hypothesis; ``None`` where the method has none.
        score_range: of the score on these lists, where it is not the method's.
        n_tested: number of units of the test, where these are not the targets.
        facts: secondary values and details of the row.
        words: for a list, what is said of each of its words: columns of one value per word.
        warnings: what a reader must know of this test.
    """

    score: float
    resampling: Resampling
    permutation: PermutationTest | SignFlipTest | None = None
    score_range: Range | None = None
    n_tested: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    test: WordListTest
    found: Mapping[str, Found]
    outcome: Outcome
    interval: Interval | None
    warnings: Sequence[str]

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        return {name: self.found[name].words if name in self.found else () for name in LISTS}

    @property
    def asked(self) -> dict[str, int]:
        return {name: some.asked for name, some in self.found.items()}

    @property
    def skipped(self) -> list[Skipped]:
        return [s for some in self.found.values() for s in some.skipped]


def measure_tests(
    record: MethodRecord,
    model: WordEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    compute: Callable[[Sets, int], Outcome],
    options: CommonOptions,
    *,
    needed: Sequence[str],
    tested: str,
    resampled: str,
    normalize: bool = False,
) -> Finding:
    """Run a method on every test, and say what they found.

    With several tests the score is the mean of theirs with their signs and its interval the percentile interval of that
    mean over the bootstrap samples. The mean has no p-value: every test has its own. Controls are left out, unless
    there is nothing else. Of several tests, one whose score is undefined is left out and listed.

    Args:
        record: of the method.
        model: the word vectors.
        tests: the tests; lists that the method does not need may be absent.
        compute: the numbers of one test, from the vectors of its lists and a seed of its own.
        options: the common ones; each test gets a seed of its own from theirs.
        needed: the lists that may not be empty.
        tested: what the test is, such as ``"permutation test of the targets"``.
        resampled: what the bootstrap resamples.
        normalize: scale every vector to length 1 first.

    Raises:
        CoverageError: a list loses more than ``max_missing`` of its words.
        InputError: two tests share a name, a word is in both target lists, or pairs do not match.
        UndefinedScoreError: a needed list is empty, or no test has a defined score.
    """
    parsed = parsed_tests(record.name, tests, lambda test: with_absent_lists(test, needed))
    runs: list[_Run] = []
    undefined: dict[str, UndefinedScoreError] = {}
    for test in parsed:
        found, warnings = _embed(model, test, needed, options.max_missing, record.paired)
        sets = {name: _scaled(some, normalize, f"{test.name}/{name}") for name, some in found.items()}
        try:
            with error_context(test.name, [s for some in found.values() for s in some.skipped]):
                own_seed = derive_seed(test.name, options.seed)
                outcome = compute(sets, own_seed)
                interval = outcome.resampling.interval(options, own_seed)
        except UndefinedScoreError as error:
            undefined[test.name] = error
            continue
        notes = [*warnings, *(f"{test.name}: {w}" for w in outcome.warnings)]
        run = _Run(test=test, found=found, outcome=outcome, interval=interval, warnings=notes)
        notes += interval_notes(test.name, interval, run.words, options.ci)
        runs.append(run)
    if not runs:
        raise next(iter(undefined.values()))
    reported, _ = headline_of(runs)
    headline, facts = _headline(record, reported, tested, resampled, options.level)
    shown = "none" if reported[0].interval is None else "any"
    rows = [_row(record, r) for r in runs]
    finding = finding_of_tests(record, runs, rows, facts, shown, **headline)
    lost = [Skipped(name, str(error), "tests") for name, error in undefined.items()]
    return dataclasses.replace(finding, skipped=[*finding.skipped, *lost])


def influences(score: float, left_out: Sequence[float | None]) -> list[float | None]:
    """By how much the score falls when each word is left out, given the scores without it."""
    return [None if other is None else float(score - other) for other in left_out]


def left_out_of_mean(score: float, values: FloatArray) -> list[float | None]:
    """By how much a score that is the mean of ``values`` falls when each of them is left out."""
    n = len(values)
    return influences(score, [None if n == 1 else float((values.sum() - v) / (n - 1)) for v in values])


def _embed(
    model: WordEmbedder, test: WordListTest, needed: Sequence[str], max_missing: float, paired: bool
) -> tuple[dict[str, Found], list[str]]:
    """The words of the lists that the test has, sorted, and what a reader must know of them."""
    forms = {name: forms_of(model, getattr(test, name)) for name in LISTS}
    check_lists(test, forms, needed=needed)
    found = {
        name: look_up(model, getattr(test, name), forms[name], f"{test.name}/{name}", max_missing)
        for name in LISTS
        if getattr(test, name) and not (paired and name in LISTS[:2])
    }
    if paired:
        found = look_up_pairs(model, test, forms, max_missing) | found
    sizes = {name: len(found[name].words) if name in found else 0 for name in LISTS}
    return found, caveats(test.name, forms, sizes, itself="so part of both sides", twice="so counted in each")


def look_up_pairs(
    model: WordEmbedder, test: WordListTest, forms: Forms, max_missing: float
) -> dict[str, Found]:
    """Look up targets that are pairs; a pair of which a word has no vector, and a repeated one, is left out and listed.

    Pairs whose words stand for the same words of the vocabulary (``forms``) are repeated ones.

    Raises:
        CoverageError: more than ``max_missing`` of the pairs lack a vector.
        InputError: the lists have different lengths.
    """
    if len(test.targets_x) != len(test.targets_y):
        raise InputError(
            f"{test.name}: targets_x has {len(test.targets_x)} words and targets_y {len(test.targets_y)}, but they "
            "are read as pairs: give every word its counterpart"
        )
    where = f"{test.name}/targets"
    pairs = list(zip(test.targets_x, test.targets_y, strict=True))
    skipped: list[Skipped] = []
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for x, y in sorted(set(pairs)):
        kept = first.setdefault((forms["targets_x"][x], forms["targets_y"][y]), (x, y))
        if kept != (x, y):
            reason = f"the same vectors as {' / '.join(kept)!r}, counted once"
            skipped.append(Skipped(f"{x} / {y}", reason, where))
        elif (n := pairs.count((x, y))) > 1:
            skipped.append(Skipped(f"{x} / {y}", f"given {n} times, counted once", where))
    unique = list(first.values())
    vectors, missing = zip(*(model.embed_words([p[side] for p in unique]) for side in (0, 1)), strict=True)
    without = set(missing[0]) | set(missing[1])
    lost = [" / ".join(unique[i]) for i in sorted(without)]
    skipped += [Skipped(pair, "a word is not in the vocabulary", where) for pair in lost]
    check_coverage(
        where,
        lost,
        len(unique),
        max_missing,
        found=f"is in the vocabulary of {model.name}",
        missing=f"are not in the vocabulary of {model.name}",
        advice="use other vectors or a case policy such as case='first_found'",
    )
    out = {}
    for side, name in enumerate(LISTS[:2]):
        have = [i for i in range(len(unique)) if i not in set(missing[side])]
        rows = [k for k, i in enumerate(have) if i not in without]
        words = tuple(unique[have[k]][side] for k in rows)
        refuse_zero(f"{test.name}/{name}", words, np.asarray(vectors[side])[rows])
        out[name] = Found(
            words, np.asarray(vectors[side])[rows], len(unique), tuple(skipped if side == 0 else ())
        )
    return out


def _scaled(found: Found, normalize: bool, where: str) -> FloatArray:
    """The vectors of a list in double precision, of length 1 where asked for; refuses those too small or large."""
    array = np.asarray(found.vectors, dtype=np.float64)
    sizes = np.abs(array).max(axis=1, initial=0.0)
    if (strange := (sizes < SMALLEST) | (sizes > LARGEST)).any():
        i = int(strange.argmax())
        raise InputError(
            f"{where}: the largest component of the vector of {quoted(found.words[i])} is {sizes[i]:.3g}, whose square "
            f"cannot be computed: scale the vectors to between {SMALLEST:g} and {LARGEST:g}"
        )
    return array / np.linalg.norm(array, axis=1, keepdims=True) if normalize else array


def _headline(
    record: MethodRecord, runs: Sequence[_Run], tested: str, resampled: str, level: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Score, p-value and interval of one or several tests, and further facts."""
    outcomes = [r.outcome for r in runs]
    ranges = {o.score_range for o in outcomes}
    score_range = ranges.pop() if len(ranges) == 1 else None
    if len(runs) == 1:
        ((o, interval),) = ((r.outcome, r.interval) for r in runs)
        numbers = row_numbers(o.score, o.permutation, interval)
        if o.permutation is not None:
            numbers["p_method"] += f" {tested}"
        if interval is not None:
            numbers["ci_method"] += f" bootstrap over {resampled}"
        return {**numbers, "score_range": score_range, "n_tested": o.n_tested}, dict(o.facts)
    numbers = mean_of_tests([o.score for o in outcomes], [r.interval for r in runs], level)
    facts: dict[str, Any] = {"n_tests": len(outcomes)}
    for key in (s.key for s in record.secondary):
        values = [v for o in outcomes if isinstance(v := o.facts.get(key), float)]
        if len(values) == len(outcomes):
            facts[key] = float(np.mean(values))
    return {**numbers, "score_range": score_range}, facts


def _row(record: MethodRecord, run: _Run) -> Row:
    o, words = run.outcome, run.words
    said = {
        key: [
            {"word": word, "list": name, **dict(zip(o.words[name], values, strict=True))}
            for name in names
            if name in o.words
            for word, *values in zip(words[name], *o.words[name].values(), strict=True)
        ]
        for key, names in (("words", LISTS[:2]), ("attributes", LISTS[2:]))
    }
    tested = {}
    if isinstance(o.permutation, PermutationTest):
        tested = {"p_bracket": o.permutation.bracket, "n_partitions": o.permutation.n_partitions}
    facts = {**o.facts, **tested, **{key: rows for key, rows in said.items() if rows}}
    numbers = row_numbers(o.score, o.permutation, run.interval)
    numbers["n_tested"] = o.n_tested
    return row_of_test(record, run, facts, score_range=o.score_range or record.score_range, **numbers)
