"""The plan of a grid: its units, what each of them is beyond doubt, which share scoring work, and what it will cost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import BiasError, InputError, foreign_errors, quoted
from ..method import MethodRecord
from ..provenance import software_versions
from ..registry import get_method
from .config import DataEntry, GridConfig, MethodEntry, ModelEntry, Pattern
from .identity import model_identity, model_name, model_spec, size_of

__all__ = ["ModelTask", "Plan", "Problem", "Unit", "Work", "located", "make_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One measurement of a grid.

    Attributes:
        key: hash of what determines its number: method, all settings with their defaults, seed, identity of the data
            and of the model, options of loading, and the version of this library.
        model: name of the model in tables.
        method: name of the method.
        data: name of the data set.
        language: language of the data; empty where they have none.
        seed: seed of everything random, ``None`` where the method draws nothing.
        options: options of the method and of its data as the config gives them.
    """

    key: str
    model: str
    method: str
    data: str
    language: str
    seed: int | None
    options: Mapping[str, Any]

    @property
    def call(self) -> dict[str, Any]:
        """The options of :func:`evaluate_bias.measure`."""
        return {**self.options, **({} if self.seed is None else {"seed": self.seed})}

    @property
    def settings(self) -> str:
        """What the config sets beside language, data set and seed, as text: ``alternative=less tests=weat7``."""
        shown = {k: v for k, v in self.options.items() if k not in ("language", "source")}
        return " ".join(f"{k}={_short(v)}" for k, v in sorted(shown.items()))

    @property
    def measurement(self) -> tuple[str, str, str, str, int, str]:
        """What it measures, whatever version and content of model and data; units are listed in this order."""
        seed = -1 if self.seed is None else self.seed
        return self.model, self.method, self.data, self.language, seed, _json(self.options)

    def __str__(self) -> str:
        parts = (self.data, self.language, self.settings, f"seed {self.seed}" if self.seed else "")
        return f"{self.method} on {self.model} ({', '.join(filter(None, parts))})"


