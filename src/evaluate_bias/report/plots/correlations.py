"""Pictures of how far measures, or settings of one, agree: correlations, and divergences of templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..numbers import score_cell
from ..reading import Reading
from .canvas import BLUE, ORANGE, SMALL, add_grid, add_legend, add_title, is_small, new_figure
from .cells import Cell, cell_map
from .fonts import LabelFitter

__all__ = ["correlations", "divergence"]


def correlations(reading: Reading, fitter: LabelFitter) -> Any:
    """Draw the matrix of correlations, with an asterisk at those that unrelated settings would not reach.

    A cell is hatched where two measures have too few models in common.
    """
    details = reading.result.details
    p, templates = details["p_holm"], details.get("texts")
    cells = {
        (i, j): Cell(f"{value:.2f}{'*' if i != j and is_small(p[i][j]) else ''}", value)
        for i, row in enumerate(details["r"])
        for j, value in enumerate(row)
        if value is not None
    }
    short = [f"{'T' if templates else ''}{i + 1}" for i in range(len(details["r"]))]
    names = [
        f"{_slots(text)}  {name}" for text, name in zip(templates or details["names"], short, strict=True)
    ]
    notes = [f"* {SMALL}: {details.get('null', 'words reordered within their lists')},"]
    notes.append("Holm-adjusted over all pairs")
    if models := details.get("models"):
        notes.insert(0, f"across {len(models)} models")
    return cell_map(
        names,
        short,
        cells,
        fitter,
        title=f"{reading.title}: mean correlation {score_cell(reading.head.line)}",
        ends=("−1", details.get("coefficient", "Pearson correlation"), "1"),
        notes=notes,
    )


def _slots(text: str) -> str:
    """A template as people write it, the word as a line and the mask as the word MASK."""
    return text.replace("{target}", "___").replace("{mask}", "MASK")


def divergence(reading: Reading, fitter: LabelFitter) -> Any:
    """Draw how far every template is from the first, over the full vocabulary and over the attribute words."""
    result = reading.result
    rows: Sequence[Mapping[str, Any]] = result.details["divergence"]["rows"]
    texts = result.details["texts"]
    height = 0.34 * len(rows) + 0.2
    figure, (axis,) = new_figure(4.6, height)
    series = [("full", "full vocabulary", BLUE, "")]
    if rows[0]["words"] is not None:
        series.append(
            ("words", f"the {len(result.details['divergence']['words'])} attribute words", ORANGE, "////")
        )
    thickness = 0.8 / len(series)
    for place, (key, label, colour, hatch) in enumerate(series):
        values = [row[key] for row in rows]
        bars = axis.barh(
            [i + (place - (len(series) - 1) / 2) * thickness for i in range(len(rows))],
            values,
            height=thickness * 0.9,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.0,
            label=label,
        )
        axis.bar_label(bars, labels=[f"{v:.2f}" for v in values], padding=3, fontsize=7)
    axis.set_yticks(range(len(rows)), [f"{fitter.fit(_slots(t))}  T{i + 1}" for i, t in enumerate(texts)])
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.margins(x=0.12)
    add_grid(axis)
    axis.set_xlabel("divergence from T1, in nats")
    add_title(axis, "What the model expects at the masked word")
    add_legend(axis, axis.get_legend_handles_labels()[0], fitter, columns=2)
    return figure
