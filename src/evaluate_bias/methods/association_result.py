"""What association tests share after their arithmetic: what one or several tests found, and a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import stats
from ..data.caveats import is_control
from ..method import Finding, MethodRecord
from ..result import Coverage, Estimate, Row, Skipped
from .association_headline import Split, mean_absolute_interval, mean_absolute_test
from .association_inputs import LISTS, derive_seed, headline_of, shared_words
from .comparison import AssociationTest, Inference
from .cosine_association import effect_size_bound

if TYPE_CHECKING:
    from ..data.schemas import WordListTest
    from ..stats import PermutationTest, SignFlipTest

__all__ = [
    "Run",
    "association_result",
    "estimates_and_details",
    "row_of_test",
    "score_range",
    "smallest_holm",
    "target_split",
]


@dataclass(frozen=True, slots=True)
class Run:
    """One test that was run.

    Attributes:
        test: the test.
        words: for each of the four lists, the words that were found, in the order of the outcome's associations.
        asked: for each list, the number of words asked for.
        outcome: the test's numbers, one association and influence per word.
        skipped, warnings: what was left out, and what a reader must know.
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
    """What a permutation test splits that splits the target words.

    Args:
        words: the words of each list.
        outcome: the test's numbers.
        weights: weight of every target word in the effect size, those of X first; alike by default.
    """
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
    """Say what one or several tests found.

    Controls are left out of score, interval, p-value and ``n``, unless there is nothing else.

    Args:
        record: of the method.
        runs: the tests.
        inference: how their p-values and intervals were made.
        settings: of the result, where they differ from the options of the call; the names of the tests are added.
        splits_of: what the permutation test splits, where that is not the words.
        resampled: what the bootstrap resamples.
    """
    reported, notes = headline_of(runs)
    splits = [r.split for r in reported if r.split is not None]
    if len(reported) == 1:
        headline, facts = _single(reported[0], splits_of, resampled)
    elif len(splits) == len(reported):
        headline, facts = _mean_absolute(reported, splits, splits_of, inference)
        holm = stats.holm([r.outcome.permutation.p_value for r in runs])
        names = {r.test.name for r in reported}
        facts["p_holm"] = min(float(p) for r, p in zip(runs, holm, strict=True) if r.test.name in names)
    else:
        headline, facts = _mean(reported, splits_of, inference.level)
    estimates, details = estimates_and_details(record, facts)
    return Finding(
        **headline,
        n=sum(r.n("targets_x") + r.n("targets_y") for r in reported),
        coverage=Coverage(
            found=sum(r.n(name) for r in runs for name in LISTS),
            asked=sum(r.asked[name] for r in runs for name in LISTS),
        ),
        rows=[_row(record, r) for r in runs],
        skipped=[s for r in runs for s in r.skipped],
        warnings=[
            *notes,
            *(w for r in runs for w in r.warnings),
            *shared_words([r.test for r in reported], inference.ci),
        ],
        estimates=estimates,
        details=details,
        settings={**(settings or {}), "tests": [r.test.name for r in runs]},
    )


