"""Two results of one method on one data set: the rows and units that both have, and the change of each row."""

from __future__ import annotations

import dataclasses
from typing import Any

from scipy import special

from ... import stats
from ...errors import DataError, UndefinedScoreError
from ...method_record import MethodRecord
from ...result import SCORE_WITHOUT_TIES, Result, Row
from ...units import QUESTIONS, ScoreUnits, SelectsUnits
from ..data_facts import outdated, revisions
from .change import Change, ChangeVerdict
from .testing import SharedUnits, shared_units, tested


def refuse_mixed_revisions(one: Result, two: Result) -> list[str]:
    """Return what is to be said of two results that an older revision of their method measured, a sentence or none.

    Raises:
        DataError: they were measured by different revisions.
    """
    old = outdated(one) or outdated(two)
    if revisions(one) != revisions(two):
        raise DataError(old or "the two were measured by different revisions of the method: measure again")
    return [old] if old else []


_FEWEST = 20
"""Fewer units than these, or than half of them, that both measurements decide are not compared."""


def _row_key(row: Row) -> tuple[str, str, str, str]:
    return row.kind, row.name, row.labels.get("task", ""), row.labels.get("by", "")


def shared_rows(one: Result, two: Result) -> list[tuple[Row, Row]]:
    """Rows with a score that both results have: the overall one, tests and groups."""
    ours, theirs = (
        [row for row in (side.overall, *side.rows) if row.kind != "item" and row.score is not None]
        for side in (one, two)
    )
    other = {_row_key(row): row for row in theirs}
    return [(row, other[_row_key(row)]) for row in ours if _row_key(row) in other]


def _independent(
    a: Row, b: Row, levels: tuple[float, float], confidence_level: float
) -> tuple[float, float] | None:
    """Interval of a difference from the intervals of both scores, brought to this level as those of normal errors."""
    sides = []
    for row, row_level in zip((a, b), levels, strict=True):
        if row.score is None or row.ci_low is None or row.ci_high is None:
            return None
        scale = (
            1.0
            if row_level == confidence_level
            else float(special.ndtri((1 + confidence_level) / 2) / special.ndtri((1 + row_level) / 2))
        )
        low, high = scale * (row.score - row.ci_low), scale * (row.ci_high - row.score)
        sides.append((row.score, row.score - low, row.score + high))
    return stats.unpaired_interval(*sides)


