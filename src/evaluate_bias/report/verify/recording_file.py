"""A recording on disk: ``scores.parquet``, the answers of the models behind a folder's results, item by item."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...data.table_files import parquet_table
from ...errors import DataError, InputError
from ...experiments.unit import latest, measurement_key
from ...files import atomic_write, locked, open_regular, require_regular_or_absent, short_path
from ...models.recording import Answer, Tape
from ...result import Result
from .. import FORMAT
from ..lines import model_name

SCORES_FILE = "scores.parquet"
SCHEMA_VERSION = 1
_KEY = b"evaluate-bias"
_MOST_VALUES = 100_000_000
"""That a recording is read of: some 14 million answers."""
_MOST_EARLIER = 3
"""How many earlier results of a measurement are kept, so that a number taken from one is called stale."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One measurement, and what is needed to repeat it without the model.

    Attributes:
        request: method, options and data, as :func:`~.replaying.measure_recorded` writes them.
        tape: the model's answers; ``None`` where there was no model.
        result: what was measured.
        problem: why it cannot be repeated, empty where it can.
        earlier: results of the same measurement that this one replaced, the latest first.
        format: number of the wording of the result, see :data:`evaluate_bias.report.FORMAT`.
    """

    request: Mapping[str, Any]
    tape: Tape | None
    result: Result
    problem: str = ""
    earlier: tuple[Result, ...] = ()
    format: int = FORMAT


def write_recording(runs: Sequence[RecordedRun], path: Path) -> None:
    """Write a recording in one step.

    Raises:
        OutputError: the file cannot be written.
    """
    atomic_write(path, recording_bytes(runs))


def recording_bytes(runs: Sequence[RecordedRun]) -> bytes:
    """Return what :func:`write_recording` writes."""
    import pyarrow.parquet as pq

    table = _table([row for number, run in enumerate(runs) for row in _rows(number, run)])
    about = {"schema_version": SCHEMA_VERSION, "sha256": _checksum(table)}
    table = table.replace_schema_metadata({_KEY: json.dumps(about)})
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_recording(path: Path) -> list[RecordedRun]:
    """Read what :func:`write_recording` wrote.

    Raises:
        InputError: what is there is no regular file.
        DataError: there is no such file, it is cut off or changed, is no recording, or one of a newer version.
    """
    if not path.exists():
        how = "record the scores behind the results with 'evaluate-bias run --record'"
        raise DataError(f"there is no {short_path(path)}: {how}")
    return recording_of(read_bytes(path), short_path(path))


def read_bytes(path: Path) -> bytes:
    """Return what a file holds.

    Raises:
        InputError: what is there is no regular file.
        DataError: it cannot be read.
    """
    try:
        with open_regular(path) as file:
            return bytes(file.read())
    except OSError as error:
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error


def recording_of(raw: bytes, name: str) -> list[RecordedRun]:
    """Return what :func:`recording_bytes` made of a recording of this name.

    Raises:
        DataError: it is cut off or changed, is no recording, or one of a newer version.
    """
    import pyarrow as pa

    try:
        table = parquet_table(raw, most=_MOST_VALUES)
        table.validate(full=True)  # such as texts that are no UTF-8
        about = json.loads((table.schema.metadata or {}).get(_KEY, b"null"))
    except DataError as error:
        raise DataError(f"{name} is too large: it holds more than {_MOST_VALUES:,} values") from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{name} is no whole Parquet file: it is cut off or damaged") from error
    version = about.get("schema_version") if isinstance(about, dict) else None
    if not isinstance(version, int):
        raise DataError(f"{name} is a Parquet file, but no recording of this library")
    if version > SCHEMA_VERSION:
        reads = f"this library reads up to {SCHEMA_VERSION}: upgrade evaluate-bias"
        raise DataError(f"{name} has schema version {version} and {reads}")
    if not table.schema.equals(_schema()) or about.get("sha256") != _checksum(table):
        raise DataError(f"{name} was changed after it was written: its checksum does not fit")
    try:
        return _runs(table)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{name} holds a run that cannot be read: {error}") from error


def latest_runs(runs: Sequence[RecordedRun]) -> list[RecordedRun]:
    """The runs whose results count, see :func:`evaluate_bias.experiments.unit.latest`."""
    last_results = latest(run.result for run in runs)
    return [next(run for run in runs if run.result is result) for result in last_results]


def discard_recording(path: Path) -> bool:
    """Remove a recording, and say whether there was one; what is none stays."""
    if not path.exists():
        return False
    try:
        with locked(path):
            read_recording(path)
            path.unlink()
    except (DataError, InputError):
        return False
    return True


class RecordingStore:
    """The recording at ``path``, which several runs fill.

    Args:
        path: the file, which need not exist.
        replace: let the first run that is added take the place of all that are there now.

    Raises:
        InputError: a folder, pipe, socket or device is there.
    """

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        self.path = require_regular_or_absent(path)
        self._replace = replace
        self._replaced: list[RecordedRun] = []

    def add(self, run: RecordedRun) -> None:
        """Add a run, in the place of an earlier one of the same measurement; on return it is on disk.

        Raises:
            DataError: what is there is no recording.
            OutputError: the file cannot be written.
        """
        with locked(self.path):
            stored_runs = read_recording(self.path) if self.path.exists() else []
            if self._replace:
                self._replaced, stored_runs, self._replace = stored_runs, [], False
            key, method_and_model = measurement_key(run.result), (run.result.method, model_name(run.result))
            same = [r for r in stored_runs if measurement_key(r.result) == key]
            before = same + [
                r for r in self._replaced if (r.result.method, model_name(r.result)) == method_and_model
            ]
            stored_runs = [run if r is same[0] else r for r in stored_runs] if same else [*stored_runs, run]
            last_runs = latest_runs(stored_runs)
            # A measurement of fewer tests is part of the new one.
            before += [r for r in stored_runs if r is not run and not any(r is k for k in last_runs)]
            earlier = [e for old in before for e in (old.result, *old.earlier) if e != run.result]
            complete_run = replace(run, earlier=tuple(earlier[:_MOST_EARLIER]))
            write_recording([complete_run if r is run else r for r in last_runs], self.path)


# --- rows -----------------------------------------------------------------------------------------------------

Row = tuple[int, int, int, str, str, str, Any]
_NONE = np.empty(0)


def _rows(number: int, run: RecordedRun) -> list[Row]:
    """A run as rows: what it is has call -1, then the model's answers."""
    model = None if run.tape is None else run.tape.facts
    facts = {"asked": run.request, "problem": run.problem, "model": model, "format": run.format}
    about = {"run": [facts], "result": [run.result.to_dict()], "earlier": [e.to_dict() for e in run.earlier]}
    rows: list[Row] = [
        (number, -1, place, kind, "", json.dumps(value), _NONE)
        for kind, values in about.items()
        for place, value in enumerate(values)
    ]
    answers = [] if run.tape is None else run.tape.answers
    return rows + [(number, a.call, a.item, a.door, a.request, a.answer, a.values) for a in answers]


