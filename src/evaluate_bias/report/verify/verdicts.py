"""What verification says of every number it reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from ..escape import markdown, markdown_table

Verdict = Literal["true", "stale", "false", "not verifiable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Check:
    """One number, or one line, that is written somewhere.

    Attributes:
        file: where: the name of a file, with its part.
        place: the line, or the name of the score.
        verdict: ``"true"``: it follows from the recorded scores; ``"stale"``: it is that of an earlier result;
            ``"false"``: it is neither; ``"not verifiable"``: what it is made of was not recorded.
        shown: what stands there.
        expected: what the recorded scores give, empty where that is not known.
        reason: why, where the verdict alone does not say it.
    """

    file: str
    place: str
    verdict: Verdict
    shown: str = ""
    expected: str = ""
    reason: str = ""

    @property
    def where(self) -> str:
        """File and place."""
        return f"{self.file}, {self.place}" if self.place else self.file


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """All verdicts on a folder.

    Attributes:
        checks: one for each number or line.
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
        found = {c.verdict for c in self.checks}
        order: tuple[Verdict, ...] = ("false", "stale", "not verifiable", "true")
        return next((v for v in order if v in found), "not verifiable")

    def counts(self) -> dict[str, Counter[str]]:
        """How often each verdict was given, by file."""
        found: dict[str, Counter[str]] = {}
        for check in self.checks:
            found.setdefault(check.file, Counter())[check.verdict] += 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """The verdict, the counts, and everything that is not true, as JSON holds them."""
        counts = {file: dict(c) for file, c in self.counts().items()}
        problems = [asdict(c) for c in self.problems]
        return {"verdict": self.verdict, "counts": counts, "problems": problems, "notes": list(self.notes)}

    def to_markdown(self, most: int = 50) -> str:
        """A summary for people: the counts, then at most so many of the numbers that are not true."""
        counts = [(file, *(str(c[v]) for v in VERDICTS)) for file, c in self.counts().items()]
        out = [f"**Verified: {self.verdict}.**", ""]
        out += markdown_table(("file", *VERDICTS), counts, f"|---|{'---:|' * len(VERDICTS)}")
        if self.problems:
            head = ("where", "verdict", "written", "recomputed", "why")
            first = self.problems[:most]
            cells = [(c.where, c.verdict, _short(c.shown), _short(c.expected), c.reason) for c in first]
            out += ["", *markdown_table(head, cells)]
        if len(self.problems) > most:
            out += ["", f"… and {len(self.problems) - most} more."]
        out += [line for note in self.notes for line in ("", markdown(note))]
        return "\n".join(out) + "\n"

    def __repr__(self) -> str:
        total = sum((c for c in self.counts().values()), Counter[str]())
        return f"<Verification {self.verdict}: {', '.join(f'{n} {v}' for v, n in total.items())}>"


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
