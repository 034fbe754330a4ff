"""Everything ``evaluate-bias report`` writes, in one call, and its page in Markdown: findings, pictures, tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from ..experiments.unit import latest
from ..files import atomic_write, require_regular_or_absent
from ..registry import METHODS
from ..result import Result
from ..text import joined
from .escape import file_name, file_names, markdown
from .reading import (
    NOT_ABSENCE,
    NOT_SIZE,
    NotMeasured,
    Readable,
    Reading,
    as_readings,
    finding_order,
    measured_on,
    not_measured_clauses,
    read_all,
    significance_note,
)
from .row_tables import to_markdown
from .score_matrix import disambiguate_models, distinguishing_suffixes
from .trust import RELIABILITY_NOTE, trust
from .written import ReportOptions, written_beside, written_with

_MOST_PICTURES = 25
"""With the texts, below 60 files. More are drawn if requested."""
_MOST_RESULTS = 100
"""Of more results only pictures of all results of a method are drawn, the first page of each: who looks at more?"""

_Write = Callable[[], Sequence[Path]]


def write_report(
    results: Sequence[Result],
    folder: Path,
    *,
    all_pictures: bool = False,
    png: bool = False,
    not_measured: Sequence[NotMeasured] = (),
) -> list[Path]:
    """Write ``report.md``, ``report.csv``, LaTeX and the plots (SVG) to ``folder``.

    Of results of one measurement the last counts, and models of one name are numbered. ``report.tex`` has tables to
    paste into a paper. There is one plot per method, called ``effect_sizes`` or, for
    several methods, ``effect_sizes-weat`` and so on. Results whose details allow further pictures, such as a
    map of words, get these as well. Each test on word lists gets a plot with the association of every word, under
    ``words/``. If there are more than 25 pictures, the pictures of all results of a method come first, then the
    pictures of significant results, then further pages of pictures. If there are more than 100 results, only the
    first are drawn. ``all_pictures`` draws all of them, and ``png`` writes each as PNG too. ``not_measured`` is what
    the run could not measure, which the page lists. ``evaluate-bias.json`` says how the report was written.

    Raises:
        DataError: there is an ``evaluate-bias.json`` that this version does not write.
        OutputError: the folder cannot be written.
    """
    measured = latest(results)
    results = disambiguate_models(measured)
    # Refused before anything is written: anything but a regular file at the path of a file of the report.
    names = [file_name(r.method) for r in results]
    own_pictures = [start for i, name in enumerate(names, 1) for start in (f"{name}-", f"{i}-{name}-")]
    begin = ("report", "effect_sizes", *own_pictures)
    report_files = [path for path in folder.glob("*") if path.name.startswith(begin)]
    for path in [*report_files, *folder.glob("words/*")]:
        if path.suffix in (".md", ".tex", ".csv", ".svg", ".png"):
            require_regular_or_absent(path)
    written_file = written_beside(
        folder / "report.md",
        written_with(ReportOptions(all_pictures=all_pictures, png=png), measured, not_measured=not_measured),
    )
    from .latex import to_latex
    from .row_tables import to_csv

    readings = read_all(results)
    planned = _planned_pictures(readings, folder, png=png)
    first = sorted(range(len(planned)), key=lambda place: planned[place][0])
    if len(results) > _MOST_RESULTS:
        first = [place for place in first if planned[place][0] == 0 or all_pictures]
    chosen = sorted(first if all_pictures else first[:_MOST_PICTURES])
    written = [(planned[place][1], path) for place in chosen for path in planned[place][2]()]
    caption_pairs = [(caption, path) for caption, path in written if caption and path.suffix == ".svg"]
    page = report_page(readings, caption_pairs, folder, not_measured)
    if n_undrawn := len(planned) - len(chosen):
        how = "`evaluate-bias report --all-pictures` draws every one"
        page += f"\n{n_undrawn} more pictures were not drawn: {how}.\n"
    texts = {
        folder / "report.md": page,
        folder / "report.tex": to_latex(readings, standalone=True),
        folder / "report.csv": to_csv(readings),
        **written_file,
    }
    for path, text in texts.items():
        atomic_write(path, text)
    return [*texts, *(path for _, path in written)]


def _planned_pictures(
    readings: Sequence[Reading], folder: Path, *, png: bool
) -> list[tuple[int, str, _Write]]:
    """Return every possible picture before it is drawn: its rank, caption (empty below ``words/``) and drawing."""
    from .plots.canvas import save_picture
    from .plots.forest import score_pictures
    from .plots.kinds import method_pictures
    from .plots.words import associated_words, draw_associations

    ranks = {id(reading): rank for rank, reading in enumerate(chain.from_iterable(ranked(readings)), 1)}
    planned: list[tuple[int, str, _Write]] = []
    by_method = score_pictures(readings)
    for method, pictures in by_method.items():
        of_method = f"-{file_name(method)}" if len(by_method) > 1 else ""
        for place, picture in enumerate(pictures, 1):
            stem = folder / f"effect_sizes{of_method}{f'-{place}' if len(pictures) > 1 else ''}"
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
            stem = folder / "words" / f"{prefix}{name}"
            words.append((rank, "", partial(save_picture, stem, partial(draw_associations, row), png=png)))
    return planned + words


PictureFile = tuple[str, Path]
"""Text for those who do not see it, and the file."""

_MANY_PICTURES = 12
_MANY_SCORES = 60
"""From here on pictures and tables open when their title is clicked."""
_NAMES = 4


def report_page(
    results: Readable,
    pictures: Sequence[PictureFile],
    folder: Path,
    not_measured: Sequence[NotMeasured] = (),
) -> str:
    """Return ``report.md``: title, findings and pictures, then the tables of :func:`to_markdown`.

    Args:
        results: any number of results, or their readings.
        pictures: files in ``folder`` to show, in this order.
        folder: where the page will be. It refers to pictures by their paths in this folder.
        not_measured: what the run could not measure.

    Examples:
        >>> from evaluate_bias.result import Result, Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157, p_holm=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row], provenance={"model": {"name": "glove"}})
        >>> page = report_page([result], [("Scores of WEAT", Path("out/a.png"))], Path("out")).splitlines()
        >>> page[0], next(line for line in page if line.startswith("!"))
        ('# Measured social bias of glove', '![Scores of WEAT](a.png)')
        >>> print(page[4].partition(": ")[0], "…")
        - **Word Embedding Association Test (WEAT)** …
    """
    readings = as_readings(results)
    overview = summary(readings)
    images = [f"![{markdown(text)}]({file.relative_to(folder).as_posix()})" for text, file in pictures]
    scores = sum(len(r.rows) for r in readings)
    trusted, tables = trust([r.result for r in readings]).to_markdown(), to_markdown(readings)
    if scores > _MANY_SCORES:
        trusted = trusted and _make_fold(f"{scores} scores", trusted)
        tables = _make_fold(f"All {scores} scores, which are in report.csv too", tables)
    parts = [f"# {markdown(overview['title'])}", markdown(overview["lead"])]
    parts += [overview["findings"], overview["note"]]
    several = len({*(r.model for r in readings), *(one.model for one in not_measured)}) > 1
    if missing := not_measured_clauses(not_measured, several_models=several):
        parts += ["**Not measured**:", "\n".join(f"- {markdown(clause)}" for clause in missing)]
    parts += [_make_fold(f"{len(images)} pictures", *images)] if len(images) > _MANY_PICTURES else images
    parts += ["## How far to trust each score", RELIABILITY_NOTE, trusted] if trusted else []
    return "\n\n".join([*parts, tables])


def _make_fold(title: str, *parts: str) -> str:
    """Return Markdown that opens when its title is clicked."""
    return "\n\n".join([f"<details><summary>{markdown(title)}</summary>", *parts, "</details>"])


def ranked(readings: Sequence[Reading]) -> list[list[Reading]]:
    """Return readings, grouped by what they say. Significant ones come first, the surest first."""
    ordered = sorted(readings, key=finding_order)
    same: dict[str, list[Reading]] = {}
    for reading in ordered:
        same.setdefault(reading.finding, []).append(reading)
    return list(same.values())


def summary(readings: Sequence[Reading]) -> dict[str, str]:
    """Summarise readings in sentences.

    Returns:
        As plain text: ``title`` (whose bias was measured), ``lead`` (on what data) and ``note`` (what "significant"
            means).
        As Markdown: the list of ``findings``, the surest first, which explains each method once.

    Examples:
        >>> from evaluate_bias.result import Result
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"model": {"name": "glove"}})
        >>> summary(as_readings([result]))["title"]
        'Measured social bias of glove'
    """
    models = list(dict.fromkeys(r.model for r in readings))
    bullets, seen_sentences = [], set[str]()
    suffixes = distinguishing_suffixes([r.result for r in readings])
    titles = {id(r): f"{r.title}{suffix}" for r, suffix in zip(readings, suffixes, strict=True)}
    for same in ranked(readings):
        of = (f" on {markdown(r.model)}" if len(models) > 1 else "" for r in same)
        subjects = dict.fromkeys(f"**{markdown(titles[id(r)])}**{on}" for r, on in zip(same, of, strict=True))
        meanings = (
            METHODS[r.result.method].interpretation_of(r.result.score_range)
            for r in same
            if r.result.method in METHODS
        )
        more = [*meanings, *(remark for r in same for remark in r.remarks)]
        new = [sentence for sentence in dict.fromkeys(more) if sentence not in seen_sentences]
        seen_sentences.update(new)
        bullets += [f"- {', '.join(subjects)}: {markdown(same[0].finding)}"]
        bullets += [f"  - {markdown(sentence)}" for sentence in new]
    about_models = any(r.judgement.kind != "about the measurement" for r in readings)
    data = _list_some(list(dict.fromkeys(r.data for r in readings)))
    return {
        "title": f"Measured social bias of {_list_some(models)}",
        "lead": measured_on(_list_some(models), data),
        "findings": "\n".join(bullets),
        "note": f"{significance_note(readings)} {NOT_ABSENCE}" if about_models else NOT_SIZE,
    }


def _list_some(names: Sequence[str]) -> str:
    if len(names) > _NAMES:
        return f"{', '.join(names[: _NAMES - 1])} and {len(names) - _NAMES + 1} more"
    return joined(names)
