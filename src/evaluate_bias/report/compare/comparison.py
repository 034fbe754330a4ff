"""What a comparison returns: the changes, row by row, with sentences and tables."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...text import counted, name_list, plain_p
from ..table import Cell, Table, TablePage, table_of
from .change import Change, ChangeConclusion, digits, signed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(TablePage):
    """Two measurements side by side.

    Attributes:
        first, second: names of the models.
        changes: one entry per score that both have: overall scores, tests and groups.
        same_weights: whether both have the same weights, by their checksums. ``None`` if a checksum is missing.
        confidence_level: level of the intervals.
        warnings: what a reader must know: settings that differ, units that appear in only one.
        left_out: scores that could not be compared, and why.

    Examples:
        >>> import evaluate_bias as eb
        >>> rows = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2} for k in range(40)]
        >>> after = [{"sent_more": -9.0, "sent_less": -9.5 + (k % 4 == 0)} for k in range(40)]
        >>> a, b = (eb.measure("pll", None, data=pairs) for pairs in (rows, after))
        >>> comparison = eb.compare(a, b)
        >>> change = comparison.changes[0]
        >>> change.first, change.second, change.difference, change.conclusion.value
        (50.0, 75.0, 25.0, 'no significant change')
    """

    first: str
    second: str
    changes: tuple[Change, ...]
    same_weights: bool | None = None
    confidence_level: float = 0.95
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[Change, ...]:
        """The significant changes."""
        return tuple(c for c in self.changes if c.significant)

    @property
    def summary(self) -> str:
        """What changed, in a sentence."""
        whom = f"{self.first} and {self.second}"
        if self.same_weights:
            whom += " (the same weights)"
        tested = [c for c in self.changes if c.p_holm is not None]
        counts = Counter(c.conclusion for c in self.changes if not c.control)
        open_ = [f"{counts[v]} {v.value}" for v in _OPEN if counts[v]]
        but = f"; {', '.join(open_)}" if open_ else ""
        if not tested:
            return f"{whom}: no change could be tested{but}."
        if not self.changed:
            none = "no change" if all(c.unchanged for c in tested) else "no significant change"
            return f"{whom}: {none} in {counted(len(tested), 'score')}{but}."
        ideals = Counter(c.toward_ideal for c in self.changed if c.toward_ideal)
        ways = [f"{counts[v]} {v.value}" for v in _CHANGED if counts[v]]
        ways += [f"{n} {toward} the ideal" for toward, n in sorted(ideals.items())]
        return f"{whom}: {len(self.changed)} of {counted(len(tested), 'score')} changed ({', '.join(ways)}){but}."

    def table(self, first: str = "", second: str = "") -> Table[Sequence[Cell]]:
        """Return the table that every surface shows. The heading of the p-values says what they are corrected for.

        A score that counts ties, or units that only one of the two has, has a second row, with what each model reports
        by itself.

        Args:
            first: heading of the first scores, instead of the name of the model.
            second: heading of the second scores.
        """
        tests = sum(c.p_holm is not None for c in self.changes)
        names = (first or self.first, second or self.second)
        interval, p = f"{100 * self.confidence_level:g}% interval", f"p (Holm, {counted(tests, 'test')})"
        numbers = (*names, "change", interval, p, "n", "ties (first, second, both)")
        rows: list[tuple[str, ...]] = []
        for c in self.changes:
            comparable = c.conclusion is not ChangeConclusion.NOT_COMPARABLE
            line = (
                c.title,
                digits(c.first),
                digits(c.second),
                signed(c.difference) if comparable else "",
                c.interval_text,
                "" if c.p_holm is None else plain_p(c.p_holm),
                "" if c.n is None else f"{c.n:,}",
                "" if c.ties is None else ", ".join(f"{n:,}" for n in c.ties),
                f"{c.word}, {c.toward_ideal} the ideal" if c.toward_ideal else c.word,
            )
            rows.append(line)
            if comparable and c.published_first is not None and c.published_second is not None:
                what = "… with ties" if c.ties is not None and any(c.ties) else f"… on all {c.items} of each"
                scores = digits(c.published_first), digits(c.published_second)
                rows.append((what, *scores, *[""] * 6))
        return table_of(("score", *numbers, "conclusion"), rows, numbers=range(1, 8))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        out = dataclasses.asdict(self)
        for entry, change in zip(out["changes"], self.changes, strict=True):
            entry |= {"conclusion": change.conclusion.value, "sentence": change.sentence}
            entry["ties"] = None if change.ties is None else change.ties._asdict()
        return out | {"summary": self.summary}

    def to_json(self, indent: int | None = None) -> str:
        """Return the comparison as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per change."""
        import pandas as pd

        return pd.DataFrame(self.to_dict()["changes"])

    @property
    def sentences(self) -> list[str]:
        """The summary alone: every change has a sentence of its own, which the terminal prints."""
        return [self.summary]

    @property
    def tables(self) -> list[Table[Any]]:
        """The table, with the names of both models."""
        return [self.table()]

    @property
    def notes(self) -> tuple[str, ...]:
        """Why single conclusions are what they are, what a reader must know, and what could not be compared."""
        titles: dict[str, list[str]] = {}
        for change in self.changes:
            if change.reason:
                titles.setdefault(change.reason, []).append(change.title)
        reasons = (f"{name_list(of_reason, 1)}: {reason}" for reason, of_reason in titles.items())
        return (*reasons, *self.warnings, *self.left_out)

    def __str__(self) -> str:
        return "\n".join([self.summary, *(f"  {c.sentence}" for c in self.changes), *self.warnings])


_CHANGED = (ChangeConclusion.INCREASED, ChangeConclusion.DECREASED)
_OPEN = (ChangeConclusion.UNCLEAR, ChangeConclusion.TOO_FEW, ChangeConclusion.NOT_COMPARABLE)
"""What the summary counts apart from the significant changes."""
