"""What verification says of every line it reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from ...text import one_line
from ..escape import markdown
from ..table import Cell, Table, table_of

Verdict = Literal["true", "stale", "false", "not verifiable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LINK = "a link out of the folder, which is not followed"


@dataclass(frozen=True, slots=True)
class Check:
    """One line, entry, value or picture that is written somewhere.

    Attributes:
        file: where: the name of a file, with its part.
        place: the line, the value in it, or the name of the score.
        verdict: ``"true"``: it follows from the recorded scores; ``"stale"``: it is that of an earlier result;
            ``"false"``: it is neither; ``"not verifiable"``: what it is made of was not recorded.
        actual: what stands there.
        expected: what would stand there, written from the recorded scores; empty where that is not known.
        reason: why, where the verdict alone does not say it.
    """

    file: str
    place: str
    verdict: Verdict
    actual: str = ""
    expected: str = ""
    reason: str = ""

    def diff(self) -> list[str]:
        """Where, with verdict and reason; then what stands there and what would stand there."""
        where = f"{self.file}, {self.place}" if self.place else self.file
        head = f"@@ {where}: {self.verdict}{f', {self.reason}' if self.reason else ''}"
        signed = (("-", self.actual), ("+", self.expected))
        return [head, *(f"{sign} {text}" for sign, text in signed if text)]


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """All verdicts on a folder.

    Attributes:
        checks: one for each line, entry, value or picture.
        notes: what a person should know beside them, one sentence each.
    """

    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Check, ...]:
        """What is not true."""
        return tuple(c for c in self.checks if c.verdict != "true")

    @property
    def verdict(self) -> Verdict:
        """The worst of all verdicts: false, then stale, then not verifiable, then true."""
        verdicts = {c.verdict for c in self.checks}
        order: tuple[Verdict, ...] = ("false", "stale", "not verifiable", "true")
        return next((v for v in order if v in verdicts), "not verifiable")

    def counts(self) -> dict[str, Counter[str]]:
        """How often each verdict was given, by file."""
        counters: dict[str, Counter[str]] = {}
        for check in self.checks:
            counters.setdefault(check.file, Counter())[check.verdict] += 1
        return counters

    @property
    def table(self) -> Table[Sequence[Cell]]:
        """The counts, a row for each file."""
        rows: list[Sequence[Cell]] = [(file, *(c[v] for v in VERDICTS)) for file, c in self.counts().items()]
        return table_of(
            ("file", *VERDICTS), rows, numbers=range(1, len(VERDICTS) + 1), title=f"Verified: {self.verdict}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The verdict, the counts, and everything that is not true, as JSON holds them."""
        counts = {file: dict(c) for file, c in self.counts().items()}
        problems = [asdict(c) for c in self.problems]
        return {"verdict": self.verdict, "counts": counts, "problems": problems, "notes": list(self.notes)}

    def to_markdown(self) -> str:
        """A summary for people: the counts, then every difference, and the notes."""
        out = [f"**Verified: {self.verdict}.**", "", self.table.to_markdown()]
        if lines := [line for check in self.problems for line in check.diff()]:
            longest = max(map(len, re.findall("`+", "".join(lines))), default=0)
            fence = "`" * max(3, longest + 1)
            out += ["", f"{fence}diff", *map(one_line, lines), fence]
        out += [line for note in self.notes for line in ("", markdown(note))]
        return "\n".join(out) + "\n"

    def __repr__(self) -> str:
        total = sum((c for c in self.counts().values()), Counter[str]())
        return f"<Verification {self.verdict}: {', '.join(f'{n} {v}' for v, n in total.items())}>"
