"""Pictures of many numbers: histograms, distributions with fitted curves, effect sizes over samples, components."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

from ...result import Result
from ...stats.distributions import continuous_distribution, within_quantiles
from ...text import p_phrase
from ..lines import score_name
from ..numbers import score_cell
from ..reading import Reading
from . import canvas
from .canvas import BLUE, DASHED, ORANGE
from .forest import Mark, draw_marks, mark_entries

_MIN_TESTS = 10
"""Fewer tests make no histogram."""
_FIT = re.compile(r"(?:fit_)?(\w+)_(more|less)")
_DASHES = ("-", "--", ":", "-.") * 9


def _test_scores(result: Result) -> list[float]:
    return [row.score for row in result.rows_of("test") if row.score is not None]


def _count_bins(values: Sized) -> int:
    """Return how many bars show so many numbers."""
    return min(30, max(5, round(math.sqrt(len(values)))))


@canvas.kind(
    "histogram",
    "how many tests have which score, with the z test of their mean",
    lambda result: "z" in result.estimates and len(_test_scores(result)) >= _MIN_TESTS,
)
def draw_histogram(reading: Reading, on: Any) -> list[Any]:
    """Draw how many tests have which score, with the z test of their mean."""
    result, z, scores = reading.result, reading.result.estimates["z"], _test_scores(reading.result)
    (axis,) = canvas.panels(on, 4.8, [2.8])
    axis.hist(scores, bins=_count_bins(scores), color=BLUE, edgecolor="white", zorder=2)
    axis.axvline(result.score, color=ORANGE, linewidth=1.5, zorder=3, label=f"mean {result.score:.3g}")
    axis.axvline(reading.line.ideal, **DASHED, zorder=3, label=reading.line.ideal_text)
    p = "" if z.p is None else f", {p_phrase(z.p)}"
    title = f"{canvas.fit(reading.title)}\n{len(scores)} tests, z = {float(z.value):.2f}{p}"
    canvas.finish_panel(axis, title, score_name(result), "tests", grid="y")
    canvas.add_legend(axis, columns=2)
    return [axis]


def _paired_samples(result: Result) -> tuple[str, str, Mapping[str, Any]] | None:
    """Return the columns of two numbers of each pair and the z-test of their differences, or ``None``."""
    paraphrase = result.details.get("paraphrase") or {}
    if z := result.details.get("z_test_within_quantiles"):
        return "score_more", "score_less", z
    return ("delta", "delta_paraphrase", paraphrase["delta_z"]) if "delta_z" in paraphrase else None


@canvas.kind(
    "distributions",
    "how both numbers of each pair are distributed, and how their differences are",
    lambda result: _paired_samples(result) is not None,
)
def draw_distributions(reading: Reading, on: Any) -> list[Any]:
    """Draw the distributions of both samples with their fitted curves, and the distribution of the differences."""
    from scipy import stats as sps

    samples = _paired_samples(reading.result)
    assert samples is not None
    *columns, z = samples
    trimmed = columns == ["score_more", "score_less"]
    names = ("more stereotypical", "less stereotypical") if trimmed else ("pairs", "paraphrases")
    rows = [[row.details[column] for column in columns] for row in reading.result.rows_of("item")]
    first, second = np.array([row for row in rows if None not in row], dtype=float).T
    axes = both, differences = canvas.panels(on, 4.8, [2.6, 2.2], gap=1.3)
    bins = np.histogram_bin_edges([first, second], bins=_count_bins(first))
    for values, name, colour, dash in zip((first, second), names, (BLUE, ORANGE), _DASHES, strict=False):
        look = {"color": colour, "linestyle": dash, "linewidth": 1.2}
        both.hist(values, bins=bins, density=True, histtype="step", **look)
        both.hist(values, bins=bins, density=True, color=colour, alpha=0.2)
        both.plot([], [], label=name, **look)
    places, dashes = np.linspace(bins[0], bins[-1], 300), dict[str, str]()
    for key, fit in reading.result.details.items():
        if not (match := _FIT.fullmatch(key)) or not {"parameters", "location"} & set(fit):
            continue
        family, side = match.groups()
        if family not in dashes:
            dashes[family] = _DASHES[len(dashes)]
            label = f"fitted {'GEV' if family == 'gev' else family}"
            both.plot([], [], dashes[family], color="black", linewidth=2.0, label=label)
        # scipy has the opposite sign of the shape.
        curve = (
            sps.genextreme(-fit["shape"], fit["location"], fit["scale"])
            if family == "gev"
            else continuous_distribution(family)(**fit["parameters"])
        )
        colour = BLUE if side == "more" else ORANGE
        both.plot(places, curve.pdf(places), dashes[family], color=colour, linewidth=2.0)
    title = canvas.fit(f"{reading.title}: {len(first)} pairs")
    canvas.finish_panel(
        both, title, "score of a sentence" if trimmed else "difference within a pair", "density"
    )
    canvas.add_legend(both, columns=3)
    delta = within_quantiles(first - second) if trimmed else first - second
    differences.hist(delta, bins=_count_bins(delta), color=BLUE, edgecolor="white", zorder=2)
    differences.axvline(0.0, **DASHED, zorder=3)
    tested = f", z = {z['statistic']:.2f}, {p_phrase(z['p_value'])}" if "p_value" in z else ""
    share = " between their 1% and 99% quantiles" if trimmed else ""
    title, name = f"mean difference {delta.mean():.3g}{tested}", f"{names[0]} minus {names[1]}{share}"
    canvas.finish_panel(differences, title, name, "pairs", grid="y")
    return axes


@canvas.kind(
    "effect_sizes",
    "effect sizes over random contexts, one row per test",
    canvas.all_tests(lambda test: test.details.get("effect_sizes")),
)
def draw_effect_sizes(reading: Reading, on: Any) -> list[Any]:
    """Draw quantiles of every test's effect sizes over samples, with the combined one and its interval."""
    rows = [row for row in reading.rows if not row.line.headline]
    (axis,) = canvas.panels(on, 5.2, [0.55 * len(rows)])
    marks, labels = [], []
    for y, row in enumerate(rows):
        line, quantiles = row.line, row.line.row.details["effect_sizes"]["quantiles"]
        shares = np.linspace(0.0, 1.0, len(quantiles))
        low, first, last, high = np.interp([0.05, 0.25, 0.75, 0.95], shares, quantiles)
        samples = ["90% of the samples", "half of the samples"] if y == 0 else [None, None]
        axis.plot([low, high], [y, y], color=BLUE, linewidth=1.0, zorder=2, label=samples[0])
        box = {"color": "#bcd7ea", "edgecolor": BLUE, "zorder": 2}
        axis.barh(y, last - first, left=first, height=0.45, label=samples[1], **box)
        ends, note = (line.row.ci_low, line.row.ci_high), score_cell(line.row)
        marks.append(Mark(y, line.score, *ends, filled=row.filled, note=note, colour=ORANGE))
        labels.append("\n".join([canvas.fit(row.name), *textwrap.wrap(canvas.fit(row.line.label), 34)[:3]]))
    draw_marks(axis, marks, labels, "Effect sizes over random contexts")
    axis.set_xlabel("effect size d of a sample of contexts (dashed: no association)")
    combined = f"combined effect size, {100 * reading.result.confidence_level:g}% interval (random effects)"
    entries = [*axis.get_legend_handles_labels()[0], *mark_entries(marks, combined, colour=ORANGE)]
    canvas.add_legend(axis, entries, columns=2, centre=True)
    return [axis]


