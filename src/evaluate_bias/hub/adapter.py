"""What all evaluate modules in ``metrics/`` are: a method's record as an ``evaluate.Metric``."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..data.schemas import Column
from ..data.table_files import is_absent
from ..errors import InputError, quoted, wrap_external_errors
from ..method_record import MethodRecord
from ..options import checked_options
from ..registry import get_method
from ..text import row_place
from .modules import evaluate_cache_errors

if TYPE_CHECKING:
    import datasets
    import evaluate

_HUB_FILE = re.compile(r"^hf://datasets/(?P<id>[^@]+)@(?P<revision>[^/]+)/")
_COMBINED = ("predictions", "references")
"""Columns that ``evaluate.combine`` hands to every module, as ``None`` if its caller gave none."""


class Module:
    """The evaluate module of a method. It comes before ``evaluate.Metric`` among the bases of a class.

    ``evaluate`` stores each column with one type, which it infers from the first value. Here a row is stored whole,
    as JSON in its first column, so that all rows decide whether a column contains sentences or precomputed scores.
    """

    METHOD: ClassVar[str]
    features: Any
    selected_feature_format: Any
    writer: Any
    filelocks: Any
    file_paths: Any
    num_process: int
    _origin: Mapping[str, Any] | None = None
    _read: Mapping[str, list[Any]] | None = None
    _further: Mapping[str, list[Any]] = {}
    """Columns that ``evaluate`` cannot store, of rows added earlier. They are handed over with the computation."""

    def __init_subclass__(cls) -> None:
        """Name columns and options in the signature of ``_compute``, where ``evaluate`` looks for them."""
        record = get_method(cls.METHOD)
        names = ["self", *filter(record.reads, record.data.columns), "model", *record.options()]

        def _compute(self: Any, **columns_and_options: Any) -> dict[str, Any]:
            return self._measured(**columns_and_options)  # type: ignore[no-any-return]

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind) for name in dict.fromkeys(names) if name.isidentifier()]
        _compute.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        cls._compute = _compute  # type: ignore[attr-defined]

    def _info(self) -> evaluate.MetricInfo:
        import evaluate

        from .module_texts import description, inputs_description

        record = get_method(self.METHOD)
        return evaluate.MetricInfo(
            description=description(record),
            citation=record.bibtex,
            inputs_description=inputs_description(record),
            features=_features(record),
            homepage=record.url,
            license="apache-2.0",
            reference_urls=[record.url],
        )

    def compute(self, **columns_and_options: Any) -> dict[str, Any] | None:
        """Measure.

        Args:
            columns_and_options: the module's columns, further columns of the data set, ``model``, and options.

        Raises:
            InputError: a column is missing or of another length, no row is given, or an option is unknown.
            BiasError: whatever the method raises.
        """
        record = get_method(self.METHOD)
        arguments = {k: v for k, v in columns_and_options.items() if v is not None or k not in _COMBINED}
        columns, options = _split(record, arguments)
        filled = {c: v for c, v in columns.items() if v is not None}
        if not filled and self.writer is None:
            raise InputError(f"no row was given: {record.name} needs {', '.join(record.columns)}")
        adds_rows = filled and (self.writer is None or any(c in record.columns for c in filled))
        if adds_rows:
            self.add_batch(**filled)
            self._origin = _origin_of(filled)
        elif filled:  # further columns of the rows that were added
            self._further = {name: _listed(values, name) for name, values in filled.items()}
        try:
            with wrap_external_errors(record.name), evaluate_cache_errors():
                result = super().compute(**options)  # type: ignore[misc]
        except BaseException:
            self._keep_rows(None if adds_rows else self._read)
            raise
        finally:
            self._read, self._further = None, {}
        return result  # type: ignore[no-any-return]

    def _keep_rows(self, rows: Mapping[str, list[Any]] | None) -> None:
        """Drop evaluate's file and lock after a failed computation, and put back the rows that were added."""
        with suppress(OSError):
            for lock, path in zip(self.filelocks or (), self.file_paths or (), strict=True):
                lock.release()
                Path(path).unlink(missing_ok=True)
        self.filelocks = self.file_paths = self.writer = self.buf_writer = None
        if rows is not None and self.num_process == 1:
            super().add_batch(**rows)  # type: ignore[misc]
        else:
            self._origin = None

    def add_batch(self, **columns: Any) -> None:
        """Add rows.

        Args:
            columns: the module's columns and further ones of the data set, one list each. ``None`` means an absent
                text.

        Raises:
            InputError: a column is missing, of another length, or contains what cannot be stored, or no row
                is given.
        """
        record = get_method(self.METHOD)
        filled = {c: v for c, v in columns.items() if v is not None}
        if unknown := [c for c in filled if c not in record.data.columns]:
            raise InputError(
                f"{record.name} has no column {unknown[0]!r}",
                option=str(unknown[0]),
                hint=f"choose from {', '.join(record.data.columns)}",
            )
        rows = _rows(record, filled)
        if self._origin is None:
            self._origin = _origin_of(columns)
        first, *others = record.columns
        stored = {first: rows, **{name: [""] * len(rows) for name in others}}
        with wrap_external_errors(record.name), evaluate_cache_errors():
            super().add_batch(**stored)  # type: ignore[misc]

    def add(self, **row: Any) -> None:
        """Add one row.

        Args:
            row: a value for each of the module's columns.
        """
        self.add_batch(**{column: [value] for column, value in row.items()})

    def _infer_feature_from_batch(self, batch: Mapping[str, Any]) -> datasets.Features:
        import datasets

        return datasets.Features({name: datasets.Value("string") for name in batch})

    def _measured(self, *, model: Any = None, **columns_and_options: Any) -> dict[str, Any]:
        from ..api import measure
        from ..data.row_set import RowSet

        record = get_method(self.METHOD)
        columns, options = _split(record, columns_and_options)
        self._read = {c: columns[c] for c in record.columns}
        rows = [json.loads(text) for text in columns[record.columns[0]]]
        _refuse_unequal({"rows that were added": rows, **self._further})
        for i, row in enumerate(rows):
            row |= {name: values[i] for name, values in self._further.items()}
            for name in [name for name, value in row.items() if _is_empty(value, record.data.columns[name])]:
                row[name] = None
        rows = [{c: v for c, v in row.items() if c in record.columns or record.reads(c)} for row in rows]
        with wrap_external_errors(record.name):
            result = measure(
                self.METHOD, model, data=RowSet(tuple(rows), self._origin or {}), **options
            ).to_flat_dict()
        self._origin = None
        result["provenance"]["module"] = {"name": self.name, "hash": self._hash}  # type: ignore[attr-defined]
        return result