def estimates_and_details(
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


def row_of_test(
    record: MethodRecord,
    test: WordListTest,
    words: Mapping[str, Sequence[str]],
    skipped: Sequence[Skipped],
    facts: Mapping[str, Any],
    **numbers: Any,
) -> Row:
    """The row of a test.

    Args:
        record: of the method.
        test: the test.
        words: for each list, the words that were scored.
        skipped: what was left out.
        facts: secondary values and details.
        numbers: further fields of the row.
    """
    labels = {key: getattr(test, key) for key in ("title", "language", "origin", "bias_type")}
    labels |= {key: getattr(test, f"{key}_label") for key in "xyab"}
    sizes = {f"n_{key}": len(words[name]) for key, name in zip("xyab", LISTS, strict=True)}
    # A repeated word is listed as skipped too, but it was scored once, so it is not missing.
    scored = {(name, word) for name in LISTS for word in words[name]}
    missing = {(s.where.rpartition("/")[2], s.item) for s in skipped} - scored
    found = sum(sizes.values())
    estimates, details = estimates_and_details(record, facts)
    return Row(
        name=test.name,
        kind="test",
        n=sizes["n_x"] + sizes["n_y"],
        ideal=numbers.pop("ideal", record.ideal),
        coverage=Coverage(found, found + len(missing)),
        labels=labels,
        estimates=estimates,
        details={
            **details,
            **sizes,
            "skipped": [s.to_dict() for s in skipped],
            "control": is_control(test.bias_type),
        },
        **numbers,
    )


def _p(permutation: PermutationTest) -> dict[str, Any]:
    return {"p_value": permutation.p_value, "p_low": permutation.p_low, "p_high": permutation.p_high}


def smallest_holm(permutations: Sequence[PermutationTest | SignFlipTest]) -> dict[str, float]:
    """The smallest Holm-adjusted p-value of several tests, with its bounds."""
    return {
        key: float(stats.holm([getattr(p, key) for p in permutations]).min())
        for key in ("p_value", "p_low", "p_high")
    }


def _single(run: Run, splits_of: str, resampled: str) -> tuple[dict[str, Any], dict[str, Any]]:
    p, interval = run.outcome.permutation, run.outcome.interval
    headline = {
        "score": run.outcome.effect_size,
        "score_range": score_range([run.compared]),
        **_p(p),
        "p_method": f"{p.method} permutation test{splits_of}, {p.alternative}",
    }
    if interval is not None:
        headline |= {
            "ci_low": interval.low,
            "ci_high": interval.high,
            "ci_method": f"{interval.method} bootstrap over {resampled}",
        }
    return headline, {"difference": run.outcome.difference, "sd": run.outcome.sd, **run.facts}


def _mean_absolute(
    runs: Sequence[Run], splits: Sequence[Split], splits_of: str, inference: Inference
) -> tuple[dict[str, Any], dict[str, Any]]:
    _, highest = score_range([r.compared for r in runs])
    found = mean_absolute_test(
        splits,
        n_resamples=inference.n_resamples,
        strict=inference.strict,
        seed=derive_seed("all tests", inference.seed),
    )
    headline: dict[str, Any] = {
        "score": found.score,
        "score_range": (0.0, highest),
        "direction": "higher_is_more_biased",
        # As many digits as random splits give.
        "ideal": round(found.null_mean, 3),
        "p_value": found.p_value,
        "p_low": found.p_low,
        "p_high": found.p_high,
        "p_method": f"monte_carlo permutation test{splits_of}, of the mean |d| of {len(runs)} tests",
    }
    if replicates := _replicates(runs):
        low, high = mean_absolute_interval(found.score, replicates, inference.level, highest)
        headline |= {
            "ci_low": low,
            "ci_high": high,
            "ci_method": "percentile bootstrap of the mean |d| over tests, centred at the score",
        }
    return headline, {
        "n_tests": len(runs),
        "mean_d": float(np.mean([r.outcome.effect_size for r in runs])),
    }


def _replicates(runs: Sequence[Run]) -> list[Any]:
    """Effect sizes of the bootstrap samples of every test, nothing without intervals."""
    return [
        r.outcome.interval.replicates
        for r in runs
        if r.outcome.interval is not None and r.outcome.interval.replicates is not None
    ]


def _mean(runs: Sequence[Run], splits_of: str, level: float) -> tuple[dict[str, Any], dict[str, Any]]:
    headline: dict[str, Any] = {
        "score": float(np.mean([r.outcome.effect_size for r in runs])),
        "score_range": score_range([r.compared for r in runs]),
        **smallest_holm([r.outcome.permutation for r in runs]),
        "p_method": f"smallest of {len(runs)} Holm-adjusted permutation p-values{splits_of}",
    }
    if replicates := _replicates(runs):
        means = np.mean(np.stack(replicates), axis=0)
        low, high = np.nanquantile(means, [(1 - level) / 2, (1 + level) / 2])
        headline |= {
            "ci_low": float(low),
            "ci_high": float(high),
            "ci_method": "percentile bootstrap of the mean over tests",
        }
    return headline, {"n_tests": len(runs)}


def _row(record: MethodRecord, run: Run) -> Row:
    o = run.outcome

    def lines(name: str, **columns: Sequence[Any]) -> list[dict[str, Any]]:
        facts = run.word_details.get(name, [{}] * run.n(name))
        return [
            {"word": word, "list": name, **dict(zip(columns, values, strict=True)), **more}
            for word, more, *values in zip(run.words[name], facts, *columns.values(), strict=True)
        ]

    return row_of_test(
        record,
        run.test,
        run.words,
        run.skipped,
        {
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
        },
        score=o.effect_size,
        score_range=score_range([run.compared]),
        ci_low=o.interval.low if o.interval else None,
        ci_high=o.interval.high if o.interval else None,
        ci_method=o.interval.method if o.interval else "",
        **_p(o.permutation),
        p_method=o.permutation.method,
    )
