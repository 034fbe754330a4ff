"""How often the gate passes a model that is worse by exactly the margin, and one that has not changed, simulated.

Of every pair both models' preferences are drawn from a normal distribution of two variables, cut at the shares of both
models.
"""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from evaluate_bias import stats

from . import Case, Table

SIZES, MARGINS, BASES, CORRELATIONS = (100, 200, 1500), (8, 5, 2), (50, 52, 55, 60), (0.5, 0.9, 0.98)
DRAWS = 8_000
Z = float(special.ndtri(0.975))


class Cell(NamedTuple):
    """A situation and the shares of draws, in percent, in which the gate passed: worse by the margin, and unchanged."""

    base: int
    r: float
    error: float
    power: float


def both_prefer(p: float, q: float, r: float) -> float:
    """Probability that two standard normal variables of correlation r lie below their quantiles of p and q."""
    # Φ₂(h, k; r) = p q + 1/2π ∫ exp(−(h² + k² − 2 h k sin t) / 2 cos² t) dt from 0 to arcsin r (Drezner 1990)
    h, k = special.ndtri([p, q])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    t = np.arcsin(r) * (nodes + 1) / 2
    inside = np.exp(-(h * h + k * k - 2 * h * k * np.sin(t)) / (2 * np.cos(t) ** 2))
    return float(p * q + np.arcsin(r) / 2 * (weights @ inside) / (2 * np.pi))


def passed(counts: npt.NDArray[Any], n: int, margin: float) -> npt.NDArray[np.bool_]:
    """True if the gate passes, by the pairs that both, the first only, the second only and neither prefers."""
    both, lost, gained, neither = np.moveaxis(counts, -1, 0)

    def below(more: npt.NDArray[Any], less: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        return np.asarray(stats.tango_statistic(more, less, n, margin) < -Z)

    up = below(gained, lost) | below(both, neither)
    down = below(lost, gained) | below(neither, both)
    return np.asarray(up & down)


def cells(rng: object, n: int, margin: int) -> list[Cell]:
    """All bases and correlations of a number of pairs and a margin, each of 8,000 draws from a stream of its own."""
    found = []
    for base, r in itertools.product(BASES, CORRELATIONS):
        shares = []
        for k, second in enumerate((base + margin, base)):
            p, q = base / 100, second / 100
            both = both_prefer(p, q, r)
            own = np.random.default_rng([n, margin, base, round(100 * r), k])
            drawn = own.multinomial(n, [both, p - both, q - both, 1 - p - q + both], DRAWS)
            shares.append(100 * float(passed(drawn, n, margin / 100).mean()))
        found.append(Cell(base, r, *shares))
    return found


def of_margin(found: list[list[Cell]]) -> list[str]:
    """The largest error, and how often no change passes."""
    power = [c.power for base in (BASES[0], BASES[-1]) for c in found[0] if c.base == base]
    return [f"{x:.0f} %" if x >= 10 else f"{x:.1f} %" for x in (max(c.error for c in found[0]), *power)]


TABLES = (
    Table(
        "gate",
        (
            "pairs",
            "margin",
            "worse by the margin",
            *(f"{base}, r {r:g}" for base in (BASES[0], BASES[-1]) for r in CORRELATIONS),
        ),
        tuple(
            Case((f"{n:,}", f"{margin}"), partial(cells, n=n, margin=margin), of_margin, 1)
            for n, margin in itertools.product(SIZES, MARGINS)
        ),
    ),
)
