"""Gaps between true positive rates, and pronouns and coreference by the stereotypes of professions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from evaluate_bias import Result, measure
from evaluate_bias.methods.downstream.tpr_gap.statistics import gaps

from . import Draw, Situation, effect, null, of_method, of_result

FAST = {"n_resamples": 999, "ci_resamples": 999}
PROFESSIONS, EACH = 40, 18


def _tpr_gap(members: tuple[int, ...], rates: np.ndarray[Any, Any]) -> Callable[[np.random.Generator], Draw]:
    """Classes with these true positive rates, shape (classes, groups); the interval is for the expected score."""
    totals = np.tile(np.array(members), (len(rates), 1))

    @functools.cache
    def expected() -> float:
        drawn = np.random.default_rng(0).binomial(totals, rates, size=(20_000, *totals.shape))
        return float(gaps(drawn, totals).mean())

    def draw(rng: np.random.Generator) -> Draw:
        hits = rng.binomial(totals, rates)
        rows = [
            {"references": f"c{c}", "predictions": f"c{c}" if i < hits[c, g] else "other", "groups": f"g{g}"}
            for c in range(len(rates))
            for g, n in enumerate(members)
            for i in range(n)
        ]
        return of_result(measure("tpr_gap", None, data=rows, **FAST), expected())

    return draw


def _rates(classes: int, groups: int, gap: float = 0.0) -> np.ndarray[Any, Any]:
    rates = np.full((classes, groups), 0.7)
    rates[: classes // 2, 0] += gap / 2
    rates[: classes // 2, -1] -= gap / 2
    return rates


def _rate_parts(table: np.ndarray[Any, Any], rate: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Hits and totals by class and group of tables of true class, prediction and group, shape (…, y, p, g)."""
    right, picked = np.einsum("...ccg->...cg", table), table.sum(axis=-3)
    members, every = table.sum(axis=-2), table.sum(axis=(-3, -2))[..., None, :]
    return {
        "fpr": (picked - right, every - members),
        "selection": (picked, np.broadcast_to(every, picked.shape)),
        "precision": (right, picked),
        "accuracy": (right.sum(axis=-2, keepdims=True), every),
    }[rate]


def _rate_gap(rate: str, members: tuple[tuple[int, ...], ...], shift: float = 0.0) -> Callable[..., Draw]:
    """Classes with so many ``members`` on average in each group, shape (groups, classes), 70% of them predicted right.

    In the first group ``shift`` of the predictions go to the first class, whatever they would have been.
    """
    n = np.array(members)
    classes = n.shape[1]
    right = np.full((classes, classes), 0.3 / (classes - 1)) + (0.7 - 0.3 / (classes - 1)) * np.eye(classes)
    by_group = [(1 - s) * right + s * np.eye(classes)[0] for s in (shift, *[0.0] * (len(n) - 1))]

    def tables(rng: np.random.Generator, size: int) -> np.ndarray[Any, Any]:
        drawn = [
            rng.multinomial(own.sum(), (share * own[:, None] / own.sum()).ravel(), size=size)
            for own, share in zip(n, by_group, strict=True)
        ]
        return np.stack(drawn, axis=-1).reshape(size, classes, classes, len(n))

    @functools.cache
    def expected() -> float:
        hits, totals = _rate_parts(tables(np.random.default_rng(0), 20_000), rate)
        return float(np.ptp(hits / np.maximum(totals, 1), axis=-1).mean())

    def draw(rng: np.random.Generator) -> Draw:
        rows = [
            {"references": f"c{y}", "predictions": f"c{p}", "groups": f"g{g}"}
            for (y, p, g), count in np.ndenumerate(tables(rng, 1)[0])
            for _ in range(count)
        ]
        return of_result(measure("tpr_gap", None, data=rows, rate=rate, **FAST), expected())

    return draw


def _of_people(
    people: int, each: int, gap: float = 0.0, by_cluster: bool = True
) -> Callable[[np.random.Generator], Draw]:
    """Four classes, ``people`` in either group of each with ``each`` rows that are recognised together or not.

    The rate of a person varies by 1.5 in log-odds; in half of the classes that of the first group is ``gap`` higher.
    """

    def rows_of(rng: np.random.Generator, size: int) -> np.ndarray[Any, Any]:
        centre = np.full((4, 2, 1), 0.85)
        centre[:2, 0] += gap
        odds = rng.normal(centre, 1.5, (size, 4, 2, people))
        return rng.binomial(each, 1 / (1 + np.exp(-odds)))

    @functools.cache
    def expected() -> float:
        rates = rows_of(np.random.default_rng(0), 4_000).sum(axis=-1) / (people * each)
        return float(np.ptp(rates, axis=-1).mean())

    def draw(rng: np.random.Generator) -> Draw:
        rows = [
            {"references": f"c{c}", "predictions": f"c{c}" if i < hits else "other", "groups": f"g{g}"}
            | ({"cluster": f"{c} {g} {person}"} if by_cluster else {})
            for (c, g, person), hits in np.ndenumerate(rows_of(rng, 1)[0])
            for i in range(each)
        ]
        return of_result(measure("tpr_gap", None, data=rows, **FAST), expected())

    return draw


