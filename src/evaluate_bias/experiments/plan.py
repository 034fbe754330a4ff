"""The plan of a grid: its units by model, and which of them share scoring work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import BiasError, InputError, quoted, wrap_external_errors
from ..models.endpoint.address import LIMITS, SCHEME, parse_address, printable_spec
from ..registry import get_method
from .config import DataEntry, GridConfig, MethodEntry, ModelEntry, Pattern
from .grid_data import DataSize, GridData, closest_hint, source_hint
from .identity import NO_MODEL, model_identity, model_name, model_spec, size_of
from .unit import Unit, digest, is_like

MOST_UNITS = 1_000_000
"""More combinations than this are taken for a mistake."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A unit that cannot be measured as things are, and why. ``of_model`` is true if its model is the reason."""

    unit: Unit
    reason: str
    of_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTask:
    """The units on one model, which share its load and its forward passes.

    Attributes:
        name: name of the model in tables.
        spec: what to load.
        options: options of loading.
        key: hash of the model's identity.
        size: bytes to read, 0 if that is not known.
        folder: where relative paths of data start.
        units: in the order of the config.
        is_named: whether the config gives the name, rather than the model itself.
        scores: of a task under way, what ``ScoreMemo.commit`` gave after each unit that has been measured.
        store: the file that keeps what a server answers. ``None``: it is kept as long as the model lives.
    """

    name: str
    spec: str
    options: Mapping[str, Any]
    key: str
    size: int
    folder: str
    units: tuple[Unit, ...] = ()
    is_named: bool = False
    scores: tuple[bytes, ...] = ()
    store: Path | None = None


_Cell = tuple[MethodEntry, DataEntry | None, str | None, int]
"""A unit of a model before its data are read: method, data, language and seed."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The units of a grid.

    Attributes:
        tasks: the units that can be measured, by model, in the order of the config.
        problems: those that cannot.
        work: size of the data that units read, by key of the data.
        work_of: key of the data of each unit, by key of the unit.
        notes: one sentence for each entry of the config that no unit uses.
    """

    tasks: tuple[ModelTask, ...]
    problems: tuple[Problem, ...] = ()
    work: Mapping[str, DataSize] = field(default_factory=dict)
    work_of: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units that can be measured."""
        return tuple(unit for task in self.tasks for unit in task.units)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of all units, those that cannot be measured included."""
        return tuple(unit.key for unit in (*self.units, *(problem.unit for problem in self.problems)))

    def shared(self, task: ModelTask) -> dict[str, list[Unit]]:
        """Return the units of a task by the data they read: units of one entry share loading, tokens and scores."""
        groups: dict[str, list[Unit]] = {}
        for unit in task.units:
            groups.setdefault(self.work_of[unit.key], []).append(unit)
        return groups


def make_plan(config: GridConfig) -> Plan:
    """Make the plan of a grid: every unit once, in the order of the config.

    Data sets are read, so that a unit knows what it measures. Models are not loaded. A model or data set that
    cannot be found makes its units problems and does not stop the others. A method that accepts no model is
    measured once, after the models, under the name ``none``.

    Raises:
        InputError: two models have the same name, or there are more than a million units.

    Examples:
        >>> plan = make_plan(GridConfig(models=["demo-mlm-en"], methods=["lpbs"], seeds=[0, 1]))
        >>> [str(unit) for unit in plan.units]
        ['lpbs on demo-mlm-en (weat_word_lists, en)', 'lpbs on demo-mlm-en (weat_word_lists, en, seed 1)']
    """
    models = list(config.models)
    if not (
        all(get_method(entry.method).needs for entry in config.methods)
        or any(entry.model == NO_MODEL for entry in models)
    ):
        models.append(ModelEntry(model=NO_MODEL))
    tasks = [(entry, *_task(entry, config)) for entry in models]
    key_of_name: dict[str, str] = {}
    for _, task, _ in tasks:
        if key_of_name.setdefault(task.name, task.key) != task.key:
            raise InputError(
                f"two models are called {quoted(task.name)}",
                option="models",
                hint="give one of them another name, such as {model: …, name: …}",
            )
    cells = ((*of_model, *cell) for of_model in tasks for cell in _cells(config, *of_model[:2]))
    drafts = list(islice(cells, MOST_UNITS + 1))
    if len(drafts) > MOST_UNITS:
        raise InputError(
            f"models, methods, data, languages and seeds make more than {MOST_UNITS:,} runs",
            hint="name fewer, or make several grids of them",
        )
    data = GridData(config)
    units_of: dict[str, list[Unit]] = {}
    problems: list[Problem] = []
    all_units: dict[str, Unit] = {}
    for _, task, model_problem, entry, source, language, seed in drafts:
        unit, problem = data.unit(entry, source, language, seed, task.name, task.key)
        if unit.key in all_units:
            continue
        all_units[unit.key] = unit
        if config.include and not any(_matches(unit, pattern) for pattern in config.include):
            continue
        if any(_matches(unit, pattern) for pattern in config.exclude):
            continue
        if model_problem or problem:
            problems.append(Problem(unit, model_problem or problem, bool(model_problem)))
        else:
            units_of.setdefault(task.key, []).append(unit)
    task_of = {task.key: task for _, task, _ in tasks}
    used = {id(part) for model, _, _, entry, source, *_ in drafts for part in (model, entry, source)}
    return Plan(
        tasks=tuple(replace(task_of[key], units=tuple(units)) for key, units in units_of.items()),
        problems=tuple(problems),
        work=data.work,
        work_of={unit.key: data.work_of[unit.key] for units in units_of.values() for unit in units},
        notes=(
            *_unused_notes(config, list(key_of_name), used, {language for *_, language, _ in drafts}),
            *_unmatched_notes(config, all_units.values()),
        ),
    )


