"""How much of the variance between the words of pairs each principal component explains, beside random pairs."""

from __future__ import annotations

from typing import Any

from ..reading import Reading
from .canvas import BLUE, ORANGE, LabelFitter, add_grid, add_legend, add_title, legend_entry, stacked_panels


def components(reading: Reading, fitter: LabelFitter) -> Any:
    """Bars of the shares of every test's components, and the mean shares of random pairs as a line."""
    tests = reading.result.rows_of("test")
    figure, axes = stacked_panels(4.6, [2.1] * len(tests), 0.9)
    for axis, test in zip(axes, tests, strict=True):
        shares, by_chance = (test.details[key] for key in ("components", "components_by_chance"))
        axis.bar(range(1, len(shares) + 1), shares, color=BLUE, width=0.7, zorder=2)
        axis.plot(range(1, len(by_chance) + 1), by_chance, color=ORANGE, marker="o", markersize=4, zorder=3)
        axis.set_xticks(range(1, len(shares) + 1))
        axis.set_ylim(0.0, max([*shares, *by_chance]) * 1.1)
        axis.set_xlabel("principal component of the pairs")
        axis.set_ylabel("share of variance")
        add_grid(axis, "y")
        x, y = (test.labels.get(key, key) for key in "xy")
        add_title(axis, fitter.fit(f"{test.name}: {x} / {y}, first component {100 * shares[0]:.0f} %"))
    entries = [legend_entry("pairs", marker="s", color=BLUE)]
    if any(test.details["components_by_chance"] for test in tests):
        entries.append(
            legend_entry("random pairs of the vocabulary, mean", marker="o", color=ORANGE, linestyle="-")
        )
    add_legend(axes[-1], entries, fitter, columns=2, below=0.6)
    return figure
