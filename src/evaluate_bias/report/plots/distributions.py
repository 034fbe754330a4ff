"""Pictures of many numbers: histograms of scores, distributions with fitted curves, and one number over another."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sized
from itertools import combinations
from typing import Any

import numpy as np

from ...result import Result
from ...stats.distributions import continuous_distribution, within_quantiles
from ...text import p_phrase
from ..lines import score_name
from ..reading import Reading
from . import canvas
from .canvas import BLUE, COLOURS, DASHED, ORANGE
from .word_map import label_points

_FEWEST = 10
"""Fewer tests make no histogram."""
_MOST_MEASURES = 4
"""More measures would need more than six panels."""
_LABELLED = 30
"""Points of one panel that are labelled."""
_FIT = re.compile(r"(?:fit_)?(\w+)_(more|less)")
_DASHES = ("-", "--", ":", "-.")


def has_histogram(result: Result) -> bool:
    """Return whether the result has enough tests and a z test of their mean."""
    return "z" in result.estimates and len(_test_scores(result)) >= _FEWEST


def _test_scores(result: Result) -> list[float]:
    return [row.score for row in result.rows_of("test") if row.score is not None]


def _bins(values: Sized) -> int:
    """Return how many bars show so many numbers."""
    return min(30, max(5, round(math.sqrt(len(values)))))


def histogram(reading: Reading) -> Any:
    """Draw how many tests have which score, with the z test of their mean."""
    result, scores = reading.result, _test_scores(reading.result)
    z = result.estimates["z"]
    figure, (axis,) = canvas.new_figure(4.8, 2.8)
    axis.hist(scores, bins=_bins(scores), color=BLUE, edgecolor="white", zorder=2)
    axis.axvline(result.ideal, **DASHED, zorder=3)
    axis.axvline(result.score, color=ORANGE, linewidth=1.5, zorder=3)
    axis.set_xlabel(score_name(result))
    axis.set_ylabel("tests")
    canvas.add_grid(axis, "y")
    p = "" if z.p is None else f", {p_phrase(z.p)}"
    canvas.add_title(axis, f"{canvas.fit(reading.title)}\n{len(scores)} tests, z = {float(z.value):.2f}{p}")
    entries = [
        canvas.legend_entry(f"mean {result.score:.3g}", color=ORANGE, linestyle="-"),
        canvas.legend_entry(f"ideal {result.ideal:g}", **DASHED),
    ]
    canvas.add_legend(axis, entries, columns=2)
    return figure


def paired_samples(result: Result) -> tuple[str, str, Mapping[str, Any]] | None:
    """Return the columns of two numbers of each pair, and the z test of their differences; None if there are none."""
    paraphrase = result.details.get("paraphrase") or {}
    if z := result.details.get("z_test_within_quantiles"):
        return "score_more", "score_less", z
    return ("delta", "delta_paraphrase", paraphrase["delta_z"]) if "delta_z" in paraphrase else None


def distributions(reading: Reading) -> Any:
    """Draw the distributions of both samples with their fitted curves, and that of the differences."""
    from scipy import stats as sps

    samples = paired_samples(reading.result)
    assert samples is not None
    *columns, z = samples
    trimmed = columns == ["score_more", "score_less"]
    names = ("more stereotypical", "less stereotypical") if trimmed else ("pairs", "paraphrases")
    rows = [[row.details[column] for column in columns] for row in reading.result.rows_of("item")]
    first, second = np.array([row for row in rows if None not in row], dtype=float).T
    figure, (both, differences) = canvas.stacked_panels(4.8, [2.6, 2.2], 1.3)
    bins = np.histogram_bin_edges([first, second], bins=_bins(first))
    entries = []
    for values, name, colour, dash in zip((first, second), names, (BLUE, ORANGE), _DASHES, strict=False):
        look = {"color": colour, "linestyle": dash, "linewidth": 1.2}
        both.hist(values, bins=bins, density=True, histtype="step", **look)
        both.hist(values, bins=bins, density=True, color=colour, alpha=0.2)
        entries.append(canvas.legend_entry(name, **look))
    places = np.linspace(bins[0], bins[-1], 300)
    families: list[str] = []
    for key, fit in reading.result.details.items():
        if (match := _FIT.fullmatch(key)) and {"parameters", "location"} & set(fit):
            family, side = match.groups()
            families += [family] * (family not in families)
            # scipy has the opposite sign of the shape.
            curve = (
                sps.genextreme(-fit["shape"], fit["location"], fit["scale"])
                if family == "gev"
                else continuous_distribution(family)(**fit["parameters"])
            )
            look = {"color": BLUE if side == "more" else ORANGE, "linewidth": 2.0}
            both.plot(places, curve.pdf(places), linestyle=_DASHES[families.index(family) % 4], **look)
    entries += [
        canvas.legend_entry(
            f"fitted {'GEV' if name == 'gev' else name}",
            color="black",
            linewidth=2.0,
            linestyle=_DASHES[i % 4],
        )
        for i, name in enumerate(families)
    ]
    both.set_xlabel("score of a sentence" if trimmed else "difference within a pair")
    both.set_ylabel("density")
    canvas.add_title(both, canvas.fit(f"{reading.title}: {len(first)} pairs"))
    canvas.add_legend(both, entries, columns=3)
    delta = within_quantiles(first - second) if trimmed else first - second
    differences.hist(delta, bins=_bins(delta), color=BLUE, edgecolor="white", zorder=2)
    differences.axvline(0.0, **DASHED, zorder=3)
    share = " between their 1% and 99% quantiles" if trimmed else ""
    differences.set_xlabel(f"{names[0]} minus {names[1]}{share}")
    differences.set_ylabel("pairs")
    canvas.add_grid(differences, "y")
    tested = f", z = {z['statistic']:.2f}, {p_phrase(z['p_value'])}" if "p_value" in z else ""
    canvas.add_title(differences, f"mean difference {delta.mean():.3g}{tested}")
    return figure


_Panel = tuple[str, str, str, Mapping[str, tuple[float, float]]]
"""The names of two numbers, the title with their correlation, and the points by name."""


def scatter_panels(result: Result) -> list[_Panel]:
    """Return the panels of :func:`scatter`; none if the result has no two numbers of the same things."""
    details, tests = result.details, result.rows_of("test")
    if {"models", "scores", "turned"} <= set(details) and len(details["names"]) <= _MOST_MEASURES:
        names = [f"{n} (sign reversed)" if n in details["turned"] else n for n in details["names"]]
        return [
            (names[a], names[b], f"{details['coefficient']} {r:.2f}", _shared_points(details, a, b))
            for a, b in combinations(range(len(names)), 2)
            if (r := details["r"][a][b]) is not None
        ]
    points = {
        row.name: (float(np.log10(row.details["mean_frequency"])), row.score)
        for row in tests
        if row.details.get("mean_frequency") and row.score is not None
    }
    if len(points) < _FEWEST or not np.ptp(list(points.values()), axis=0).all():
        return []
    r = np.corrcoef(list(points.values()), rowvar=False)[0, 1]
    name = "decimal logarithm of the mean frequency"
    return [(name, score_name(result), f"{len(points)} tests, Pearson correlation {r:.2f}", points)]


def _shared_points(details: Mapping[str, Any], a: int, b: int) -> dict[str, tuple[float, float]]:
    """Two scores of every model that has both."""
    pairs = {model: (row[a], row[b]) for model, row in zip(details["models"], details["scores"], strict=True)}
    return {model: pair for model, pair in pairs.items() if None not in pair}


def scatter(reading: Reading) -> Any:
    """Draw one number over another, a panel for every two."""
    panels = scatter_panels(reading.result)
    columns, side, gap = min(2, len(panels)), 2.8, 1.0
    n_rows = -(-len(panels) // columns)
    places = [
        ((side + gap) * (i % columns), (side + gap) * (n_rows - 1 - i // columns), side, side)
        for i in range(len(panels))
    ]
    figure, axes = canvas.new_figure((side + gap) * columns - gap, (side + gap) * n_rows - gap, places)
    for axis, (x_name, y_name, title, by_name) in zip(axes, panels, strict=True):
        points = list(by_name.values())
        axis.plot(*zip(*points, strict=True), "o", color=COLOURS[0], markersize=4, zorder=3)
        axis.set_xlabel(canvas.fit(x_name, 40))
        axis.set_ylabel(canvas.fit(y_name, 40))
        axis.margins(0.12)
        canvas.add_title(axis, title)
        axis.set_xlim(axis.get_xlim())
        axis.set_ylim(axis.get_ylim())
        names = [canvas.fit(name, 24) for name in by_name][:_LABELLED]
        label_points(axis, points, range(len(names)), names)
    return figure
