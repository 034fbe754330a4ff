"""One HTML page with everything about results, which opens anywhere without a network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..data.word_lists import WORD_LISTS
from ..errors import InputError
from ..experiments.unit import latest
from ..files import atomic_write, require_regular_or_absent
from ..registry import METHODS
from ..result import Result, Row
from ..text import counted, one_line
from .card.scope import not_covered
from .data_facts import caveats, data_sources, public_source
from .escape import looks_like_path, public_name, readable, shorten, templates
from .lines import LISTS_IN_SENTENCES, list_names, method_title
from .numbers import procedure, score_cell
from .plots.canvas import ReportPicture, svg_text
from .plots.forest import draw_glance, glance_marks
from .plots.kinds import method_pictures, overview_pictures
from .reading import NotMeasured, Reading, not_measured_clauses, read_all
from .row_tables import all_rows, flattened, item_table, notes, result_table, score_table, secondary_tables
from .score_matrix import disambiguate_models, distinguishing_suffixes, short_labels
from .table import Table, table_of
from .trust import trust
from .write import ranked, summary
from .written import PageOptions, written_beside, written_with

_PICTURES = 100_000
"""Bytes of the pictures of all results, and as many of the pictures of single ones."""
_ITEMS = 80_000
"""Bytes of the items of all results together, of which each has an equal share."""
_CELL = 20
"""Bytes of the tags of a cell."""
_MAX_TEXT_CHARS = 300
"""Characters of a text of an item or a setting."""
_FIRST = 10
"""Findings that are shown at once. The others are folded away."""
_GLANCE = 20
"""Results in the picture next to the findings."""


def write_html(
    results: Sequence[Result], path: str | Path, *, not_measured: Sequence[NotMeasured] = ()
) -> list[Path]:
    """Write one self-contained HTML page about results: it opens without a network, on a phone too, and prints.

    The page has the findings in sentences, tables to sort, all scores to search, pictures, and for every result its
    tests or groups, items, caveats, what was omitted, settings and provenance. Items fill at most 80 kB of it and
    pictures 200 kB. If there are more items, it shows the first ones of each result and says how many there are.

    Args:
        results: results of any methods and models, at least one. Of several results of one measurement the last is
            shown. Models with the same name are numbered.
        path: of the page, such as ``out/report.html``.
        not_measured: what the run could not measure.

    Returns:
        The page, and ``evaluate-bias.json`` next to it, which records how it was written. Their bytes depend on the
        results and the versions of the libraries only.

    Raises:
        InputError: the list of results is empty, or something other than a file has the path of the page.
        DataError: there is an ``evaluate-bias.json`` that this version does not write.
        OutputError: the file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": "glove"}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [p.name for p in write_html([result], f"{folder}/report.html")]
        ['report.html', 'evaluate-bias.json']
    """
    path = require_regular_or_absent(path)
    how = written_with(PageOptions(), latest(results), not_measured=not_measured)
    written = {path: html_page(results, not_measured), **written_beside(path, how)}
    return [atomic_write(file, text) for file, text in written.items()]


def html_page(results: Sequence[Result], not_measured: Sequence[NotMeasured] = ()) -> str:
    """Return the page of :func:`write_html` as text.

    Raises:
        InputError: the list of results is empty.
    """
    measured = latest(results)
    readings = read_all(disambiguate_models(measured))
    if not readings:
        raise InputError("no result to report")
    anchors = {id(reading): f"result-{i}" for i, reading in enumerate(readings, 1)}
    suffixes = distinguishing_suffixes([r.result for r in readings])
    titles = {id(r): r.title + suffix for r, suffix in zip(readings, suffixes, strict=True)}
    groups = ranked(readings)
    ordered = [reading for same in groups for reading in same]
    single = [picture for reading in ordered for picture in method_pictures(reading)]
    of_all = overview_pictures(ordered)
    pictures = _inline_pictures(of_all, "a") + _inline_pictures(single, "b")
    script = files(__package__).joinpath("page.js").read_text(encoding="utf-8")
    environment = templates(trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        f.__name__: f for f in (counted, flat, id, one_line, procedure, provenance, score_cell)
    }
    template = environment.from_string(
        files(__package__).joinpath("page.html.jinja").read_text(encoding="utf-8")
    )
    page = template.render(
        summary=summary(readings),
        tally=Counter((r.judgement.word, r.significant) for r in ordered),
        groups=groups,
        not_covered=not_covered(readings),
        not_measured=not_measured_clauses(
            not_measured,
            several_models=len({*(r.model for r in readings), *(one.model for one in not_measured)}) > 1,
        ),
        n_first=_FIRST,
        n_glance=_GLANCE,
        anchors=anchors,
        titles=titles,
        glance=svg_text(
            partial(
                draw_glance,
                *glance_marks(ordered[:_GLANCE], short_labels([r.result for r in ordered[:_GLANCE]])),
            ),
            "g",
        ),
        scores=score_table(all_rows(readings), notes(readings)),
        trust=trust([r.result for r in readings]).table,
        pictures=pictures,
        n_undrawn=len(of_all) + len(single) - len(pictures),
        parts=[
            (reading, [result_table(reading), *secondary_tables(reading.rows)], items)
            for reading, items in zip(readings, _items(measured), strict=True)
        ],
        methods=[
            (
                method_title(method),
                METHODS.get(method),
                dict.fromkeys(
                    caveat for r in readings if r.result.method == method for caveat in caveats(r.result)
                ),
            )
            for method in dict.fromkeys(r.result.method for r in readings)
        ],
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return f"{readable(page)}\n"


def _inline_pictures(pictures: Sequence[ReportPicture], prefix: str) -> list[tuple[str, str]]:
    """Return captions and ``<svg>`` elements of as many pictures as fit."""
    elements, room = [], _PICTURES
    for i, picture in enumerate(pictures):
        element = svg_text(picture.draw, f"{prefix}{i}")
        room -= len(element)
        if room < 0:
            break
        elements.append((picture.caption, element))
    return elements


def _items(results: Sequence[Result]) -> list[tuple[int, Table[Any]] | None]:
    """Return the number of items of each result, and a table of as many as fit into its share of the page."""

    def written(value: Any) -> str:
        if value is None:
            return "—"
        return f"{value:.5g}" if isinstance(value, float) else shorten(str(value), _MAX_TEXT_CHARS)

    tables = [item_table(result) for result in results]
    share = _ITEMS // max(1, sum(table is not None for table in tables))
    out: list[tuple[int, Table[Any]] | None] = []
    for result, table in zip(results, tables, strict=True):
        if table is None:
            out.append(None)
            continue
        test, of_list = (
            table.titles.index(title) if title in table.titles else None for title in ("test", "list")
        )
        tests = {row.name: _list_titles(row) for row in result.rows_of("test")}
        only = next(iter(tests.values())) if len(tests) == 1 else _list_titles(result.overall)
        rows: list[list[str]] = []
        used = 0
        for row in table.rows:
            cells = [written(value) for value in row]
            if of_list is not None:
                titles = only if test is None else tests.get(cells[test], only)
                cells[of_list] = titles.get(cells[of_list], cells[of_list])
            used += sum(len(cell.encode()) + _CELL for cell in cells)
            if rows and used > share:
                break
            rows.append(cells)
        numbers = [i for i, value in enumerate(table.rows[0]) if isinstance(value, (int, float))]
        headings = [title.replace("_", " ") for title in table.titles]
        out.append((len(table.rows), table_of(headings, rows, numbers=numbers)))
    return out


def _list_titles(row: Row) -> dict[str, str]:
    """Return what people call the word lists of a test, by their names in the data."""
    list_titles = list_names(row) or ("",) * len(LISTS_IN_SENTENCES)
    titles = (one_line(name) or role for name, role in zip(list_titles, LISTS_IN_SENTENCES, strict=True))
    return dict(zip(WORD_LISTS, titles, strict=True))


def provenance(reading: Reading) -> Iterator[tuple[str, str]]:
    """Yield where model and data come from, by name, as it may be published."""
    yield "model", reading.model
    if reading.result.date:
        yield "measured on", reading.result.date
    for facts in data_sources(reading.result):
        if source := public_source(facts):
            yield "data", source
    yield from flat(reading.result.provenance)


def flat(facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield nested names and values in one list. Of paths only the last part is shown, as they tell about a machine."""

    def public(value: Any) -> Any:
        if isinstance(value, list):
            return [public(v) for v in value]
        line = one_line(value) if isinstance(value, str) else value
        return public_name(line) if isinstance(line, str) and looks_like_path(line) else line

    for name, value in flattened(facts):
        text = public(value) if isinstance(value, str) else json.dumps(public(value), ensure_ascii=False)
        yield name, text if len(text) <= _MAX_TEXT_CHARS else f"{text[: _MAX_TEXT_CHARS - 1]}…"
