"""How often the gate passes a model that is worse by exactly the margin, and one that has not changed, simulated.

``python benchmarks/gate.py`` prints the table of docs/calibration.md, ``--all`` every cell, ``--other`` scores that are
not shares of pairs. Of every pair both models' preferences are drawn from a normal distribution of two variables, cut
at the shares of both models.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from evaluate_bias import stats

SIZES, MARGINS, BASES, CORRELATIONS = (100, 200, 1500), (8, 5, 2), (50, 52, 55, 60), (0.5, 0.9, 0.98)
DRAWS = 8_000
Z = float(special.ndtri(0.975))


class Cell(NamedTuple):
    """A situation and the shares of draws, in percent, in which the gate passed: worse by the margin, and unchanged."""

    n: int
    margin: int
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
    """Whether the gate passes, by the pairs that both, the first only, the second only and neither prefers."""
    both, lost, gained, neither = np.moveaxis(counts, -1, 0)

    def below(more: npt.NDArray[Any], less: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        return np.asarray(stats.tango_statistic(more, less, n, margin) < -Z)

    up = below(gained, lost) | below(both, neither)
    down = below(lost, gained) | below(neither, both)
    return np.asarray(up & down)


def cells(draws: int = DRAWS) -> list[Cell]:
    """All situations; each draws from a stream of its own."""
    found = []
    for n, margin, base, r in itertools.product(SIZES, MARGINS, BASES, CORRELATIONS):
        shares = []
        for k, second in enumerate((base + margin, base)):
            p, q = base / 100, second / 100
            both = both_prefer(p, q, r)
            rng = np.random.default_rng([n, margin, base, round(100 * r), k])
            drawn = rng.multinomial(n, [both, p - both, q - both, 1 - p - q + both], draws)
            shares.append(100 * float(passed(drawn, n, margin / 100).mean()))
        found.append(Cell(n, margin, base, r, *shares))
    return found


def table(found: list[Cell]) -> list[str]:
    """A line for each number of pairs and margin: the largest error, and how often no change passes."""
    named = [f"{base}, r {r:g}" for base in (BASES[0], BASES[-1]) for r in CORRELATIONS]
    lines = ["| pairs | margin | worse by the margin | " + " | ".join(named) + " |"]
    lines.append("|---:|---:|---:|" + "---:|" * len(named))
    for n, margin in itertools.product(SIZES, MARGINS):
        of = {(c.base, c.r): c for c in found if (c.n, c.margin) == (n, margin)}
        power = [of[base, r].power for base in (BASES[0], BASES[-1]) for r in CORRELATIONS]
        numbers = [max(c.error for c in of.values()), *power]
        lines.append(
            f"| {n:,} | {margin} | "
            + " | ".join(f"{x:.0f} %" if x >= 10 else f"{x:.1f} %" for x in numbers)
            + " |"
        )
    return lines


def others(draws: int) -> Iterator[tuple[str, float]]:
    """Other scores whose base has the ideal value 0: how often a model that is worse by half a unit's sd passes."""

    def d(t: npt.NDArray[Any]) -> npt.NDArray[Any]:
        half = t[:, 0] / 2
        mean_x, mean_y = t[:, 1] / half, t[:, 2] / half
        return np.asarray(
            (mean_x - mean_y) / np.sqrt((t[:, 3] - half * (mean_x + mean_y) ** 2 / 2) / (2 * half - 1))
        )

    def found(first: npt.NDArray[Any], second: npt.NDArray[Any], lists: bool) -> stats.Difference:
        if not lists:
            return stats.paired_means(first, second)
        x = np.arange(len(first)) < len(first) / 2
        one, two = (np.stack([np.ones_like(v), v * x, v * ~x, v**2], axis=1) for v in (first, second))
        return stats.paired_totals(one, two, d, strata=x.tolist())

    for name, n, lists in (("mean", 20, False), ("mean", 60, False), ("d", 16, True), ("d", 40, True)):
        # Half the difference of lists with means of ±shift and sd 1 is shift / √(1 + shift²) sd of all.
        rng, passes = np.random.default_rng(n), 0
        sign = np.where(np.arange(n) < n / 2, 1.0, -1.0) if lists else np.ones(n)
        margin = 2 * 0.25 / np.sqrt(1 + 0.25**2) if lists else 0.5
        for _ in range(draws):
            own = rng.normal(size=n) * np.sqrt(0.5)
            first, second = (
                own + rng.normal(size=n) * np.sqrt(0.5) + k * sign * (0.25 if lists else 0.5) for k in (0, 1)
            )
            f = found(first, second, lists)
            if None not in (f.low, f.sum_low):
                passes += (
                    stats.distance_change((f.low, f.high), (f.sum_low, f.sum_high), (0.0, 0.0))[1] < margin
                )  # type: ignore[arg-type]
        yield f"{name} of {n}", 100 * passes / draws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="print every cell")
    parser.add_argument(
        "--other", type=int, default=0, metavar="DRAWS", help="scores that are no shares of pairs"
    )
    given, found = parser.parse_args(), cells()
    for name, error in others(given.other) if given.other else ():
        print(f"{name}: {error:.1f} %", flush=True)
    if given.all:
        for c in found:
            print(*c[:4], f"{c.error:.2f} {c.power:.2f}")
    print(*table(found), sep="\n")
    worst = max(found, key=lambda c: c.error)
    print(
        f"\nlargest error {worst.error:.1f} %: {worst.n} pairs, margin {worst.margin}, base {worst.base}, r {worst.r:g}"
    )


if __name__ == "__main__":
    main()
