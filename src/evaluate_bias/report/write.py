"""Everything ``evaluate-bias report`` writes, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from ..experiments.unit import latest
from ..files import atomic_write, require_regular_or_absent
from ..result import Result
from .escape import file_name, file_names
from .imprint import imprint, imprint_line
from .reading import Reading, read_all
from .score_matrix import disambiguate_models

_MOST_PICTURES = 25
"""With the texts, below 60 files; more are drawn where they are asked for."""
_MOST_RESULTS = 100
"""Of more results only pictures of all results of a method are drawn, the first page of each: who looks at more?"""

_Write = Callable[[], Sequence[Path]]


def write_report(
    results: Sequence[Result], folder: Path, *, all_pictures: bool = False, png: bool = False
) -> list[Path]:
    """Write ``report.md``, ``report.csv``, LaTeX and the plots (SVG) to ``folder``.

    Of results of one measurement the last counts, and models of one name are numbered. ``report.tex`` has tables to
    paste into a paper. There is one plot per method, called ``effect_sizes`` or, for
    several methods, ``effect_sizes-weat`` and so on. Results whose details hold what a picture of its own shows, such
    as a map of words, get these as well, and tests on word lists one plot each with the association of every word,
    under ``words/``. Of more than 25 pictures those of all results of a method come first, then those of results of
    which something was found, then further pages of pictures; of more than 100 results only the first are drawn.
    ``all_pictures`` draws every one; ``png`` writes each as PNG too.

    Raises:
        OutputError: the folder cannot be written.
    """
    measured = latest(results)
    results = disambiguate_models(measured)
    _check_targets(results, folder)
    from .latex import to_latex
    from .page import report_page
    from .row_tables import to_csv

    readings = read_all(results)
    planned = _planned_pictures(readings, folder, png=png)
    first = sorted(range(len(planned)), key=lambda place: planned[place][0])
    if len(results) > _MOST_RESULTS:
        first = [place for place in first if planned[place][0] == 0 or all_pictures]
    chosen = sorted(first if all_pictures else first[:_MOST_PICTURES])
    written = [(planned[place][1], path) for place in chosen for path in planned[place][2]()]
    caption_pairs = [(caption, path) for caption, path in written if caption and path.suffix == ".svg"]
    page = report_page(readings, caption_pairs, folder)
    if n_undrawn := len(planned) - len(chosen):
        how = "`evaluate-bias report --all-pictures` draws every one"
        page += f"\n{n_undrawn} more pictures were not drawn: {how}.\n"
    page += f"\n{imprint_line(imprint(measured, all_pictures=all_pictures, png=png))}\n"
    texts = {
        folder / "report.md": page,
        folder / "report.tex": to_latex(readings, standalone=True),
        folder / "report.csv": to_csv(readings),
    }
    for path, text in texts.items():
        atomic_write(path, text)
    return [*texts, *(path for _, path in written)]


def _planned_pictures(
    readings: Sequence[Reading], folder: Path, *, png: bool
) -> list[tuple[int, str, _Write]]:
    """Every picture that the results make possible, undrawn: its rank, caption (none below ``words/``), and drawing."""
    from .page import ranked
    from .plots import associated_words, method_pictures, named_score_pictures, word_plot
    from .plots.canvas import save_picture

    ranks = {id(reading): rank for rank, reading in enumerate(chain.from_iterable(ranked(readings)), 1)}
    planned: list[tuple[int, str, _Write]] = []
    for stem, picture in named_score_pictures(readings, folder / "effect_sizes"):
        rank = 0 if picture.page == 1 else len(ranks) + 1
        planned.append((rank, picture.caption, partial(save_picture, stem, picture.draw, png=png)))
    words: list[tuple[int, str, _Write]] = []
    for i, reading in enumerate(readings):
        prefix, rank = f"{i + 1}-" if len(readings) > 1 else "", ranks[id(reading)]
        for picture in method_pictures(reading):
            stem = folder / f"{prefix}{file_name(reading.result.method)}-{picture.name}"
            planned.append((rank, picture.caption, partial(save_picture, stem, picture.draw, png=png)))
        word_tests = [row for row in reading.result.rows_of("test") if associated_words(row)]
        for row, name in zip(word_tests, file_names(row.name for row in word_tests), strict=True):
            words.append((rank, "", partial(word_plot, row, folder / "words" / f"{prefix}{name}", png=png)))
    return planned + words


def _check_targets(results: Sequence[Result], folder: Path) -> None:
    """Refuse, before anything is written, anything but a regular file at the path of a file of the report."""
    names = [file_name(r.method) for r in results]
    own_pictures = [start for i, name in enumerate(names, 1) for start in (f"{name}-", f"{i}-{name}-")]
    begin = ("report", "effect_sizes", *own_pictures)
    report_files = [path for path in folder.glob("*") if path.name.startswith(begin)]
    for path in [*report_files, *folder.glob("words/*")]:
        if path.suffix in (".md", ".tex", ".csv", ".svg", ".png"):
            require_regular_or_absent(path)
