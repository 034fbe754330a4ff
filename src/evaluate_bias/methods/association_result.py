"""What association tests share after their arithmetic: what one or several tests found, and a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import stats
from ..data.dataset_record import is_control
from ..method import Finding, MethodRecord
from ..result import Coverage, Estimate, Row, Skipped
from .association_headline import Split, mean_absolute_interval, mean_absolute_test
from .association_inputs import LISTS, derive_seed, headline_of, shared_words
from .comparison import AssociationTest, Inference
from .cosine_association import TOLERANCE, effect_size_bound

if TYPE_CHECKING:
    from ..data.schemas import WordListTest
    from ..stats import Interval, PermutationTest, SignFlipTest

Facts = dict[str, Any]


class _Tested(Protocol):
    """One test that was run."""

    @property
    def test(self) -> WordListTest: ...
    @property
    def words(self) -> Mapping[str, Sequence[str]]:
        """For each of the four lists, the words that were scored."""

    @property
    def asked(self) -> Mapping[str, int]:
        """For each list, the number of words asked for."""

    @property
    def skipped(self) -> Sequence[Skipped]: ...
    @property
    def warnings(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Run:
    """One test that was run, with the numbers of its effect size.

    Attributes:
        words: for each of the four lists, the words that were found, in the order of the outcome's associations.
        facts: further facts on the test.
        word_details: for each list, further facts on each word.
        split: what the permutation test splits; ``None`` where several tests are not combined by their mean absolute
            effect size.
    """

    test: WordListTest
    words: Mapping[str, tuple[str, ...]]
    asked: Mapping[str, int]
    outcome: AssociationTest
    skipped: Sequence[Skipped]
    warnings: Sequence[str]
    facts: Mapping[str, Any] = field(default_factory=dict)
    word_details: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    split: Split | None = None

    def n(self, name: str) -> int:
        """Number of words found of a list."""
        return len(self.words[name])

    @property
    def compared(self) -> tuple[int, int]:
        """Numbers of what the effect size compares: of sentences, where each word has its own, else of words."""
        return (
            self.facts.get("sentences_x", self.n("targets_x")),
            self.facts.get("sentences_y", self.n("targets_y")),
        )


def target_split(
    words: Mapping[str, tuple[str, ...]], outcome: AssociationTest, weights: ArrayLike | None = None
) -> Split:
    """What a permutation test splits that splits the target words, each of a weight in the effect size."""
    scores = np.concatenate([outcome.associations_x, outcome.associations_y])
    return Split(
        words=words["targets_x"] + words["targets_y"],
        n_x=len(words["targets_x"]),
        scores=scores,
        weights=np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64),
        sd=outcome.sd,
    )


def score_range(sizes: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Range of the mean effect size of tests whose target sets have these sizes; at least -2 to 2."""
    bounds = [effect_size_bound(n_x, n_y, 0) for n_x, n_y in sizes]
    bound = max(2.0, sum(bounds) / len(bounds))
    return -bound, bound


def association_result(
    record: MethodRecord,
    runs: Sequence[Run],
    inference: Inference,
    *,
    settings: Mapping[str, Any] | None = None,
    splits_of: str = "",
    resampled: str = "targets and attributes",
) -> Finding:
    """Say what one or several tests found: with their splits the mean absolute effect size, else the mean.

    ``splits_of`` says what the permutation test splits, where that is not the words, ``resampled`` what the bootstrap
    resamples.
    """
    reported, _ = headline_of(runs)
    splits = [r.split for r in reported if r.split is not None]
    sizes = [r.compared for r in reported]
    scores = [r.outcome.effect_size for r in reported]
    tests, intervals = [r.outcome.permutation for r in reported], [r.outcome.interval for r in reported]
    facts: Facts = {"n_tests": len(reported)}
    if len(reported) == 1:
        (run,) = reported
        headline = single_test(scores[0], tests[0], intervals[0], splits_of, resampled)
        facts = {"difference": run.outcome.difference, "sd": run.outcome.sd, **run.facts}
    elif len(splits) == len(reported):
        headline = _mean_absolute(splits, intervals, score_range(sizes)[1], splits_of, inference)
        facts["mean_d"] = float(np.mean(scores))
    else:
        headline = mean_of_tests(scores, intervals, inference.level)
    return finding_of_tests(
        record,
        runs,
        [_row(record, r) for r in runs],
        facts,
        inference.ci,
        settings,
        **{"score_range": score_range(sizes), **headline},
    )


