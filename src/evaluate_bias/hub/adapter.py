"""What all evaluate modules in ``metrics/`` are: a method's record as an ``evaluate.Metric``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ..data.schemas import Column, Holds, as_label
from ..data.table_files import cell_value, is_absent
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
    """The evaluate module of a method: stands before ``evaluate.Metric`` among the bases of a class.

    Left to itself, ``evaluate`` would go by the first row where a column holds sentences or ready scores: it writes a
    later number among sentences as text, and reads sentences that look like numbers as scores. Here all rows decide.
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
    _further: tuple[dict[str, Any], ...] = ()
    """Of every row that was added, the columns that ``evaluate`` does not store as columns of all modules."""

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
            self._further = tuple(_merge_columns(self._further, filled))
        try:
            with wrap_external_errors(record.name), evaluate_cache_errors():
                result = super().compute(**options)  # type: ignore[misc]
        except BaseException:
            self._keep_rows(None if adds_rows else self._read)
            raise
        finally:
            self._read = None
        self._further = ()
        return result  # type: ignore[no-any-return]

    def _keep_rows(self, rows: Mapping[str, list[Any]] | None) -> None:
        """After a failed computation drop what evaluate holds, file and lock, and put back rows that were added."""
        with suppress(OSError):
            for lock, path in zip(self.filelocks or (), self.file_paths or (), strict=True):
                lock.release()
                Path(path).unlink(missing_ok=True)
        self.filelocks = self.file_paths = self.writer = self.buf_writer = None
        if rows is not None and self.num_process == 1:
            super().add_batch(**rows)  # type: ignore[misc]
        else:
            self._origin, self._further = None, ()

    def add_batch(self, **columns: Any) -> None:
        """Add rows.

        Args:
            columns: the module's columns and further ones of the data set, one list each; ``None`` stands for an
                absent text.

        Raises:
            InputError: a column is missing, of another length, or holds what it cannot; no row is given; or sentences
                and scores are mixed.
        """
        record = get_method(self.METHOD)
        filled = {c: v for c, v in columns.items() if v is not None}
        if unknown := [c for c in filled if c not in record.data.columns]:
            raise InputError(
                f"{record.name} has no column {unknown[0]!r}",
                option=str(unknown[0]),
                hint=f"it has {', '.join(record.data.columns)}",
            )
        rows = _checked(record, filled)
        chosen = self._infer_feature_from_batch(rows)
        if self.selected_feature_format not in (None, chosen):
            raise InputError(
                "sentences and scores cannot be mixed: the rows added before are of the other kind"
            )
        if self._origin is None:
            self._origin = _origin_of(columns)
        stored = {c: [_storable(cell, chosen[c], record.data.columns[c]) for cell in rows[c]] for c in chosen}
        with wrap_external_errors(record.name), evaluate_cache_errors():
            super().add_batch(**stored)  # type: ignore[misc]
        further = {c: v for c, v in rows.items() if c not in chosen}
        self._further += tuple(_merge_columns([{} for _ in rows[record.columns[0]]], further))

    def add(self, **row: Any) -> None:
        """Add one row.

        Args:
            row: a value for each of the module's columns.
        """
        self.add_batch(**{column: [value] for column, value in row.items()})

    def _infer_feature_from_batch(self, batch: Mapping[str, Any]) -> datasets.Features:
        """Choose between text and numbers by all values instead of the first row."""
        if not isinstance(self.features, list):
            return self.features
        text, numbers = self.features
        kinds: dict[str, str] = {}
        for column in text:
            if text[column] == numbers[column]:
                continue
            holds = get_method(self.METHOD).data.columns[column].holds
            for row, cell in enumerate(batch[column]):
                for value in (o.get("sentence") for o in cell) if holds == "options" else (cell,):
                    if not is_absent(value):
                        kind = "a sentence" if isinstance(value, str) else "a score"
                        kinds.setdefault(kind, f"{column}, {row_place(row, len(batch[column]))}")
        if len(kinds) > 1:
            places = ", ".join(f"{kind} in {place}" for kind, place in kinds.items())
            raise InputError(f"sentences and scores cannot be mixed: there is {places}")
        return numbers if "a score" in kinds else text

    def _measured(self, *, model: Any = None, **columns_and_options: Any) -> dict[str, Any]:
        from ..api import measure
        from ..data.row_set import RowSet

        record = get_method(self.METHOD)
        columns, options = _split(record, columns_and_options)
        self._read = {c: columns[c] for c in record.columns}
        cells = zip(*(columns[c] for c in record.columns), strict=True)
        rows = [
            {c: None if v == "" else v for c, v in zip(record.columns, row, strict=True)} for row in cells
        ]
        if any(self._further):
            if len(rows) != len(self._further):
                raise InputError("further columns can be added by one process alone, and there are several")
            rows = [
                {**row, **{c: cell_value(v) for c, v in more.items() if record.reads(c)}}
                for row, more in zip(rows, self._further, strict=True)
            ]
        with wrap_external_errors(record.name):
            result = measure(
                self.METHOD, model, data=RowSet(tuple(rows), self._origin or {}), **options
            ).to_flat_dict()
        self._origin = None
        result["provenance"]["module"] = {"name": self.name, "hash": self._hash}  # type: ignore[attr-defined]
        return result


