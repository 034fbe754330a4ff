"""The data sets of a grid, each read once, and the units made from them and the config."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ..assets import CATALOGUE
from ..data.recipes import dataset_key, dataset_names
from ..data.row_set import choose_places
from ..errors import BiasError, quoted, wrap_external_errors
from ..files import is_there
from ..method_record import MethodRecord
from ..provenance import software_versions
from ..registry import get_method, revisions_of
from .config import DataEntry, GridConfig, MethodEntry
from .unit import Unit, digest, plain_json


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSize:
    """The rows that units read.

    Attributes:
        rows: number of rows.
        characters: number of characters of the texts in them.
    """

    rows: int
    characters: int


class GridData:
    """The data sets of a grid: each read once."""

    def __init__(self, config: GridConfig) -> None:
        self.config = config
        self.version = software_versions()["evaluate-bias"]
        self.work: dict[str, DataSize] = {}
        self.work_of: dict[str, str] = {}
        self._read: dict[str, tuple[dict[str, Any], str]] = {}

    def unit(
        self,
        entry: MethodEntry,
        source: DataEntry | None,
        language: str | None,
        seed: int,
        model: str,
        model_key: str,
    ) -> tuple[Unit, str]:
        """Return the unit of a method on data for a model of this name and key, and any problem with its data."""
        record = get_method(entry.method)
        options = dict(entry.options)
        if language is not None:
            options["language"] = language
        if source is not None:
            options["source"] = source.source
            options |= {"columns": source.columns} if source.columns else {}
        chosen = {name: value for name, value in options.items() if name in record.data_choices()}
        identity, problem = self._identity(record, chosen, source or entry)
        seeded = {"seed": seed} if "seed" in record.options() else {}
        settings = {name: option.default for name, option in record.options().items()}
        settings |= {name: value for name, value in options.items() if name not in chosen}
        settings |= seeded
        if self.config.limit is not None:
            options["limit"] = settings["limit"] = self.config.limit
        choices = {name: option.default for name, option in record.data_choices().items()} | chosen
        choices.pop("source", None)  # the identity says what was read, wherever it lies
        revisions = revisions_of(record.name, settings)
        key = digest([record.name, revisions, settings, choices, identity, model_key, self.version])
        self.work_of[key] = digest(identity)
        data = str(identity.get("name") or identity.get("source") or record.data.name)
        unit = Unit(
            key=key,
            model=model,
            method=record.name,
            data=data,
            language=str(chosen.get("language", identity.get("language", ""))),
            seed=seeded.get("seed"),
            options={name: plain_json(value) for name, value in options.items()},
        )
        return unit, problem

    def _identity(
        self, record: MethodRecord, chosen: Mapping[str, Any], entry: DataEntry | MethodEntry
    ) -> tuple[dict[str, Any], str]:
        name = digest([record.data.loader, record.data_defaults, chosen])
        if name not in self._read:
            try:
                with wrap_external_errors("reading the data"):
                    rows = record.load_data(**with_located_source(chosen, self.config.folder))
                identity = dict(getattr(rows, "provenance", {}))
                self._read[name] = identity, ""
                rows_read = rows
                if self.config.limit is not None and isinstance(rows, Sequence):
                    rows_read = [rows[i] for i in choose_places(rows, record.data.schema, self.config.limit)]
                texts = (
                    _length(row.model_dump() if hasattr(row, "model_dump") else row) for row in rows_read
                )
                self.work.setdefault(digest(identity), DataSize(rows=len(rows_read), characters=sum(texts)))
            except BiasError as error:
                source = str(chosen.get("source", record.data.name))
                hint = source_hint(source, "data", self.config.folder) if "source" in chosen else ""
                self._read[name] = (
                    {"source": source, "unread": dict(chosen)},
                    self.config.located_message(entry, error, hint),
                )
        return self._read[name]


def with_located_source(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the options, with a source that is a file or folder next to the config as a path to it."""
    source = options.get("source")
    # From the working directory a path stays as it is written, so that results show it so.
    if folder.resolve() == Path.cwd():
        return dict(options)
    if isinstance(source, str) and not Path(source).is_absolute() and is_there(folder / source):
        return {**options, "source": str((folder / source).resolve())}
    return dict(options)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, (list, tuple)) else 0


def closest_hint(name: str, known: Iterable[str]) -> str:
    """Return the end of an error message that suggests a similarly spelt name, empty if none exists.

    Examples:
        >>> closest_hint("frist.txt", ["first.txt", "other"])
        "; did you mean 'first.txt'?"
    """
    close = difflib.get_close_matches(name[:100], [text for text in known if len(text) <= 100], n=1)
    return f"; did you mean {quoted(close[0])}?" if close else ""


def source_hint(name: str, kind: Literal["model", "data"], folder: Path) -> str:
    """Return the end of a message on a missing model or data set: a similar name, or a file from the config's folder.

    Examples:
        >>> source_hint("crow_pairs", "data", Path())
        "; did you mean 'crows_pairs'?"
    """
    if is_there(folder / name) or name in CATALOGUE or dataset_key(name):
        return ""
    try:
        files = [str(f.relative_to(folder)) for f in islice((folder / name).parent.glob("[!.]*"), 1_000)]
    except (OSError, ValueError):  # no such folder, or one elsewhere
        files = []
    return closest_hint(str(Path(name)), [*(CATALOGUE if kind == "model" else dataset_names()), *files])