def finding_of_tests(
    record: MethodRecord,
    runs: Sequence[_Tested],
    rows: Sequence[Row],
    facts: Mapping[str, Any],
    ci: str,
    settings: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Finding:
    """What tests found, with its further facts and fields; ``n`` counts the targets of those that are no controls."""
    reported, notes = headline_of(runs)
    estimates, details = _estimates_and_details(record, facts)
    return Finding(
        n=sum(len(r.words["targets_x"]) + len(r.words["targets_y"]) for r in reported),
        coverage=Coverage(
            found=sum(len(words) for r in runs for words in r.words.values()),
            asked=sum(n for r in runs for n in r.asked.values()),
        ),
        rows=rows,
        skipped=[s for r in runs for s in r.skipped],
        warnings=[
            *notes,
            *(w for r in runs for w in r.warnings),
            *shared_words([r.test for r in reported], ci),
        ],
        estimates=estimates,
        details=details,
        settings={**(settings or {}), "tests": [r.test.name for r in runs]},
        **fields,
    )


def _estimates_and_details(
    record: MethodRecord, facts: Mapping[str, Any]
) -> tuple[dict[str, Estimate], dict[str, Any]]:
    """Facts that the record declares as secondary values, and the others."""
    keys = {s.key for s in record.secondary}
    return (
        {
            key: value if isinstance(value, Estimate) else Estimate(value)
            for key, value in facts.items()
            if key in keys
        },
        {key: value for key, value in facts.items() if key not in keys},
    )


def row_of_test(record: MethodRecord, run: _Tested, facts: Mapping[str, Any], **numbers: Any) -> Row:
    """The row of a test, with its facts (secondary values and details) and numbers; ``n`` counts the targets."""
    test, words = run.test, run.words
    labels = {key: getattr(test, key) for key in ("title", "language", "origin", "bias_type")}
    labels |= {key: getattr(test, f"{key}_label") for key in "xyab"}
    sizes = {f"n_{key}": len(words.get(name, ())) for key, name in zip("xyab", LISTS, strict=True)}
    # A repeated word is listed as skipped too, but it was scored once, so it is not missing.
    scored = {(name, word) for name, some in words.items() for word in some}
    missing = {(s.where.rpartition("/")[2], s.item) for s in run.skipped} - scored
    found = sum(sizes.values())
    estimates, details = _estimates_and_details(record, facts)
    for key in ("words", "attributes"):
        if key in details:  # computed in the order of their text, shown in that of the test's lists
            details[key] = sorted(
                details[key],
                key=lambda line: (LISTS.index(line["list"]), getattr(test, line["list"]).index(line["word"])),
            )
    return Row(
        name=test.name,
        kind="test",
        n=numbers.pop("n", sizes["n_x"] + sizes["n_y"]),
        ideal=numbers.pop("ideal", record.ideal),
        coverage=Coverage(found, found + len(missing)),
        labels=labels,
        estimates=estimates,
        details={
            **details,
            **sizes,
            "skipped": [s.to_dict() for s in run.skipped],
            "control": is_control(test.bias_type),
        },
        **numbers,
    )


def row_numbers(
    score: float, p: PermutationTest | SignFlipTest | None, interval: Interval | None
) -> dict[str, Any]:
    """Score, p-value and interval of a test, as fields of its row."""
    numbers: dict[str, Any] = {"score": score}
    if p is not None:
        numbers |= {"p_value": p.p_value, "p_low": p.p_low, "p_high": p.p_high, "p_method": p.method}
    if interval is not None:
        numbers |= {"ci_low": interval.low, "ci_high": interval.high, "ci_method": interval.method}
    return numbers


def single_test(
    score: float, p: PermutationTest, interval: Interval | None, splits_of: str, resampled: str
) -> dict[str, Any]:
    """The same as fields of the result."""
    numbers = row_numbers(score, p, interval)
    numbers["p_method"] += f" permutation test{splits_of}, {p.alternative}"
    if interval is not None:
        numbers["ci_method"] += f" bootstrap over {resampled}"
    return numbers


def mean_of_tests(
    scores: Sequence[float], intervals: Sequence[Interval | None], level: float
) -> dict[str, Any]:
    """The mean score of several tests with its interval; a p-value is each test's own, and none is the mean's."""
    numbers: dict[str, Any] = {"score": float(np.mean(scores))}
    if replicates := _replicates(intervals):
        means = np.mean(np.stack(replicates), axis=0)
        low, high = np.nanquantile(means, [(1 - level) / 2, (1 + level) / 2])
        # Replicates of a score that resampling shrinks can all lie on one side of it: that is no interval.
        if low <= numbers["score"] <= high:
            numbers |= _bounds(float(low), float(high), "percentile bootstrap of the mean over tests")
    return numbers


def _mean_absolute(
    splits: Sequence[Split],
    intervals: Sequence[Interval | None],
    highest: float,
    splits_of: str,
    inference: Inference,
) -> dict[str, Any]:
    found = mean_absolute_test(
        splits,
        n_resamples=inference.n_resamples,
        strict=inference.strict,
        seed=derive_seed("all tests", inference.seed),
    )
    numbers: dict[str, Any] = {
        "score": found.score,
        "score_range": (0.0, highest),
        "direction": "higher_is_more_biased",
        "ideal": round(found.null_mean, 3),  # as many digits as random splits give
        "p_value": found.p_value,
        "p_low": found.p_low,
        "p_high": found.p_high,
        "p_method": f"monte_carlo permutation test{splits_of}, of the mean |d| of {len(splits)} tests",
    }
    if replicates := _replicates(intervals):
        low, high = mean_absolute_interval(found.score, replicates, inference.level, highest)
        numbers |= _bounds(low, high, "percentile bootstrap of the mean |d| over tests, centred at the score")
    return numbers


def _bounds(low: float, high: float, method: str) -> dict[str, Any]:
    if not stats.has_width(low, high, TOLERANCE):
        return {"ci_method": f"none: {stats.NO_WIDTH}"}
    return {"ci_low": low, "ci_high": high, "ci_method": method}


def _replicates(intervals: Sequence[Interval | None]) -> list[Any]:
    """Scores of the bootstrap samples of every test; nothing where one has no interval, as then their mean has none."""
    found = [i.replicates for i in intervals if i is not None and i.replicates is not None]
    return found if len(found) == len(intervals) else []


def _row(record: MethodRecord, run: Run) -> Row:
    o = run.outcome

    def lines(name: str, **columns: Sequence[Any]) -> list[Facts]:
        facts = run.word_details.get(name, [{}] * run.n(name))
        return [
            {"word": word, "list": name, **dict(zip(columns, values, strict=True)), **more}
            for word, more, *values in zip(run.words[name], facts, *columns.values(), strict=True)
        ]

    facts = {
        "p_bracket": o.permutation.bracket,
        "n_partitions": o.permutation.n_partitions,
        "difference": o.difference,
        "sd": o.sd,
        "mean_x": float(o.associations_x.mean()),
        "mean_y": float(o.associations_y.mean()),
        **run.facts,
        "words": [
            *lines("targets_x", association=o.associations_x.tolist(), influence=o.influence["x"]),
            *lines("targets_y", association=o.associations_y.tolist(), influence=o.influence["y"]),
        ],
        "attributes": [
            *lines("attributes_a", influence=o.influence["a"]),
            *lines("attributes_b", influence=o.influence["b"]),
        ],
    }
    numbers = row_numbers(o.effect_size, o.permutation, o.interval)
    return row_of_test(record, run, facts, score_range=score_range([run.compared]), **numbers)