def _pronouns(rng: np.random.Generator, spread: float, effect: float, n: int = PROFESSIONS) -> Result:
    """Log-odds of the female pronoun: of a profession by chance, and an effect of its stereotype."""
    female = np.arange(n) % 2 == 0
    odds = rng.normal(0.0, spread, n) + np.where(female, effect, -effect)
    delta = np.where(rng.random((n, EACH)) < 1 / (1 + np.exp(-odds[:, None])), 1.0, -1.0)
    rows = [
        {
            "sentence_female": d,
            "sentence_male": 0.0,
            "stereotype": "female" if female[p] else "male",
            "profession": f"p{p}",
        }
        for p in range(n)
        for d in delta[p].tolist()
    ]
    return measure("winobias", None, data=rows, **FAST)


@functools.cache
def _true_stereotype(spread: float, effect: float) -> float:
    """Of infinitely many professions: half of the predictions are male, so all F1 are shares of pairs."""
    odds = effect + spread * np.random.default_rng(0).normal(size=1_000_000)
    return float(100 * (2 * (1 / (1 + np.exp(-odds))).mean() - 1))


def _stereotype(spread: float, effect: float = 0.0, key: str = "") -> Callable[[np.random.Generator], Draw]:
    def draw(rng: np.random.Generator) -> Draw:
        result = _pronouns(rng, spread, effect)
        if key:
            return Draw(result.estimates[key].value, None, None, None)
        return of_result(result, _true_stereotype(spread, effect))

    return draw


def _coreference(spread: float, gap: float = 0.0) -> Callable[[np.random.Generator], Draw]:
    """Accuracy 70%, on anti-stereotypical sentences less by ``gap``, and by chance better for one pronoun."""

    def draw(rng: np.random.Generator) -> Draw:
        shift = rng.normal(0.0, spread, PROFESSIONS).clip(-0.25, 0.25)
        rows = []
        for p in range(PROFESSIONS):
            for _ in range(EACH):
                pro, anti = rng.random(2) < np.clip([0.7 + shift[p], 0.7 - shift[p] - gap], 0, 1)
                rows.append(
                    {
                        "stereotype": "female",
                        "profession": f"p{p}",
                        "prediction_female": f"p{p}" if pro else "other",
                        "prediction_male": f"p{p}" if anti else "other",
                    }
                )
        return of_result(measure("winobias", None, data=rows, variant="coreference", **FAST), 100 * gap)

    return draw


_SIZES = "40 professions, 18 pairs each"

_WIDE = (
    "where gaps are hardly larger than chance makes them, bootstrapped gaps spread more than the score does"
)
_FOLDED = "the gap of one class: where it comes out near 0 by chance, bootstrapped gaps spread less than the score does"

SITUATIONS = (
    *of_method(
        "tpr_gap",
        null(
            "no gap; 8 classes, 20 members in either group",
            _tpr_gap((20, 20), _rates(8, 2)),
            misses=_WIDE,
            runs=1_000,
        ),
        null(
            "no gap; 8 classes, 40, 15 and 8 members in three groups",
            _tpr_gap((40, 15, 8), _rates(8, 3)),
            misses=_WIDE,
            runs=1_000,
        ),
        effect(
            "gaps of 0.2 in half of 8 classes, 20 members in either group",
            _tpr_gap((20, 20), _rates(8, 2, 0.2)),
            misses=_WIDE,
            runs=1_000,
        ),
        effect(
            "gaps of 0.2 in half of 8 classes, 100 members in either group",
            _tpr_gap((100, 100), _rates(8, 2, 0.2)),
            runs=1_000,
        ),
        *(
            Situation(
                f'`rate="{rate}"`, {what}; 4 classes of 40 and 20 members',
                kind,
                _rate_gap(rate, ((40,) * 4, (20,) * 4), shift),
                misses=_WIDE if not shift else _FOLDED if rate == "accuracy" else "",
            )
            for rate in ("fpr", "selection", "precision", "accuracy")
            for what, kind, shift in (("no gap", "null", 0.0), ("a gap", "effect", 0.25))
        ),
        null(
            '`rate="fpr"`, no gap within true classes, whose sizes differ between groups',
            _rate_gap("fpr", ((60, 20, 20, 20), (20, 20, 20, 60))),
            misses=_WIDE,
        ),
        null(
            "no gap; 4 classes, 20 people of 5 rows each in either group, with `cluster`",
            _of_people(20, 5),
            misses=_WIDE,
            runs=1_000,
        ),
        effect(
            "a gap of 1.5 in log-odds in half of them, with `cluster`", _of_people(20, 5, 1.5), runs=1_000
        ),
        null(
            "no gap; the same people without `cluster`",
            _of_people(20, 5, by_cluster=False),
            misses="rows of one person are taken for independent",
            runs=1_000,
        ),
    ),
    *of_method(
        "winobias",
        null(f"no stereotype, all professions alike; {_SIZES}", _stereotype(0.0)),
        null(f"no stereotype, preferences differ by profession; {_SIZES}", _stereotype(1.5)),
        null(
            f"the same, `p_items` over pairs; {_SIZES}",
            _stereotype(1.5, key="p_items"),
            misses="pairs of a profession are taken for independent, so preferences of professions pass for "
            "stereotypes",
        ),
        effect(f"a weak stereotype, preferences differ by profession; {_SIZES}", _stereotype(1.5, 0.6)),
        null(f"coreference, no gap, professions differ; {_SIZES}", _coreference(0.15)),
        effect(f"coreference, a gap of 5 points; {_SIZES}", _coreference(0.15, 0.05)),
        few=10,
        runs=500,
    ),
)
