"""The HTML page: the template ``page.html.jinja`` filled with what results say."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ...errors import InputError
from ...files import atomic_write, require_regular_or_absent
from ...result import Result
from ...text import counted
from ..escape import file_name
from ..lines import method_title, model_name
from ..page import summary
from ..results_store import latest, models_apart
from .context import method_parts, result_parts, score_rows, tally
from .figures import count_result_figures, overview_figures, result_figures
from .items import LONGEST, ItemTable, cut_to_fit, item_table, items_csv, shown_rows

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["html_page", "write_html"]

_MOST_ITEMS = 2_000
"""Items of one result in the page."""
_MOST_BYTES = 8_000_000
"""Of all items in the page."""
_MOST_FIGURES = 40
"""Pictures of single results in the page."""
_SHORT, _FIRST = 12, 6
"""Findings up to this number are shown at once; of more the first, and the others are folded away."""


def write_html(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Write one self-contained HTML page about results: it opens without a network, on a phone too, and prints.

    The page has the findings in sentences, a table of all scores to sort and filter, pictures, and for every result
    its tests or groups, items, caveats, what was left out, settings and provenance. Items beyond 2,000 of a result, or
    8 MB together, are not in the page, and texts of more than 400 characters are cut off in it; where there are such,
    all items of the result are written to a CSV file in a folder beside the page, called after it, and the page says
    so and links to the file.

    Args:
        results: results of any methods and models; at least one. Of those of one measurement the last is shown, and
            models of one name are numbered.
        path: of the page, such as ``out/report.html``.

    Returns:
        The files, the page first. Their bytes depend on the results and the versions of the libraries only.

    Raises:
        InputError: there is no result, or something else than a file is in the place of one.
        OutputError: a file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": "glove"}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [p.name for p in write_html([result], f"{folder}/report.html")]
        ['report.html']
    """
    path = require_regular_or_absent(path)
    folder = path.with_name(f"{path.stem}-items")
    page, beside = _page(results, folder.name)
    for name in beside:
        require_regular_or_absent(folder / name)
    written = [atomic_write(folder / name, items_csv(table)) for name, table in beside.items()]
    return [atomic_write(path, page), *written]


def html_page(results: Sequence[Result]) -> str:
    """Return the page of :func:`write_html` as text; it says how many items it leaves out, and links to no file.

    Raises:
        InputError: there is no result.
    """
    return _page(results, "")[0]


def _page(results: Sequence[Result], folder: str) -> tuple[str, dict[str, ItemTable]]:
    """The page, and the tables that did not fit whole into it, by the names of their files in ``folder``."""
    results = models_apart(latest(results))
    if not results:
        raise InputError("there is no result to report")
    tables = {i: t for i, r in enumerate(results) if (t := item_table(r)) is not None}
    counts = dict(zip(tables, cut_to_fit(list(tables.values()), _MOST_ITEMS, _MOST_BYTES), strict=True))
    names = {
        i: f"{i + 1}-{file_name(results[i].method)}-{file_name(model_name(results[i]))}.csv"
        for i, table in tables.items()
        if folder and (counts[i] < len(table.rows) or table.has_long_texts)
    }
    items = {
        i: {
            "json": shown_rows(table, counts[i]),
            "shown": counts[i],
            "total": len(table.rows),
            "longest": LONGEST if table.has_long_texts else None,
            "file": f"{quote(folder)}/{quote(names[i])}" if i in names else "",
        }
        for i, table in tables.items()
    }
    figures: dict[int, list[object]] = {}
    for i, figure in result_figures(results, _MOST_FIGURES):
        figures.setdefault(i, []).append(figure)
    said = summary(results)
    by_result = score_rows(results)
    rows = [row for own in by_result for row in own]
    script = _asset("page.js")
    page = _template().render(
        title=_inline(said.title),
        plain_title=_plain(said.title),
        lead=_inline(said.lead),
        findings=[_inline(text) for text in said.findings],
        shown=_SHORT if len(said.findings) <= _SHORT else _FIRST,
        tally=tally(results),
        count=f"{counted(len(rows), 'score')} of {counted(len(results), 'result')}",
        n_results=counted(len(results), "result"),
        rows=rows,
        models=list(dict.fromkeys(r.model for r in rows)),
        methods=list(dict.fromkeys(r.method for r in rows)),
        languages=sorted({r.language for r in rows if r.language}),
        verdicts=list(dict.fromkeys(r.verdict for r in rows)),
        trusts=list(dict.fromkeys(r.trust for r in rows if r.trust)),
        adjusted=any(r.adjusted_sort is not None for r in rows),
        figures=overview_figures(results),
        results=list(
            zip(
                result_parts(results, by_result),
                (items.get(i) for i in range(len(results))),
                (figures.get(i, []) for i in range(len(results))),
                strict=True,
            )
        ),
        left_out_figures=max(0, count_result_figures(results) - _MOST_FIGURES),
        by_method=[(m, method_title(m)) for m in dict.fromkeys(r.method for r in results)],
        about=method_parts(results),
        style=_asset("page.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return page, {name: tables[i] for i, name in names.items()}


def _inline(text: str) -> str:
    """One line of our Markdown as HTML; what came from outside is escaped in it already and stays text."""
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    return Markup(MarkdownIt("commonmark", {"html": False}).renderInline(text))


def _plain(text: str) -> str:
    """One line of our Markdown without its marks."""
    from markdown_it import MarkdownIt

    (line,) = MarkdownIt("commonmark", {"html": False}).parseInline(text)
    return "".join(token.content for token in line.children or ())


def _breakable(name: str) -> str:
    """A name that may be broken after its signs, and needs no break within a word."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"([_:/.])(?=\w)", r"\1<wbr>", str(escape(name))))


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip() + "\n"


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = _breakable
    return environment.from_string(_asset("page.html.jinja"))
