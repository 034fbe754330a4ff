"""RND: are attributes nearer to one group of words than to another? (Garg, Schiebinger, Jurafsky and Zou 2018)

:func:`relative_distances` works on arrays; :func:`evaluate` takes a model and word lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.schemas import WordListTest, as_word_list_test
from ....method import Finding, method
from ....models.base import WordEmbedder
from ....result import Row, Skipped
from ....stats import Interval, PermutationTest
from ...association_inputs import (
    LISTS,
    Found,
    caveats,
    check_lists,
    derive_seed,
    error_context,
    forms_of,
    headline_of,
    interval_notes,
    look_up,
    parsed_tests,
)
from ...association_result import finding_of_tests, mean_of_tests, row_numbers, row_of_test, single_test
from ...comparison import Alternative, IntervalKind
from .record import RECORD
from .statistics import Distance, Vectors, permutation_test, relative_distances

__all__ = ["Distance", "evaluate", "relative_distances"]


_READ = LISTS[:3]
"""The lists that the score reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One test that was run."""

    test: WordListTest
    found: Mapping[str, Found]
    distances: FloatArray
    permutation: PermutationTest
    interval: Interval | None
    facts: Mapping[str, Any]
    warnings: Sequence[str]

    @property
    def score(self) -> float:
        return float(self.distances.mean())

    @property
    def words(self) -> dict[str, tuple[str, ...]]:
        return {name: some.words for name, some in self.found.items()}

    @property
    def asked(self) -> dict[str, int]:
        return {name: some.asked for name, some in self.found.items()}

    @property
    def skipped(self) -> list[Skipped]:
        return [s for some in self.found.values() for s in some.skipped]


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    distance: Distance = "norm",
    normalize: bool = False,
    alternative: Alternative = "two-sided",
    n_resamples: int = 99_999,
    ci: IntervalKind = "bca",
    ci_resamples: int = 9_999,
    level: float = 0.95,
    max_missing: float = 0.2,
    seed: int = 0,
) -> Finding:
    """Run RND on word vectors.

    The distance of every word of the first attributes to the mean vector of the first targets, less its distance to the
    mean vector of the second, averaged over these words. The second attributes are left out of it; where a test has
    them, ``estimates["rnd_b"]`` is the same value for them. With several tests the score is the mean of theirs.
    Controls (``bias_type`` "none") are left out of it, unless there is nothing else.

    Words are matched as the model's case and accent policy says. A word repeated within a list counts once; a word in
    both target lists is refused.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        distance: ``"norm"`` (Euclidean distance) or ``"cosine"`` (1 - cos).
        normalize: scale every word vector to length 1 first.
        alternative: ``"two-sided"``, ``"greater"`` (attributes nearer to the second targets) or ``"less"``.
        n_resamples: number of random splits of the targets; where there are no more splits than that, all are counted.

    Returns:
        Score RND in the unit of the vectors, two-sided, ideal 0; from -2 to 2 with ``distance="cosine"``, or where the
        vectors have length 1. Positive when the attributes are nearer to the second targets. ``n`` is the number of
        target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a list is empty, or a mean vector is zero with ``distance="cosine"``.

    References:
        Garg, Schiebinger, Jurafsky and Zou (2018): Word embeddings quantify 100 years of gender and ethnic stereotypes.
        PNAS 115(16), E3635-E3644.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 1.0], "her": [1.0, -1.0], "he": [0.0, 3.0], "him": [0.0, 1.0],
        ...            "nurse": [4.0, 2.0], "carer": [1.0, 0.5]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she", "her"], "targets_y": ["he", "him"],
        ...     "attributes_a": ["nurse", "carer"]}])
        >>> round(result.score, 3), round(result.p_value, 3), result.n
        (-0.849, 0.333, 4)
    """
    parsed = parsed_tests("rnd", tests, _with_second_attributes)
    runs = []
    for test in parsed:
        found, warnings = _embed(model, test, max_missing)
        skipped = [s for some in found.values() for s in some.skipped]
        sets = {name: _scaled(some.vectors, normalize) for name, some in found.items()}
        vectors = Vectors(x=sets["targets_x"], y=sets["targets_y"], a=sets["attributes_a"], distance=distance)
        own_seed = derive_seed(test.name, seed)
        with error_context(test.name, skipped):
            distances = relative_distances(vectors.x, vectors.y, vectors.a, distance=distance)
            permutation, centre = permutation_test(vectors, alternative, n_resamples, own_seed)
            interval = None if ci == "none" else _interval(vectors, ci, ci_resamples, level, own_seed)
            facts = {"mean_of_splits": centre}
            if "attributes_b" in sets:
                of_b = relative_distances(vectors.x, vectors.y, sets["attributes_b"], distance=distance)
                facts["rnd_b"] = float(of_b.mean())
        runs.append(
            _Run(
                test=test,
                found=found,
                distances=distances,
                permutation=permutation,
                interval=interval,
                facts=facts,
                warnings=[*warnings, *interval_notes(test.name, interval)],
            )
        )
    reported, _ = headline_of(runs)
    scores, tests_, intervals = zip(*((r.score, r.permutation, r.interval) for r in reported), strict=True)
    if len(reported) == 1:
        headline = single_test(
            scores[0], tests_[0], intervals[0], " of the targets", "targets and attributes"
        )
        facts = dict(reported[0].facts)
    else:
        headline, facts = mean_of_tests(scores, tests_, intervals, level), {"n_tests": len(reported)}
        if all("rnd_b" in r.facts for r in reported):
            facts["rnd_b"] = float(np.mean([r.facts["rnd_b"] for r in reported]))
    # Two means of unit vectors lie at most 2 apart, and so does 1 - cos of two vectors.
    score_range = (-2.0, 2.0) if normalize or distance == "cosine" else (None, None)
    rows = [_row(r, score_range) for r in runs]
    return finding_of_tests(RECORD, runs, rows, facts, ci, score_range=score_range, **headline)


def _with_second_attributes(test: WordListTest | Mapping[str, Any]) -> WordListTest:
    if isinstance(test, Mapping) and test.get("attributes_b") is None:
        test = {**test, "attributes_b": ()}
    return as_word_list_test(test)


def _embed(model: WordEmbedder, test: WordListTest, max_missing: float) -> tuple[dict[str, Found], list[str]]:
    """The words of the lists that the test has, and what a reader must know of them."""
    forms = {name: forms_of(model, getattr(test, name)) for name in LISTS}
    check_lists(test, forms, needed=_READ)
    found = {
        name: look_up(model, getattr(test, name), forms[name], f"{test.name}/{name}", max_missing)
        for name in LISTS
        if getattr(test, name)
    }
    sizes = {name: len(found[name].words) for name in _READ}
    warnings = caveats(
        test.name, {**forms, "attributes_b": {}}, {**sizes, "attributes_b": 0}, itself="so part of a mean"
    )
    if sizes["targets_x"] != sizes["targets_y"]:
        warnings.append(
            f"{test.name}: target lists of {sizes['targets_x']} and {sizes['targets_y']} words, whose score is not 0 "
            "by chance; the row's mean of splits says what it is"
        )
    return found, warnings


def _scaled(vectors: NDArray[Any], normalize: bool) -> FloatArray:
    array = np.asarray(vectors, dtype=np.float64)
    return array / np.linalg.norm(array, axis=1, keepdims=True) if normalize else array


def _interval(vectors: Vectors, ci: Any, n_resamples: int, level: float, seed: int) -> Interval:
    sizes = (len(vectors.x), len(vectors.y), len(vectors.a))
    return stats.bootstrap_ci(
        sizes,
        vectors.resampled,
        method=ci,
        n_resamples=n_resamples,
        level=level,
        seed=seed,
        resample=[size > 1 for size in sizes],
        batch=vectors.batch(sum(sizes)),
        keep_replicates=True,
    )


def _row(run: _Run, score_range: tuple[float | None, float | None]) -> Row:
    d = run.distances
    # By how much the score falls when the attribute is left out.
    influence = [None] if len(d) == 1 else [float(d.mean() - (d.sum() - v) / (len(d) - 1)) for v in d]
    facts = {
        **run.facts,
        "p_bracket": run.permutation.bracket,
        "n_partitions": run.permutation.n_partitions,
        "attributes": [
            {"word": word, "list": "attributes_a", "distance": float(value), "influence": fall}
            for word, value, fall in zip(run.words["attributes_a"], d, influence, strict=True)
        ],
    }
    numbers = row_numbers(run.score, run.permutation, run.interval)
    return row_of_test(RECORD, run, facts, score_range=score_range, **numbers)
