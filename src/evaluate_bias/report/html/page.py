"""The HTML page: the template ``page.html.jinja`` filled with what results say."""

from __future__ import annotations

import base64
import functools
import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import InputError
from ...experiments.unit import latest
from ...files import atomic_write, require_regular_or_absent
from ...registry import METHODS
from ...result import Result
from ...text import counted, one_line, plain_p
from ..card.first_screen import short_labels
from ..card.score_picture import marks_of, svg
from ..data_facts import caveats, data_sources, data_titles, public_source
from ..escape import looks_like_path, public_name, readable, templates
from ..imprint import imprint, imprint_line
from ..lines import ALL_TESTS, declared_secondary, method_title, score_name, score_scale
from ..numbers import ci_cell, procedure, score_cell
from ..plots.canvas import ReportPicture, inline_svg
from ..plots.details import method_pictures
from ..plots.scores import overview_pictures
from ..reading import Reading, RowReading, read_all
from ..row_tables import COLUMNS, WITH_TIES, secondary_column
from ..score_matrix import disambiguate_models, distinguishing_suffixes
from ..table import Table, TableColumn
from ..trust import TrustRow, trust
from ..write import ranked, summary
from .items import LONGEST, cut_to_fit, flattened, has_long_texts, item_table, shown_rows

if TYPE_CHECKING:
    from jinja2 import Template

_MOST_ITEMS = 2_000
"""Items of one result in the page."""
_MOST_BYTES = 8_000_000
"""Of all items in the page."""
_MOST_PICTURES = 40
"""Pictures of single results in the page."""
_SHORT, _FIRST = 14, 10
"""Findings up to this number are shown at once; of more the first, and the others are folded away."""
_GLANCE = 20
"""Results in the picture beside the findings."""
_LONGEST = 300
"""Characters of a setting."""


class ScoreLine(NamedTuple):
    """A line of a table of scores: the row, what it is of, its place in the page, and how far to trust it."""

    reading: Reading
    anchor: str
    row: RowReading
    judged: TrustRow | None

    @property
    def word(self) -> str:
        """The verdict in a few words; the score of all tests together has that of the result."""
        return self.reading.word if self.row.line.headline else self.row.word

    @property
    def short_word(self) -> str:
        """The same without numbers."""
        return self.reading.short_word if self.row.line.headline else self.row.word

    @property
    def is_found(self) -> bool:
        """Whether the verdict is that something was found."""
        return self.reading.found if self.row.line.headline else self.row.filled


