"""Measuring a construct at every level that a model can be measured on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ... import stats
from ...errors import BiasError, DataError, InputError, UnknownNameError
from ...experiments.session import measure_all
from ...methods.correlation import correlate
from ...models.base import require_any
from ...models.load import load_model
from ...options import checked_options
from ...registry import get_method
from ..escape import public_name
from ..lines import head_line
from .construct import LEVELS, Construct, LevelTest, load_construct
from .level import AXIS, LevelCorrelation, LevelRow, Levels

FEWEST_CORRELATED = 4
"""Models below which no correlation is computed: Fisher's interval needs four."""
FEW_MODELS = 8
"""Models below which a correlation comes with a warning."""


def levels(model: Any, construct: Any, *, progress: bool = True, **options: Any) -> Levels:
    """Measure one association at the levels of a model: its vectors, likelihoods, word choice, decisions and texts.

    The construct says which test of which method measures each level; of several methods the first is taken that the
    model can take part in. Levels that the model cannot be measured on, or whose score is undefined, are named with
    the reason. Scores of different methods have no scale in common. They share an axis: the score less its ideal
    value, divided by the standard deviation of the score's null distribution, positive where the association is that
    of the construct. P-values are adjusted by Holm over all levels of all models.

    The levels of a model agree if every measured level is found after correction, with one sign; they disagree if two
    are found with opposite signs; otherwise neither is shown.

    Args:
        model: anything :func:`evaluate_bias.load_model` takes, or a list of models.
        construct: name of a construct of this library (:func:`construct_names`), or a YAML file, see the page
            "Levels".
        progress: show a progress bar.
        **options: options of every method that takes them, such as ``level``.

    Returns:
        A row per model and level, a sentence per model, tables and a picture; across four models or more, how the
        levels correlate.

    Raises:
        InputError: there is no model, two have one name, or an option that no method of the construct takes.
        DataError: the file does not describe a construct, or its data cannot be read.
        UnknownNameError: no such construct.
        BiasError: a model cannot be loaded.

    Examples:
        >>> import evaluate_bias as eb
        >>> outcome = eb.levels("glove-6b-50d", "gender_math", progress=False)
        >>> [(row.level, row.method, row.shows) for row in outcome.rows][0]
        ('vectors', 'weat', 'the association')
    """
    checked_construct = load_construct(construct)
    is_pair = (
        isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "forward")
    )  # with its tokenizer
    several = isinstance(model, list | tuple) and not is_pair
    models: Sequence[Any] = model if several else [model]
    if not models:
        raise InputError("there is no model to measure: give one, or a list")
    takes = [
        get_method(test.method).options() for tests in checked_construct.levels.values() for test in tests
    ]
    checked_options(options, {name: option for known in takes for name, option in known.items()}, "levels")
    if len(models) == 1:
        models = [load_model(models[0])]
    # All before the first is measured, as one that cannot be loaded must not cost what was measured before it; and of
    # several one at a time, here and below, as they may not fit into memory together.
    names = [public_name(str(load_model(one).name)) for one in models]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"two models have the name {twice[0]}: load them with load_model(…, name=…)")
    rows = [row for one in models for row in _of_model(load_model(one), checked_construct, options, progress)]
    adjusted = _adjusted(rows)
    correlations, notes = _across(adjusted)
    return Levels(
        construct=checked_construct,
        rows=tuple(adjusted),
        correlations=tuple(correlations),
        caveats=(f"null SDs: {AXIS}; sizes are not compared across levels", *notes),
    )


