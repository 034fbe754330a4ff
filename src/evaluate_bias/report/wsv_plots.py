"""Pictures of WSV: the map beside that of plain principal component analysis, and the sweep over features."""

from __future__ import annotations

from typing import Any

from ..result import Result
from .canvas import BLUE, GREY, ORANGE, canvas, title
from .fonts import LabelFitter
from .label_places import label_points
from .rows import ALPHA

__all__ = ["wsv_map", "wsv_sweep"]

_SEQUENTIAL = "cividis"
_CLASS_MARKERS = ("^", "v", "s", "D", "P", "X")
_EXTREMES = 4
"""Words labelled at each end of the axis and of the statistic."""


def wsv_map(result: Result, fitter: LabelFitter) -> Any:
    """Draw the words in both maps, coloured by the statistic."""
    extra = result.extra
    statistic = extra["statistic"]
    figure, (wsv, pca, bar) = canvas(
        10.4, 4.6, [(0.0, 0.0, 4.6, 4.6), (5.2, 0.0, 4.6, 4.6), (10.1, 0.7, 0.14, 3.2)]
    )
    kept = f"{extra['n_features']} of {extra['dimension']} features"
    if not result.settings.get("rotate", True):
        kept += " as they are"
    for axis, keys, name, explained in (
        (wsv, ("component_1", "component_2"), f"WSV: {kept}", extra["explained"]),
        (pca, ("pca_1", "pca_2"), f"PCA: all {extra['dimension']} features", extra["explained_pca"]),
    ):
        drawn = _map_panel(axis, result, keys, fitter)
        group = next(
            g
            for g in result.groups
            if g["statistic"] == statistic and g["component"] == 1 and g["map"] == name.partition(":")[0]
        )
        title(axis, f"{name}\nr = {group['r']:.2f} [{group['ci_low']:.2f}, {group['ci_high']:.2f}] of axis 1")
        axis.set_xlabel(f"axis 1 ({explained[0]:.0%} of the variance; {fitter.fit(extra['positive'])} →)")
        axis.set_ylabel(f"axis 2 ({explained[1]:.0%})")
    colours = figure.colorbar(drawn, cax=bar)
    colours.set_label(fitter.fit(str(statistic)), fontsize=8)
    colours.outline.set_visible(False)
    _class_legend(wsv, result, fitter)
    return figure


def _map_panel(axis: Any, result: Result, keys: tuple[str, str], fitter: LabelFitter) -> Any:
    """One map; returns the coloured points."""
    statistic = result.extra["statistic"]
    known = [i for i in result.items if i["statistics"].get(statistic) is not None]
    values = [i["statistics"][statistic] for i in known]
    places = [(float(i[keys[0]]), float(i[keys[1]])) for i in known]
    others = [(float(p[keys[0]]), float(p[keys[1]])) for p in result.extra["protected"]]
    for group, marker in zip(result.extra["classes"], _CLASS_MARKERS * 9, strict=False):
        members = [p for p in result.extra["protected"] if p["group"] == group]
        axis.plot(
            [p[keys[0]] for p in members],
            [p[keys[1]] for p in members],
            linestyle="none",
            marker=marker,
            markersize=4.5,
            markerfacecolor="none",
            markeredgecolor="#9a9a9a",
            markeredgewidth=0.7,
            zorder=2,
        )
    drawn = axis.scatter(
        [x for x, _ in places],
        [y for _, y in places],
        c=values,
        cmap=_SEQUENTIAL,
        s=26,
        edgecolors="black",
        linewidths=0.4,
        zorder=4,
    )
    axis.axvline(0.0, color="#bbbbbb", linewidth=0.6, zorder=1)
    axis.axhline(0.0, color="#bbbbbb", linewidth=0.6, zorder=1)
    axis.margins(0.08)
    axis.autoscale_view()
    axis.set_xlim(axis.get_xlim())
    axis.set_ylim(axis.get_ylim())
    by_place = sorted(range(len(known)), key=lambda i: places[i][0])
    by_value = sorted(range(len(known)), key=lambda i: values[i])
    chosen = list(
        dict.fromkeys(
            i
            for k in range(min(_EXTREMES, len(known)))
            for i in (by_place[k], by_place[-1 - k], by_value[k], by_value[-1 - k])
        )
    )
    label_points(axis, [*places, *others], chosen, [fitter.fit(str(known[i]["word"])) for i in chosen])
    return drawn


