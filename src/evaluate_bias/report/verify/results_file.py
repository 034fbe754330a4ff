"""``results.jsonl`` and the store, held against what the recorded scores give now."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...experiments.results_file import RESULTS_FILE, read_file
from ...experiments.sources import read_results
from ...experiments.store import STORE_FILE
from ...experiments.unit import latest
from ...files import read_text
from ...result import Result
from .. import FORMAT
from ..imprint import result_key
from ..lines import model_name
from .comparing import NOT_RECORDED, Check, Replay, compare_lines, flat_lines
from .recording_file import SCORES_FILE, RecordedRun, latest_runs
from .replaying import repeat

_CLOSE = 1e-12
"""Share by which the same computation may differ between machines."""

_StoredLine = tuple[int, Any, Result]
"""A line of the file: its number, what stands there, and the result that it is read as."""


def replays(runs: Sequence[RecordedRun], place: Path) -> tuple[list[Replay], list[Check]]:
    """Return the measurements of a folder, and the verdicts on every recorded run and every line of results."""
    checks: list[Check] = []
    repeated: list[tuple[RecordedRun, Result | None]] = []
    for number, run in enumerate(latest_runs(runs), 1):
        reasons = [] if run.format == FORMAT else [f"written by format {run.format}, sentences not compared"]
        result = None
        try:
            result = _settled(run, repeat(run, place))
        except DataError as error:
            reasons.append(str(error))
        repeated.append((run, result))
        where, what = f"run {number}", title_of(run.result)
        checks += [Check(SCORES_FILE, where, "not verifiable", what, reason=reason) for reason in reasons]
    file = results_in(place)
    try:
        lines = _lines(place / file) if file else []
    except DataError as error:
        lines, ours = [], b'"method"' in (place / file).read_bytes()
        checks.append(Check(file, "", "false" if ours else "not verifiable", reason=str(error)))
    stored = latest(result for *_, result in lines)
    pairs = _pair_runs(stored, repeated)
    measured = [_replay(result, *pairs.get(id(result), (None, None))) for result in stored]
    for run, again in repeated:
        if not any(run is r for r, _ in pairs.values()):
            measured.append(_replay(None, run, again, withdrawn=bool(stored)))
            reason = f"{file} has this measurement no more"
            checks += [Check(SCORES_FILE, "", "stale", title_of(run.result), reason=reason)] if stored else []
    of_result = dict(zip(map(id, stored), measured, strict=False))
    for number, raw, result in lines:
        same = (r for r in measured if result_key(result) in r.keys)  # a later line may have taken its place
        checks += _check_line(file, number, raw, result, of_result.get(id(result)) or next(same, None))
    return measured, [*checks, *_check_store(place, runs)]


def results_in(place: Path) -> str:
    """The file whose results are judged, empty where there is none: without its view the store."""
    return next((name for name in (RESULTS_FILE, STORE_FILE) if (place / name).exists()), "")


def title_of(result: Result) -> str:
    """What was measured on which model."""
    return f"{result.method} of {model_name(result)}"


def _replay(
    stored: Result | None, run: RecordedRun | None, again: Result | None, *, withdrawn: bool = False
) -> Replay:
    earlier = () if run is None else run.earlier
    versions = [r for r in (stored, None if run is None else run.result, *earlier) if r is not None]
    return Replay(
        again or versions[0], again is not None, earlier, frozenset(map(result_key, versions)), withdrawn
    )


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


def _pair_runs(
    stored: Sequence[Result], repeated: Sequence[tuple[RecordedRun, Result | None]]
) -> dict[int, tuple[RecordedRun, Result | None]]:
    """The run behind each stored result, by its ``id``, with what it gives now.

    That is the run of the same measurement, else one of the same scores: what a measurement is of may have been
    changed in the results.
    """
    ways: tuple[Callable[[Result, RecordedRun], bool], ...] = (
        lambda result, run: result_key(result) == result_key(run.result),
        lambda result, run: result in run.earlier,
        lambda result, run: _scores(result) == _scores(run.result),
    )
    pairs: dict[int, tuple[RecordedRun, Result | None]] = {}
    for fits in ways:
        for result in stored:
            free = (pair for pair in repeated if not any(pair is p for p in pairs.values()))
            if id(result) not in pairs and (pair := next((p for p in free if fits(result, p[0])), None)):
                pairs[id(result)] = pair
    return pairs


def _scores(result: Result) -> list[Any]:
    return [result.method, result.score, *((row.name, row.score) for row in result.rows)]


def _check_line(file: str, number: int, raw: Any, result: Result, replay: Replay | None) -> Iterator[Check]:
    """The verdicts on a line, value by value, as it stands there and not as it is read."""
    place, what, today = f"line {number}", f"{result.method} {result.score:.6g}", result.to_dict()
    of_today = raw.get("schema_version") == today["schema_version"]
    if not of_today:
        reason = f"written by format {raw.get('schema_version', 1)} of results, sentences not compared"
        yield Check(file, place, "not verifiable", what, reason=reason)
    if replay is None or not replay.proven:
        yield Check(file, place, "not verifiable", what, reason=NOT_RECORDED)
        return
    lines = sorted(flat_lines(raw if of_today else today))
    checks = compare_lines(
        file, lines, [replay], lambda results: sorted(flat_lines(results[0].to_dict())), [place] * len(lines)
    )
    yield from (c for c in checks if of_today or c.verdict == "true" or '"' not in f"{c.actual}{c.expected}")


def _check_store(place: Path, runs: Sequence[RecordedRun]) -> Iterator[Check]:
    """Verdicts on measurements that only the store has, or only ``results.jsonl``, which is written from it."""
    file = place / RESULTS_FILE
    if not ((place / STORE_FILE).exists() and file.exists()):
        return  # without the file, the results of the store are judged in place of its lines
    try:
        stored, lines = read_results(place), read_file(file)
    except DataError as error:
        yield Check(STORE_FILE, "", "not verifiable", reason=str(error))
        return
    keys_of_runs, keys_of_store = {result_key(run.result) for run in runs}, {result_key(r) for r in stored}
    for result in stored:
        if result in lines or any(result == run.result for run in runs):
            continue
        what = f"{result.method} {result.score:.6g}"
        if result_key(result) in keys_of_runs:
            yield Check(STORE_FILE, "", "false", what, reason="the recorded scores give another result")
        else:
            yield Check(STORE_FILE, "", "not verifiable", what, reason="its scores were not recorded")
    for result in latest(lines):
        if result_key(result) not in keys_of_store:
            yield Check(
                STORE_FILE, "", "stale", "", title_of(result), f"only {RESULTS_FILE} has this measurement"
            )