def _features(record: MethodRecord) -> Any:
    """Return the module's columns as features, or a list with strings first and numbers second if they accept both."""
    import datasets

    text, number = datasets.Value("string"), datasets.Value("float64")
    made = []
    for sentence in (text, number) if record.takes_scores else (text,):
        options = [{"sentence": sentence, "gold_label": text}]
        of = {"words": datasets.Sequence(text), "number": number, "sentence": sentence, "options": options}
        made.append(
            datasets.Features({c: of.get(record.data.columns[c].holds, text) for c in record.columns})
        )
    return made if len(made) > 1 else made[0]


def _rows(record: MethodRecord, columns: Mapping[str, Any]) -> list[str]:
    """Return the rows that the columns make, each as JSON."""
    # A text that only describes rows may be omitted, as in a file. One that is needed is asked for by its schema.
    needed = [c for c in record.columns if record.data.columns[c].holds != "text"]
    if missing := [c for c in needed if c not in columns]:
        raise InputError(f"the columns {', '.join(needed)} are needed, got no {', '.join(missing)}")
    indexes = {name: values.index for name, values in columns.items() if type(values).__name__ == "Series"}
    for name, index in indexes.items():
        if not index.equals(indexes[first := next(iter(indexes))]):
            raise InputError(
                f"columns {first!r} and {name!r} are Series with different indexes",
                hint="align them in one DataFrame, or give .tolist() of each to pair them by position",
            )
    listed = {name: _listed(values, name) for name, values in columns.items()}
    _refuse_unequal(listed)
    rows = []
    for i, cells in enumerate(zip(*listed.values(), strict=True)):
        row = []
        for name, cell in zip(listed, cells, strict=True):
            try:
                row.append(f"{json.dumps(name)}: {json.dumps(cell, default=_of_python)}")
            except (TypeError, ValueError, RecursionError) as error:
                where = f"{name}, {row_place(i, len(listed[name]))}"
                raise InputError(f"{where} cannot be read: {str(error)[:200]}") from error
        rows.append(f"{{{', '.join(row)}}}")
    return rows


