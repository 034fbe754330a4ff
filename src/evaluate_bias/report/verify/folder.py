"""A folder, or what was downloaded of a repository, verified from the recording in it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import DataError, InputError
from ...files import read_text, short_path
from ...provenance import software_versions
from ...result import Result
from ..lines import model_name
from ..page import report_page
from ..results_io import RESULTS_FILE, read_results
from ..results_store import latest, measurement_key, models_apart
from ..tables import to_csv, to_latex
from .card import CardChecker
from .lines import Expected, Rendered, check_lines, lines_of
from .recording_file import SCORES_FILE, Run, latest_runs, read_recording
from .replaying import repeat
from .task_results import TaskResultsChecker
from .verdicts import Check, Verdict, Verification

__all__ = ["Verifier", "verify"]

_CLOSE = 1e-12
"""Share by which the same computation may differ between machines."""


def verify(folder: str | Path, *, card: str | Path | None = None) -> Verification:
    """Compute every number in a folder again from the recorded scores, without the model, and judge it.

    What is read: ``scores.parquet`` (as ``run --record`` or :func:`record` writes it), and, as far as they are there,
    ``results.jsonl``, ``report.md``, ``report.csv``, ``report.tex``, the card's section, its picture, its
    ``model-index`` and ``.eval_results``. Statistics are computed again with this library, and every text is rendered
    again and compared line by line and number by number.

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
    found = {name: _read(place / name) for name in (RESULTS_FILE, *_REPORT)}
    texts = {name: text for name, text in found.items() if text is not None}
    text = _read(page)
    if not (place / SCORES_FILE).exists() and (texts or text is not None):
        reason = (
            f"there is no {SCORES_FILE} in {short_path(place)}: measure with 'evaluate-bias run --record'"
        )
        return Verification((Check(SCORES_FILE, "", "not verifiable", "", "", reason),))
    verifier = Verifier(place)
    if not texts and text is None:
        raise InputError(f"{short_path(place)} has recorded scores, but no card, report or results to verify")
    checks = list(verifier.of_results)
    for name in _REPORT:
        checks += verifier.report(name, texts[name]) if name in texts else []
    notes = []
    if text is not None:
        checks += verifier.card(text, _read(page.parent / "evaluate-bias.svg"))
        notes += verifier.left_out(text)
    for path in sorted((page.parent / ".eval_results").glob("evaluate-bias-*.yaml")):
        checks += verifier.eval_results(path.name, _read(path) or "")
    return Verification(tuple(checks), (*notes, *_notes(verifier.runs, checks)))


class Verifier:
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
        self.folder = Path(folder)
        self.runs = latest_runs(read_recording(self.folder / SCORES_FILE))
        self.expected, self.of_results = _expected(self.runs, self.folder)
        self._card = CardChecker(self.expected)
        self._task_results = TaskResultsChecker(self.expected)
        self._rendered = lru_cache(maxsize=None)(self._render)

    def card(self, text: str, picture: str | None = None) -> list[Check]:
        """Judge the text of a model card, and the picture beside it if there is one."""
        return self._card.check(text, picture)

    def left_out(self, text: str) -> list[str]:
        """What a model card does not tell of the results that are reported, one sentence each."""
        return self._card.left_out(text)

    def report(self, name: str, text: str) -> list[Check]:
        """Judge a file of the report: ``report.md`` without its pictures, ``report.csv`` or ``report.tex``."""
        kept = [(i, line) for i, line in enumerate(lines_of(text), 1) if line and not line.startswith("![")]
        numbers, found = [i for i, _ in kept], [line for _, line in kept]
        rendered = [self._rendered(name, places) for places in self.expected.choices()]
        exact = next((r for r in rendered if r.lines == tuple(found)), rendered[0])
        if not any(set(r.lines) & set(found) for r in rendered):  # somebody else's, of the same name
            return [Check(name, "", "not verifiable", "", "", "it is no report of these results")]
        return list(check_lines(name, found, exact, numbers))

    def eval_results(self, name: str, text: str) -> list[Check]:
        """Judge a file of ``.eval_results``."""
        return self._task_results.check(name, text)

    def _render(self, name: str, places: tuple[int, ...]) -> Rendered:
        # Some empty lines belong to pictures.
        return Rendered.of(
            self.expected.only(places),
            lambda results: "\n".join(filter(None, lines_of(_REPORT[name](results, self.folder)))),
        )


_REPORT: Mapping[str, Callable[[Sequence[Result], Path], str]] = {
    "report.md": lambda results, folder: report_page(models_apart(results), [], folder),
    "report.csv": lambda results, folder: to_csv(models_apart(results)),
    "report.tex": lambda results, folder: to_latex(models_apart(results), standalone=True),
}


# --- results --------------------------------------------------------------------------------------------------


