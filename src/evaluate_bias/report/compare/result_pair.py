"""Two results of one method on one data set: the rows and units that both have, and the change of each row."""

from __future__ import annotations

import dataclasses
from typing import Any

from scipy import special

from ... import stats
from ...errors import DataError, UndefinedScoreError
from ...method import MethodRecord, ScoreUnits
from ...result import Result, Row
from ..revisions import outdated, revisions
from .change import Change, ChangeVerdict
from .testing import Shared, own_score, shared_units, tested, units_of


def refuse_mixed_revisions(one: Result, two: Result) -> list[str]:
    """Return what is to be said of two results that an older revision of their method measured, a sentence or none.

    Raises:
        DataError: they were measured by different revisions.
    """
    old = outdated(one) or outdated(two)
    if revisions(one) != revisions(two):
        raise DataError(
            old or "the two were measured by different revisions of the method: measure both again"
        )
    return [old] if old else []


_FEWEST = 20
"""Fewer units than these, or than half of them, that both measurements decide are not compared."""


def _row_key(row: Row) -> tuple[str, str, str, str]:
    return row.kind, row.name, row.labels.get("task", ""), row.labels.get("by", "")


def shared_rows(one: Result, two: Result) -> list[tuple[Row, Row]]:
    """Rows with a score that both results have: the overall one, tests and groups."""
    ours = {_row_key(r): r for r in (two.overall, *two.rows)}
    return [
        (row, ours[_row_key(row)])
        for row in (one.overall, *one.rows)
        if row.kind != "item"
        and row.score is not None
        and _row_key(row) in ours
        and ours[_row_key(row)].score is not None
    ]


def _independent(a: Row, b: Row, levels: tuple[float, float], level: float) -> tuple[float, float] | None:
    """Interval of a difference from the intervals of both scores, brought to this level as those of normal errors."""
    sides = []
    for row, own in zip((a, b), levels, strict=True):
        if row.score is None or row.ci_low is None or row.ci_high is None:
            return None
        scale = 1.0 if own == level else float(special.ndtri((1 + level) / 2) / special.ndtri((1 + own) / 2))
        sides.append(
            (
                row.score,
                row.score - scale * (row.score - row.ci_low),
                row.score + scale * (row.ci_high - row.score),
            )
        )
    return stats.unpaired_interval(*sides)


