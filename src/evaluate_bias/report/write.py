"""Everything ``evaluate-bias report`` writes, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..experiments.measurement import latest
from ..files import atomic_write, require_regular_or_absent
from ..result import Result
from .escape import file_name, file_names
from .model_names import disambiguate_models
from .reading import read_all

__all__ = ["write_report"]


def write_report(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write ``report.md``, ``report.csv``, LaTeX and the plots (SVG and PNG) to ``folder``.

    Of results of one measurement the last counts, and models of one name are numbered. ``report.tex`` has tables to
    paste into a paper, ``report-full.tex`` every number. There is one plot per method, called ``effect_sizes`` or, for
    several methods, ``effect_sizes-weat`` and so on. Results whose details hold what a picture of its own shows, such
    as a map of words, get these as well, and tests on word lists one plot each with the association of every word,
    under ``words/``.

    Raises:
        OutputError: the folder cannot be written.
    """
    results = disambiguate_models(latest(results))
    _check_targets(results, folder)
    from .latex import to_latex, to_latex_full
    from .page import report_page
    from .plots import associated_words, plots_by_method, word_plot, write_method_plots
    from .row_tables import to_csv

    readings = read_all(results)
    pictures = plots_by_method(readings, folder / "effect_sizes")
    words = []
    for i, reading in enumerate(readings):
        prefix = f"{i + 1}-" if len(results) > 1 else ""
        pictures += write_method_plots(reading, folder / f"{prefix}{file_name(reading.result.method)}")
        shown = [row for row in reading.result.rows_of("test") if associated_words(row)]
        for row, name in zip(shown, file_names(row.name for row in shown), strict=True):
            words += word_plot(row, folder / "words" / f"{prefix}{name}")
    texts = {
        folder / "report.md": report_page(results, [p for p in pictures if p[1].suffix == ".png"], folder),
        folder / "report.tex": to_latex(results, standalone=True),
        folder / "report-full.tex": to_latex_full(results, standalone=True),
        folder / "report.csv": to_csv(results),
    }
    for path, text in texts.items():
        atomic_write(path, text)
    return [*texts, *(path for _, path in pictures), *words]


def _check_targets(results: Sequence[Result], folder: Path) -> None:
    """Refuse, before anything is written, what is there under the name of a file of the report and is none."""
    names = [file_name(r.method) for r in results]
    own_pictures = [start for i, name in enumerate(names, 1) for start in (f"{name}-", f"{i}-{name}-")]
    begin = ("report", "effect_sizes", *own_pictures)
    own = [path for path in folder.glob("*") if path.name.startswith(begin)]
    for path in [*own, *folder.glob("words/*")]:
        if path.suffix in (".md", ".tex", ".csv", ".svg", ".png"):
            require_regular_or_absent(path)
