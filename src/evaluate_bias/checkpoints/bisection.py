"""What a bisection returns: curves, the steps at which they changed, sentences and tables."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..report.compare.change import digits, signed
from ..report.escape import markdown, markdown_table
from ..report.lines import ALPHA
from ..report.plots import canvas
from ..report.plots.canvas import BLUE, DASHED, GREY, ORANGE, LabelFitter
from ..text import p_phrase, plain_p


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The score of one checkpoint.

    Attributes:
        place: position of the checkpoint in the run, from 0.
        score: the score.
        low, high: its interval; ``None`` where the method gives none.
    """

    place: int
    score: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The change of a score between two checkpoints, by the paired test of the units that both have.

    Attributes:
        first, second: positions of the checkpoints, from 0.
        difference: second minus first, on the shared units.
        low, high: its interval, for this step alone.
        p: p-value that nothing changed; ``None`` where there is no test.
        p_adjusted: the same, adjusted for all steps of the run and all scores of the method.
        found: whether a change was found here, by ``p_adjusted`` below 5 %, and in every wider step around it that was
            looked at to get here.
    """

    first: int
    second: int
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One score over the checkpoints that were measured.

    Attributes:
        method, name, kind: the row: registry name, name of the test, ``"overall"`` or ``"test"``.
        title: for people.
        ideal: the value that means that nothing was measured, at the last checkpoint.
        points: in the order of training.
        whole: the step from the first to the last checkpoint.
        steps: the other steps that were tested, narrow ones after the wider ones they lie in.
    """

    method: str
    name: str
    kind: str
    title: str
    ideal: float
    points: tuple[Point, ...]
    whole: Step
    steps: tuple[Step, ...]

    @property
    def changes(self) -> tuple[Step, ...]:
        """The narrowest steps in which a change was found."""
        found = [s for s in (self.whole, *self.steps) if s.found]
        narrowest = [s for s in found if not any(_inside(other, s) for other in found)]
        return tuple(sorted(narrowest, key=lambda s: s.first))


def _inside(one: Step, other: Step) -> bool:
    """Whether a step lies in another, wider one."""
    within = other.first <= one.first and one.second <= other.second
    return within and one.second - one.first < other.second - other.first


def _interval(of: Point | Step, write: Callable[[float], str]) -> str:
    return "" if of.low is None or of.high is None else f"{write(of.low)} to {write(of.high)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisection:
    """The scores of a training run.

    Attributes:
        checkpoints: names of all checkpoints, in the order of training.
        measured: positions of those that were measured.
        curves: one per score.
        every: whether every checkpoint was to be measured; else only what the search needed.
        level: level of the intervals.
        skipped: checkpoints that could not be measured, and why.
        warnings: what a reader must know of the comparisons.
    """

    checkpoints: tuple[str, ...]
    measured: tuple[int, ...]
    curves: tuple[Curve, ...]
    every: bool
    level: float = 0.95
    skipped: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each score did, one sentence a score."""
        return tuple(self._sentence(curve) for curve in self.curves)

    def _sentence(self, curve: Curve) -> str:
        names = self.checkpoints
        changes = curve.changes
        if curve.whole.p is None and not any(s.p is not None for s in curve.steps):
            ends = " to ".join(digits(p.score) for p in (curve.points[0], curve.points[-1]))
            return (
                f"{curve.title}: {ends}; not tested, for its results do not keep what the score is made of."
            )
        if not changes:
            p = curve.whole.p_adjusted
            whole = "" if p is None else f" (first to last {p_phrase(p)})"
            return f"{curve.title}: no change was found{whole}."
        parts = []
        for s in changes:
            text = f"{names[s.first]} and {names[s.second]}: {signed(s.difference)}"
            if interval := _interval(s, signed):
                text += f" ({interval})"
            if s.p_adjusted is not None:
                text += f", {p_phrase(s.p_adjusted)}"
            if any(s.first < place < s.second for place in self.measured):
                text += ", spread over these or too small to be placed more closely"
            parts.append(text)
        return f"{curve.title}: a change was found between {'; and between '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        out = dataclasses.asdict(self)
        for entry, curve, sentence in zip(out["curves"], self.curves, self.sentences, strict=True):
            entry |= {"changes": [dataclasses.asdict(s) for s in curve.changes], "sentence": sentence}
        return out

    def to_json(self, indent: int | None = None) -> str:
        """Return the bisection as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    def rows(self) -> list[tuple[str, ...]]:
        """Return a line per score and measured checkpoint: title, name, score, interval, change from before, p."""
        out: list[tuple[str, ...]] = []
        for curve in self.curves:
            steps = {(s.first, s.second): s for s in (curve.whole, *curve.steps)}
            places = [point.place for point in curve.points]
            for point, at in zip(curve.points, pairwise([-1, *places]), strict=True):
                step = steps.get(at)
                interval = _interval(point, digits)
                change = "" if step is None else f"{signed(step.difference)}{' *' if step.found else ''}"
                p = "" if step is None or step.p_adjusted is None else plain_p(step.p_adjusted)
                name = self.checkpoints[point.place]
                out.append((curve.title, name, digits(point.score), interval, change, p))
        return out

    def to_markdown(self) -> str:
        """Return sentences, table and notes as Markdown."""
        head = ("score", "checkpoint", "value", f"{100 * self.level:g} % interval", "change", "p (adjusted)")
        table = markdown_table(head, self.rows(), "|---|---|---:|---:|---:|---:|")
        said, notes = (
            [f"- {markdown(text)}" for text in texts]
            for texts in (self.sentences, (*self.skipped, *self.warnings))
        )
        return "\n".join([*said, "", *table, "", self.footnote, *notes]).rstrip() + "\n"

    @property
    def footnote(self) -> str:
        """What the columns mean and what was measured."""
        return (
            f"{len(self.measured)} of {len(self.checkpoints)} checkpoints measured. Changes are from the checkpoint "
            f"in the line before; * below {ALPHA:.0%} after adjustment for all steps of the run."
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences)