def _listed(values: Any, name: str) -> list[Any]:
    """Return anything ordered as a list: a list, an array, a pandas Series, a column of a data set."""
    kind, what = type(values).__name__, f"column {name!r} must be a list with one value per row"
    if not isinstance(values, (str, bytes, bytearray, memoryview, Mapping)):
        try:
            values = (
                _of_python(values) if hasattr(values, "tolist") or hasattr(values, "to_pylist") else values
            )
        except Exception as error:  # such as a tensor on the device "meta"
            raise InputError(f"{what}, and the values of this {kind} cannot be read") from error
        if isinstance(values, Sequence) or type(values).__name__ == "Column":
            return list(values)
    raise InputError(f"{what}, not a {kind}")


def _of_python(value: Any) -> Any:
    """Convert what JSON cannot store to Python types: numpy arrays and numbers, columns, pandas' NA, fractions."""
    if is_absent(value):
        return None
    for convert in ("tolist", "to_pylist"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"{quoted(value)} is a {type(value).__name__}")


def _is_empty(value: Any, column: Column) -> bool:
    """True if a cell contains nothing. An empty sentence counts as a sentence, which methods skip."""
    return is_absent(value) or (value == "" and not (column.holds == "sentence" or column.may_be_empty))


def _refuse_unequal(columns: Mapping[str, list[Any]]) -> None:
    (first, rows), *others = columns.items()
    if not rows:
        raise InputError("no row was given")
    for name, values in others:
        if len(values) != len(rows):
            raise InputError(
                f"column {name!r} has {len(values)} values and {first!r} has {len(rows)}",
                hint="give one value per row",
            )


def _origin_of(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity of the data that columns were taken from.

    Columns of a :class:`datasets.Dataset` lead to its Hub id, revision, configuration and split. Columns of
    this library's row sets carry it themselves. Others are "columns given to compute()".
    """
    for values in columns.values():
        provenance = getattr(values, "provenance", None)
        if isinstance(provenance, Mapping):
            return dict(provenance)
        source = values
        while type(source).__name__ == "Column" and hasattr(source, "source"):
            source = source.source
        if source is values or (info := getattr(source, "info", None)) is None:
            continue
        facts: dict[str, Any] = {"source": info.dataset_name or "a data set given to compute()"}
        # The files' addresses name repository and revision.
        if match := next(filter(None, map(_HUB_FILE.match, info.download_checksums or ())), None):
            facts |= {"source": match["id"], "revision": match["revision"]}
        if info.config_name and info.config_name != "default":
            facts["config"] = info.config_name
        if (split := getattr(source, "split", None)) is not None:
            facts["split"] = str(split)
        return facts
    return {"source": "columns given to compute()"}


def _split(
    record: MethodRecord, columns_and_options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate columns from options. Unknown names are an error, because evaluate would ignore a typo."""
    known = record.options()
    columns = [c for c in record.data.columns if c not in known]
    others = {k: v for k, v in columns_and_options.items() if k not in columns}
    if chosen := next((k for k in others if k in record.data_choices()), None):
        raise InputError(
            f"{chosen} chooses from the data of this library, and the module measures the rows it is given",
            option=chosen,
            hint=f"give it those rows only, or use evaluate_bias.measure({record.name!r}, model, {chosen}=…)",
        )
    model = {"model": others.pop("model")} if "model" in others else {}
    options = checked_options(others, known, record.name, "column or option", [*columns, *known])
    return {k: v for k, v in columns_and_options.items() if k in columns}, {**model, **options}