def _of_model(model: Any, construct: Construct, options: Mapping[str, Any], progress: bool) -> list[LevelRow]:
    """The rows of one model, with p-values as they are."""
    test_of_level, reasons = _suitable(model, construct)
    errors: dict[str, Exception] = {}
    methods = {test.method: _arguments(construct, test, options) for test in test_of_level.values()}
    results = measure_all(model, methods, on_error=errors.__setitem__, progress=progress) if methods else []
    by_method = {result.method: result for result in results}
    rows = []
    for level in (level for level in LEVELS if level in construct.levels):
        test = test_of_level.get(level)
        method = get_method((test or construct.levels[level][0]).method).name
        row = partial(LevelRow, model=public_name(str(model.name)), level=level, method=method)
        if test is None:
            rows.append(row(reason=reasons[level]))
        elif (result := by_method.get(method)) is None:
            error = errors[method]
            # A mistake in the construct or the call.
            if isinstance(error, DataError | InputError | UnknownNameError):
                raise DataError(f"construct {construct.name}, {level}: {error}") from error
            rows.append(row(reason=str(error)))
        elif result.direction != "two_sided":
            rows.append(row(reason=f"the score of {method} on several tests has no side; name one test"))
        else:
            rows.append(
                row(result=result, line=replace(head_line(result), headline=False), reverse=test.reverse)
            )
    return rows


def _suitable(model: Any, construct: Construct) -> tuple[dict[str, LevelTest], dict[str, str]]:
    """For each level the first test that the model can take part in, or why there is none.

    Raises:
        InputError: two levels ask for one method, which measures a model once.
    """
    test_of_level: dict[str, LevelTest] = {}
    reasons: dict[str, str] = {}
    for level, tests in construct.levels.items():
        for test in tests:
            record = get_method(test.method)
            try:
                require_any(model, record.needs, record.name)
            except BiasError as error:
                reasons.setdefault(level, str(error))
            else:
                test_of_level[level] = test
                break
    methods = [get_method(test.method).name for test in test_of_level.values()]
    if twice := sorted({name for name in methods if methods.count(name) > 1}):
        raise InputError(f"the construct measures two levels with {twice[0]}: each needs its own method")
    return test_of_level, reasons


def _arguments(construct: Construct, test: LevelTest, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a test: those of the call where the method has them, but the construct's own come first."""
    known = get_method(test.method).options()
    known_options = {name: value for name, value in options.items() if name in known}
    return {**known_options, **test.arguments(construct.name)}


def _adjusted(rows: Sequence[LevelRow]) -> list[LevelRow]:
    """The rows with Holm's correction over all of them."""
    p_values = [p for row in rows if row.line is not None and (p := row.line.row.p_value) is not None]
    adjusted = iter(stats.holm(p_values) if p_values else ())
    return [
        row
        if row.line is None or row.line.row.p_value is None
        else replace(row, line=replace(row.line, p_holm_all=float(next(adjusted))))
        for row in rows
    ]


def _across(rows: Sequence[LevelRow]) -> tuple[list[LevelCorrelation], list[str]]:
    """The correlations of each two levels across models, and what a reader must know of them."""
    models = list(dict.fromkeys(row.model for row in rows))
    if len(models) < 2:
        return [], []
    if len(models) < FEWEST_CORRELATED:
        few = f"levels are correlated across {FEWEST_CORRELATED} models or more; there are {len(models)}"
        return [], [few]
    places = {(row.level, row.model): row.deviation for row in rows if row.deviation is not None}
    correlations, notes = [], []
    for first, second in combinations(LEVELS, 2):
        common = [m for m in models if (first, m) in places and (second, m) in places]
        if len(common) < FEWEST_CORRELATED:
            continue
        one, two = (np.array([places[level, m] for m in common], dtype=float) for level in (first, second))
        try:
            c = correlate(one[:, None], two).each[0]
        except BiasError as error:
            notes.append(f"{first} and {second}: {error}")
            continue
        correlations.append(LevelCorrelation(
            first=first, second=second, r=c.r, ci_low=c.ci_low, ci_high=c.ci_high, p_holm=c.p_value, n=len(common),
        ))  # fmt: skip
    holm = stats.holm([c.p_holm for c in correlations]) if correlations else ()
    correlations = [replace(c, p_holm=float(p)) for c, p in zip(correlations, holm, strict=True)]
    if any(c.n < FEW_MODELS for c in correlations):
        notes.append(f"a correlation across fewer than {FEW_MODELS} models can hardly be told from chance")
    used = {(row.level, row.method) for row in rows if row.line}
    if mixed := [level for level in LEVELS if sum(level_used == level for level_used, _ in used) > 1]:
        notes.append(f"{' and '.join(mixed)}: not every model was measured with the same method")
    return correlations, notes