@dataclass(frozen=True, slots=True)
class ScoreColumn(TableColumn[ScoreLine]):
    """A column of a table of scores in a page.

    Attributes:
        kind: the class of its cells in the style sheet; one that has none is labelled on a telephone.
        below: what stands below in smaller letters.
        sort: the number that rows are sorted by.
    """

    kind: str = ""
    below: Callable[[ScoreLine], str] = lambda line: ""
    sort: Callable[[ScoreLine], float | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart:
    """What the page says about one result.

    Attributes:
        reading: what may be said of it.
        suffix: what tells it from others by the same method on the same model.
        rows: its rows.
        data: what people call its data.
    """

    reading: Reading
    suffix: str
    rows: tuple[ScoreLine, ...]
    data: tuple[str, ...]

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return self.rows[0].anchor


def write_html(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Write one self-contained HTML page about results: it opens without a network, on a phone too, and prints.

    The page has the findings in sentences, a table of all scores to sort and filter, pictures, and for every result
    its tests or groups, items, caveats, what was left out, settings and provenance. Items beyond 2,000 of a result, or
    8 MB together, are not in the page, and texts of more than 400 characters are cut off in it; it says so.

    Args:
        results: results of any methods and models; at least one. Of those of one measurement the last is shown, and
            models of one name are numbered.
        path: of the page, such as ``out/report.html``.

    Returns:
        The page. Its bytes depend on the results and the versions of the libraries only.

    Raises:
        InputError: there is no result, or something else than a file is in the place of the page.
        OutputError: the file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": "glove"}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [p.name for p in write_html([result], f"{folder}/report.html")]
        ['report.html']
    """
    path = require_regular_or_absent(path)
    return [atomic_write(path, html_page(results))]


def html_page(results: Sequence[Result]) -> str:
    """Return the page of :func:`write_html` as text.

    Raises:
        InputError: there is no result.
    """
    measured = latest(results)
    readings = read_all(disambiguate_models(measured))
    if not readings:
        raise InputError("there is no result to report")
    items = _items(readings)
    parts = result_parts(readings)
    of_reading = {id(part.reading): part for part in parts}
    groups = [[of_reading[id(r)] for r in same] for same in ranked(readings)]
    first = [part.reading for same in groups for part in same][:_GLANCE]
    drawable = [method_pictures(r) for r in readings]
    room = iter(range(_MOST_PICTURES))
    pictures = [[p for p, _ in zip(candidates, room, strict=False)] for candidates in drawable]
    script, lines = _asset("page.js"), [line for part in parts for line in part.rows]
    filters, trusted = _filters(lines), any(line.judged for line in lines)
    language = ["language"] if "language" in filters else []
    tables = [score_table(part.rows, trusted, ("name",), of_result=True) for part in parts]
    page = _template().render(
        summary=summary(readings),
        groups=groups,
        n_shown=_SHORT if len(groups) <= _SHORT else _FIRST,
        tally=Counter((part.reading.short_word, part.reading.found) for same in groups for part in same),
        several_models=len({r.model for r in readings}) > 1,
        glance=svg(marks_of(first, short_labels(first))),
        most=_GLANCE,
        parts=list(
            zip(parts, tables, items, map(_picture_elements, pictures, itertools.count(1)), strict=True)
        ),
        scores=score_table(lines, trusted, ("model", "method", "name", *language)),
        filters=filters,
        pictures=_picture_elements(overview_pictures(readings), 0),
        left_out=sum(map(len, drawable)) - sum(map(len, pictures)),
        about=_method_notes(readings),
        style=_asset("page.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return f"{readable(page)}\n{imprint_line(imprint(measured))}\n"


def _items(readings: Sequence[Reading]) -> list[dict[str, object] | None]:
    """What the page shows of the items of each result."""
    tables = [item_table(r.result) for r in readings]
    counts = iter(cut_to_fit([t for t in tables if t is not None], _MOST_ITEMS, _MOST_BYTES))
    return [
        None
        if table is None
        else {
            "json": shown_rows(table, count := next(counts)),
            "shown": count,
            "total": len(table.rows),
            "longest": LONGEST if has_long_texts(table) else None,
        }
        for table in tables
    ]


def result_parts(readings: Sequence[Reading]) -> list[ResultPart]:
    """Return what the page says about each result."""
    results = [r.result for r in readings]
    table = trust(results)
    parts = []
    for i, (reading, suffix) in enumerate(zip(readings, distinguishing_suffixes(results), strict=True)):
        judged, anchor = iter(table.by_result[i]), f"result-{i + 1}"
        rows = [
            ScoreLine(reading, anchor, r, table.heads[i] if r.line.headline else next(judged, None))
            for r in reading.rows
        ]
        language = reading.head.line.language
        suffix = suffix or (f" ({language})" if language else "")
        data = tuple(data_titles([reading.result]))
        parts.append(ResultPart(reading=reading, suffix=suffix, rows=tuple(rows), data=data))
    return parts


def _row_column(column: TableColumn[RowReading], title: str = "", kind: str = "", **more: Any) -> ScoreColumn:
    """A column that other tables have too."""
    return ScoreColumn(title or column.title, lambda s: column.cell(s.row), column.number, kind, **more)


def _interval(line: ScoreLine) -> str:
    row = line.row.line.row
    return "" if row.ci_low is None else ci_cell(row)


def _unadjusted_p(line: ScoreLine) -> str:
    p = line.row.line.row.p_value
    return "" if p is None else f"p {plain_p(p)}"


def _covered(line: ScoreLine) -> float | None:
    coverage = line.row.line.row.coverage
    return None if coverage is None else coverage.share


_TRUST = ScoreColumn("Trust", lambda s: s.judged.verdict.value if s.judged else "—", kind="trust")
_COLUMNS: Mapping[str, ScoreColumn] = {
    "model": _row_column(COLUMNS["model"], "Model", "model"),
    "method": _row_column(COLUMNS["method"], "Method", "method"),
    "name": _row_column(COLUMNS["test"], "Test or group", "name", below=lambda s: s.row.line.label),
    "language": ScoreColumn("Language", lambda s: s.row.line.language or "—", kind="language"),
    "score": _row_column(
        COLUMNS["score"], "Score", "score", below=_interval, sort=lambda s: s.row.line.score
    ),
    "ideal": _row_column(COLUMNS["ideal"], "Ideal", sort=lambda s: s.row.line.ideal),
    "verdict": ScoreColumn("Verdict", lambda s: s.word, kind="verdict"),
    "trust": _TRUST,
    "trust with reason": replace(_TRUST, below=lambda s: s.judged.reason if s.judged else ""),
    "p": _row_column(COLUMNS["p"], "p", sort=lambda s: s.row.line.row.p_value),
    "p_holm": _row_column(
        COLUMNS["p_holm"], "p (Holm)", below=_unadjusted_p, sort=lambda s: s.row.line.p_adjusted
    ),
    "n": _row_column(COLUMNS["n"], "n", sort=lambda s: s.row.line.row.n),
    "coverage": _row_column(COLUMNS["coverage"], "Coverage", sort=_covered),
    "with_ties": _row_column(COLUMNS["with_ties"], WITH_TIES),
}


def score_table(
    lines: Sequence[ScoreLine], trusted: bool, first: Sequence[str], *, of_result: bool = False
) -> Table[ScoreLine]:
    """Return a table of scores: these columns first; of a result the reasons of trust and secondary values too."""
    rows = [line.row for line in lines]
    adjusted = any(row.line.p_adjusted is not None for row in rows)
    trust_key = "trust with reason" if of_result else "trust"
    keys = [*first, "score", "ideal", "verdict", *([trust_key] if trusted else [])]
    keys += ["p_holm" if adjusted else "p", "n", "coverage"]
    keys += ["with_ties"] if of_result and any(row.with_ties for row in rows) else []
    secondary = declared_secondary([row.line for row in rows]) if of_result else []
    return Table(
        [*(_COLUMNS[k] for k in keys), *(_row_column(secondary_column(v)) for v in secondary)], lines
    )


def _method_notes(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """What to know about each method before quoting a score, with the caveats of the data it was used on."""
    notes = []
    for method in dict.fromkeys(r.result.method for r in readings):
        method_readings = [r for r in readings if r.result.method == method]
        record, lines = METHODS.get(method), [row.line for r in method_readings for row in r.rows]
        reading = (
            record.interpretation if record else f"{method_readings[0].result.direction_text.capitalize()}."
        )
        if record and record.aggregation and any(line.headline for line in lines):
            reading += f" {ALL_TESTS.capitalize()}: {record.aggregation}"
        notes.append(
            {
                "title": method_title(method),
                "name": method,
                "record": record,
                "scale": f"{score_name(lines[-1])}, {score_scale(lines)}",
                "reading": reading,
                "caveats": dict.fromkeys(caveat for r in method_readings for caveat in caveats(r.result)),
            }
        )
    return notes


def provenance(reading: Reading) -> Iterable[tuple[str, str]]:
    """Yield where model and data come from, by name, as it may be published."""
    yield "model", reading.model
    for facts in data_sources(reading.result):
        if source := public_source(facts):
            yield "data", source
    yield from flat(reading.result.provenance)


def _filters(lines: Sequence[ScoreLine]) -> dict[str, list[str]]:
    """What the table of all scores may be filtered by, where there are several values."""
    values = {
        "model": [s.reading.model for s in lines],
        "method": [s.reading.result.method for s in lines],
        "language": sorted(s.row.line.language for s in lines if s.row.line.language),
        "verdict": [s.short_word for s in lines],
        "trust": [s.judged.verdict.value for s in lines if s.judged],
    }
    return {key: choices for key, words in values.items() if len(choices := list(dict.fromkeys(words))) > 1}


def _picture_elements(pictures: Sequence[ReportPicture], place: int) -> list[tuple[str, str]]:
    """Captions and ``<svg>`` elements."""
    return [(p.caption, inline_svg(p.draw, f"p{place}-{i}-")) for i, p in enumerate(pictures)]


def flat(facts: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield names and values in one list; of paths only their last part, as they tell about someone's machine."""
    for name, value in flattened(facts):
        text = _public(value) if isinstance(value, str) else json.dumps(_public(value), ensure_ascii=False)
        yield name, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _public(value: Any) -> Any:
    if isinstance(value, list):
        return [_public(v) for v in value]
    if not isinstance(value, str):
        return value
    line = one_line(value)
    return public_name(line) if looks_like_path(line) else line


def _breakable(name: str) -> str:
    """A name that may be broken after its signs, and needs no break within a word."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([_:/.])(?=\w)", r"\1<wbr>", str(escape(name))))


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip() + "\n"


@functools.cache
def _template() -> Template:
    environment = templates(trim_blocks=True, lstrip_blocks=True)
    functions = (counted, flat, one_line, procedure, provenance, score_cell)
    environment.filters |= {function.__name__: function for function in functions}
    environment.filters["breakable"] = _breakable
    return environment.from_string(_asset("page.html.jinja"))
