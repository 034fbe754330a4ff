"""Effect sizes of association tests as the score of a method: its outcome, and what several of them say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...method import MethodRecord
from .association import AssociationOutcome
from .cosines import effect_size_bound
from .inference import Inference, derive_seed
from .inputs import LISTS
from .mean_absolute import TargetSplit, mean_absolute_interval, mean_absolute_test
from .results import Headline, TestOutcome, TestRun, bounds, mean_of_tests, replicates


def effect_size_range(n_x: int, n_y: int) -> tuple[float, float]:
    """Range of the effect size of groups of these sizes; -2 to 2 where they are equal, else wider."""
    bound = effect_size_bound(n_x, n_y, 0)
    return -bound, bound


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
    """An association test as the numbers of one test of a method.

    Args:
        outcome: of the association test.
        sizes: of the two sides that the effect size compares.
        facts: of the finding, beside difference and standard deviation; see :class:`TestOutcome`.
        row_facts: of the test's row, beside the means.
        word_columns: of every list, what is said of its words beside their association and influence.
        warnings: of the test.
        split: what a test of several tests together needs of this one.
    """
    columns: dict[str, dict[str, Sequence[Any]]] = {
        "targets_x": {"association": outcome.associations_x.tolist()},
        "targets_y": {"association": outcome.associations_y.tolist()},
        "attributes_a": {},
        "attributes_b": {},
    }
    for name, key in zip(LISTS, "xyab", strict=True):
        columns[name] |= {"influence": outcome.influence[key], **(word_columns or {}).get(name, {})}
    return TestOutcome(
        score=outcome.effect_size,
        interval=outcome.interval,
        permutation=outcome.permutation,
        score_range=effect_size_range(*sizes),
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
    """What a permutation test splits that splits the target words, each of a weight in the effect size."""
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

    def of_several(
        self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields of the finding, and further facts."""
        outcomes = [r.outcome for r in runs]
        numbers = {**mean_of_tests(outcomes, inference.level), "score_range": _mean_range(outcomes)}
        return numbers, {"n_tests": len(runs)}


class MeanAbsolute(Headline):
    """The mean of the absolute values of several effect sizes, so that opposite signs do not cancel."""

    def of_one(self, run: TestRun) -> tuple[dict[str, Any], dict[str, Any]]:
        """Fields of the finding, and further facts, of a single test: its own, with their sign."""
        fields, facts = super().of_one(run)
        fields["p_method"] += f", {run.outcome.permutation.alternative}"  # type: ignore[union-attr]
        return fields, facts

    def of_several(
        self, record: MethodRecord, runs: Sequence[TestRun], inference: Inference
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The same of several tests, with the mean absolute effect size of random splits as the ideal value."""
        outcomes = [r.outcome for r in runs]
        highest = _mean_range(outcomes)[1]
        found = mean_absolute_test(
            [o.split for o in outcomes if o.split is not None],
            n_resamples=inference.n_resamples,
            strict=inference.strict,
            seed=derive_seed("all tests", inference.seed),
        )
        fields: dict[str, Any] = {
            "score": found.score,
            "score_range": (0.0, highest),
            "direction": "higher_is_more_biased",
            "ideal": round(found.null_mean, 3),  # as many digits as random splits give
            "p_value": found.p_value,
            "p_low": found.p_low,
            "p_high": found.p_high,
            "p_method": f"monte_carlo {self.tested}, of the mean |d| of {len(runs)} tests",
        }
        if samples := replicates(outcomes):
            low, high = mean_absolute_interval(found.score, samples, inference.level, highest)
            fields |= bounds(
                low, high, "percentile bootstrap of the mean |d| over tests, centred at the score"
            )
        return fields, {
            "n_tests": len(runs),
            "mean_d": float(np.mean([o.score for o in outcomes])),
        }


def _mean_range(outcomes: Sequence[TestOutcome]) -> tuple[float, float]:
    """Range of the mean of several effect sizes."""
    highest = [o.score_range[1] for o in outcomes if o.score_range is not None]
    bound = sum(end for end in highest if end is not None) / len(outcomes)
    return -bound, bound