def _schema() -> Any:
    import pyarrow as pa

    numbers, text = ("run", "call", "item"), ("door", "request", "answer")
    fields = [(name, pa.int32()) for name in numbers] + [(name, pa.large_string()) for name in text]
    return pa.schema([*fields, ("values", pa.large_list(pa.float64()))])


def _table(rows: Sequence[Row]) -> Any:
    import pyarrow as pa

    schema = _schema()
    columns = list(zip(*rows, strict=True))
    arrays = [pa.array(column, schema.field(i).type) for i, column in enumerate(columns[:-1])]
    offsets = np.cumsum([0, *(len(v) for v in columns[-1])], dtype=np.int64)
    arrays.append(pa.LargeListArray.from_arrays(offsets, pa.array(np.concatenate(columns[-1]), pa.float64())))
    return pa.Table.from_arrays(arrays, schema=schema)


def _values(table: Any) -> list[Any]:
    """The numbers of each row."""
    rows: list[Any] = []
    for chunk in table["values"].chunks:
        numbers, offsets = chunk.values.to_numpy(zero_copy_only=False), chunk.offsets.to_numpy()
        rows += [numbers[a:b] for a, b in pairwise(offsets)]
    return rows


def _checksum(table: Any) -> str:
    digest = hashlib.sha256()
    for name in _schema().names[:-1]:
        digest.update(json.dumps(table[name].to_pylist()).encode())
    for values in _values(table):
        digest.update(len(values).to_bytes(8, "little") + np.asarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()


def _runs(table: Any) -> list[RecordedRun]:
    columns = [table[name].to_pylist() for name in _schema().names[:-1]]
    about: dict[int, dict[str, list[Any]]] = {}
    answers: dict[int, list[Answer]] = {}
    for number, call, item, door, request, text, values in zip(*columns, _values(table), strict=True):
        if call < 0:
            about.setdefault(number, {}).setdefault(door, []).append(json.loads(text))
        else:
            answers.setdefault(number, []).append(Answer(call, door, request, item, text, values))
    runs = []
    for number, parts in sorted(about.items()):
        (facts,), (result,) = parts["run"], parts["result"]
        tape = None if facts["model"] is None else Tape(facts["model"], answers.get(number, ()))
        earlier = tuple(map(Result.from_dict, parts.get("earlier", ())))
        of_result = Result.from_dict(result), facts["problem"], earlier, int(facts.get("format", 1))
        runs.append(RecordedRun(facts["asked"], tape, *of_result))
    return runs