@dataclass(frozen=True, slots=True)
class Problem:
    """A unit that cannot be measured as things are, and why."""

    unit: Unit
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTask:
    """The units on one model, which share its load and its forward passes.

    Attributes:
        name: name of the model in tables.
        spec: what to load.
        options: options of loading.
        key: hash of the model's identity.
        size: bytes to read, 0 where that is not known.
        units: in the order of the config.
        folder: where relative paths of data start.
    """

    name: str
    spec: str
    options: Mapping[str, Any]
    key: str
    size: int
    units: tuple[Unit, ...]
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The rows that units read.

    Attributes:
        rows: number of rows.
        characters: number of characters of the texts in them.
    """

    rows: int
    characters: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The units of a grid.

    Attributes:
        tasks: the units that can be measured, by model, in the order of the config.
        problems: those that cannot.
        work: what the units of one data identity read, by key.
        work_of: the key of that of each unit.
    """

    tasks: tuple[ModelTask, ...]
    problems: tuple[Problem, ...] = ()
    work: Mapping[str, Work] = field(default_factory=dict)
    work_of: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units that can be measured."""
        return tuple(unit for task in self.tasks for unit in task.units)

    def shared(self, task: ModelTask) -> dict[str, list[Unit]]:
        """The units of a task by the data they read: those of one entry share loading, tokens and scores."""
        groups: dict[str, list[Unit]] = {}
        for unit in task.units:
            groups.setdefault(self.work_of[unit.key], []).append(unit)
        return groups


def make_plan(config: GridConfig) -> Plan:
    """Make the plan of a grid: every unit once, in the order of the config.

    Data sets are read, so that a unit knows what it measures; models are not loaded. A model or data set that cannot
    be found makes its units problems and does not stop the others.

    Raises:
        InputError: two models have the same name.

    Examples:
        >>> plan = make_plan(GridConfig(models=["demo-mlm-en"], methods=["lpbs"], seeds=[0, 1]))
        >>> [str(unit) for unit in plan.units]
        ['lpbs on demo-mlm-en (weat_word_lists, en)', 'lpbs on demo-mlm-en (weat_word_lists, en, seed 1)']
    """
    data = _Data(config)
    tasks: dict[str, list[Unit]] = {}
    facts: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    seen: set[str] = set()
    named: dict[str, str] = {}
    for model in config.models:
        about = _about_model(model, config.folder)
        if named.setdefault(about["name"], about["key"]) != about["key"]:
            raise InputError(
                f"two models are called {quoted(about['name'])}: give one of them another name, such as "
                "{model: …, name: …}"
            )
        for draft in _drafts(config, about["name"]):
            unit, problem = data.unit(draft, about)
            if unit.key in seen or not _wanted(unit, config):
                continue
            seen.add(unit.key)
            if problem:
                problems.append(Problem(unit, problem))
                continue
            facts[about["key"]] = about
            tasks.setdefault(about["key"], []).append(unit)
    return Plan(
        tasks=tuple(
            ModelTask(
                name=facts[key]["name"],
                spec=facts[key]["spec"],
                options=facts[key]["options"],
                key=key,
                size=facts[key]["size"],
                units=tuple(units),
                folder=str(config.folder.resolve()),
            )
            for key, units in tasks.items()
        ),
        problems=tuple(problems),
        work=data.work,
        work_of={unit.key: data.work_of[unit.key] for units in tasks.values() for unit in units},
    )


def _about_model(entry: ModelEntry, folder: Path) -> dict[str, Any]:
    """What a unit must know of its model; ``problem`` is what stands against it."""
    spec = model_spec(entry.model, folder)
    about = {"spec": spec, "options": dict(entry.options), "problem": "", "identity": None, "size": 0}
    about["name"] = entry.name or model_name(spec)
    try:
        with foreign_errors(f"looking for {entry.model}"):
            about["identity"] = model_identity(spec, entry.options)
            about["size"] = size_of(spec)
    except BiasError as error:
        about["problem"] = str(error)
    about["key"] = _hash([about["name"], about["identity"] or entry.model, about["options"]])
    return about


@dataclass(frozen=True)
class _Draft:
    """A unit before its data are read."""

    entry: MethodEntry
    source: DataEntry | None
    language: str | None
    seed: int


def _drafts(config: GridConfig, model: str) -> Iterable[_Draft]:
    for entry in config.methods:
        if entry.models and not any(fnmatchcase(model, pattern) for pattern in entry.models):
            continue
        record = get_method(entry.method)
        choices = record.data_choices()
        sources = _sources(config.data, record.name) if "source" in choices else []
        for source in [None] if "source" in entry.options or not sources else sources:
            languages: Sequence[str | None] = [None]
            if "language" in choices and "language" not in entry.options:
                languages = (source.languages if source else []) or config.languages or [None]
            for language in languages:
                for seed in config.seeds if "seed" in record.options() else config.seeds[:1]:
                    yield _Draft(entry, source, language, seed)


def _sources(data: Sequence[DataEntry], method: str) -> list[DataEntry]:
    """The data sets that a method reads in place of its own: those that name it, else those that name no method."""
    named = [entry for entry in data if method in {get_method(name).name for name in entry.methods}]
    return named or [entry for entry in data if not entry.methods]


def _wanted(unit: Unit, config: GridConfig) -> bool:
    included = not config.include or any(_matches(unit, pattern) for pattern in config.include)
    return included and not any(_matches(unit, pattern) for pattern in config.exclude)


def _matches(unit: Unit, pattern: Pattern) -> bool:
    texts = all(
        asked is None or fnmatchcase(getattr(unit, name), asked)
        for name in ("model", "method", "data", "language")
        if (asked := getattr(pattern, name)) is not None
    )
    return texts and pattern.seed in (None, unit.seed)


class _Data:
    """The data sets of a grid: each read once."""

    def __init__(self, config: GridConfig) -> None:
        self.folder = config.folder
        self.version = software_versions()["evaluate-bias"]
        self.work: dict[str, Work] = {}
        self.work_of: dict[str, str] = {}
        self._read: dict[str, tuple[dict[str, Any], str]] = {}
        self._settings: dict[str, dict[str, Any]] = {}

    def unit(self, draft: _Draft, model: Mapping[str, Any]) -> tuple[Unit, str]:
        """The unit of a draft on a model, and what stands against it."""
        record = get_method(draft.entry.method)
        options = dict(draft.entry.options)
        if draft.language is not None:
            options["language"] = draft.language
        if draft.source is not None:
            options["source"] = draft.source.source
        chosen = {name: value for name, value in options.items() if name in record.data.options}
        identity, problem = self._identity(record, chosen)
        seed = draft.seed if "seed" in record.options() else None
        settings = {name: option.default for name, option in record.options().items()}
        settings |= {name: value for name, value in options.items() if name not in chosen}
        settings |= {} if seed is None else {"seed": seed}
        choices = {name: option.default for name, option in record.data_choices().items()} | chosen
        choices.pop("source", None)  # the identity says what was read, wherever it lies
        key = _hash([record.name, settings, choices, identity, model["key"], self.version])
        self.work_of[key] = _hash(identity)
        data = str(identity.get("name") or identity.get("source") or record.data.name)
        return (
            Unit(
                key=key,
                model=model["name"],
                method=record.name,
                data=data,
                language=str(chosen.get("language", identity.get("language", ""))),
                seed=seed,
                options={name: _plain(value) for name, value in options.items()},
            ),
            str(model["problem"] or problem),
        )

    def _identity(self, record: MethodRecord, chosen: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        name = _hash([record.data.loader, record.data_defaults, chosen])
        if name not in self._read:
            try:
                with foreign_errors("reading the data"):
                    rows = record.load_data(**located(chosen, self.folder))
                identity = dict(getattr(rows, "provenance", {}))
                self._read[name] = identity, ""
                texts = (_characters(row) for row in rows)
                self.work.setdefault(_hash(identity), Work(rows=len(rows), characters=sum(texts)))
            except BiasError as error:
                self._read[name] = (
                    {"source": str(chosen.get("source", record.data.name)), "unread": dict(chosen)},
                    str(error),
                )
        return self._read[name]


def located(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The options with a source that is a file or folder beside the config at its place."""
    source = options.get("source")
    if isinstance(source, str) and not Path(source).is_absolute() and (folder / source).exists():
        return {**options, "source": str((folder / source).resolve())}
    return dict(options)


def _characters(row: Any) -> int:
    values = row.model_dump().values() if hasattr(row, "model_dump") else dict(row).values()
    return sum(_length(value) for value in values)


def _length(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, (list, tuple)) else 0


def _plain(value: Any) -> Any:
    return json.loads(_json(value))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_encoded)


def _encoded(value: Any) -> Any:
    """Values that JSON has not, such as the sets and paths of options."""
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, (tuple, range)) or hasattr(value, "tolist"):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else str(value)


def _hash(value: Any) -> str:
    return hashlib.sha256(_json(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _short(value: Any) -> str:
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
