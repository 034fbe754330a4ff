"""How a comparison of two models keeps its levels, simulated for every kind of score: tests, intervals, directions.

Under the null, two measurements of the same units are exchangeable. For coverage the truth is known: shares and effect
sizes of populations, or no change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from unittest.mock import patch

import numpy as np
from scipy import special

from evaluate_bias import stats
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare.change import Change, ChangeConclusion, with_conclusion
from evaluate_bias.stats import exchange
from tests.stats.exchange_simulations import DRAWS, Draw, change, preferences, targets_and_attributes

from . import Case, Table, share

RESAMPLES = 999
LEVEL = 0.95


@dataclass(frozen=True)
class Situation:
    """Two measurements of a known kind.

    Attributes:
        what: in a few words, sizes included.
        method: whose score it is.
        draw: makes both measurements.
        shift: by how much the second is moved.
        truth: both scores, where they are known; else only that they are equal.
    """

    what: str
    method: str
    draw: Draw
    shift: float = 0.0
    truth: tuple[float, float] | None = None


def nulls() -> Iterator[Situation]:
    """No change, for every score with a test of its own."""
    for n in (60, 200, 1500):
        yield Situation(f"share of {n} pairs", "pll", partial(preferences, n=n))
        yield Situation(
            f"share of {n} pairs, 8 % tie in each", "pll", partial(preferences, n=n, nearest=0.15)
        )
    yield Situation("StereoSet, 5 items of each of 40 terms, with ties", "stereoset", DRAWS["stereoset"])
    yield Situation("mean over 60 occupations, skewed", "mlm_gender_score", DRAWS["mlm_gender_score"])
    for n in (8, 16, 25):
        yield Situation(
            f"WEAT, {n} + {n} words, d = 0.9", "weat", partial(targets_and_attributes, n=n, effect=0.5)
        )
    names = {
        "seat": "SEAT, 8 + 8 words", "ect": "ECT, 24 attributes", "rnsb": "RNSB, 16 targets",
        "wefat": "WEFAT, 30 words", "wsv": "WSV, 60 words", "kldivs": "KLDivS, 60 pairs",
        "pll_robustness": "PLL robustness, 200 pairs", "bec_pro": "BEC-Pro, 40 professions",
        "winobias": "WinoBias, 40 professions", "bbq": "BBQ, 40 templates", "honest": "HONEST, 20 templates, 10 words",
        "tpr_gap": "TPR gap, 400 examples",
    }  # fmt: skip
    for method, what in names.items():
        yield Situation(what, method, DRAWS[method])


def moved() -> Iterator[Situation]:
    """Known changes: of shares from and to either side of one half, and of effect sizes."""
    changes = ((60, 70), (70, 60), (50, 60), (45, 55), (42.5, 60))
    for n, shares in ((200, changes), (1500, (changes[0], changes[2], changes[4]))):
        for first, second in shares:
            shift, lean = (math.sqrt(2) * float(special.ndtri(s / 100)) for s in (second, first))
            yield Situation(
                f"share of {n} pairs, {first:g} to {second:g}",
                "pll",
                partial(preferences, n=n, lean=lean),
                shift - lean,
                (first, second),
            )
    for n, shifts in ((8, ((0.5, 0.5), (0.5, -1.0))), (25, ((0.5, 0.5), (0.7, -0.7), (0.5, -1.0)))):
        for effect, shift in shifts:
            first, second = (_effect_size(e) for e in (effect, effect + shift))
            yield Situation(
                f"WEAT, {n} + {n} words, d = {first:.2f} to {second:.2f}".replace("-", "−"),
                "weat",
                partial(targets_and_attributes, n=n, effect=effect),
                shift,
                (first, second),
            )


def _effect_size(effect: float) -> float:
    """Of associations with variance 2, on either side of 0 by so much."""
    return 2 * effect / math.sqrt(2 + effect**2)


def found_in(situation: Situation, rng: np.random.Generator) -> Change:
    """The change that one draw gives, as a comparison of one score judges it."""
    with patch.object(exchange, "_RESAMPLES", RESAMPLES):
        facts = change(situation.method, rng, situation.shift, situation.draw)
    record, difference = METHODS[situation.method], facts.pop("of")
    ideal = record.ideal
    if facts["low"] is not None and difference.sum_low is not None:
        total = difference.sum_low, difference.sum_high
        ends = stats.distance_change((facts["low"], facts["high"]), total, (ideal, ideal))
        facts |= {"distance_low": ends[0], "distance_high": ends[1]}
    row = {"method": situation.method, "name": "overall", "kind": "overall", "ideal_first": ideal,
           "direction": record.direction, "score_range": record.score_range}  # fmt: skip
    return with_conclusion(Change(**row, ideal_second=ideal, **facts), None, facts["p_value"], 1, LEVEL)


def held(found: list[Change], truth: float) -> str:
    """The share of the intervals of the difference that hold it."""
    return share([c.low <= truth <= c.high for c in found if c.low is not None and c.high is not None])


def level_cells(found: list[Change]) -> tuple[str, ...]:
    return (
        share([c.p_value is not None and c.p_value < 1 - LEVEL for c in found]),
        held(found, 0.0),
        share([bool(c.toward_ideal) for c in found]),
        share([c.conclusion is ChangeConclusion.UNCLEAR for c in found]),
    )


_TOWARD = ("nearer to", "further from", "past", "")


def direction_cells(situation: Situation, found: list[Change]) -> tuple[str, ...]:
    assert situation.truth is not None
    first, second = situation.truth
    ideal = METHODS[situation.method].ideal
    distance = abs(second - ideal) - abs(first - ideal)
    both = [(c.distance_low, c.distance_high) for c in found]
    return (
        held(found, second - first),
        share([low <= distance <= high for low, high in both if low is not None and high is not None]),
        *(share([c.significant and c.toward_ideal == to for c in found]) for to in _TOWARD),
        share([c.conclusion is ChangeConclusion.UNCLEAR for c in found]),
    )


TABLES = (
    Table(
        "compare",
        (
            "two exchangeable measurements",
            "p below .05, %",
            "interval of the change holds 0, %",
            "nearer or further, %",
            "unclear, %",
        ),
        tuple(Case((one.what,), partial(found_in, one), level_cells, 1_800) for one in nulls()),
    ),
    Table(
        "changes",
        (
            "true change",
            "interval of the change holds it, %",
            "interval of the distance's change holds it, %",
            "nearer, %",
            "further, %",
            "passed, %",
            "no direction, %",
            "unclear, %",
        ),
        tuple(
            Case((one.what,), partial(found_in, one), partial(direction_cells, one), 600) for one in moved()
        ),
    ),
)
