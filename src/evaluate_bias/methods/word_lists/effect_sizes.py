"""Effect sizes of association tests as the score of a method: its outcome, and what several of them say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import stats
from ...method_record import MethodRecord
from ...stats import PermutationTest
from .association import AssociationOutcome, TargetSplit
from .cosines import TOLERANCE, effect_size_bound
from .inference import Inference, derive_seed
from .inputs import LISTS
from .results import Headline, Numbers, TestOutcome, TestRun, bounds, mean_of_tests, replicates, row_numbers


def mean_absolute_test(
    splits: Sequence[TargetSplit],
    *,
    n_resamples: int = stats.DRAWS,
    draw_on: bool = False,
    strict: bool = False,
    seed: int = 0,
) -> tuple[PermutationTest, float]:
    """Permutation test of the mean absolute effect size of several tests, and its mean over random splits.

    Every draw puts all words of all tests into one random order, and each test takes the first of its own words as one
    side. A word thus has the same place in every test, and tests on the same words are split the same way.

    Args:
        splits: one a test.
        n_resamples: number of draws.
        draw_on: draw ten times as many if the p-value lies within three of its errors of 5%.
        strict: count only draws above the observed mean. The default also counts equal ones.
        seed: of the draws.

    Examples:
        Two tests that point in opposite directions do not cancel:

        >>> up = TargetSplit(("p", "q", "r", "s"), 2, np.array([1.0, 1.0, -1.0, -1.0]), np.ones(4), (4 / 3) ** 0.5)
        >>> down = TargetSplit(("t", "u", "v", "w"), 2, np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4), (4 / 3) ** 0.5)
        >>> test, null_mean = mean_absolute_test([up, down], n_resamples=9_999)
        >>> round(test.statistic, 3), round(null_mean, 2), round(test.p_value, 2)  # exactly √3, √3/3 and 1/9
        (1.732, 0.58, 0.11)
    """
    place = {word: i for i, word in enumerate(sorted({w for split in splits for w in split.words}))}
    places = [np.array([place[word] for word in split.words]) for split in splits]
    score = float(np.mean([abs(s.effect_sizes(np.arange(s.n_x)[None])[0]) for s in splits]))
    tie = float(np.mean([TOLERANCE / s.sd for s in splits]))
    rng = np.random.default_rng(seed)
    total = 0.0

    def sample(n: int) -> int:
        nonlocal total
        extreme = 0
        for size in stats.batches(n, len(place)):
            order = rng.random((size, len(place)))
            means = np.mean(
                [np.abs(s.random_effect_sizes(order[:, p])) for s, p in zip(splits, places, strict=True)],
                axis=0,
            )
            extreme += int(np.count_nonzero(means > score + tie if strict else means >= score - tie))
            total += float(means.sum())
        return extreme

    extreme, n_draws = sample(n_resamples), n_resamples
    if draw_on:
        extreme, n_draws = stats.draw_on(extreme, n_draws, sample)
    test = PermutationTest.of_counts(score, extreme, n_draws, alternative="greater")
    return test, total / n_draws


def mean_absolute_interval(
    score: float, replicates: ArrayLike, confidence_level: float, highest: float
) -> tuple[float, float]:
    """Percentile interval of the mean absolute effect size, moved so that its replicates have the score as their mean.

    A bootstrap sample is on average further from 0 than the data, because it adds its own chance to theirs.

    Args:
        score: mean absolute effect size.
        replicates: effect sizes of bootstrap samples, shape (tests, samples), NaN if undefined.
        confidence_level: confidence level.
        highest: largest possible score. The interval ends there, and at 0.

    Examples:
        >>> low, high = mean_absolute_interval(1.0, [[-2.0, 1.0, 1.2], [0.0, -1.0, -1.4]], 0.95, 2.0)
        >>> round(low, 3), round(high, 3)
        (0.9, 1.185)
    """
    means = np.abs(np.asarray(replicates, dtype=np.float64)).mean(axis=0)
    ends = np.nanquantile(means, [(1 - confidence_level) / 2, (1 + confidence_level) / 2]) - (
        np.nanmean(means) - score
    )
    low, high = np.clip(ends, 0.0, highest)
    return float(low), float(high)


def effect_size_outcome(
    outcome: AssociationOutcome,
    sizes: tuple[int, int],
    *,
    facts: Mapping[str, Any] | None = None,
    row_facts: Mapping[str, Any] | None = None,
    word_columns: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    warnings: Sequence[str] = (),
    split: TargetSplit | None = None,
) -> TestOutcome:
    """Return an association test as the numbers of one test of a method.

    Args:
        outcome: of the association test.
        sizes: of the two sides that the effect size compares.
        facts: of the finding, next to difference and standard deviation, see :class:`TestOutcome`.
        row_facts: of the test's row, next to the means.
        word_columns: of every list, what is said of its words next to their association and influence.
        warnings: of the test.
        split: what a test of several tests together needs of this one.
    """
    columns: dict[str, dict[str, Sequence[Any]]] = {
        "targets_x": {"association": outcome.associations_x.tolist()},
        "targets_y": {"association": outcome.associations_y.tolist()},
    }
    for name, key in zip(LISTS, "xyab", strict=True):
        further = {"influence": outcome.influence[key], **(word_columns or {}).get(name, {})}
        columns[name] = columns.get(name, {}) | further
    bound = effect_size_bound(*sizes, 0)
    return TestOutcome(
        score=outcome.effect_size,
        interval=outcome.interval,
        permutation=outcome.permutation,
        score_range=(-bound, bound),
        facts={
            "difference": outcome.difference,
            "sd": outcome.sd,
            **({} if split is None else {"null_sd": split.null_sd}),
            **(facts or {}),
        },
        row_facts={
            "mean_x": float(outcome.associations_x.mean()),
            "mean_y": float(outcome.associations_y.mean()),
            **(row_facts or {}),
        },
        words=columns,
        warnings=warnings,
        split=split,
    )


def target_split(
    words: Mapping[str, tuple[str, ...]], outcome: AssociationOutcome, weights: ArrayLike | None = None
) -> TargetSplit:
    """Return what a permutation test splits that splits the target words, each of a weight in the effect size."""
    scores = np.concatenate([outcome.associations_x, outcome.associations_y])
    return TargetSplit(
        words=words["targets_x"] + words["targets_y"],
        n_x=len(words["targets_x"]),
        scores=scores,
        weights=np.ones(len(scores)) if weights is None else np.asarray(weights, dtype=np.float64),
        sd=outcome.sd,
    )


class EffectSizes(Headline):
    """The mean of several effect sizes, with their signs."""

    def of_several(self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference) -> Numbers:
        """Fields of the finding, and further facts."""
        outcomes = [r.outcome for r in runs]
        numbers = {
            **mean_of_tests(outcomes, inference.confidence_level),
            "score_range": _mean_range(outcomes),
        }
        return numbers, {"n_tests": len(runs)}


class MeanAbsolute(Headline):
    """The mean of the absolute values of several effect sizes, so that opposite signs do not cancel."""

    def of_one(self, run: TestRun) -> Numbers:
        """Fields of the finding, and further facts, of a single test: its own, with their sign."""
        fields, facts = super().of_one(run)
        if isinstance(test := run.outcome.permutation, PermutationTest):
            fields["p_method"] += f", {test.alternative}"
        return fields, facts

    def of_several(self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference) -> Numbers:
        """Return the same for several tests, with the mean absolute effect size of random splits as the ideal value."""
        outcomes = [r.outcome for r in runs]
        highest = _mean_range(outcomes)[1]
        test, null_mean = mean_absolute_test(
            [o.split for o in outcomes if o.split is not None],
            n_resamples=inference.n_resamples,
            draw_on=inference.p_method == "auto",
            strict=inference.strict,
            seed=derive_seed("all tests", inference.seed),
        )
        fields = {
            **row_numbers(test.statistic, test, None),
            "score_range": (0.0, highest),
            "direction": "higher_is_more_biased",
            "expected_by_chance": round(null_mean, 3),  # as many digits as random splits give
            "p_method": f"monte_carlo {self.tested}, of the mean |d| of {len(runs)} tests",
        }
        if samples := replicates(outcomes):
            low, high = mean_absolute_interval(test.statistic, samples, inference.confidence_level, highest)
            fields |= bounds(
                low, high, "percentile bootstrap of the mean |d| over tests, centred at the score"
            )
        return fields, {"n_tests": len(runs), "mean_d": float(np.mean([o.score for o in outcomes]))}


def _mean_range(outcomes: Sequence[TestOutcome]) -> tuple[float, float]:
    """Range of the mean of several effect sizes."""
    highest = [o.score_range[1] for o in outcomes if o.score_range is not None]
    bound = sum(end for end in highest if end is not None) / len(outcomes)
    return -bound, bound
