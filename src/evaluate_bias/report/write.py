"""Everything ``evaluate-bias report`` writes, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..files import atomic_write, require_regular_or_absent
from ..result import Result
from .escape import file_name, file_names
from .lines import method_title, model_name, report_lines
from .results_store import latest, models_apart

__all__ = ["write_report"]


def write_report(results: Sequence[Result], folder: Path) -> list[Path]:
    """Write ``report.md``, ``report.tex``, ``report.csv`` and the plots (SVG and PNG) to ``folder``.

    Of results of one measurement the last counts, and models of one name are numbered.
    Of several models or languages there is ``by_language.tex`` too, a table per method and language, tests or
    groups by model. There is one plot per method, called ``effect_sizes`` or, for several methods,
    ``effect_sizes-weat`` and so on. Results whose details hold what a picture of its own shows, such as a map of words,
    get these as well, and tests on word lists one plot each with the association of every word, under ``words/``.

    Raises:
        OutputError: the folder cannot be written.
    """
    results = models_apart(latest(results))
    _check_targets(results, folder)
    from .by_language import to_latex_by_language
    from .page import Picture, report_page
    from .plots import associated_words, picture_text, plots_by_method, word_plot, write_method_plots
    from .tables import to_csv, to_latex

    pictures: list[Picture] = [
        (f"Scores of {method_title(method)} with their intervals, as in the table", path)
        for method, files in plots_by_method(results, folder / "effect_sizes").items()
        for path in files
    ]
    words = []
    for i, result in enumerate(results):
        prefix = f"{i + 1}-" if len(results) > 1 else ""
        stem = folder / f"{prefix}{file_name(result.method)}"
        for path in write_method_plots(result, stem):
            what = picture_text(result, path.stem.removeprefix(f"{stem.name}-"))
            pictures.append((f"{method_title(result.method)} of {model_name(result)}: {what}", path))
        shown = [row for row in result.rows_of("test") if associated_words(row)]
        for row, name in zip(shown, file_names(row.name for row in shown), strict=True):
            words += word_plot(row, folder / "words" / f"{prefix}{name}")
    texts = {
        folder / "report.md": report_page(results, [p for p in pictures if p[1].suffix == ".png"], folder),
        folder / "report.tex": to_latex(results, standalone=True),
        folder / "report.csv": to_csv(results),
    }
    if (
        len({model_name(r) for r in results}) > 1
        or len({line.language for line in report_lines(results)}) > 1
    ):
        texts[folder / "by_language.tex"] = to_latex_by_language(results, standalone=True)
    for path, text in texts.items():
        atomic_write(path, text)
    return [*texts, *(path for _, path in pictures), *words]


def _check_targets(results: Sequence[Result], folder: Path) -> None:
    """Refuse, before anything is written, what is there under the name of a file of the report and is none."""
    names = [file_name(r.method) for r in results]
    own_pictures = [start for i, name in enumerate(names, 1) for start in (f"{name}-", f"{i}-{name}-")]
    begin = ("report.", "by_language.", "effect_sizes", *own_pictures)
    own = [path for path in folder.glob("*") if path.name.startswith(begin)]
    for path in [*own, *folder.glob("words/*")]:
        if path.suffix in (".md", ".tex", ".csv", ".svg", ".png"):
            require_regular_or_absent(path)
