"""The reading of a result: title, verdict, finding with direction, size and uncertainty, rows, remarks and marks.

Made once, from a result and its method's record. Terminal, notebook, report, LaTeX, HTML, card, explorer, pictures and
comparisons show it and decide nothing. The sentences about findings and the words for sizes stand in :mod:`.wording`;
which verdict holds is decided in :mod:`.verdict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..registry import METHODS
from ..result import Result
from .data_facts import dataset_facts, public_source, result_note
from .lines import ReportRow, annotate, decided_lines, lines_by_result, method_title, model_name, short_title
from .verdict import FOUND, Verdict, result_verdict
from .wording import RowReading as RowReading
from .wording import Wording, unread_sentence

NOT_ABSENCE = (
    "A value that is near the ideal or not significant does not show that such associations are absent: other words, "
    "groups and languages were not examined."
)
NOT_SIZE = (
    "This number shows how far the measurement can be trusted. It says nothing about the size of a bias."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What may be said of one result, as plain text.

    Attributes:
        result: the result.
        title: method and, on illustrative data, that remark.
        short: what people call the method.
        model: what was measured.
        looks_at: what the method looks at, in a few words.
        data: title and language of the data.
        verdict: the verdict on the whole result.
        k, n: of how many of its tests or groups it holds.
        word: the verdict in a few words, with these numbers where there are several tests.
        finding: one sentence: what was found or not, in which direction, how large, how sure.
        remarks: what else must be said, a sentence each: a side that was not asked for, control tests, rows with too
            few units, ties, what the test would have found.
        rows: its rows; the first stands for the result.
        telling: the rows that the finding speaks of.
    """

    result: Result
    title: str
    short: str
    model: str
    looks_at: str
    data: str
    verdict: Verdict
    k: int
    n: int
    word: str
    finding: str
    remarks: tuple[str, ...]
    rows: tuple[RowReading, ...]
    telling: tuple[RowReading, ...]

    @property
    def head(self) -> RowReading:
        """The row that stands for the result."""
        return self.rows[0]

    @property
    def parts(self) -> tuple[RowReading, ...]:
        """Its tests or groups."""
        return tuple(row for row in self.rows if row.part)

    @property
    def found(self) -> bool:
        """Whether anything was found, in the whole or in a part."""
        return self.verdict in FOUND

    @property
    def filled(self) -> bool:
        """Whether pictures fill the mark of the whole result: all of it was found."""
        return self.verdict is Verdict.FOUND

    @property
    def short_word(self) -> str:
        """The verdict in a word or two, without numbers."""
        return self.verdict.word

    @property
    def decisive_p(self) -> float:
        """The smallest p-value of the rows that the finding is about; 1 if there is none."""
        return min((p for row in self.telling if (p := row.line.decisive_p) is not None), default=1.0)


def read(result: Result) -> Reading:
    """Return what may be said of one result; its p-values are adjusted over its own tests or groups.

    Examples:
        >>> labels = {"x": "math", "y": "arts", "a": "male terms", "b": "female terms"}
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=1.055, ci_low=0.31, ci_high=1.65, p_value=0.031, n=16,
        ...           labels=labels)
        >>> result = Result(method="weat", score=1.055, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> reading = read(result)
        >>> reading.word, reading.rows[0].facts
        ('found', '1.05 [0.31, 1.65], large, p = .031')
    """
    return read_all([result])[0]


def read_all(results: Sequence[Result]) -> list[Reading]:
    """Return what may be said of each result, p-values adjusted over all results on the same model."""
    return [_reading(*pair) for pair in zip(results, lines_by_result(results), strict=True)]


Readable = Sequence[Result] | Sequence[Reading]
"""Results, or their readings, so that several writers can share them."""


def as_readings(results: Readable) -> list[Reading]:
    """Return the readings of results; readings are returned unchanged."""
    readings = [one for one in results if isinstance(one, Reading)]
    return readings or read_all([one for one in results if isinstance(one, Result)])


def found_means(readings: Sequence[Reading]) -> str:
    """Return what "found" means in these readings: which p-values were adjusted over which."""
    lines = [row.line for r in readings for row in r.rows]
    adjusted = ""
    if any(line.p_adjusted is not None for line in lines):
        of_model = any(line.p_holm_all is not None for line in lines)
        whole = "everything measured on the model except illustrative data"
        adjusted = f", adjusted (Holm) over {whole if of_model else 'the tests or groups of the result'}"
    return f'"Found" means p below 5%{adjusted}, and no interval that disagrees.'


def measured_on(models: str, data: str) -> str:
    """Return the sentence that cards and reports begin with: what was measured on what."""
    return f"Measured on {models} with {data}. These numbers describe the model on these data; they do not certify it."


def _reading(result: Result, lines: Sequence[ReportRow]) -> Reading:
    record, decided = METHODS.get(result.method), decided_lines(lines)
    judgement = result_verdict(decided)
    wording = Wording(record, result, judgement)
    rows = tuple(map(wording.row, decided, lines))
    telling = tuple(row for line in judgement.cited_lines for row in rows if row.line is line)
    looks_at = "" if record is None else record.data.looks_at
    if record is not None and "counts words" in record.needs:
        looks_at = "which words stand together in texts"
    if judgement.verdict is Verdict.MEASUREMENT:
        looks_at = "how stable the measurement is"
    facts, note = dataset_facts(result), result_note(result)
    data = note.title if note is not None else public_source(facts) or "the user's own data"
    language = str(facts.get("language") or "")
    if part := ", ".join(
        filter(None, ("" if language == "und" else language, str(facts.get("subset") or "")))
    ):
        data = f"{data} ({part})"
    return Reading(
        result=result,
        title=annotate(method_title(result.method), lines),
        short=short_title(result.method),
        model=model_name(result),
        looks_at=looks_at,
        data=data,
        verdict=judgement.verdict,
        k=judgement.k,
        n=judgement.n,
        word=wording.word(rows),
        finding=f"{wording.finding(rows, telling)} {unread_sentence(result)}".rstrip(),
        remarks=tuple(wording.remarks(rows, telling)),
        rows=rows,
        telling=telling,
    )