def _class_legend(axis: Any, result: Result, fitter: LabelFitter) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=marker,
            markerfacecolor="none",
            markeredgecolor="#888888",
            label=f"{fitter.fit(str(group))} ({count} protected words)",
        )
        for (group, count), marker in zip(result.extra["classes"].items(), _CLASS_MARKERS * 9, strict=False)
    ]
    handles.append(
        Line2D(
            [],
            [],
            linestyle="none",
            marker="o",
            markerfacecolor="#cccccc",
            markeredgecolor="black",
            label=f"{result.n} words to evaluate; the extremes of axis 1 and of the colour are labelled",
        )
    )
    if fitter.footnote:
        handles.append(Line2D([], [], linestyle="none", label=fitter.footnote))
    axis.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(0.0, -0.12), borderaxespad=0.0, ncols=len(handles)
    )


def wsv_sweep(result: Result, fitter: LabelFitter) -> Any:
    """Draw the size of the correlations over the number of features kept."""
    sweeps = result.extra["sweep"]
    height = 2.5
    gap = 0.9
    total = len(sweeps) * height + (len(sweeps) - 1) * gap
    figure, axes = canvas(
        6.0, total, [(0.0, total - (i + 1) * height - i * gap, 6.0, height) for i in range(len(sweeps))]
    )
    for axis, (name, sweep) in zip(axes, sweeps.items(), strict=True):
        for component, colour, style, marker in ((1, BLUE, "-", "o"), (2, ORANGE, "--", "s")):
            rows = [r for r in sweep["rows"] if r["component"] == component]
            x = [r["n_features"] for r in rows]
            axis.plot(x, [r["abs_r"] for r in rows], color=colour, linestyle=style, linewidth=1.2, zorder=2)
            for row in rows:
                axis.plot(
                    [row["n_features"]],
                    [row["abs_r"]],
                    marker=marker,
                    markersize=6,
                    markerfacecolor=colour if row["p_holm"] < ALPHA else "white",
                    markeredgecolor=colour,
                    linestyle="none",
                    zorder=3,
                )
        axis.axvline(result.extra["n_features"], color=GREY, linewidth=0.9, linestyle=":", zorder=1)
        axis.set_xscale("log", base=2)
        counts = {r["n_features"] for r in sweep["rows"]}
        ticks = sorted(n for n in counts if n & (n - 1) == 0 or n == result.extra["dimension"])
        axis.set_xticks(ticks, [str(t) for t in ticks])
        axis.minorticks_off()
        axis.set_ylim(0.0, 1.0)
        axis.grid(axis="y", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
        axis.set_ylabel("|r|")
        axis.set_xlabel("features kept")
        title(axis, fitter.fit(str(name)))
    _sweep_legend(axes[-1], result, fitter)
    return figure


def _sweep_legend(axis: Any, result: Result, fitter: LabelFitter) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=BLUE, marker="o", label="axis 1"),
        Line2D([], [], color=ORANGE, marker="s", linestyle="--", label="axis 2"),
        Line2D([], [], color=GREY, linestyle=":", label=f"the score: {result.extra['n_features']} features"),
        Line2D(
            [],
            [],
            linestyle="none",
            marker="o",
            color=GREY,
            label=f"filled: p < {ALPHA:g}, Holm-adjusted over the sweep",
        ),
    ]
    if fitter.footnote:
        handles.append(Line2D([], [], linestyle="none", label=fitter.footnote))
    axis.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.0, -0.24), borderaxespad=0.0, ncols=2)
