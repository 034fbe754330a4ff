"""Measure a model with a method: the one function that command, modules, pages, callback and grid call."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from .data.other_tools import answer_rows
from .data.row_set import RowSet, choose_places
from .data.table_files import column_rows, is_frame
from .errors import (
    CoverageError,
    InputError,
    NothingReadError,
    UndefinedScoreError,
    check_whole,
    quoted,
    wrap_external_errors,
)
from .options import checked_options
from .registry import MethodRecord, get_method, revisions_of
from .result import Coverage, Result, to_plain
from .text import counted, is_same_language, row_place


def measure(
    method: str, model: Any = None, *, data: Any = None, limit: int | None = None, **options: Any
) -> Result:
    """Measure ``model`` with ``method``, on its default data set unless ``data`` is given.

    Args:
        method: name of a method, see ``evaluate_bias.registry.METHODS``.
        model: anything :func:`evaluate_bias.load_model` accepts, or ``None`` if ``data`` contains ready scores.
        data: the method's data in its own schema, as rows or as a ``pandas.DataFrame``, which is read as a
            file is. ``None`` loads the default data set. The method's data options (such as ``language`` and
            ``tests`` of ``"weat"``) choose a part of the default data, or of a frame.
        limit: measure only so many rows of the data, as many of every group that is compared, for a quick
            look. Settings, provenance and a warning of the result say so.
        options: data options and options of the method, as its page lists them.

    Returns:
        The result, with the identity of model and data in ``provenance``.

    Raises:
        UnknownNameError: a method, test or language of that name does not exist.
        InputError: the method does not have an option of that name, or its value is invalid.
        MeasurementError: something outside this library failed, such as a model. Its own error is the cause.
        BiasError: whatever else the method raises.

    Examples:
        >>> import evaluate_bias as eb
        >>> vectors = {"poppy": [1.0, 0.1], "rose": [0.9, 0.0], "ant": [0.0, 1.0], "wasp": [0.2, 0.9],
        ...            "good": [1.0, 0.2], "nice": [0.8, 0.1], "bad": [0.1, 1.0], "vile": [0.0, 0.8]}
        >>> test = {"name": "toy", "targets_x": ["poppy", "rose"], "targets_y": ["ant", "wasp"],
        ...         "attributes_a": ["good", "nice"], "attributes_b": ["bad", "vile"]}
        >>> round(eb.measure("weat", vectors, data=[test]).score, 3)
        1.723
    """
    record = get_method(method)
    with wrap_external_errors(record.name):
        return _measure(record, model, data, limit, options)


def _measure(
    record: MethodRecord, model: Any, data: Any, limit: int | None, options: dict[str, Any]
) -> Result:
    from .models.endpoint.address import SERVED
    from .models.load import load_model
    from .models.source import card_languages

    if limit is not None:
        check_whole("limit", limit, 1)
    frame = {"source": options.pop("source")} if is_frame(options.get("source")) else {}
    if options:
        options = checked_options(options, {**record.options(), **record.data_choices()}, record.name)
    data_options = {k: v for k, v in options.items() if k in record.data_choices()} | frame
    options = {k: v for k, v in options.items() if k not in data_options}
    data = _data_of(record, data, data_options)
    loaded = None if model is None else load_model(model)
    source = dict(getattr(data, "provenance", None) or {"source": "given by the caller"})
    # Rows that the loader could not read were asked for too.
    unread = tuple(getattr(data, "skipped", ()))
    part = ""
    if limit is not None and isinstance(data, Sequence) and len(data) > limit:
        places = choose_places(data, record.data.schema, limit)
        part, unread = f"{len(places):,} of {len(data):,} rows", ()
        source["subset"] = part
        rows = [data[i] for i in places]
        data = data.only(rows) if isinstance(data, RowSet) else rows
    entry: Any = record.function()
    try:
        result: Result = entry.with_checked(loaded, data, **options)
    except (CoverageError, UndefinedScoreError) as error:
        if not part:
            raise
        advice = "" if isinstance(error, NothingReadError) else ": try a higher limit"
        raise type(error)(f"{error}; only {part} were measured{advice}") from error
    if subset := result.settings.get("subset"):
        source["subset"] = "; ".join(filter(None, (source.get("subset"), subset)))
    if part:
        result = dataclasses.replace(result, settings={**result.settings, "limit": limit})
    elif flags := source.get("without_flags"):
        part = f"the rows without {', '.join(flags)}"
    if part:
        warning = f"measured on {part} of the data only: no score on the whole of them"
        result = dataclasses.replace(result, warnings=(warning, *result.warnings))
    # What was chosen of the data belongs to what was measured, and a second measurement needs it.
    defaults = {name: option.default for name, option in record.data_choices().items()}
    recorded = {"source", *source, *result.settings}
    chosen = {k: to_plain(v) for k, v in data_options.items() if k not in recorded}
    source |= {k: v for k, v in chosen.items() if v != to_plain(defaults[k])}
    notes, language = [], source.get("language")
    if loaded is not None and isinstance(language, str) and language.lower() not in ("", "und"):
        known = card_languages(loaded)
        if known and not any(is_same_language(tag, language) for tag in known):
            notes.append(
                f"the data are in {quoted(language)}, and the model is described as one for "
                f"{', '.join(sorted(known))}: its scores say little about this language"
            )
    # A log or a server says when its model was asked. Precomputed scores do not. The date of any other model is about
    # the model itself.
    facts = source if loaded is None else result.provenance["model"]
    day = "" if loaded is None else f"{datetime.now(UTC):%Y-%m-%d}"
    if loaded is None or str(facts.get("source")).startswith(SERVED):
        with suppress(ValueError):
            day = date.fromisoformat(str(facts.get("date"))[:10]).isoformat()
    # The schemas drop white space around sentences of mappings.
    names = [name for name, column in record.data.columns.items() if column.holds == "sentence"]
    cells = (row.get(name) for row in data if isinstance(row, Mapping) for name in names)
    blanks = sum(isinstance(cell, str) and cell != cell.strip() for cell in cells)
    if trimmed := source.get("trimmed_texts") or blanks:
        notes.append(f"white space around {counted(trimmed, 'text')} of the data was dropped")
    return dataclasses.replace(
        result,
        provenance={
            **result.provenance,
            "dataset": source,
            "revisions": revisions_of(record.name, result.settings),
        },
        skipped=(*unread, *result.skipped),
        warnings=(*result.warnings, *notes),
        coverage=Coverage(result.coverage.found, result.coverage.asked + len(unread)),
        date=day,
    )


def _data_of(record: MethodRecord, data: Any, choices: dict[str, Any]) -> Any:
    """Return the data of a measurement: rows as given, or what the loader makes of them, of a frame or of a source.

    Raises:
        InputError: rows and a source are both given, or a name where rows belong.
        BiasError: as of the loader.
    """
    from .data.load import ROWS, SourcedTable
    from .methods.rows import as_fields

    if data is None:
        return record.load_data(**choices)
    if isinstance(data, str):
        raise InputError(
            f"`data` accepts rows, got {quoted(data)}",
            option="data",
            hint="pass a file, a folder or a name as `source`",
        )
    if choices.get("source") is not None:
        raise InputError("`data` and `source` cannot be combined", option="data", hint="give one of them")
    if is_frame(data):
        return record.load_data(**choices, source=data)
    lists = [
        name
        for name, column in record.data.columns.items()
        if column.holds in ("words", "numbers", "options")
    ]
    data = column_rows(data, lists) or data
    if (answers := answer_rows(data, "data")) is not None:
        return record.load_data(
            **choices, source=SourcedTable(ROWS, answers, {"source": "given by the caller"})
        )
    if not choices or isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
        return data
    provenance = dict(getattr(data, "provenance", None) or {"source": "given by the caller"})
    rows = data if isinstance(data, Sequence) else list(data)
    rows = [dict(as_fields(row, row_place(i, len(rows)))) for i, row in enumerate(rows)]
    return record.load_data(**choices, source=SourcedTable(ROWS, rows, provenance))