def _features(record: MethodRecord) -> Any:
    """The module's columns as features; with text first and numbers second where columns take either."""
    import datasets

    def of(column: str, sentence: str) -> Any:
        match record.data.columns[column].holds:
            case "words":
                return datasets.Sequence(datasets.Value("string"))
            case "number":
                return datasets.Value("float64")
            case "sentence":
                return datasets.Value(sentence)
            case "options":
                return [{"sentence": datasets.Value(sentence), "gold_label": datasets.Value("string")}]
            case _:
                return datasets.Value("string")

    kinds = ("string", "float64") if record.takes_scores else ("string",)
    made = [datasets.Features({c: of(c, kind) for c in record.columns}) for kind in kinds]
    return made if len(made) > 1 else made[0]


def _checked(record: MethodRecord, columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The columns as lists; those that the module stores hold what they must."""
    # A text that only describes rows may be left out, as in a file; one that is needed is asked for by its schema.
    lengths = [len(v) for v in columns.values() if hasattr(v, "__len__") and getattr(v, "ndim", True)]
    if lengths:
        described = [c for c in record.columns if record.data.columns[c].holds == "text" and c not in columns]
        columns = {**columns, **{c: [""] * lengths[0] for c in described}}
    if missing := [c for c in record.columns if c not in columns]:
        raise InputError(
            f"the columns {', '.join(record.columns)} are all needed; missing: {', '.join(missing)}"
        )
    indexes = {name: values.index for name, values in columns.items() if type(values).__name__ == "Series"}
    for name, index in indexes.items():
        if not index.equals(indexes[first := next(iter(indexes))]):
            raise InputError(
                f"columns {first!r} and {name!r} are Series with different indexes",
                hint="align them in one DataFrame, or give .tolist() of each to pair them by position",
            )
    rows = {name: _listed(values, _column(name)) for name, values in columns.items()}
    for name in record.columns:
        holds, n = record.data.columns[name].holds, len(rows[name])
        rows[name] = [_cell(v, holds, f"{name}, {row_place(i, n)}") for i, v in enumerate(rows[name])]
    _refuse_unequal(rows)
    return rows


def _column(name: str) -> str:
    return f"column {name!r} must be a list with one value per row"


def _listed(values: Any, what: str) -> list[Any]:
    """A list of anything that has an order: a list, an array, a Series of pandas, a column of a data set."""
    kind = type(values).__name__
    if isinstance(values, (set, frozenset)):
        raise InputError(f"{what}, not a {kind}, which has no order")
    if not isinstance(values, (str, bytes, bytearray, memoryview, Mapping)):
        for convert in ("tolist", "to_pylist"):
            if hasattr(values, convert):
                try:
                    values = getattr(values, convert)()
                except Exception as error:  # such as a tensor on the device "meta"
                    raise InputError(f"{what}, and the values of this {kind} cannot be read") from error
        if isinstance(values, Sequence) or type(values).__name__ == "Column":
            return list(values)
    raise InputError(f"{what}, not a {kind}")


def _cell(value: Any, holds: Holds, where: str) -> Any:
    """A plain value that is what the column holds; an absent one (``None``, or NaN as in a table of pandas) passes."""
    if holds == "words":
        words = _listed(value, f"{where}: the words must be a list of texts")
        return [_text(word, f"{where}, word {place}") for place, word in enumerate(words, 1)]
    if holds == "options":
        options = _listed(value, f"{where}: the options must be a list")
        if (wrong := next((o for o in options if not isinstance(o, Mapping)), None)) is not None:
            _refuse(wrong, where, "not an option: give {'sentence': …, 'gold_label': …}")
        fields: dict[str, Holds] = {"sentence": "sentence", "gold_label": "text"}
        return [{name: _cell(o.get(name), held, where) for name, held in fields.items()} for o in options]
    if is_absent(value) and not isinstance(value, Real):
        return None
    if holds == "number" or (holds == "sentence" and not isinstance(value, str)):
        if type(value) is bool or not isinstance(value, Real):
            _refuse(value, where, "not a number" if holds == "number" else "neither a sentence nor a score")
        try:
            return float(value)
        except OverflowError:
            _refuse(value, where, "too large")
    if holds == "label":
        value = as_label(value, where)
    return None if is_absent(value) else _text(value, where)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        _refuse(value, where, "not a string")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        _refuse(value, where, "not a valid string: it contains half a character")
    return str(value)


def _refuse(value: Any, where: str, what: str) -> NoReturn:
    raise InputError(f"{where}: {quoted(value)} is {what}")


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
    """The identity of the data that columns were taken from.

    Columns of a :class:`datasets.Dataset` lead to its Hub id, revision, configuration and split; columns of this
    library's row sets carry it themselves. Others are "columns given to compute()".
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


def _merge_columns(rows: Sequence[dict[str, Any]], columns: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows with further columns."""
    values = {name: _listed(v, _column(name)) for name, v in columns.items()}
    _refuse_unequal({"rows that were added": list(rows), **values})
    for i, row in enumerate(rows):
        yield {**row, **{c: v[i] for c, v in values.items()}}


def _storable(cell: Any, feature: Any, column: Column) -> Any:
    """What ``evaluate`` can store: an absent text as an empty one, an empty sentence, which is skipped, as a blank."""
    if getattr(feature, "dtype", None) != "string":
        return cell
    if is_absent(cell):
        return ""
    return (cell or " ") if column.holds == "sentence" or column.may_be_empty else cell


def _split(
    record: MethodRecord, columns_and_options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate columns from options; unknown names are an error, because evaluate would swallow a typing mistake."""
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
