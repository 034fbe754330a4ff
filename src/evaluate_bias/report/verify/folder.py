"""A folder, or what was downloaded of a repository, verified from the recording in it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from ...errors import DataError, InputError
from ...experiments.measurement import measurement_key
from ...experiments.results_file import RESULTS_FILE, read_file
from ...experiments.sources import read_results
from ...experiments.store import STORE_FILE
from ...files import read_text, short_path
from ...provenance import software_versions
from ...result import Result
from .. import FORMAT
from ..card.entries import FOLDER
from ..card.score_picture import shown_picture
from ..latex import to_latex, to_latex_full
from ..page import report_page
from ..reading import read_all
from ..row_tables import to_csv
from ..score_matrix import disambiguate_models
from .card import CardChecker
from .lines import Rendered, check_lines, check_numbers, lines_of
from .recording_file import SCORES_FILE, RecordedRun, read_bytes, read_recording
from .results_file import expected_results, results_in
from .verdicts import Check, Verification

_REPORT = ("report.md", "report.csv", "report.tex", "report-full.tex")
"""Texts of every report."""
_PAGE = "report.html"
_OURS = ("report.", "report-full.", "report-items/", "effect_sizes", "words/")
"""How the names of what this library writes into a folder of results begin."""
_OF_RUNS = (RESULTS_FILE, SCORES_FILE, STORE_FILE, "logs", *(f"{STORE_FILE}-{end}" for end in ("wal", "shm")))
"""What runs leave there."""
_MOST_NAMED = 12


def verify(folder: str | Path, *, card: str | Path | None = None) -> Verification:
    """Compute every number in a folder again from the recorded scores, without the model, and judge it.

    What is read: ``scores.parquet`` (as ``run --record`` or :func:`record` writes it), and, as far as they are there,
    ``results.jsonl`` (else the store), all that ``report`` writes, the card's section, its picture, its entries in
    ``model-index`` and ``.eval_results``. Statistics are computed again with this library, texts are written again and
    compared line by line, pictures and ``report.html`` byte by byte. What else lies there is named in a note.

    That all is true says that the card follows from the recorded scores, not that the model gave these.

    Args:
        folder: the folder that holds ``scores.parquet``.
        card: the card's file, where it is not ``README.md`` in the folder.

    Returns:
        A verdict on every number.

    Raises:
        InputError: the folder or card is not there, or nothing in it could be verified.
        DataError: the recording is cut off, changed, or of a newer version.

    Examples:
        >>> import tempfile
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
        >>> test = {"name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...         "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}
        >>> from evaluate_bias.report.verify import record
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = record("weat", vectors, folder, data=[test])
        ...     whole = verify(folder).verdict
        ...     path = Path(folder) / "results.jsonl"
        ...     _ = path.write_text(path.read_text().replace(str(result.score), "1.9"))
        ...     whole, verify(folder).verdict
        ('true', 'false')
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError(f"{short_path(place)} is no folder")
    page = place / "README.md" if card is None else Path(card)
    if card is not None and not page.is_file():
        raise InputError(f"there is no card at {short_path(page)}")
    text = read_text(page) if page.exists() else None
    names = _names(place, page, text)
    ours = [name for name in names if name.startswith(_OURS)]
    anything = bool(ours) or text is not None or bool(results_in(place))
    if not (place / SCORES_FILE).exists() and anything:
        how = "measure with 'evaluate-bias run --record'"
        reason = f"there is no {SCORES_FILE} in {short_path(place)}: {how}"
        return Verification((Check(SCORES_FILE, "", "not verifiable", reason=reason),))
    verifier = Verifier(place)
    if not anything:
        raise InputError(f"{short_path(place)} has recorded scores, but no card, report or results to verify")
    checks = [*verifier.of_results, *_of_store(place, verifier.runs)]
    checks += verifier.report({name: read_bytes(place / name) for name in ours})
    notes, unread = _gone(ours), [name for name in names if name not in ours]
    if text is not None:
        picture = page.parent / shown_picture(text)
        checks += verifier.card(text, read_text(picture) if picture.exists() else None)
        notes += verifier.left_out(text)
        unread = ["what stands in the card outside the section and its own entries", *unread]
    tasks = sorted((page.parent / FOLDER).glob("evaluate-bias-*.yaml"))
    for path in tasks:
        checks += verifier.eval_results(path.name, read_text(path))
    if tasks:
        unread = [f"the dates in {FOLDER}, and which page its sources name", *unread]
    return Verification(tuple(checks), (*notes, *_not_read(unread), *_notes(verifier.runs, checks)))


