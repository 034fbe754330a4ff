"""The plan of a grid: its units by model, and which of them share scoring work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from ..errors import BiasError, InputError, quoted, wrap_external_errors
from ..models.endpoint.address import LIMITS, SCHEME, parse_address, printable_spec
from ..registry import get_method
from .config import DataEntry, GridConfig, MethodEntry, ModelEntry, Pattern
from .grid_data import DataSize, GridData, UnitDraft, closest_hint, source_hint
from .identity import NO_MODEL, model_identity, model_name, model_spec, size_of
from .unit import RECORDED, Unit, digest, is_like

MOST_UNITS = 1_000_000
"""More combinations than this are taken for a mistake."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A unit that cannot be measured as things are, and why; ``of_model`` where that is its model."""

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
        size: bytes to read, 0 where that is not known.
        folder: where relative paths of data start.
        units: in the order of the config.
        is_named: whether the config gives the name, rather than the model itself.
    """

    name: str
    spec: str
    options: Mapping[str, Any]
    key: str
    size: int
    folder: str
    units: tuple[Unit, ...] = ()
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A model of a config before its units are known, with the problem that rules it out, if any."""

    entry: ModelEntry
    task: ModelTask
    problem: str


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

    def with_recording(self) -> Plan:
        """The same plan for a run with a recording; its units have keys of their own."""

        def recorded_unit(unit: Unit) -> Unit:
            return replace(unit, key=unit.key + RECORDED)

        return replace(
            self,
            tasks=tuple(replace(task, units=tuple(map(recorded_unit, task.units))) for task in self.tasks),
            problems=tuple(replace(p, unit=recorded_unit(p.unit)) for p in self.problems),
            work_of={key + RECORDED: data for key, data in self.work_of.items()},
        )

    def shared(self, task: ModelTask) -> dict[str, list[Unit]]:
        """The units of a task by the data they read: those of one entry share loading, tokens and scores."""
        groups: dict[str, list[Unit]] = {}
        for unit in task.units:
            groups.setdefault(self.work_of[unit.key], []).append(unit)
        return groups


def make_plan(config: GridConfig) -> Plan:
    """Make the plan of a grid: every unit once, in the order of the config.

    Data sets are read, so that a unit knows what it measures; models are not loaded. A model or data set that cannot
    be found makes its units problems and does not stop the others. A method that takes no model is measured once,
    after the models, under the name ``none``.

    Raises:
        InputError: two models have the same name, or there are more than a million units.

    Examples:
        >>> plan = make_plan(GridConfig(models=["demo-mlm-en"], methods=["lpbs"], seeds=[0, 1]))
        >>> [str(unit) for unit in plan.units]
        ['lpbs on demo-mlm-en (weat_word_lists, en)', 'lpbs on demo-mlm-en (weat_word_lists, en, seed 1)']
    """
    models = [_candidate(entry, config) for entry in _models(config)]
    _refuse_namesakes(model.task for model in models)
    drafts = list(islice(((m, draft) for m in models for draft in _drafts(config, m)), MOST_UNITS + 1))
    if len(drafts) > MOST_UNITS:
        raise InputError(
            f"models, methods, data, languages and seeds make more than {MOST_UNITS:,} runs",
            hint="name fewer, or make several grids of them",
        )
    data = GridData(config)
    tasks: dict[str, list[Unit]] = {}
    task_of: dict[str, ModelTask] = {}
    problems: list[Problem] = []
    all_units: dict[str, Unit] = {}
    for model, draft in drafts:
        unit, problem = data.unit(draft, model.task.name, model.task.key)
        if unit.key in all_units:
            continue
        all_units[unit.key] = unit
        if not _is_included(unit, config):
            continue
        if model.problem or problem:
            problems.append(Problem(unit, model.problem or problem, bool(model.problem)))
            continue
        task_of[model.task.key] = model.task
        tasks.setdefault(model.task.key, []).append(unit)
    return Plan(
        tasks=tuple(replace(task_of[key], units=tuple(units)) for key, units in tasks.items()),
        problems=tuple(problems),
        work=data.work,
        work_of={unit.key: data.work_of[unit.key] for units in tasks.values() for unit in units},
        notes=(*_unused_notes(config, models, drafts), *_unmatched_notes(config, all_units.values())),
    )


