"""Pictures of what only some methods find: which of them a result has is decided by what its details hold. Those of
tests repeated on samples, components of pairs and stereotypes by language are drawn here.

Colours are from maps that people with colour-vision deficiencies can read, and nothing is shown by colour alone: cells
carry their numbers, classes their markers, significance an asterisk.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...methods.word_lists import ON_AXIS
from ...result import Result, Row
from ..lines import ReportRow
from ..numbers import score_cell
from ..reading import Reading
from ..score_matrix import result_language
from ..verdict import FILLED_MARK, OPEN_MARK
from . import canvas
from .canvas import BLUE, DASHED, ORANGE, ReportPicture
from .cells import Cell, cell_map, correlations
from .distributions import distributions, has_histogram, histogram, paired_samples, scatter, scatter_panels
from .word_map import feature_sweep, word_map
from .word_rows import axis_plot, words_on_axis

_PALE = "#bcd7ea"
_RIDGE = 0.85
"""Inches for each test."""


def effect_sizes(reading: Reading) -> Any:
    """The distribution of every test's effect sizes over samples, with the combined one and its interval."""
    rows = [row for row in reading.rows if not row.line.headline]
    figure, (axis,) = canvas.new_figure(5.2, _RIDGE * len(rows))
    axis.axvline(0.0, **DASHED, zorder=1)
    for place, row in enumerate(rows):
        line = row.line
        base = len(rows) - 1 - place
        edges, density = _density(line.row.details["effect_sizes"]["quantiles"])
        if density:
            scale = 0.72 / max(density)
            shape = {"fill": True, "facecolor": _PALE, "edgecolor": BLUE, "linewidth": 0.8}
            axis.stairs([base + d * scale for d in density], edges, baseline=base, zorder=2, **shape)
        else:
            axis.plot([edges[0]] * 2, [base, base + 0.72], color=BLUE, linewidth=1.5, zorder=2)
        axis.axhline(base, color="#cccccc", linewidth=0.6, zorder=1)
        axis.plot(
            [line.row.ci_low, line.row.ci_high], [base - 0.1] * 2, color=ORANGE, linewidth=2.2, zorder=3
        )
        look = {"marker": "D", "markersize": 5, "zorder": 4}
        canvas.draw_mark(axis, line.score, base - 0.1, ORANGE, filled=row.filled, **look)
        canvas.write_beside(axis, base + 0.2, score_cell(line.row))
    places = [len(rows) - 1 - i + 0.25 for i in range(len(rows))]
    labels = [_label(row.line) for row in rows]
    canvas.label_rows(axis, labels, "Effect sizes over random contexts", places)
    axis.set_ylim(-0.35, len(rows) - 0.1)
    axis.margins(x=0.04)
    axis.set_xlabel("effect size d of a sample of contexts")
    combined = f"combined effect size, {100 * reading.result.confidence_level:g}% interval (random effects)"
    entries = [
        canvas.legend_entry("effect sizes of the samples", color=_PALE, marker="s", markeredgecolor=BLUE),
        canvas.legend_entry(combined, color=ORANGE, linestyle="-", linewidth=2.2),
        *(
            canvas.legend_entry(label, color=ORANGE, marker="D", markerfacecolor=face)
            for label, face in ((FILLED_MARK, ORANGE), (OPEN_MARK, "white"))
            if any(row.filled is (face == ORANGE) for row in rows)
        ),
        canvas.legend_entry("no association", **DASHED),
    ]
    canvas.add_legend(axis, entries, columns=2)
    return figure


def _density(quantiles: Sequence[float]) -> tuple[list[float], list[float]]:
    """Edges and heights of bars of equal mass between quantiles; no heights where all quantiles are one number.

    Examples:
        >>> _density([0.0, 1.0, 3.0, 3.0, 5.0])
        ([0.0, 3.0, 5.0], [0.1666..., 0.25])
    """
    # Every second quantile: 20 bars show the shape, 40 the noise of the sample.
    edges, masses = [quantiles[0]], list[float]()
    mass = 0.0
    for i, q in enumerate(quantiles[1:], 1):
        mass += 1 / (len(quantiles) - 1)
        if q > edges[-1] and (i % 2 == 0 or i == len(quantiles) - 1):
            edges.append(q)
            masses.append(mass)
            mass = 0.0
    widths = itertools.pairwise(edges)
    return edges, [m / (high - low) for m, (low, high) in zip(masses, widths, strict=True)]


def components(reading: Reading) -> Any:
    """Bars of the shares of every test's components, and the mean shares of random pairs as a line."""
    tests = reading.result.rows_of("test")
    figure, axes = canvas.stacked_panels(4.6, [2.1] * len(tests), 0.9)
    for axis, test in zip(axes, tests, strict=True):
        shares, by_chance = (test.details[key] for key in ("components", "components_by_chance"))
        axis.bar(range(1, len(shares) + 1), shares, color=BLUE, width=0.7, zorder=2)
        axis.plot(range(1, len(by_chance) + 1), by_chance, color=ORANGE, marker="o", markersize=4, zorder=3)
        axis.set_xticks(range(1, len(shares) + 1))
        axis.set_ylim(0.0, max([*shares, *by_chance]) * 1.1)
        axis.set_xlabel("principal component of the pairs")
        axis.set_ylabel("share of variance")
        canvas.add_grid(axis, "y")
        x, y = (test.labels.get(key, key) for key in "xy")
        canvas.add_title(axis, canvas.fit(f"{test.name}: {x} / {y}, first component {100 * shares[0]:.0f} %"))
    entries = [canvas.legend_entry("pairs", marker="s", color=BLUE)]
    if any(test.details["components_by_chance"] for test in tests):
        entries.append(
            canvas.legend_entry(
                "random pairs of the vocabulary, mean", marker="o", color=ORANGE, linestyle="-"
            )
        )
    canvas.add_legend(axes[-1], entries, columns=2, below=0.6)
    return figure