class Verifier(CardChecker):
    """Recomputes the results of a folder once, and judges any number of texts that are written from them.

    Args:
        folder: the folder that holds ``scores.parquet``.

    Attributes:
        runs: the recorded measurements.
        expected: their results, recomputed.
        of_results: verdicts on ``results.jsonl`` and on measurements that cannot be repeated.

    Raises:
        DataError: the recording is cut off, changed, or of a newer version.
    """

    def __init__(self, folder: str | Path) -> None:
        self.runs = read_recording(Path(folder) / SCORES_FILE)
        expected, self.of_results = expected_results(self.runs, Path(folder))
        super().__init__(expected)
        self._texts = lru_cache(maxsize=None)(lambda places: _report_texts(expected.only(places).results))
        self._files = lru_cache(maxsize=None)(self._written)

    def report(self, files: Mapping[str, bytes]) -> list[Check]:
        """Judge files of the report, by their names in its folder."""
        checks: list[Check] = []
        for name, content in files.items():
            places = self._about(name, files)
            of_page = name == _PAGE or name.startswith("report-items/")
            written = self._files(places, of_page)
            if name in _REPORT:
                checks += self._text(name, content, written[name].decode(), places)
            else:
                reason = self._unlike(content, written.get(name), places)
                checks.append(Check(name, "", "not verifiable" if reason else "true", reason=reason))
        return checks

    def _unlike(self, content: bytes, written: bytes | None, places: tuple[int, ...]) -> str:
        """Why a file is not what is written of recomputed results, byte by byte; empty where it is."""
        if written is None:
            return "not read: no report of these results has it"
        if content != written:
            return "not read: it is not, byte by byte, what is written here"
        expected = self.expected.only(places)
        whole = len(expected.provable) == len(expected.results)
        return "" if whole else "the scores behind it were not recorded"

    def _about(self, name: str, files: Mapping[str, bytes]) -> tuple[int, ...]:
        """Numbers of the results that a report is about: those whose texts are most like its own."""
        told = [name] if name in _REPORT else [n for n in files if n in _REPORT]
        found = {n: {*lines_of(_decoded(files[n]))} for n in told}

        def likeness(places: tuple[int, ...]) -> float:
            written = ((own, {*lines_of(self._texts(places)[n])}) for n, own in found.items())
            return sum(len(a & b) - len(a ^ b) / 1e3 for a, b in written)

        choices = self.expected.choices()
        return max(choices, key=likeness) if len(choices) > 1 else choices[0]

    def _written(self, places: tuple[int, ...], page: bool) -> dict[str, bytes]:
        """All that ``report`` writes of these results, by name; or what it writes with ``--html``."""
        from ..html import write_html
        from ..write import write_report

        results = self.expected.only(places).results
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            written = write_html(results, folder / _PAGE) if page else write_report(results, folder)
            return {path.relative_to(folder).as_posix(): path.read_bytes() for path in written}

    def _text(self, name: str, content: bytes, written: str, places: tuple[int, ...]) -> Iterator[Check]:
        expected = self.expected.only(places)
        rendered = Rendered.of(expected, lambda results: _report_texts(results)[name], written)
        text = _decoded(content)
        found = lines_of(text)
        if not set(filter(None, found)) & set(rendered.lines):  # somebody else's, of the same name
            yield Check(name, "", "not verifiable", reason="it is no report of these results")
        elif found != rendered.lines and any(run.format != FORMAT for run in self.runs):
            reason = "perhaps written by another format: sentences not compared"
            yield Check(name, "", "not verifiable", reason=reason)
            yield from check_numbers(name, text, rendered.lines, expected.results)
        else:
            yield from check_lines(name, found, rendered)


def _of_store(place: Path, runs: Sequence[RecordedRun]) -> Iterator[Check]:
    """Verdicts on results of the store that are neither recorded so nor judged as lines of ``results.jsonl``."""
    file = place / RESULTS_FILE
    if not ((place / STORE_FILE).exists() and file.exists()):
        return  # without the file, those of the store are judged in place of its lines
    try:
        stored, known = read_results(place), [run.result for run in runs]
        known += read_file(file)
    except DataError as error:
        yield Check(STORE_FILE, "", "not verifiable", reason=str(error))
        return
    recorded = {measurement_key(run.result) for run in runs}
    for result in stored:
        if result in known:
            continue
        what = f"{result.method} {result.score:.6g}"
        if measurement_key(result) in recorded:
            yield Check(STORE_FILE, "", "false", what, reason="the recorded scores give another result")
        else:
            yield Check(STORE_FILE, "", "not verifiable", what, reason="its scores were not recorded")


def _report_texts(results: Sequence[Result]) -> dict[str, str]:
    """The texts of a report, by name, without pictures."""
    readings = read_all(disambiguate_models(results))
    tex, full = to_latex(readings, standalone=True), to_latex_full(readings, standalone=True)
    return dict(zip(_REPORT, (report_page(readings, [], Path()), to_csv(readings), tex, full), strict=True))


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _names(place: Path, page: Path, card: str | None) -> list[str]:
    """What lies in a folder, and in those of its folders that a report fills; hidden files are of others."""
    found, known = [], [page] if card is None else [page, page.parent / shown_picture(card)]
    for path in sorted(place.iterdir()):
        if path.name.startswith(".") or path.name in _OF_RUNS or path in known:
            continue
        name = f"{path.name}/" if path.is_dir() else path.name
        inside = sorted(path.iterdir()) if path.is_dir() and name in _OURS else []
        found += [f"{name}{p.name}" for p in inside] or [name]
    return found


def _gone(names: Sequence[str]) -> list[str]:
    """A note on texts of a report that were deleted; none where no text of a report is there."""
    missing = [name for name in _REPORT if name not in names]
    some = 0 < len(missing) < len(_REPORT)
    return [f"not there, although a report has it: {', '.join(missing)}"] if some else []


def _not_read(names: Sequence[str]) -> list[str]:
    """A note on what verification says nothing of."""
    more = f", and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [f"not read: {'; '.join(names[:_MOST_NAMED])}{more}"] if names else []


def _notes(runs: Sequence[RecordedRun], checks: Sequence[Check]) -> Iterator[str]:
    """What explains differences that nobody made."""
    here = software_versions()["evaluate-bias"]
    versions = {str((r.result.provenance.get("versions") or {}).get("evaluate-bias")) for r in runs}
    if versions - {here} and any(c.verdict == "false" for c in checks):
        yield (
            f"recorded with evaluate-bias {', '.join(sorted(versions))} and verified with {here}: words and "
            "numbers that the two write differently count as false; verify with the version that wrote them"
        )