def _task(entry: ModelEntry, config: GridConfig) -> tuple[ModelTask, str]:
    """Return the task of a model, without units, and the problem that rules it out, if any."""
    spec = model_spec(entry.model, config.folder)
    if spec.startswith(SCHEME) and printable_spec(spec) != spec:
        # It may contain a password, which would appear in the store: refused before there is one.
        parse_address(spec, entry.options.get("served_model"))
    identity, size, problem = None, 0, ""
    try:
        with wrap_external_errors(f"looking for {entry.model}"):
            identity, size = model_identity(spec, entry.options), size_of(spec)
    except BiasError as error:
        problem = config.located_message(entry, error, source_hint(entry.model, "model", config.folder))
    name = entry.name or model_name(spec, entry.options.get("served_model"))
    deciding = {name: value for name, value in entry.options.items() if name not in LIMITS}
    task = ModelTask(
        name=name,
        spec=spec,
        options=dict(entry.options),
        key=digest([name, identity or entry.model, deciding]),
        size=size,
        folder=str(config.folder.resolve()),
        is_named=entry.name not in ("", entry.model),
    )
    return task, problem


def _cells(config: GridConfig, model: ModelEntry, task: ModelTask) -> Iterator[_Cell]:
    for entry in config.methods:
        record = get_method(entry.method)
        fits = record.needs_no_model if task.spec == NO_MODEL else record.needs
        is_listed = model.model in entry.models or not entry.models
        if not fits or not (is_listed or any(is_like(task.name, pattern) for pattern in entry.models)):
            continue
        choices = record.data_choices()
        sources: Sequence[DataEntry | None] = []
        if "source" in choices and "source" not in entry.options:
            # The data sets that name the method, else those that name no method, replace its default.
            naming_it = [
                data for data in config.data if record.name in {get_method(m).name for m in data.methods}
            ]
            sources = naming_it or [data for data in config.data if not data.methods]
        for source in sources or [None]:
            languages: Sequence[str | None] = [None]
            if "language" in choices and "language" not in entry.options:
                languages = (source.languages if source else []) or config.languages or [None]
            for language in languages:
                for seed in config.seeds if "seed" in record.options() else config.seeds[:1]:
                    yield entry, source, language, seed


def _matches(unit: Unit, pattern: Pattern) -> bool:
    return all(_field_matches(unit, name, value) for name, value in pattern.fields_set().items())


def _field_matches(unit: Unit, name: str, value: str | int) -> bool:
    if name == "method" and isinstance(value, str):
        value = value.replace("-", "_").lower()
    return unit.seed == value if name == "seed" else is_like(getattr(unit, name), str(value))


def _unused_notes(
    config: GridConfig, names: Sequence[str], used: set[int], languages: set[str | None]
) -> list[str]:
    """Return one sentence for each entry of the config that no unit uses."""
    entries: list[tuple[ModelEntry | MethodEntry | DataEntry, str, str]] = [
        *((m, f"no method is for the model {quoted(m.name or m.model)}", "") for m in config.models),
        *(
            (m, f"{m.method} is for none of the models", closest_hint(m.models[0], names) if m.models else "")
            for m in config.methods
        ),
        *((data, f"no method reads the data {quoted(data.source)}", "") for data in config.data),
    ]
    sentences = [config.located_message(e, text, hint) for e, text, hint in entries if id(e) not in used]
    if config.languages and languages.isdisjoint(config.languages):
        sentences.append("no method reads its language from the languages of the config")
    return sentences


def _unmatched_notes(config: GridConfig, units: Iterable[Unit]) -> list[str]:
    """Return one sentence for each pattern that matches no run."""
    units = list(units)
    sentences = []
    for name, pattern in [
        *(("include", p) for p in config.include),
        *(("exclude", p) for p in config.exclude),
    ]:
        if any(_matches(unit, pattern) for unit in units):
            continue
        hints = (
            closest_hint(str(value).strip("*"), sorted({str(getattr(unit, part)) for unit in units}))
            for part, value in pattern.fields_set().items()
            if not any(_field_matches(unit, part, value) for unit in units)
        )
        text = f"{name} {quoted(pattern.fields_set())} matches no run"
        sentences.append(config.located_message(pattern, text, next(filter(None, hints), "")))
    return sentences
