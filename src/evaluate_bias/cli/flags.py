"""The request that the flags of a run make. Commands import this module when they run: its imports are heavy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..experiments.config import GridConfig, MethodEntry, ModelEntry
from ..experiments.fitting import model_classes, needed_options, reasons_against
from ..experiments.identity import NO_MODEL, model_spec
from ..files import short_path
from ..method_record import MethodRecord
from ..models.base import require
from ..models.load import check_loading, loading_options
from ..options import Option, checked_options
from ..registry import METHODS, get_method

_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
DATA_FLAGS = ("source", "columns", "language", "tests")
"""Options of the data that have a flag of their own. The others are given with -O."""


ALL_METHODS, RECOMMENDED = "all", "recommended"
"""Names for several methods: every one that fits the models, or the few of these to begin with."""


@dataclass
class RunRequest:
    """What a run is to measure.

    Attributes:
        config: models, methods and data.
        file: the config's file, or ``None`` if flags made it.
        refused: what cannot be measured, each as what it is about and the error.
        notes: what is omitted or not needed, in sentences.
    """

    config: GridConfig
    file: Path | None = None
    refused: list[tuple[str, InputError]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse_options(pairs: Sequence[str], *, dashes: bool = False) -> dict[str, str]:
    """Read ``name=value`` options. Dashes in names become underscores, unless ``dashes`` says that they stay.

    Raises:
        InputError: an entry has no ``=``, or a name is given twice.

    Examples:
        >>> parse_options(["ddof=0", 'bias-types=["age", "gender"]'])
        {'ddof': '0', 'bias_types': '["age", "gender"]'}
    """
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        key = name.strip() if dashes else name.strip().replace("-", "_")
        if not equals or not key:
            form = "ours=theirs, for example sent_more=sent1" if dashes else "name=value, for example ddof=0"
            raise InputError(
                f"{'column' if dashes else 'option'} {short_path(pair)!r} is not of the form {form}"
            )
        if key in options:
            raise InputError(
                f"`{key}` is given twice",
                option=key,
                hint=f'give several values as one JSON list: \'{key}=["a", "b"]\'',
            )
        options[key] = value
    return options


def typed_value(text: str, option: Option | None) -> Any:
    """Read a value as its option's type: as JSON or Python's ``True``, ``False``, ``None``, or as the text it is.

    A value that fits the option in none of these ways is returned as it is, for the check to refuse.

    Examples:
        >>> from evaluate_bias.options import options_of
        >>> def load(*, name: str = "", allow_pickle: bool = False): ...
        >>> known = options_of(load)
        >>> typed_value("12", known["name"]), typed_value("False", known["allow_pickle"])
        ('12', False)
        >>> typed_value("12", None), typed_value("off", known["allow_pickle"])
        (12, 'off')
    """
    readings: list[Any] = [text]
    with suppress(ValueError, RecursionError):  # not JSON, a number of 5,000 digits, brackets 5,000 deep
        readings.insert(0, json.loads(_PYTHON_WORDS.get(text, text)))
    if option is None:
        return readings[0]
    for value in readings:
        with suppress(InputError):
            return checked_options({option.name: value}, {option.name: option}, "")[option.name]
    return readings[0]


def request_of_flags(
    models: Sequence[str],
    methods: Sequence[str],
    choice: Mapping[str, Any],
    options: Sequence[str],
    *,
    loading: Sequence[str] = (),
    seed: int = 0,
    limit: int | None = None,
) -> RunRequest:
    """Make the request of a run from its flags.

    A method that accepts no model is measured once, before the models. Models are named as the flags name
    them.

    Args:
        models: models to measure.
        methods: names of methods, ``"all"`` or ``"recommended"``.
        choice: options of the data that have a flag of their own.
        options: the others, as ``name=value`` or ``method.name=value``.
        loading: options of loading a model, as ``name=value``.
        seed: seed of everything random.
        limit: number of rows to measure.

    Raises:
        InputError: a model is missing although all methods need one, no method accepts an option, an option belongs
            to a method that is not in the run, or no method accepts a value.

    Examples:
        >>> request = request_of_flags(
        ...     ["glove-6b-50d"],
        ...     ["weat", "pll"],
        ...     {"tests": ["weat7"]},
        ...     ["confidence_level=0.9", "pll.confidence_level=0.8"],
        ... )
        >>> [(entry.method, entry.options) for entry in request.config.methods]
        [('weat', {'tests': ['weat7'], 'confidence_level': 0.9}), ('pll', {'confidence_level': 0.8})]
        >>> request.notes
        ['pll does not support `tests` and is measured without it']
    """
    loading_choice, method_options = parse_loading(loading), parse_options(options)
    classes: dict[str, tuple[type, ...]] = {}
    if {ALL_METHODS, RECOMMENDED}.intersection(methods):
        fitting = fitting_methods(models, loading_choice)
        several = fitting if ALL_METHODS in methods else [n for n in fitting if METHODS[n].recommended]
        if not several:
            raise InputError(
                "none of the recommended methods fits",
                option="method",
                hint="list those that fit with methods --model",
            )
        methods = [*several, *(name for name in methods if name not in (ALL_METHODS, RECOMMENDED))]
        classes = {spec: model_classes(model_spec(spec, Path()), loading_choice) for spec in models}
    records = [get_method(name) for name in dict.fromkeys(methods)]
    if not (models or any(record.needs_no_model for record in records)):
        require(None, records[0].needs, records[0].name)
    shared: dict[str, str] = {}
    by_method: dict[str, dict[str, str]] = {record.name: {} for record in records}
    for key, text in method_options.items():
        method, dot, name = key.partition(".")
        if not dot:
            shared[key] = text
        elif method in by_method and name:
            by_method[method][name] = text
        else:
            raise InputError(
                f"{short_path(key)!r} names a method that is not measured here, only {', '.join(by_method)[:200]}",
                option=name or method,
            )
    for name in choice:
        if name in shared:
            raise InputError(f"`{name}` is given by its flag and by -O", option=name, hint="give it once")
    if "seed" in {*shared, *(name for options in by_method.values() for name in options)}:
        raise InputError(
            "`seed` is given with -O", option="seed", hint="use --seed, which applies to all methods of a run"
        )
    takes = {r.name: {**r.options(), **r.data_choices()} for r in records}
    notes = []
    for name in (*choice, *shared):
        without = [r for r in records if name not in takes[r.name]]
        if len(without) == len(records):  # the check refuses it
            every = {option: facts for known in takes.values() for option, facts in known.items()}
            checked_options({name: None}, every, " or ".join(takes)[:200])
        if without:
            does, is_ = ("does", "is") if len(without) == 1 else ("do", "are")
            names = ", ".join(r.name for r in without)
            notes.append(f"{names} {does} not support `{name}` and {is_} measured without it")
    pairs: list[tuple[MethodRecord, dict[str, Any]]] = []
    refused: list[tuple[str, InputError]] = []
    for record in records:
        known = takes[record.name]
        its_own = _parse_options(
            record, known, by_method[record.name]
        )  # before what is given for all methods
        general = {k: v for k, v in choice.items() if k in known and k not in its_own}
        texts = {k: v for k, v in shared.items() if k in known and k not in its_own}
        try:
            pairs.append((record, {**_parse_options(record, known, texts, general), **its_own}))
        except InputError as error:
            refused.append(("options", error))
    if not pairs:
        raise refused[0][1]
    without_model = [
        record for record, _ in pairs if not record.needs or (not models and record.needs_no_model)
    ]
    model_name = loading_choice.pop("name", "")
    entries = []
    for record, its_options in pairs:
        if record in without_model:
            entries.append(MethodEntry(method=record.name, options=its_options, models=[NO_MODEL]))
        elif models:
            models_by_needs: dict[tuple[tuple[str, Any], ...], list[str]] = {}
            for spec in models:
                needs = needed_options(record.name, classes[spec]) if spec in classes else {}
                models_by_needs.setdefault(tuple(needs.items()), []).append(model_name or spec)
            entries += [
                # Given options count before needed ones.
                MethodEntry(method=record.name, options={**dict(needs), **its_options}, models=its_models)
                for needs, its_models in models_by_needs.items()
            ]
        else:
            refused.append(
                (record.name, InputError(f"{record.name} needs a model", option="model", hint="give --model"))
            )
    model_entries = [
        ModelEntry(model=spec, name=model_name or spec, options=loading_choice) for spec in models
    ]
    if model_entries and len(without_model) == len(pairs):
        notes.append("no model was loaded: these methods need no model")
        model_entries = []
    if without_model:
        model_entries.insert(0, ModelEntry(model=NO_MODEL))
    config = GridConfig(models=model_entries, methods=entries, seeds=[seed], limit=limit)
    return RunRequest(config, refused=refused, notes=notes)


def fitting_methods(models: Sequence[str], loading: Mapping[str, Any]) -> list[str]:
    """Return the names of the methods that fit one of the models, or without models of those that need none.

    Examples:
        >>> "weat" in fitting_methods(["glove-6b-50d"], {}), fitting_methods([], {})
        (True, ['metric_compatibility', 'tpr_gap'])
    """
    if not models:
        return sorted(name for name, record in METHODS.items() if not record.needs)
    against = [reasons_against(model_spec(spec, Path()), loading) for spec in models]
    return sorted(name for name in METHODS if not all(name in reasons for reasons in against))


def parse_loading(pairs: Sequence[str]) -> dict[str, Any]:
    """Read loading options by their types. Options of another kind of model are refused when a model is loaded."""
    known = loading_options()
    typed = {name: typed_value(text, known.get(name)) for name, text in parse_options(pairs).items()}
    if isinstance(written := typed.get("dtype"), str):
        typed["dtype"] = written.removeprefix("torch.")
    return check_loading(typed, "loading a model")


def _parse_options(
    record: MethodRecord, known: Mapping[str, Option], texts: Mapping[str, str], more: Mapping[str, Any] = {}
) -> dict[str, Any]:
    typed = {name: typed_value(text, known.get(name)) for name, text in texts.items()}
    return checked_options({**more, **typed}, known, record.name)
