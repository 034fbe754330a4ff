"""A picture of tests that were repeated on samples: how their effect sizes are distributed."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from typing import Any

from ..lines import ReportRow
from ..numbers import score_cell
from ..reading import Reading
from .canvas import (
    BLUE,
    DASHED,
    ORANGE,
    add_legend,
    draw_mark,
    label_rows,
    legend_entry,
    new_figure,
    write_beside,
)
from .fonts import LabelFitter

_RIDGE = 0.85
"""Inches for each test."""


def effect_sizes(reading: Reading, fitter: LabelFitter) -> Any:
    """The distribution of every test's effect sizes over samples, with the combined one and its interval."""
    rows = [row for row in reading.rows if not row.line.headline]
    text = reading.text
    figure, (axis,) = new_figure(5.2, _RIDGE * len(rows))
    axis.axvline(0.0, **DASHED, zorder=1)
    for place, row in enumerate(rows):
        line = row.line
        base = len(rows) - 1 - place
        edges, density = _density(line.details["effect_sizes"]["quantiles"])
        if density:
            scale = 0.72 / max(density)
            axis.stairs(
                [base + d * scale for d in density],
                edges,
                baseline=base,
                fill=True,
                facecolor="#bcd7ea",
                edgecolor=BLUE,
                linewidth=0.8,
                zorder=2,
            )
        else:
            axis.plot([edges[0]] * 2, [base, base + 0.72], color=BLUE, linewidth=1.5, zorder=2)
        axis.axhline(base, color="#cccccc", linewidth=0.6, zorder=1)
        axis.plot([line.ci_low, line.ci_high], [base - 0.1] * 2, color=ORANGE, linewidth=2.2, zorder=3)
        look = {"marker": "D", "markersize": 5, "zorder": 4}
        draw_mark(axis, line.score, base - 0.1, ORANGE, filled=row.filled, **look)
        write_beside(axis, base + 0.2, score_cell(line))
    places = [len(rows) - 1 - i + 0.25 for i in range(len(rows))]
    label_rows(axis, [_label(row.line, fitter) for row in rows], "Effect sizes over random contexts", places)
    axis.set_ylim(-0.35, len(rows) - 0.1)
    axis.margins(x=0.04)
    axis.set_xlabel("effect size d of a sample of contexts")
    entries = [
        legend_entry("effect sizes of the samples", color="#bcd7ea", marker="s", markeredgecolor=BLUE),
        legend_entry(
            f"combined effect size, {100 * reading.result.ci_level:g}% interval (random effects)",
            color=ORANGE,
            linestyle="-",
            linewidth=2.2,
        ),
        *(
            legend_entry(label, color=ORANGE, marker="D", markerfacecolor=face)
            for label, face in ((text.legend_found, ORANGE), (text.legend_other, "white"))
            if any(row.filled is (face == ORANGE) for row in rows)
        ),
        legend_entry("no association", **DASHED),
    ]
    add_legend(axis, entries, fitter, columns=2)
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


def _label(line: ReportRow, fitter: LabelFitter) -> str:
    return "\n".join([fitter.fit(line.name), *textwrap.wrap(fitter.fit(line.label), 34)[:3]])
