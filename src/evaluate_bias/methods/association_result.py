"""What WEAT, SEAT and CEAT share after their arithmetic: the result of one or several tests and its breakdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .. import stats
from ..data.caveats import is_control
from ..provenance import software_versions
from ..result import Coverage, Result, Skipped
from .association_headline import Split, mean_absolute_interval, mean_absolute_test
from .association_inputs import LISTS, headline_of, seed_of, shared_words
from .cosine_association import AssociationTest, effect_size_bound

if TYPE_CHECKING:
    from ..data.schemas import WordListTest

__all__ = ["Run", "association_result", "described", "provenance_of", "score_range", "target_split"]


@dataclass(frozen=True, slots=True)
class Run:
    """One test that was run.

    Attributes:
        test: the test.
        words: for each of the four lists, the words that were found, in the order of the outcome's associations.
        asked: for each list, the number of words asked for.
        outcome: the test's numbers, one association and influence a word.
        skipped, warnings: what was left out, and what a reader must know.
        extra: further facts for the test's row of the breakdown.
        of_words: for each list, further facts for each word's row.
        split: what the permutation test splits; ``None`` where several tests are not combined by their mean absolute
            effect size.
    """

    test: WordListTest
    words: Mapping[str, tuple[str, ...]]
    asked: Mapping[str, int]
    outcome: AssociationTest
    skipped: Sequence[Skipped]
    warnings: Sequence[str]
    extra: Mapping[str, Any] = field(default_factory=dict)
    of_words: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    split: Split | None = None

    def n(self, name: str) -> int:
        """Number of words found of a list."""
        return len(self.words[name])


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
    method: str,
    provenance: Mapping[str, Any],
    runs: Sequence[Run],
    *,
    settings: Mapping[str, Any],
    level: float,
    ci: str,
    splits_of: str = "",
    resampled: str = "targets and attributes",
) -> Result:
    """Make the result of one or several tests.

    Controls are left out of score, interval, p-value and ``n``, unless there is nothing else.

    Args:
        method: name of the method.
        provenance: of model and software, see :func:`provenance_of`.
        runs: the tests.
        settings: the options of the call; the names of the tests are added.
        level: confidence level.
        ci: kind of interval.
        splits_of: what the permutation test splits, where that is not the words.
        resampled: what the bootstrap resamples.
    """
    p_values = [r.outcome.permutation.p_value for r in runs]
    holm, bh = stats.holm(p_values), stats.benjamini_hochberg(p_values)
    items = tuple(_item(r, p_h, p_b) for r, p_h, p_b in zip(runs, holm, bh, strict=True))
    told, notes = headline_of(runs)
    splits = [r.split for r in told if r.split is not None]
    if len(told) == 1:
        headline = _single(told[0], splits_of, resampled)
    elif len(splits) == len(told):
        headline = _mean_absolute(told, splits, splits_of, settings, level)
        names = {r.test.name for r in told}
        headline["extra"]["p_holm"] = min(i["p_holm"] for i in items if i["name"] in names)
    else:
        headline = _mean(told, splits_of, level)
    return Result(
        method=method,
        n=sum(r.n("targets_x") + r.n("targets_y") for r in told),
        coverage=Coverage(
            found=sum(r.n(name) for r in runs for name in LISTS),
            asked=sum(r.asked[name] for r in runs for name in LISTS),
        ),
        items=items,
        skipped=tuple(s for r in runs for s in r.skipped),
        warnings=(*notes, *(w for r in runs for w in r.warnings), *shared_words([r.test for r in told], ci)),
        settings={**settings, "tests": [r.test.name for r in runs]},
        provenance=provenance,
        **headline,
    )


def _compared(run: Run) -> tuple[int, int]:
    """Numbers of what the effect size compares: of sentences, where each word has its own, else of words."""
    return (
        run.extra.get("sentences_x", run.n("targets_x")),
        run.extra.get("sentences_y", run.n("targets_y")),
    )


def provenance_of(model: Any) -> dict[str, Any]:
    """Identity of the model, and versions of the software."""
    return {"model": dict(model.provenance()), "versions": software_versions()}


def described(test: WordListTest) -> dict[str, Any]:
    """What a test's row of the breakdown says of the test itself."""
    return {
        "name": test.name,
        "title": test.title,
        "language": test.language,
        "x": test.x_label,
        "y": test.y_label,
        "a": test.a_label,
        "b": test.b_label,
    }


def _single(run: Run, splits_of: str, resampled: str) -> dict[str, Any]:
    p, interval = run.outcome.permutation, run.outcome.interval
    return {
        "score": run.outcome.effect_size,
        "score_range": score_range([_compared(run)]),
        "direction": "two_sided",
        "ideal": 0.0,
        "p_value": p.p_value,
        "p_low": p.p_low,
        "p_high": p.p_high,
        "p_method": f"{p.method} permutation test{splits_of}, {p.alternative}",
        "extra": {"difference": run.outcome.difference, "sd": run.outcome.sd, **run.extra},
        **(
            {}
            if interval is None
            else {
                "ci_low": interval.low,
                "ci_high": interval.high,
                "ci_level": interval.level,
                "ci_method": f"{interval.method} bootstrap over {resampled}",
            }
        ),
    }


