"""``results.jsonl``, held against the recorded results and against what the recorded scores give now."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...experiments.measurement import latest, measurement_key
from ...experiments.results_file import RESULTS_FILE, read_file
from ...experiments.sources import read_results
from ...experiments.store import STORE_FILE
from ...files import read_text
from ...result import Result
from .. import FORMAT
from ..lines import model_name
from .lines import Expected, leaves, same
from .recording_file import SCORES_FILE, RecordedRun, latest_runs
from .replaying import repeat
from .verdicts import Check, Verdict

_CLOSE = 1e-12
"""Share by which the same computation may differ between machines."""

Pair = tuple[RecordedRun, Result | None]
"""A run and its result, ``None`` where it cannot be computed again."""


_StoredLine = tuple[int, Any, Result]
"""A line of the file: its number, what stands there, and the result that it is read as."""


def expected_results(runs: Sequence[RecordedRun], place: Path) -> tuple[Expected, list[Check]]:
    """The results that texts must follow from, and the verdicts on every line of ``results.jsonl`` and on every run."""
    checks: list[Check] = []
    again: list[Pair] = []
    for number, run in enumerate(latest_runs(runs), 1):
        what = f"{run.result.method} of {model_name(run.result)}"
        if run.format != FORMAT:
            reason = f"written by format {run.format}, sentences not compared"
            checks.append(Check(SCORES_FILE, f"run {number}", "not verifiable", what, reason=reason))
        try:
            again.append((run, _settled(run, repeat(run, place))))
        except DataError as error:
            checks.append(Check(SCORES_FILE, f"run {number}", "not verifiable", what, reason=str(error)))
            again.append((run, None))
    lines: list[_StoredLine] = []
    if file := results_in(place):
        try:
            lines = _lines(place / file)
        except DataError as error:
            ours = b'"method"' in (place / file).read_bytes()
            checks.append(Check(file, "", "false" if ours else "not verifiable", reason=str(error)))
    ordered = _paired(latest(result for *_, result in lines), again)
    own = {id(found): pair for found, pair in ordered}
    for line in lines:
        key = measurement_key(line[-1])
        same_as = next((p for p in again if measurement_key(p[0].result) == key), None)
        checks += _judged(file, line, own.get(id(line[-1])) or same_as, runs)
    return _expected(ordered, checks, file), checks


def _expected(
    ordered: Sequence[tuple[Result | None, Pair | None]], checks: list[Check], file: str
) -> Expected:
    """The results in the order of the file; what is recorded and not in the file is stale."""
    results, provable, older = [], [], []
    left: set[int] = set()
    any_stored = any(found is not None for found, _ in ordered)
    for number, (found, pair) in enumerate(ordered):
        run, result = pair or (None, None)
        if found is None and any_stored and run is not None:
            left.add(number)
            what = f"{run.result.method} of {model_name(run.result)}"
            reason = f"{file} has this measurement no more"
            checks.append(Check(SCORES_FILE, "", "stale", what, reason=reason))
        shown = result or found or (run.result if run is not None else None)
        assert shown is not None
        results.append(shown)
        provable += [result] if result is not None else []
        older.append([] if run is None else list(run.earlier))
    was = [old or [now] for now, old in zip(results, older, strict=True)]
    earlier = [tuple(o[min(k, len(o) - 1)] for o in was) for k in range(max(map(len, older), default=0))]
    return Expected(tuple(results), tuple(provable), tuple(earlier), frozenset(left))


def results_in(place: Path) -> str:
    """The file whose results are judged, empty where there is none: without its view the store."""
    return next((name for name in (RESULTS_FILE, STORE_FILE) if (place / name).exists()), "")


def _lines(path: Path) -> list[_StoredLine]:
    """The lines of a file of results, or the results of a store as the lines that it would write.

    Raises:
        DataError: one is no result, or a key stands twice in it.
    """
    if path.name == STORE_FILE:
        return [(n, r.to_dict(), r) for n, r in enumerate(read_results(path), 1)]
    results = read_file(path)
    texts = [(n, t) for n, t in enumerate(read_text(path).removeprefix("\ufeff").split("\n"), 1) if t.strip()]
    return [(n, json.loads(text), r) for (n, text), r in zip(texts, results, strict=True)]


def _settled(run: RecordedRun, again: Result) -> Result:
    """The recorded result where the same is computed again, to rounding; in every other place the computed one."""
    merged = _merged(run.result.to_dict(), again.to_dict(), run.format == FORMAT)
    try:
        return Result.from_dict(merged)
    except DataError:  # a mixture of both that no measurement gives
        return again


def _merged(was: Any, now: Any, wording: bool) -> Any:
    """One structure of two; sentences of another format are not compared, and stay as they were."""
    if isinstance(was, dict) and isinstance(now, dict):
        keys = now if wording else was
        return {k: _merged(was.get(k, now.get(k)), now.get(k, was.get(k)), wording) for k in keys}
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [_merged(a, b, wording) for a, b in zip(was, now, strict=True)]
    if not wording and (
        isinstance(was, str)
        or (isinstance(was, list) and isinstance(now, list) and all(isinstance(t, str) for t in (*was, *now)))
    ):
        return was
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (was, now))
    close = numbers and math.isclose(was, now, rel_tol=_CLOSE, abs_tol=1e-300)
    return was if close else now


def _paired(stored: Sequence[Result], again: Sequence[Pair]) -> list[tuple[Result | None, Pair | None]]:
    """Each stored result with its run, and among them the runs that are left.

    That is the run of the same measurement, else one that had this result before, else one of the same scores: what a
    measurement is of may have been changed in the results.
    """
    left = list(again)
    found: dict[int, Pair] = {}
    ways: tuple[Callable[[Result, RecordedRun], bool], ...] = (
        lambda result, run: measurement_key(result) == measurement_key(run.result),
        lambda result, run: result in run.earlier,
        lambda result, run: _scores(result) == _scores(run.result),
    )
    for fits in ways:
        for i, result in enumerate(stored):
            pair = next((p for p in left if i not in found and fits(result, p[0])), None)
            if pair is not None:
                found[i] = pair
                left = [p for p in left if p is not pair]
    ordered: list[tuple[Result | None, Pair | None]] = [(r, found.get(i)) for i, r in enumerate(stored)]
    for i, pair in enumerate(again):
        if any(pair is p for p in left):  # where it was measured: after the run before it
            before = next((k for k, (_, p) in enumerate(ordered) if i and p is again[i - 1]), -1)
            ordered.insert(before + 1, (None, pair))
    return ordered


def _scores(result: Result) -> list[Any]:
    return [result.method, result.score, *((row.name, row.score) for row in result.rows)]


def _judged(file: str, line: _StoredLine, pair: Pair | None, runs: Sequence[RecordedRun]) -> Iterator[Check]:
    """The verdicts on a line, value by value, as it stands there and not as it is read."""
    number, raw, result = line
    place, what, today = f"line {number}", f"{result.method} {result.score:.6g}", result.to_dict()
    of_today = raw.get("schema_version") == today["schema_version"]
    if not of_today:
        reason = f"written by format {raw.get('schema_version', 1)} of results, sentences not compared"
        yield Check(file, place, "not verifiable", what, reason=reason)
        raw = today
    earlier = [e.to_dict() for run in runs for e in run.earlier]
    old = any(all(same(x, y) for _, x, y in leaves(raw, e)) for e in earlier)
    if pair is None or pair[1] is None:
        reason = "its scores were not recorded" if pair is None else "its scores cannot be computed again"
        reason = "an earlier result gives this line" if old else reason
        yield Check(file, place, "stale" if old else "not verifiable", what, reason=reason)
        return
    for path, shown, wanted in leaves(raw, pair[1].to_dict()):
        fits = same(shown, wanted)
        if not fits and not of_today and isinstance(shown, str):
            continue
        verdict: Verdict = "true" if fits else "stale" if old else "false"
        if not fits or isinstance(shown, (int, float)):
            yield Check(file, f"{place}{path}", verdict, repr(shown), repr(wanted))