def stereotype_values(result: Result) -> dict[str, dict[tuple[str, str], float]]:
    """Of every language the value of every stereotype, by its name and whom it is of; empty where there are none."""
    parts = {row.name: row.details for row in result.rows_of("test")}
    parts = parts or {result_language(result) or "all sentences": result.details}
    return {
        language: {
            (name, side): v for side, of_side in details["stereotypes"].items() for name, v in of_side.items()
        }
        for language, details in parts.items()
        if "stereotypes" in details
    }


def stereotype_map(reading: Reading) -> Any:
    """Draw the map, the stereotypes in the order of the result, with what they are of."""
    values = stereotype_values(reading.result)
    names = dict.fromkeys(name for part in values.values() for name in part)
    names_by_side = sorted(names, key=lambda name: name[1] == "men")
    means = {language: float(np.mean([*part.values()])) for language, part in values.items()}
    reach = max(abs(v - means[at]) for at, part in values.items() for v in part.values()) or 1.0
    cells = {
        (names_by_side.index(name), j): Cell(f"{v:.2f}".removeprefix("0"), (v - means[language]) / reach)
        for j, (language, part) in enumerate(values.items())
        for name, v in part.items()
    }
    return cell_map(
        [f"{stereotype} ({side})" for stereotype, side in names_by_side],
        list(values),
        cells,
        title=f"{reading.title}: {score_cell(reading.head.line.row)}",
        ends=("less", "mean", "more"),
        notes=[
            "Numbers: mean probability of the masculine form.",
            f"Colour: the same less the mean of its language, full at {reach:.2g}.",
        ],
        width=0.5,
    )


def _label(line: ReportRow) -> str:
    return "\n".join([canvas.fit(line.name), *textwrap.wrap(canvas.fit(line.label), 34)[:3]])


_Draw = Callable[[Reading], Any]


def _of_details(*keys: str) -> Callable[[Result], bool]:
    return lambda result: all(map(result.details.get, keys))


def _of_tests(holds: Callable[[Row], Any]) -> Callable[[Result], bool]:
    return lambda result: bool(tests := result.rows_of("test")) and all(map(holds, tests))


_WORDS_IN_A_PLANE = "words in a plane, coloured by the number known of them"
_KINDS: Mapping[str, tuple[_Draw, str, Callable[[Result], bool]]] = {
    "map": (word_map, _WORDS_IN_A_PLANE, _of_details("sweep", "statistic", "classes", "protected")),
    "sweep": (
        feature_sweep,
        "size of the correlations over the number of features kept",
        _of_details("sweep"),
    ),
    "correlations": (
        correlations,
        "correlations of settings with one another",
        _of_details("r", "p_holm", "names"),
    ),
    "effect_sizes": (
        effect_sizes,
        "effect sizes over random contexts, one row per test",
        _of_tests(lambda test: test.details.get("effect_sizes")),
    ),
    "axis": (axis_plot, "words on the axis between two groups of words", _of_tests(words_on_axis)),
    "components": (
        components,
        "how much of the variance of pairs each principal component explains",
        _of_tests(lambda test: test.details.get("components")),
    ),
    "stereotypes": (
        stereotype_map,
        "how likely the masculine form is beside each stereotype, by language",
        lambda result: bool(stereotype_values(result)),
    ),
    "histogram": (histogram, "how many tests have which score, with the z test of their mean", has_histogram),
    "distributions": (
        distributions,
        "how both numbers of each pair are distributed, and how their differences are",
        lambda result: paired_samples(result) is not None,
    ),
    "scatter": (
        scatter,
        "one number over another, with their correlation",
        lambda result: bool(scatter_panels(result)),
    ),
}
"""What draws the pictures, what they show, and which results have them."""


def picture_text(result: Result, name: str) -> str:
    """Return what a picture of :func:`method_pictures` shows, for those who do not see it.

    Examples:
        >>> picture_text(Result(method="x", score=0, score_range=(0, 1), direction="two_sided", ideal=0, n=1), "map")
        'words in a plane, coloured by the number known of them'
    """
    ends: list[tuple[float, str]] = []
    if name == "axis":
        ends = [(float(w[ON_AXIS]), str(w["word"])) for t in result.rows_of("test") for w in words_on_axis(t)]
    shows = _KINDS[name][1]
    if not ends:
        return shows
    (low, last), (high, first) = min(ends), max(ends)
    return f"{shows}, from {first} ({_signed(high)}) to {last} ({_signed(low)})"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def method_pictures(reading: Reading) -> list[ReportPicture]:
    """Return the pictures that a result's details make possible."""
    result = reading.result
    of, pictures = f"{reading.title} on {reading.model}", []
    for name in picture_names(result):
        caption, draw = f"{of}: {picture_text(result, name)}", partial(_KINDS[name][0], reading)
        pictures.append(ReportPicture(name, caption, draw))
    return pictures


def picture_names(result: Result) -> list[str]:
    """Return the names of the pictures that a result's details make possible, for ``Result.plot``."""
    return [name for name, (_, _, has_picture) in _KINDS.items() if has_picture(result)]