@dataclasses.dataclass(slots=True)
class ResultPair:
    """Two results of one method on one data set, with the items that both have."""

    one: Result
    two: Result
    record: MethodRecord | None
    units: ScoreUnits | None
    confidence_level: float
    seed: int
    whole: SharedUnits | None = None

    def find_units(self, title: str) -> list[str]:
        """Find the items of both, and return what is to be said of those that stand in one only."""
        assert self.units is not None
        try:
            self.whole = shared_units(self.one, self.two, self.units)
        except DataError as error:
            return [f"{title}: {error}"]
        return _left_out(title, self.whole, self.units)

    def change(self, a: Row, b: Row, notes: list[str]) -> tuple[Change, int]:
        """The change of one row, tested on its units where both results have them, and the number of these."""
        one, two = self.one, self.two
        published = a.score or 0.0, b.score or 0.0
        a, b = self._decided(a), self._decided(b)
        assert a.score is not None  # shared_rows
        assert b.score is not None
        # A test of several tasks has a row for each; that of all of them together names none.
        task = a.labels.get("task") or a.labels.get("by")
        alike = [r for r in one.rows if (r.kind, r.name) == (a.kind, a.name)]
        facts: dict[str, Any] = {
            "method": one.method,
            "name": f"{a.name} ({task})" if task and len(alike) > 1 else a.name,
            "kind": a.kind,
            "first": a.score,
            "second": b.score,
            "ideal_first": one.ideal if a.ideal is None else a.ideal,
            "ideal_second": two.ideal if b.ideal is None else b.ideal,
            "difference": b.score - a.score,
            "reason": "Its items were not kept or are not shared.",
        }
        units = self.units
        if any(one.settings.get(key) != two.settings.get(key) for key in QUESTIONS):
            reason = "The two were asked other questions: give both the same prompt variants or prompts."
            return Change(**facts | {"verdict": ChangeVerdict.NOT_COMPARABLE, "reason": reason}), 0
        if units is not None and a.kind == "overall" and self.whole is not None and not len(self.whole):
            of_what = f" of the same {' and '.join(units.same)}" if units.same else ""
            reason = f"The two have no {units.name}{of_what} in common."
            return Change(**facts | {"verdict": ChangeVerdict.NOT_COMPARABLE, "reason": reason}), 0
        if (
            ends := _independent(a, b, (one.confidence_level, two.confidence_level), self.confidence_level)
        ) is not None:
            how = "from both intervals, as if the measurements were independent"
            facts |= {"low": ends[0], "high": ends[1], "interval": how}
        if self.record is None or units is None:
            return Change(**facts if self.record is None else facts | {"reason": self.record.no_units}), 0
        try:
            shared = self._of_row(a, b, units, notes)
            if shared is not None and len(shared):
                facts |= {"reason": ""} | self._tested(shared, self.record, units)
                moved = max(abs(facts["first"] - published[0]), abs(facts["second"] - published[1]))
                if moved > stats.TIE_TOLERANCE * max(1.0, *map(abs, published)):
                    facts |= {"published_first": published[0], "published_second": published[1]}
                total = facts.pop("total", (None, None))
                if facts.get("low") is not None and None not in total:
                    ideals = facts["ideal_first"], facts["ideal_second"]
                    ends = stats.distance_change((facts["low"], facts["high"]), total, ideals)
                    facts |= {"distance_low": ends[0], "distance_high": ends[1]}
                return Change(**facts), len(shared)
            if shared is not None and not units.list:
                facts["reason"] = "The results hold no items of this row alone."
        except UndefinedScoreError as error:
            notes.append(f"{one.method}, {a.name}: {error}")
            facts["reason"] = "The score is undefined on the items that both have."
        return Change(**facts), 0

    def _decided(self, row: Row) -> Row:
        """The row with the share of its decided units, where the score counts ties."""
        share = row.estimates.get(SCORE_WITHOUT_TIES)
        if share is None or self.record is None:
            return row
        score, ideal = float(share.value), self.record.ideal
        return dataclasses.replace(row, score=score, ci_low=share.low, ci_high=share.high, ideal=ideal)

    def _tested(self, shared: SharedUnits, record: MethodRecord, units: ScoreUnits) -> dict[str, Any]:
        """The test of a row's units; of a score that counts ties, on those that both measurements decide."""
        settings = (self.one.settings, self.two.settings)
        if not units.tie:
            return tested(shared, record, units, settings, self.confidence_level, self.seed)
        decided, ties = shared.decided()
        facts: dict[str, Any] = {"ties": ties, "n": len(decided), "items": units.name}
        if len(decided) < max(_FEWEST, len(shared) / 2):
            both = f"{len(decided)} of {len(shared)} {units.name} are decided in both ({ties})"
            facts |= {"reason": f"{both}, which are fewer than {_FEWEST} or than half.", "interval": ""}
            return facts | {"low": None, "high": None, "verdict": ChangeVerdict.NOT_COMPARABLE}
        ideals = {"ideal_first": record.ideal, "ideal_second": record.ideal}
        return facts | ideals | tested(decided, record, units, settings, self.confidence_level, self.seed)

    def _of_row(self, a: Row, b: Row, units: ScoreUnits, notes: list[str]) -> SharedUnits | None:
        """The shared units of a row: those of a test, or the items that make it up."""
        if not units.list:
            return None if self.whole is None else self.units_of_row(a)
        if a.kind != "test":
            return None
        shared = shared_units(a, b, units)
        notes += _left_out(f"{self.one.method}, {a.name}", shared, units)
        return shared

    def units_of_row(self, row: Row) -> SharedUnits:
        """The items that make up a row."""
        assert self.whole is not None
        assert self.record is not None
        if self.units is not None and self.units.score == "function":
            functions = self.record.unit_functions()
            if isinstance(functions, SelectsUnits):
                return self.whole.where(lambda unit: functions.in_row(unit.fields, row, self.one.settings))
        row_labels = {row.name, row.labels.get("task") or row.name} if row.kind != "overall" else set()
        return self.whole.where(lambda unit: row_labels <= unit.labels)


def _left_out(of_what: str, shared: SharedUnits, units: ScoreUnits) -> list[str]:
    """What is to be said of units that stand in one only, a sentence or none."""
    if not (len(shared) and (shared.only_first or shared.only_second)):
        return []
    return [
        f"{of_what}: {len(shared)} {units.name} are in both; {shared.only_first} stand in the first only and "
        f"{shared.only_second} in the second only and are left out"
    ]
