"""What a comparison returns: the changes, row by row, with sentences and tables."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...registry import METHODS
from ...text import counted
from ..lines import ALPHA

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Change", "Comparison", "digits", "signed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of one score between two measurements, the second minus the first, on the units that both have.

    Attributes:
        method, name, kind: the row: registry name, name of the test or group, and the row's kind.
        first, second: the scores, on the shared units where the change is tested.
        ideal_first, ideal_second: the value that means that nothing was measured, in each.
        difference: second minus first.
        low, high: interval of the difference at the comparison's level.
        p_value, p_low, p_high: p-value that there is no change, and its bounds; ``None`` where there is no test.
        p_holm: adjusted by Holm for the rows of the same kind and method.
        test, interval: how they were found.
        n: number of shared units; ``None`` where the units were not compared.
        units: what a unit is.
        detectable: the smallest change that would have been seen in 80 % of cases.
        more_units: how many more units a change of a twentieth of the score's range needs, where it could not be seen.
        untested: why there is no test, where there is another reason than that both results must hold the units.
        also: mean change of a further number of the units, such as the score difference of a pair, with ``low``,
            ``high`` and ``p``.
    """

    method: str
    name: str
    kind: str
    first: float
    second: float
    ideal_first: float
    ideal_second: float
    difference: float
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    p_low: float | None = None
    p_high: float | None = None
    p_holm: float | None = None
    test: str = ""
    interval: str = ""
    n: int | None = None
    units: str = ""
    detectable: float | None = None
    more_units: int | None = None
    untested: str = ""
    also: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def decisive_p(self) -> float | None:
        """The p-value that decides: the adjusted one where there is one."""
        return self.p_value if self.p_holm is None else self.p_holm

    @property
    def found(self) -> bool:
        """Whether a change was found: its p-value lies below 5 % after correction."""
        return self.decisive_p is not None and self.decisive_p < ALPHA

    @property
    def title(self) -> str:
        """Method and row, for people."""
        title = METHODS[self.method].title if self.method in METHODS else self.method
        return title if self.kind == "overall" else f"{title}, {self.name}"

    @property
    def nearer(self) -> float:
        """By how much the score came nearer to its ideal value; negative where it went away from it."""
        return abs(self.first - self.ideal_first) - abs(self.second - self.ideal_second)

    @property
    def sentence(self) -> str:
        """What changed, how surely, and what could have been seen, in a sentence or two."""
        change = f"{self.title}: {digits(self.first)} to {digits(self.second)}"
        if self.difference == 0 and self.p_value == 1.0:
            text = f"{change}, no change"
        else:
            text = f"{change}, {'a change' if self.found else 'a difference'} of {signed(self.difference)}"
        if self.low is not None and self.high is not None:
            text += f" ({signed(self.low)} to {signed(self.high)})"
        if self.p_value is None:
            text += "; there is no test"
            text += ", as its units were not kept or are not shared" if not self.untested else ""
        elif self.found:
            way = "nearer to" if self.nearer > 0 else "further from"
            p = self.decisive_p
            text += f", p = {p:.2g}: {way} the ideal value {digits(self.ideal_second)}"
        elif self.difference != 0:
            text += f", p = {self.decisive_p:.2g}: not told from chance"
        text += "."
        if self.untested:
            text += f" {self.untested}"
        if not self.found and self.detectable is not None:
            text += f" A change of {digits(self.detectable)} would have been seen in 80 % of cases."
        if not self.found and self.more_units:
            text += f" To see one of {digits(self.small)}, about {self.more_units:,} more {self.units} are needed."
        return text

    @property
    def small(self) -> float:
        """The change that ``more_units`` is about: a twentieth of the score's range."""
        low, high = METHODS[self.method].score_range if self.method in METHODS else (None, None)
        return 0.0 if low is None or high is None else (high - low) / 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two measurements side by side.

    Attributes:
        first, second: names of the models.
        changes: one entry per score that both have: overall scores, tests and groups.
        same_weights: whether both are the same weights, by their checksums; ``None`` where a checksum is missing.
        level: level of the intervals.
        warnings: what a reader must know: settings that differ, units that stand in one only.
        left_out: scores that could not be compared, and why.

    Examples:
        >>> import evaluate_bias as eb
        >>> rows = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2} for k in range(40)]
        >>> after = [{"sent_more": -9.0, "sent_less": -9.5 + (k % 4 == 0)} for k in range(40)]
        >>> a, b = (eb.measure("pll", None, data=pairs) for pairs in (rows, after))
        >>> found = eb.compare(a, b)
        >>> change = found.changes[0]
        >>> change.first, change.second, change.difference, change.found
        (50.0, 75.0, 25.0, False)
    """

    first: str
    second: str
    changes: tuple[Change, ...]
    same_weights: bool | None = None
    level: float = 0.95
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[Change, ...]:
        """The changes that were found."""
        return tuple(c for c in self.changes if c.found)

    @property
    def summary(self) -> str:
        """What changed, in a sentence."""
        whom = f"{self.first} and {self.second}"
        if self.same_weights:
            whom += " (the same weights)"
        tested = [c for c in self.changes if c.p_value is not None]
        if not tested:
            return f"{whom}: no score has units in common, so no change could be tested."
        found = self.changed
        if not found:
            nothing = all(c.difference == 0 for c in tested)
            return f"{whom}: no change{'' if nothing else ' was found'} in {counted(len(tested), 'score')}."
        nearer = sum(c.nearer > 0 for c in found)
        return (
            f"{whom}: {len(found)} of {counted(len(tested), 'score')} changed, {nearer} of them towards the ideal "
            f"value and {len(found) - nearer} away from it."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        out = dataclasses.asdict(self)
        for entry, change in zip(out["changes"], self.changes, strict=True):
            entry |= {"found": change.found, "sentence": change.sentence}
        return out | {"summary": self.summary}

    def to_json(self, indent: int | None = None) -> str:
        """Return the comparison as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per change."""
        import pandas as pd

        lines = [{k: v for k, v in change.items() if k != "also"} for change in self.to_dict()["changes"]]
        return pd.DataFrame(lines)

    def to_markdown(self) -> str:
        """Return summary, table and notes as Markdown."""
        from ..escape import markdown

        level = f"{100 * self.level:g} %"
        out = [f"**{markdown(self.summary)}**", ""]
        out += [f"| score | {markdown(self.first)} | {markdown(self.second)} | change | {level} interval "]
        out[-1] += "| p (Holm) | n | seen in 80 % | verdict |"
        out.append("|---|---:|---:|---:|---|---:|---:|---:|---|")
        for c in self.changes:
            interval = "" if c.low is None or c.high is None else f"{signed(c.low)} to {signed(c.high)}"
            cells = [
                markdown(c.title),
                digits(c.first),
                digits(c.second),
                signed(c.difference),
                interval,
                "" if c.decisive_p is None else f"{c.decisive_p:.2g}",
                "" if c.n is None else f"{c.n:,}",
                "" if c.detectable is None else digits(c.detectable),
                _verdict(c),
            ]
            out.append("| " + " | ".join(cells) + " |")
        notes = [*self.warnings, *self.left_out]
        return "\n".join([*out, "", *(f"- {markdown(note)}" for note in notes)]).rstrip() + "\n"

    def __str__(self) -> str:
        return "\n".join([self.summary, *(f"  {c.sentence}" for c in self.changes), *self.warnings])


def _verdict(change: Change) -> str:
    if change.p_value is None:
        return "not tested"
    if not change.found:
        return "no change" if change.difference == 0 else "not found"
    return "nearer to the ideal" if change.nearer > 0 else "further from it"


def digits(value: float) -> str:
    """A score, with a true minus sign.

    Examples:
        >>> digits(-1.2984), digits(52.25)
        ('−1.298', '52.25')
    """
    return (f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}").replace("-", "−")


def signed(value: float) -> str:
    """A change, with its sign.

    Examples:
        >>> signed(1.5), signed(-0.00002), signed(0.0)
        ('+1.500', '−2e-05', '0.000')
    """
    text = digits(abs(value))
    if float(text) == 0 and value != 0:
        text = f"{abs(value):.1g}"  # a change too small for these digits is one all the same
    return text if value == 0 else ("−" if value < 0 else "+") + text
