"""Pictures of how far measures, or settings of one, agree: correlations, and divergences of templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from ...result import Result
from ..lines import ALPHA, method_title
from ..numbers import score_cell
from .cells import DIVERGING, ink
from .fonts import LabelFitter
from .picture import BLUE, ORANGE, add_grid, add_legend, add_title, new_figure

__all__ = ["correlations", "divergence"]


def correlations(result: Result, fitter: LabelFitter) -> Any:
    """Draw the matrix of correlations, with an asterisk at those that unrelated settings would not reach.

    A dash stands where two measures have too few models in common.
    """
    details = result.details
    r, p = details["r"], details["p_holm"]
    k = len(r)
    side = 0.56 * k
    figure, (axis, bar) = new_figure(
        side + 0.4, side, [(0.0, 0.0, side, side), (side + 0.2, 0.15 * side, 0.14, 0.7 * side)]
    )
    image = axis.imshow(
        [[nan if v is None else v for v in row] for row in r],
        vmin=-1.0,
        vmax=1.0,
        cmap=DIVERGING,
        aspect="equal",
    )
    for i in range(k):
        for j in range(k):
            value = r[i][j]
            mark = "*" if i != j and value is not None and p[i][j] < ALPHA else ""
            axis.text(
                j,
                i,
                "–" if value is None else f"{value:.2f}{mark}".replace("-", "−"),
                ha="center",
                va="center",
                fontsize=7.5,
                color="black" if value is None else ink(image.to_rgba(value)),
            )
    templates = details.get("texts")
    short = [f"{'T' if templates else ''}{i + 1}" for i in range(k)]
    long = [
        f"{fitter.fit(_slots(text))}  {name}"
        for text, name in zip(templates or details["names"], short, strict=True)
    ]
    axis.set_yticks(range(k), long)
    axis.set_xticks(range(k), short)
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
    add_title(axis, f"{method_title(result.method)}: mean correlation {score_cell(result.overall)}", pad=22)
    colours = figure.colorbar(image, cax=bar)
    colours.set_label(details.get("coefficient", "Pearson correlation"), fontsize=8)
    colours.outline.set_visible(False)
    null = details.get("null", "words reordered within their lists")
    note = f"* p < {ALPHA:g}: {null}, Holm-adjusted over all pairs"
    if models := details.get("models"):
        note = f"across {len(models)} models; {note}"
    axis.text(
        0.0,
        -0.1 / side,
        "\n".join(filter(None, (note, fitter.footnote))),
        transform=axis.transAxes,
        ha="left",
        va="top",
        fontsize=8,
    )
    return figure


def _slots(text: str) -> str:
    """A template as people write it, the word as a line and the mask as the word MASK."""
    return text.replace("{target}", "___").replace("{mask}", "MASK")


def divergence(result: Result, fitter: LabelFitter) -> Any:
    """Draw how far every template is from the first, over the full vocabulary and over the attribute words."""
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