def _expected(runs: Sequence[Run], place: Path) -> tuple[Expected, list[Check]]:
    """The recomputed results, and the verdicts on the stored ones and on runs that cannot be repeated."""
    checks: list[Check] = []
    again: list[tuple[Run, Result | None]] = []
    for number, run in enumerate(runs, 1):
        try:
            again.append((run, repeat(run, place)))
        except DataError as error:
            what = f"{run.result.method} of {model_name(run.result)}"
            checks.append(Check(SCORES_FILE, f"run {number}", "not verifiable", what, "", str(error)))
            again.append((run, None))
    stored: list[Result] = []
    if (place / RESULTS_FILE).exists():
        try:
            stored = latest(read_results(place / RESULTS_FILE))
        except DataError as error:
            ours = '"method"' in (_read(place / RESULTS_FILE) or "")
            verdict: Verdict = "false" if ours else "not verifiable"
            checks.append(Check(RESULTS_FILE, "", verdict, "", "", str(error)))
    ordered = _paired(stored, again)
    results, provable, older = [], [], []
    left: set[int] = set()
    line = 0
    for number, (found, pair) in enumerate(ordered):
        own = None if pair is None else pair[0]
        result = None if pair is None else pair[1]
        if found is not None:
            line += 1
            checks += _stored(found, own, result, line)
        elif stored and own is not None:
            left.add(number)
            what = f"{own.result.method} of {model_name(own.result)}"
            reason = f"{RESULTS_FILE} has this measurement no more"
            checks.append(Check(SCORES_FILE, "", "stale", what, "", reason))
        shown = result or found or (own.result if own is not None else None)
        assert shown is not None
        results.append(shown)
        provable += [result] if result is not None else []
        older.append([] if own is None else list(own.earlier))
    most = max(map(len, older), default=0)
    earlier = [
        tuple(old[min(k, len(old) - 1)] if old else now for now, old in zip(results, older, strict=True))
        for k in range(most)
    ]
    return Expected(tuple(results), tuple(provable), tuple(earlier), frozenset(left)), checks


Pair = tuple[Run, Result | None]


def _paired(stored: Sequence[Result], again: Sequence[Pair]) -> list[tuple[Result | None, Pair | None]]:
    """Each stored result with its run, and among them the runs that are left.

    That is the run of the same measurement, else one that had this result before, else one of the same scores: what a
    measurement is of may have been changed in the results.
    """
    left = list(again)
    found: dict[int, Pair] = {}
    ways: tuple[Callable[[Result, Run], bool], ...] = (
        lambda result, run: measurement_key(result) == measurement_key(run.result),
        lambda result, run: any(_plain(result) == _plain(e) for e in run.earlier),
        lambda result, run: _scores(result) == _scores(run.result),
    )
    for same in ways:
        for i, result in enumerate(stored):
            fits = next((p for p in left if i not in found and same(result, p[0])), None)
            if fits is not None:
                found[i] = fits
                left = [p for p in left if p is not fits]
    ordered: list[tuple[Result | None, Pair | None]] = [(r, found.get(i)) for i, r in enumerate(stored)]
    for i, pair in enumerate(again):
        if any(pair is p for p in left):  # where it was measured: after the run before it
            before = next((k for k, (_, p) in enumerate(ordered) if i and p is again[i - 1]), -1)
            ordered.insert(before + 1, (None, pair))
    return ordered


def _scores(result: Result) -> list[Any]:
    return [result.method, result.score, *((row.name, row.score) for row in result.rows)]


def _stored(found: Result, run: Run | None, result: Result | None, line: int) -> Iterator[Check]:
    place = f"line {line}"
    if run is None or result is None:
        reason = "its scores were not recorded" if run is None else "its scores cannot be computed again"
        yield Check(RESULTS_FILE, place, "not verifiable", f"{found.method} {found.score:.6g}", "", reason)
        return
    old = any(_plain(found) == _plain(e) for e in run.earlier)
    for path, shown, wanted in _leaves(_plain(found), _plain(result), ""):
        same = _same(shown, wanted)
        verdict: Verdict = "true" if same else "stale" if old else "false"
        if not same or isinstance(shown, (int, float)):
            yield Check(RESULTS_FILE, f"{place}{path}", verdict, repr(shown), repr(wanted))


def _plain(result: Result) -> dict[str, Any]:
    facts = result.to_dict()
    facts["provenance"] = {k: v for k, v in facts["provenance"].items() if k != "versions"}
    return facts


def _leaves(a: Any, b: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Every value of two structures side by side; one that only one of them has stands beside ``None``."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            yield from _leaves(a.get(key), b.get(key), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _leaves(x, y, f"{path}[{i}]")
    else:
        yield path, a, b


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, (int, float)):
        return type(a) is type(b) and bool(a == b)
    return isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=_CLOSE, abs_tol=1e-300)


def _read(path: Path) -> str | None:
    return read_text(path) if path.exists() else None


def _notes(runs: Sequence[Run], checks: Sequence[Check]) -> Iterator[str]:
    """What explains differences that nobody made."""
    here = software_versions()["evaluate-bias"]
    versions = {str((r.result.provenance.get("versions") or {}).get("evaluate-bias")) for r in runs}
    if versions - {here} and any(c.verdict == "false" for c in checks):
        yield (
            f"recorded with evaluate-bias {', '.join(sorted(versions))} and verified with {here}: words and "
            "numbers that the two write differently count as false; verify with the version that wrote them"
        )