def _refuse_namesakes(models: Iterable[ModelTask]) -> None:
    key_of_name: dict[str, str] = {}
    for model in models:
        if key_of_name.setdefault(model.name, model.key) != model.key:
            raise InputError(
                f"two models are called {quoted(model.name)}",
                option="models",
                hint="give one of them another name, such as {model: …, name: …}",
            )


def _models(config: GridConfig) -> list[ModelEntry]:
    """The models of a config, with ``none`` where a method takes no model."""
    models = list(config.models)
    if all(get_method(entry.method).needs for entry in config.methods) or any(
        entry.model == NO_MODEL for entry in models
    ):
        return models
    return [*models, ModelEntry(model=NO_MODEL)]


def _candidate(entry: ModelEntry, config: GridConfig) -> _Candidate:
    spec = model_spec(entry.model, config.folder)
    if spec.startswith(SCHEME) and printable_spec(spec) != spec:
        # It may hold a password, which would stand in the store: refused before there is one.
        parse_address(spec, entry.options.get("served_model"))
    name = entry.name or model_name(spec, entry.options.get("served_model"))
    identity, size, problem = None, 0, ""
    try:
        with wrap_external_errors(f"looking for {entry.model}"):
            identity, size = model_identity(spec, entry.options), size_of(spec)
    except BiasError as error:
        problem = config.located_message(entry, error, source_hint(entry.model, "model", config.folder))
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
    return _Candidate(entry, task, problem)


def _drafts(config: GridConfig, model: _Candidate) -> Iterable[UnitDraft]:
    for entry in config.methods:
        record = get_method(entry.method)
        fits = record.needs_no_model if model.task.spec == NO_MODEL else record.needs
        is_listed = model.entry.model in entry.models or not entry.models
        if not fits or not (is_listed or any(is_like(model.task.name, pattern) for pattern in entry.models)):
            continue
        choices = record.data_choices()
        sources = _sources(config.data, record.name) if "source" in choices else []
        for source in [None] if "source" in entry.options or not sources else sources:
            languages: Sequence[str | None] = [None]
            if "language" in choices and "language" not in entry.options:
                languages = (source.languages if source else []) or config.languages or [None]
            for language in languages:
                for seed in config.seeds if "seed" in record.options() else config.seeds[:1]:
                    yield UnitDraft(entry, source, language, seed)


def _sources(data: Sequence[DataEntry], method: str) -> list[DataEntry]:
    """The data sets to use instead of a method's default: those that name the method, else those that name none."""
    method_entries = [entry for entry in data if method in {get_method(name).name for name in entry.methods}]
    return method_entries or [entry for entry in data if not entry.methods]


def _is_included(unit: Unit, config: GridConfig) -> bool:
    included = not config.include or any(_matches(unit, pattern) for pattern in config.include)
    return included and not any(_matches(unit, pattern) for pattern in config.exclude)


def _matches(unit: Unit, pattern: Pattern) -> bool:
    return all(_field_matches(unit, name, value) for name, value in pattern.fields_set().items())


def _field_matches(unit: Unit, name: str, value: str | int) -> bool:
    if name == "method" and isinstance(value, str):
        value = value.replace("-", "_").lower()
    return unit.seed == value if name == "seed" else is_like(getattr(unit, name), str(value))


def _unused_notes(
    config: GridConfig, models: Sequence[_Candidate], drafts: Sequence[tuple[_Candidate, UnitDraft]]
) -> list[str]:
    """One sentence for each entry of the config that no unit uses."""
    names = [model.task.name for model in models]
    used = {id(model.entry) for model, _ in drafts}
    used |= {id(part) for _, draft in drafts for part in (draft.entry, draft.source)}
    entries: list[tuple[ModelEntry | MethodEntry | DataEntry, str, str]] = [
        *((m, f"no method is for the model {quoted(m.name or m.model)}", "") for m in config.models),
        *(
            (m, f"{m.method} is for none of the models", closest_hint(m.models[0], names) if m.models else "")
            for m in config.methods
        ),
        *((data, f"no method reads the data {quoted(data.source)}", "") for data in config.data),
    ]
    sentences = [config.located_message(e, text, hint) for e, text, hint in entries if id(e) not in used]
    if config.languages and not any(draft.language in config.languages for _, draft in drafts):
        sentences.append("no method takes its language from the languages of the config")
    return sentences


def _unmatched_notes(config: GridConfig, units: Iterable[Unit]) -> list[str]:
    """One sentence for each pattern that matches no run."""
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