@dataclasses.dataclass(slots=True)
class ResultPair:
    """Two results of one method on one data set, with the items that both have."""

    one: Result
    two: Result
    record: MethodRecord | None
    level: float
    seed: int
    whole: Shared | None = None

    @property
    def units(self) -> ScoreUnits | None:
        """What the method's score is made of."""
        return None if self.record is None else self.record.units_of(self.one)

    def find_units(self, title: str) -> list[str]:
        """Find the items of both, and return what is to be said of those that stand in one only."""
        units = self.units
        assert units is not None
        try:
            shared = shared_units(units_of(self.one, units), units_of(self.two, units))
        except DataError as error:
            return [f"{title}: {error}"]
        self.whole = shared
        text = self._left_out(shared)
        return [f"{title}: {text}"] if text else []

    def _left_out(self, shared: Shared) -> str:
        """What is to be said of units that stand in one only."""
        if self.units is None or not (len(shared) and (shared.only_first or shared.only_second)):
            return ""
        return (
            f"{len(shared)} {self.units.name} are in both; {shared.only_first} stand in the first only and "
            f"{shared.only_second} in the second only and are left out"
        )

    def change(self, a: Row, b: Row, notes: list[str]) -> tuple[Change, int]:
        """The change of one row, tested on its units where both results have them, and the number of these."""
        assert a.score is not None  # shared_rows
        assert b.score is not None
        one, two = self.one, self.two
        alike = [r for r in one.rows if (r.kind, r.name) == (a.kind, a.name)]
        facts: dict[str, Any] = {
            "method": one.method,
            "name": a.name if len(alike) < 2 else f"{a.name} ({a.labels.get('task') or a.labels.get('by')})",
            "kind": a.kind,
            "first": a.score,
            "second": b.score,
            "ideal_first": one.ideal if a.ideal is None else a.ideal,
            "ideal_second": two.ideal if b.ideal is None else b.ideal,
            "difference": b.score - a.score,
            "reason": "Its units were not kept or are not shared.",
        }
        if a.kind == "overall" and self.whole is not None and not len(self.whole):
            assert self.units is not None
            of_what = f" of the same {' and '.join(self.units.same)}" if self.units.same else ""
            reason = f"The two have no {self.units.name}{of_what} in common."
            return Change(**facts | {"verdict": ChangeVerdict.NOT_COMPARABLE, "reason": reason}), 0
        if (ends := _independent(a, b, (one.ci_level, two.ci_level), self.level)) is not None:
            facts |= {
                "low": ends[0],
                "high": ends[1],
                "interval": "from both intervals, as if the measurements were independent",
            }
        if self.record is None or self.units is None:
            return Change(**facts if self.record is None else facts | {"reason": self.record.no_units}), 0
        try:
            shared = self._of_row(a, b, self.units, notes)
            if shared is not None and len(shared):
                if self.units.tie:
                    facts |= {"published_first": a.score, "published_second": b.score}
                facts |= {"reason": ""} | self._tested(shared, self.record, self.units)
                total = facts.pop("total", (None, None))
                if facts.get("low") is not None and None not in total:
                    ideals = facts["ideal_first"], facts["ideal_second"]
                    ends = stats.distance_change((facts["low"], facts["high"]), total, ideals)
                    facts |= {"distance_low": ends[0], "distance_high": ends[1]}
                return Change(**facts), len(shared)
            if shared is not None and not self.units.list:
                facts["reason"] = "The results hold no items of this row alone."
        except UndefinedScoreError as error:
            notes.append(f"{one.method}, {a.name}: {error}")
            facts["reason"] = "The score is undefined on the items that both have."
        return Change(**facts), 0

    def _tested(self, shared: Shared, record: MethodRecord, units: ScoreUnits) -> dict[str, Any]:
        """The test of a row's units; of a score that counts ties, on those that both measurements decide."""
        settings = (self.one.settings, self.two.settings)
        if not units.tie:
            return tested(shared, record, units, settings, self.level, self.seed)
        decided, ties = shared.decided()
        facts: dict[str, Any] = {"ties": ties, "n": len(decided), "units": units.name}
        if len(decided) < max(_FEWEST, len(shared) / 2):
            few = (
                f"{len(decided)} of {len(shared)} {units.name} are decided in both ({ties}), which are fewer than "
                f"{_FEWEST} or than half."
            )
            none = dict.fromkeys(("low", "high"))
            return facts | none | {"interval": "", "verdict": ChangeVerdict.NOT_COMPARABLE, "reason": few}
        ideals = {"ideal_first": record.ideal, "ideal_second": record.ideal}
        return facts | ideals | tested(decided, record, units, settings, self.level, self.seed)

    def _of_row(self, a: Row, b: Row, units: ScoreUnits, notes: list[str]) -> Shared | None:
        """The shared units of a row: those of a test, or the items that make it up."""
        if not units.list:
            return None if self.whole is None else self.those(a)
        if a.kind != "test":
            return None
        shared = shared_units(units_of(a, units), units_of(b, units))
        if text := self._left_out(shared):
            notes.append(f"{self.one.method}, {a.name}: {text}")
        return shared

    def those(self, row: Row) -> Shared:
        """The items that make up a row."""
        assert self.whole is not None
        assert self.record is not None
        own = own_score(self.record) if self.units is not None and self.units.score == "own" else None
        in_row = getattr(own, "in_row", None)
        if in_row is not None:
            return self.whole.those(lambda unit: bool(in_row(unit.fields, row, self.one.settings)))
        task = row.labels.get("task")
        return self.whole.those(
            lambda unit: row.kind == "overall" or {row.name, task or row.name} <= unit.labels
        )