# --- the picture: each score over the checkpoints -------------------------------------------------------------

_WIDTH, _HEIGHT, _GAP = 5.2, 1.5, 0.45
"""Of a panel, and between two, in inches."""
_MOST_LABELS = 16


def curve_plot(bisection: Bisection, path: str | Path) -> list[Path]:
    """Draw each score over the checkpoints, with its band; where a change was found is shaded.

    Args:
        bisection: what :func:`bisect` returns.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The SVG and the PNG.

    Raises:
        InputError: there is no score to draw.
        OutputError: the files cannot be written.
    """
    if not bisection.curves:
        raise InputError("there is no score to draw")
    return canvas.save_picture(canvas.picture_stem(path), partial(_draw, bisection))


def _draw(bisection: Bisection, fitter: LabelFitter) -> Any:
    figure, axes = canvas.stacked_panels(_WIDTH, [_HEIGHT] * len(bisection.curves), _GAP)
    for axis, curve in zip(axes, bisection.curves, strict=True):
        _panel(axis, curve, len(bisection.checkpoints), fitter)
        axis.tick_params(axis="x", labelbottom=False)
    labels, title = _labels(bisection, fitter)
    long = max(map(len, labels.values())) > 6
    axes[-1].tick_params(axis="x", labelbottom=True)
    for axis in axes:
        axis.set_xticks(list(labels))
    axes[-1].set_xticklabels(labels.values(), rotation=30 if long else 0, ha="right" if long else "center")
    axes[-1].set_xlabel(title)
    entries = [
        canvas.legend_entry("score", color=BLUE, marker="o", linestyle="-"),
        canvas.legend_entry(
            f"{100 * bisection.level:g} % interval", color=BLUE, alpha=0.25, linewidth=7, linestyle="-"
        ),
        canvas.legend_entry("ideal value", **DASHED),
        canvas.legend_entry("a change was found", color=ORANGE, alpha=0.25, linewidth=7, linestyle="-"),
    ]
    if len(bisection.measured) < len(bisection.checkpoints):
        entries.append(canvas.legend_entry("not measured", color=GREY, marker="|"))
    canvas.add_legend(axes[-1], entries, fitter, columns=3, below=1.0 if long else 0.6)
    return figure


def _panel(axis: Any, curve: Curve, n: int, fitter: LabelFitter) -> None:
    places = [p.place for p in curve.points]
    for step in curve.changes:
        axis.axvspan(step.first, step.second, color=ORANGE, alpha=0.2, linewidth=0, zorder=0)
    banded = [(p.place, p.low, p.high) for p in curve.points if p.low is not None and p.high is not None]
    if banded:
        at, low, high = zip(*banded, strict=True)
        axis.fill_between(at, low, high, color=BLUE, alpha=0.2, linewidth=0)
        axis.vlines(at, low, high, color=BLUE, linewidth=0.8, alpha=0.6)
    axis.plot(places, [p.score for p in curve.points], "-o", color=BLUE, markersize=4, linewidth=1.2)
    axis.axhline(curve.ideal, zorder=0, **DASHED)
    unmeasured = sorted(set(range(n)) - set(places))
    axis.plot(unmeasured, [0.03] * len(unmeasured), "|", color=GREY, transform=axis.get_xaxis_transform())
    axis.set_xlim(-0.3, n - 0.7)
    canvas.add_grid(axis, along="y")
    canvas.add_title(axis, fitter.fit(curve.title))


def _labels(bisection: Bisection, fitter: LabelFitter) -> tuple[dict[int, str], str]:
    """Names at the checkpoints that were measured, without what all have in common, which is the axis' name."""
    names = bisection.checkpoints
    common = next((names[0][:k] for k, both in enumerate(zip(*names, strict=False)) if len({*both}) > 1), "")
    common = common.rstrip("0123456789")
    if any(name == common for name in names):
        common = ""
    step = -(-len(bisection.measured) // _MOST_LABELS)
    shown = sorted({*bisection.measured[::step], bisection.measured[-1]})
    return {place: fitter.fit(names[place][len(common) :]) for place in shown}, common.rstrip(
        "-_./@ "
    ) or "checkpoint"