@canvas.kind(
    "components",
    "how much of the variance of pairs each principal component explains",
    canvas.all_tests(lambda test: test.details.get("components")),
)
def draw_components(reading: Reading, on: Any) -> list[Any]:
    """Draw the shares of every test's components as bars, and the mean shares of random pairs as a line."""
    tests = reading.result.rows_of("test")
    axes = canvas.panels(on, 4.6, [2.1] * len(tests))
    for axis, test in zip(axes, tests, strict=True):
        shares, by_chance = (test.details[key] for key in ("components", "components_by_chance"))
        axis.bar(range(1, len(shares) + 1), shares, color=BLUE, width=0.7, zorder=2, label="pairs")
        if by_chance:
            look = {
                "color": ORANGE,
                "markersize": 4,
                "zorder": 3,
                "label": "random pairs of the vocabulary, mean",
            }
            axis.plot(range(1, len(by_chance) + 1), by_chance, "o-", **look)
        axis.set_xticks(range(1, len(shares) + 1))
        axis.set_ylim(0.0, max([*shares, *by_chance]) * 1.1)
        x, y = (test.labels.get(key, key) for key in "xy")
        title = canvas.fit(f"{test.name}: {x} / {y}, first component {shares[0]:.0%}")
        canvas.finish_panel(axis, title, "principal component of the pairs", "share of variance", grid="y")
    canvas.add_legend(axes[-1], columns=2)
    return axes
