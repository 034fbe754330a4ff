"""Record a measurement, and repeat it without the model."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ... import api
from ...data.named_sources import sources_named_by
from ...data.recipes import record_of
from ...errors import BiasError, DataError, InputError, quoted
from ...experiments.sources import write_results_file
from ...experiments.store import Store
from ...experiments.unit import unit_of_result
from ...files import is_inside
from ...method_record import MethodRecord
from ...models.classifier import no_classifiers
from ...models.load import load_model
from ...models.recording import Tape, ValueEncoder, decoded, recorded, replayed
from ...options import Option, checked_options
from ...registry import get_method
from ...result import Result, Skipped
from ...result.row import to_plain
from .. import FORMAT
from ..data_facts import mapping, outdated
from .comparing import LINK, flat_lines
from .recording_file import SCORES_FILE, RecordedRun, RecordingStore, recording_bytes, recording_of

_CHECKSUM = re.compile(r'"([0-9a-f]{64})"')


def record(method: str, model: Any, folder: str | Path, *, data: Any = None, **options: Any) -> Result:
    """Measure as :func:`evaluate_bias.measure` does, and keep the result and the scores behind it in a folder.

    ``results.jsonl`` gets the result and ``scores.parquet`` what the model answered, item by item, so that
    :func:`~evaluate_bias.report.verify.verify` can compute every number again without the model. A result of the same
    measurement that is there already is replaced.

    Args:
        method: as for :func:`evaluate_bias.measure`.
        model: as for :func:`evaluate_bias.measure`.
        data: as for :func:`evaluate_bias.measure`.
        **options: as for :func:`evaluate_bias.measure`.
        folder: made if it does not exist.

    Returns:
        The result, the same as without a recording.

    Raises:
        BiasError: whatever :func:`evaluate_bias.measure` raises.
        OutputError: the folder cannot be written.

    Examples:
        >>> import tempfile
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
        >>> test = {"name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...         "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = record("weat", vectors, folder, data=[test])
        ...     sorted(p.name for p in Path(folder).iterdir() if not p.name.startswith("."))
        ['results.jsonl', 'results.sqlite', 'scores.parquet']
    """
    place = Path(folder)
    scores = RecordingStore(place / SCORES_FILE)
    with Store(place) as store:
        write_results_file(store)  # where this fails, so would writing a result
        run = measure_recorded(method, model, data, options)
        scores.add(run)
        store.add(unit_of_result(run.result), run.result, seconds=0.0)
        write_results_file(store)
    return run.result


class Recorder:
    """Records the units of a plan, see :func:`evaluate_bias.experiments.run.run_grid`.

    Args:
        store: the recording.
    """

    def __init__(self, store: RecordingStore) -> None:
        self._store = store

    def measure(self, method: str, model: Any, options: Mapping[str, Any]) -> RecordedRun:
        """Measure on the data that the options choose."""
        return measure_recorded(method, model, None, options)

    def packed(self, run: RecordedRun) -> bytes:
        """Return a measurement as it is sent to the process that keeps it."""
        return recording_bytes([run])

    def add(self, packed: bytes) -> str:
        """Keep a measurement; return why it cannot be computed again, empty where it can."""
        (run,) = recording_of(packed, SCORES_FILE)
        self._store.add(run)
        return run.problem


def measure_recorded(method: str, model: Any, data: Any, options: Mapping[str, Any]) -> RecordedRun:
    """Measure, and return the result with what is needed to repeat it; where that cannot be kept, with the reason."""
    tape = None if model is None else Tape()
    taped = None if tape is None else recorded(load_model(model), tape)
    result = api.measure(method, taped, data=data, **options)
    request, problem = _request_of(get_method(method), data, options, result.settings.get("measured_method"))
    return RecordedRun(request, tape, result, problem or ("" if tape is None else tape.problem))


def _request_of(
    record: MethodRecord, data: Any, options: Mapping[str, Any], measured: Any
) -> tuple[dict[str, Any], str]:
    """Method, all options with today's defaults and data as JSON holds them; and why they cannot be kept, if so."""
    chosen = {k: v for k, v in options.items() if k in record.data_choices()}
    request: dict[str, Any] = {"method": record.name, "data": None}
    try:
        method_options = {k: v for k, v in options.items() if k not in chosen}
        request["options"] = _encoded(_defaults(record.options()) | method_options)
        request["measured"] = _encoded(_defaults(get_method(measured).options()) if measured else {})
        usual = {} if chosen.get("source") is not None else _defaults(record.data_choices())
        plain = {k: os.fspath(v) if isinstance(v, os.PathLike) else v for k, v in chosen.items()}
        request["choice"] = _encoded(usual | plain)
        if data is not None:
            if not (isinstance(data, (list, tuple)) or hasattr(data, "rows")):
                raise DataError(f"data that are a {type(data).__name__} cannot be kept in a recording")
            request["data"] = _encoded(
                {
                    "rows": [*map(_plain_row, data)],
                    "provenance": getattr(data, "provenance", None),
                    "skipped": tuple(getattr(data, "skipped", ())),
                    "choice": plain,
                }
            )
    except (DataError, TypeError) as error:
        none = {"method": record.name, "data": None, "options": None, "choice": None}
        return none, f"what was asked: {error}"
    return request, ""


def _defaults(options: Mapping[str, Option]) -> dict[str, Any]:
    return {name: option.default for name, option in options.items()}


def _options(run: RecordedRun) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a run as they were resolved, and those of the method it measures whose defaults are others now."""
    options = dict(_decoded(run.request["options"]))
    record, settings = get_method(run.request["method"]), run.result.settings
    for name, option in record.options().items():  # recordings of format 1 have only those that were given
        if name not in options and name in settings and settings[name] != to_plain(option.default, name):
            with suppress(InputError):  # a setting that is no option as it stands
                options |= checked_options({name: settings[name]}, record.options(), record.name)
    then = _decoded(run.request["measured"]) if "measured" in run.request else {}
    now = _defaults(get_method(settings["measured_method"]).options()) if then else {}
    # The others are left to the measuring method, which has its own choices for them.
    recorded_options = settings.get("measured_options") or {}
    changed = {k: v for k, v in then.items() if k in now and now[k] != v and k not in recorded_options}
    if changed:
        options["measured_options"] = {**changed, **(options.get("measured_options") or {})}
    return options, changed


def _plain_row(row: Any) -> Any:
    if hasattr(row, "model_dump"):
        return row.model_dump()
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return {f.name: getattr(row, f.name) for f in dataclasses.fields(row)}
    return row


def _encoded(value: Any) -> list[Any]:
    encoder = ValueEncoder()
    value = encoder.encode(value)
    return [value, [x for numbers in encoder.numbers for x in numbers.tolist()]]


def _decoded(pair: list[Any]) -> Any:
    import numpy as np

    return decoded(pair[0], np.array(pair[1], dtype=np.float64))


class _Rows(list[Any]):
    """Rows with the identity that they had."""

    provenance: Any = None
    skipped: tuple[Skipped, ...] = ()


def repeat(run: RecordedRun, folder: Path) -> Result:
    """Compute a recorded result again from the model's answers.

    Args:
        run: a recorded measurement.
        folder: where a data file is looked for that is no longer where it was.

    Returns:
        The result of this computation, with the provenance of the recorded one.

    Raises:
        DataError: it cannot be repeated, or is of other data than it names; the text says why.
    """
    if run.problem:
        raise DataError(f"its scores could not be recorded: {run.problem}")
    if old := outdated(run.result):
        raise DataError(old)
    try:
        with (
            sources_named_by("the recording", set(_CHECKSUM.findall(run.result.to_json()))),
            no_classifiers("the recording does not hold what it said"),
        ):
            data, choice = _data(run, folder)
            model = None if run.tape is None else replayed(run.tape)
            options, changed = _options(run)
            result = api.measure(run.request["method"], model, data=data, **choice, **options)
    except (BiasError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError(f"it cannot be computed again: {error}") from error
    _require_same_origin(run, result)
    settings = dict(result.settings)
    if changed:
        settings["measured_options"] = run.result.settings.get("measured_options")
    return dataclasses.replace(result, settings=settings, provenance=run.result.provenance)


def _data(run: RecordedRun, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The data of a run and the options that chose from them: the rows given, or those loaded and still the same."""
    record = get_method(run.request["method"])
    if run.request["data"] is not None:
        content = _decoded(run.request["data"])
        rows = _Rows(content["rows"])
        rows.provenance, rows.skipped = content["provenance"], content["skipped"]
        _require_published(record, rows)
        return rows, content.get("choice") or {}
    choice = _decoded(run.request["choice"])
    source = choice.get("source")
    if isinstance(source, str) and not Path(source).exists():
        beside = folder / Path(source).name
        if beside.is_file():
            if not is_inside(beside, folder):
                raise DataError(f"{beside.name} is {LINK}")
            choice["source"] = str(beside)
    data = record.load_data(**choice)
    was = {k: v for k, v in mapping(run.result.provenance.get("dataset")).items() if k != "subset"}
    now = to_plain(dict(getattr(data, "provenance", None) or {}))
    if was and was != now and (not was.get("sha256") or was["sha256"] != now.get("sha256")):
        raise DataError(f"the data {quoted(was.get('source'))} are not those that were measured")
    return data, {}


def _require_same_origin(run: RecordedRun, again: Result) -> None:
    """Refuse a result that names another model or other data than those that it is computed from."""
    if run.format != FORMAT:  # it may name them in another way
        return
    was, now = (
        set(flat_lines(to_plain({k: v for k, v in r.provenance.items() if k != "versions"})))
        for r in (run.result, again)
    )
    if lines := sorted(was ^ now):
        place = lines[0].partition(":")[0]
        raise DataError(f"its result says another {place} than the model and data of the recording")


_IDENTITY = ("name", "source", "split", "language", "licence", "repository", "revision", "sha256")
"""What says which published data these are, the same whatever rows of a table were chosen."""


def _require_published(record: MethodRecord, rows: _Rows) -> None:
    """Refuse rows that say they are of a data set that this library knows, and are not of it as they say."""
    facts = rows.provenance or {}
    if record_of(facts) is None:
        return
    choices = {name: facts[name] for name in ("source", "language") if facts.get(name)}
    published = record.load_data(**{k: v for k, v in choices.items() if k in record.data_choices()})
    published_rows = {json.dumps(_encoded(_plain_row(row))) for row in published}
    source = quoted(facts.get("source"))
    if any(json.dumps(_encoded(row)) not in published_rows for row in rows):
        raise DataError(f"its rows were given and are not those of {source}")
    identity = published.provenance
    parts, all_parts = _configs(facts), _configs(identity)
    other = ["config"] if parts - all_parts else []
    if parts == all_parts:  # what is read of other tables of a data set has another checksum
        other = [name for name in _IDENTITY if name in facts and facts[name] != identity.get(name)]
    if other:
        raise DataError(f"its rows were given, and {source} has another {other[0]} than they say")


def _configs(facts: Mapping[str, Any]) -> set[Any]:
    value = facts.get("config")
    return {*value} if isinstance(value, (list, tuple)) else {value} - {None}
