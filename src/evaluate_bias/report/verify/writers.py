"""What the functions that write cards, reports and entries give for some results: the one place that calls them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ...result import Result
from ..card.block import enclosed
from ..card.entries import model_index_entries
from ..card.eval_results import eval_results_files
from ..card.front_matter import ModelIndexEntry
from ..card.section import Level, section
from ..latex import to_latex, to_latex_full
from ..page import report_page
from ..results_store import disambiguate_models
from ..row_tables import to_csv
from ..texts import LANGUAGES, card_text

__all__ = ["change_line", "index_entries", "report_files", "report_texts", "section_block", "task_files"]


def section_block(
    results: Sequence[Result], language: str, level: Level, heading: int, picture: str
) -> tuple[str, str]:
    """The block of a card, markers included, and the picture beside it."""
    made = section(results, language=language, level=level, heading=heading, picture=picture)
    return enclosed(made.text), made.picture


@cache
def change_line() -> re.Pattern[str]:
    """The line of a section that says what changed since results that are not recorded here."""
    texts = [card_text(language) for language in LANGUAGES]
    forms = {f for t in texts for f in (t.first_changed, t.first_unchanged, t.first_uncompared)}
    patterns = [".+".join(map(re.escape, re.split(r"\{\w+\}", form))) for form in sorted(forms)]
    return re.compile(rf"- (?:{'|'.join(patterns)})")


def index_entries(results: Sequence[Result]) -> list[ModelIndexEntry]:
    """The entries in ``model-index``."""
    return model_index_entries(results)


def task_files(results: Sequence[Result], model: str | None) -> dict[str, str]:
    """The files of ``.eval_results``, by name, of a model with this Hub id."""
    return eval_results_files(results, model=model)[0]


def report_texts(results: Sequence[Result]) -> dict[str, str]:
    """The texts of a report, by name, without pictures."""
    results = disambiguate_models(results)
    return {
        "report.md": report_page(results, [], Path()),
        "report.csv": to_csv(results),
        "report.tex": to_latex(results, standalone=True),
        "report-full.tex": to_latex_full(results, standalone=True),
    }


def report_files(results: Sequence[Result], *, page: bool) -> dict[str, bytes]:
    """All that ``report`` writes, by name; or what it writes with ``--html``."""
    from ..html import write_html
    from ..write import write_report

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        written = write_html(results, folder / "report.html") if page else write_report(results, folder)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in written}