def _mean_absolute(
    runs: Sequence[Run], splits: Sequence[Split], splits_of: str, settings: Mapping[str, Any], level: float
) -> dict[str, Any]:
    _, highest = score_range([_compared(r) for r in runs])
    found = mean_absolute_test(
        splits,
        n_resamples=settings["n_resamples"],
        strict=settings["strict"],
        seed=seed_of("all tests", settings["seed"]),
    )
    out: dict[str, Any] = {
        "score": found.score,
        "score_range": (0.0, highest),
        "direction": "higher_is_more_biased",
        # As many digits as random splits give.
        "ideal": round(found.null_mean, 3),
        "p_value": found.p_value,
        "p_low": found.p_low,
        "p_high": found.p_high,
        "p_method": f"monte_carlo permutation test{splits_of}, of the mean |d| of {len(runs)} tests",
        "extra": {
            "n_tests": len(runs),
            "mean_d": float(np.mean([r.outcome.effect_size for r in runs])),
        },
    }
    replicates = _replicates(runs)
    if replicates:
        low, high = mean_absolute_interval(found.score, replicates, level, highest)
        out |= {
            "ci_low": low,
            "ci_high": high,
            "ci_level": level,
            "ci_method": "percentile bootstrap of the mean |d| over tests, centred at the score",
        }
    return out


def _replicates(runs: Sequence[Run]) -> list[Any]:
    """Effect sizes of the bootstrap samples of every test, nothing without intervals."""
    return [
        r.outcome.interval.replicates
        for r in runs
        if r.outcome.interval is not None and r.outcome.interval.replicates is not None
    ]


def _mean(runs: Sequence[Run], splits_of: str, level: float) -> dict[str, Any]:
    permutations = [r.outcome.permutation for r in runs]
    out: dict[str, Any] = {
        "score": float(np.mean([r.outcome.effect_size for r in runs])),
        "score_range": score_range([_compared(r) for r in runs]),
        "direction": "two_sided",
        "ideal": 0.0,
        "p_value": float(stats.holm([p.p_value for p in permutations]).min()),
        "p_low": float(stats.holm([p.p_low for p in permutations]).min()),
        "p_high": float(stats.holm([p.p_high for p in permutations]).min()),
        "p_method": f"smallest of {len(runs)} Holm-adjusted permutation p-values{splits_of}",
        "extra": {"n_tests": len(runs)},
    }
    replicates = _replicates(runs)
    if replicates:
        means = np.mean(np.stack(replicates), axis=0)
        low, high = np.nanquantile(means, [(1 - level) / 2, (1 + level) / 2])
        out |= {
            "ci_low": float(low),
            "ci_high": float(high),
            "ci_level": level,
            "ci_method": "percentile bootstrap of the mean over tests",
        }
    return out


def _item(run: Run, p_holm: float, p_bh: float) -> dict[str, Any]:
    t, o = run.test, run.outcome

    def rows(name: str, **columns: Sequence[Any]) -> list[dict[str, Any]]:
        facts = run.of_words.get(name, [{}] * run.n(name))
        return [
            {"word": word, "list": name, **dict(zip(columns, values, strict=True)), **more}
            for word, more, *values in zip(run.words[name], facts, *columns.values(), strict=True)
        ]

    return {
        **described(t),
        "effect_size": o.effect_size,
        "ideal": 0.0,
        "score_range": score_range([_compared(run)]),
        "ci_low": o.interval.low if o.interval else None,
        "ci_high": o.interval.high if o.interval else None,
        "p_value": o.permutation.p_value,
        "p_low": o.permutation.p_low,
        "p_high": o.permutation.p_high,
        "p_method": o.permutation.method,
        "p_bracket": o.permutation.bracket,
        "ci_method": o.interval.method if o.interval else None,
        "p_holm": float(p_holm),
        "p_bh": float(p_bh),
        "n_partitions": o.permutation.n_partitions,
        "difference": o.difference,
        "sd": o.sd,
        "mean_x": float(o.associations_x.mean()),
        "mean_y": float(o.associations_y.mean()),
        **{f"n_{key}": run.n(name) for key, name in zip("xyab", LISTS, strict=True)},
        **run.extra,
        "words": [
            *rows("targets_x", association=o.associations_x.tolist(), influence=o.influence["x"]),
            *rows("targets_y", association=o.associations_y.tolist(), influence=o.influence["y"]),
        ],
        "attributes": [
            *rows("attributes_a", influence=o.influence["a"]),
            *rows("attributes_b", influence=o.influence["b"]),
        ],
        "skipped": [s.to_dict() for s in run.skipped],
        "origin": t.origin,
        "bias_type": t.bias_type,
        "control": is_control(t.bias_type),
    }
