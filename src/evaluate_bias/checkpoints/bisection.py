"""What a bisection returns: curves, the steps at which they changed, sentences and tables."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

from ..report.compare.change import digits, signed
from ..report.lines import ALPHA
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
        steps_found = [s for s in (self.whole, *self.steps) if s.found]
        return tuple(
            sorted(
                (s for s in steps_found if not any(_inside(other, s) for other in steps_found)),
                key=lambda s: s.first,
            )
        )


def _inside(one: Step, other: Step) -> bool:
    """Whether a step lies in another, wider one."""
    within = other.first <= one.first and one.second <= other.second
    return within and one.second - one.first < other.second - other.first


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
            p = (
                ""
                if curve.whole.p_adjusted is None
                else f" (first to last {p_phrase(curve.whole.p_adjusted)})"
            )
            return f"{curve.title}: no change was found{p}."
        parts = []
        for s in changes:
            text = f"{names[s.first]} and {names[s.second]}: {signed(s.difference)}"
            if s.low is not None and s.high is not None:
                text += f" ({signed(s.low)} to {signed(s.high)})"
            if s.p_adjusted is not None:
                text += f", {p_phrase(s.p_adjusted)}"
            if s.second - s.first > 1 and not self._all_skipped(s):
                text += ", spread over these or too small to be placed more closely"
            parts.append(text)
        return f"{curve.title}: a change was found between {'; and between '.join(parts)}."

    def _all_skipped(self, step: Step) -> bool:
        return not any(step.first < place < step.second for place in self.measured)

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
            before: Point | None = None
            for point in curve.points:
                interval = ""
                if point.low is not None and point.high is not None:
                    interval = f"{digits(point.low)} to {digits(point.high)}"
                step = None if before is None else steps.get((before.place, point.place))
                change = p = ""
                if step is not None:
                    change = f"{signed(step.difference)}{' *' if step.found else ''}"
                    p = "" if step.p_adjusted is None else plain_p(step.p_adjusted)
                out.append(
                    (
                        curve.title,
                        self.checkpoints[point.place],
                        digits(point.score),
                        interval,
                        change,
                        p,
                    )
                )
                before = point
        return out

    def to_markdown(self) -> str:
        """Return sentences, table and notes as Markdown."""
        from ..report.escape import markdown

        out = [f"- {markdown(text)}" for text in self.sentences]
        out += [
            "",
            f"| score | checkpoint | value | {100 * self.level:g} % interval | change | p (adjusted) |",
        ]
        out.append("|---|---|---:|---:|---:|---:|")
        out += ["| " + " | ".join(map(markdown, row)) + " |" for row in self.rows()]
        out += ["", self.footnote, *(f"- {markdown(text)}" for text in (*self.skipped, *self.warnings))]
        return "\n".join(out).rstrip() + "\n"

    @property
    def footnote(self) -> str:
        """What the columns mean and what was measured."""
        return (
            f"{len(self.measured)} of {len(self.checkpoints)} checkpoints measured. Changes are from the checkpoint "
            f"in the line before; * below {ALPHA:.0%} after adjustment for all steps of the run."
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences)
