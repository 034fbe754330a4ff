"""Compare two measurements on the units that both have."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import stats
from ...api import measure
from ...data.ready import load_scores
from ...errors import DataError, InputError, UnknownNameError, quoted
from ...experiments.sources import holds_results, read_results
from ...files import short_path
from ...options import check_arguments
from ...progress import track
from ...registry import METHODS, get_method
from ...result import Result
from ..data_facts import dataset_facts, model_checksums, provenance_facts
from ..lines import model_name
from .change import Change, with_verdict
from .comparison import Comparison
from .result_pair import ResultPair, refuse_mixed_revisions, shared_rows

_OF_INFERENCE = frozenset(
    [
        "confidence_level",
        "seed",
        "n_resamples",
        "ci",
        "ci_resamples",
        "p_method",
        "alternative",
        "strict",
        "max_missing",
        "ties",
    ]
)
"""Settings that change intervals and p-values and no score."""


def compare(
    first: Any,
    second: Any,
    *,
    methods: str | Sequence[str] = (),
    models: tuple[str | None, str | None] = (None, None),
    confidence_level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Compare two models, or two sets of results, on the same units: did debiasing help, is the checkpoint worse?

    Scores whose results keep what they are made of (pairs, words, templates, answers) are compared unit by unit: shares
    by McNemar's exact test and Tango's interval, means by a paired permutation test and a studentised bootstrap, effect
    sizes of words and other functions of the units by exchanging the two models' answers unit by unit and a bootstrap.
    Of scores whose units cannot be exchanged the difference is given with an interval from both intervals, and no test.
    Scores are those of the units that both have, and of pairs those that both decide. P-values are adjusted by Holm
    for everything that is tested here: all methods, their tests and their groups. A change is called nearer to the
    ideal value, or further from it, only where an interval of the change of that distance says so as well.

    Args:
        first: results (a :class:`Result`, several, or the path of ``results.jsonl``), or a model, anything that
            :func:`evaluate_bias.load_model` takes, which is measured with ``methods``; or, for methods that take them,
            a file with scores in place of sentences.
        second: the same, what ``first`` is compared with.
        methods: names of methods, where models are given.
        models: names of the two models, where a side holds results of several.
        confidence_level: level of the intervals; an adjusted p-value below 1 less this is a change.
        seed: seed of permutations and resamples.
        options: options of the measurement, where models are given.

    Returns:
        The changes, second minus first, with a sentence each, a table and a picture.

    Raises:
        InputError: models without methods, methods or options beside results, or nothing in common.
        DataError: results of different data or languages, or of one name with two values, or whose provenance cannot
            be read.
        BiasError: whatever the measurement raises.

    References:
        McNemar (1947), Psychometrika 12. Tango (1998), Statistics in Medicine 17.

    Examples:
        >>> import evaluate_bias as eb
        >>> test = {"name": "toy", "targets_x": ["a", "b", "c"], "targets_y": ["d", "e", "f"],
        ...         "attributes_a": ["good"], "attributes_b": ["bad"]}
        >>> words = {"good": [1.0, 0.0], "bad": [0.0, 1.0]}
        >>> one = words | {w: [1.0, k / 10] for k, w in enumerate("abcdef")}
        >>> two = words | {w: [1.0, k / 10] for k, w in enumerate("fbdaec")}
        >>> comparison = eb.compare(one, two, methods="weat", data=[test])
        >>> print(comparison.changes[0].sentence)
        Word Embedding Association Test (WEAT), toy: 1.610 to −0.526, a difference of −2.136 (−3.651 to 0.000),
        p (Holm) = .125: no change is shown. A change of 2.610 would have been seen in 80 % of cases.
    """
    check_arguments(compare, methods=methods, models=models, confidence_level=confidence_level, seed=seed)
    names, sources = (methods,) if isinstance(methods, str) else tuple(methods), (first, second)
    one, two = map(_results_of, sources)
    if (one is None) != (two is None):
        other = quoted(str(second if two is None else first))
        raise InputError(
            f"one side is results and the other, {other}, contains none", hint="give two of a kind"
        )
    if one is not None and two is not None:
        if names or options:
            raise InputError(
                "`methods` and options are for models, and results have been measured already",
                option="methods",
                hint="omit them",
            )
        sides = [of_model(side, name) for side, name in zip((one, two), models, strict=True)]
        return compare_results(*sides, confidence_level=confidence_level, seed=seed)
    if not names:
        descriptions = [
            quoted(str(g)) if isinstance(g, (str, Path)) else f"a {type(g).__name__}" for g in sources
        ]
        raise InputError(
            f"neither {descriptions[0]} nor {descriptions[1]} contains results",
            option="methods",
            hint="if they are models, name in `methods` what to measure both with",
        )
    measured: list[list[Result]] = [[], []]
    with track("measuring", 2 * len(names), delay=0.0) as advance:
        for results, model in zip(measured, sources, strict=True):
            for name in names:
                results.append(_measured(name, model, options))
                advance(1)
    return compare_results(*measured, confidence_level=confidence_level, seed=seed)


def _measured(name: str, source: Any, options: Mapping[str, Any]) -> Result:
    """The result of a model, or of a file with scores in place of sentences."""
    record = get_method(name)
    if load_scores(record.data.columns, source) is not None:
        result = measure(name, None, source=source, **options)
        if not isinstance(source, (str, Path)):
            return result
        # The file stands for the model, so the comparison calls it, and not the data, by its name.
        model = {**result.provenance["model"], "name": Path(source).name}
        data = {k: v for k, v in dataset_facts(result).items() if k not in ("name", "source")}
        return dataclasses.replace(result, provenance={**result.provenance, "model": model, "dataset": data})
    return measure(name, source, **options)


def _results_of(source: Any) -> list[Result] | None:
    """The results that were given or that a file or folder holds; nothing where it is a model."""
    if isinstance(source, (str, Path)):
        return read_results(source) if holds_results(source) else None
    results = [source] if isinstance(source, Result) else source
    is_list = isinstance(results, (list, tuple)) and results and all(isinstance(r, Result) for r in results)
    return list(results) if is_list else None


def of_model(results: Sequence[Result], name: str | None) -> Sequence[Result]:
    """The results of the model of this name, or all where none is named."""
    chosen = [r for r in results if name is None or model_name(r) == name]
    if not chosen:
        raise UnknownNameError(
            "model among these results", name, {model_name(r) for r in results}, option="model"
        )
    return chosen


def compare_results(
    first: Sequence[Result],
    second: Sequence[Result],
    *,
    confidence_level: float = 0.95,
    one_sided_level: float | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare two sets of results, each about one model; see :func:`compare`.

    ``one_sided_level`` is the level of scores of which only one direction is bias, where it is another.
    """
    names = [_one_model(results) for results in (first, second)]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    ones, others = _by_key(first), _by_key(second)
    common = [key for key in ones if key in others]
    if not common:
        sides = f"{_listed(ones)} on one side, {_listed(others)} on the other"
        raise InputError(f"the two have no method and data set in common: {sides}")
    changes: list[Change] = []
    notes = [*_repeated(first, names[0]), *_repeated(second, names[1])]
    for key in common:
        one_sided = compared_direction(ones[key]) != "two_sided"
        own_level = one_sided_level if one_sided_level and one_sided else confidence_level
        pair_changes, warnings = _compare_pair(ones[key], others[key], own_level, seed)
        changes += pair_changes
        notes += warnings
    left_out = [
        f"{key[0]} on {key[1] or 'its data'} was measured on {names[key not in ones]} only"
        for key in (*ones, *others)
        if key not in common
    ]
    tested = [c.p_value for c in changes if c.p_value is not None]
    adjusted, n = iter(stats.holm(tested).tolist()), len(tested)
    weights = model_checksums(first[0]), model_checksums(second[0])
    return Comparison(
        first=names[0],
        second=names[1],
        changes=tuple(
            c if c.p_value is None else with_verdict(c, next(adjusted), n, confidence_level) for c in changes
        ),
        same_weights=weights[0] == weights[1] if all(weights) else None,
        confidence_level=confidence_level,
        warnings=tuple(dict.fromkeys(notes)),
        left_out=tuple(left_out),
    )


def _one_model(results: Sequence[Result]) -> str:
    if not results:
        raise InputError("no result to compare")
    names = list(dict.fromkeys(model_name(r) for r in results))
    if len(names) > 1:
        raise InputError(
            f"one side contains results of several models ({', '.join(names[:5])})",
            option="models",
            hint="name two of them in `models`",
        )
    return names[0]


def _key(result: Result) -> tuple[str, str, str]:
    """Method, data set, and language or part of it."""
    data = dataset_facts(result)
    part = data.get("language") or data.get("config") or ""
    return result.method, str(data.get("name") or data.get("source") or ""), str(part)


def _by_key(results: Sequence[Result]) -> dict[tuple[str, str, str], Result]:
    """Results by what was measured; the last one counts where it was measured twice."""
    return {_key(r): r for r in results}


def _repeated(results: Sequence[Result], name: str) -> list[str]:
    """What is to be said where one thing was measured more than once."""
    times = Counter(map(_key, results))
    return [
        f"{method} on {short_path(data) or 'its data'} was measured {n} times on {name}: the last one counts"
        for (method, data, _), n in times.items()
        if n > 1
    ]


def _listed(keys: Iterable[tuple[str, str, str]]) -> str:
    """The first methods with their data, in words."""
    names = [f"{method} ({short_path(data) or 'data without a name'})" for method, data, _ in keys]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def _compare_pair(
    one: Result, two: Result, confidence_level: float, seed: int
) -> tuple[list[Change], list[str]]:
    record = METHODS.get(one.method)
    title = one.method if record is None else record.title
    if one.direction != two.direction:
        raise DataError(f"{title}: the two scores are read in different directions and cannot be compared")
    notes = [*refuse_mixed_revisions(one, two), *(f"{title}: {text}" for text in _differences(one, two))]
    units = None if record is None else record.units_of(one)
    pair = ResultPair(one, two, record, units, confidence_level, seed)
    if units is not None and not units.list:
        notes += pair.find_units(title)
    rows = shared_rows(one, two)
    # Overall scores of tests are not compared: the tests have rows of their own.
    summary = bool(one.rows_of("test") and two.rows_of("test"))
    if not rows or (summary and not any(a.kind == "test" for a, _ in rows)):
        notes.append(f"{title}: the two have no test in common, so that nothing is compared")
    changes: list[Change] = []
    for kind in ("test", "group") if summary else ("overall", "test", "group"):
        of_kind = [pair.change(a, b, notes) for a, b in rows if a.kind == kind]
        if kind == "group":  # a group of all units is the overall score
            whole = None if pair.whole is None else len(pair.units_of_row(one.overall))
            of_kind = [c for c in of_kind if not c[1] or c[1] != whole]
        changes += [c for c, _ in of_kind]
    return changes, notes


def compared_direction(result: Result) -> str:
    """The direction of the scores of a result that are compared: where these are its tests, that of a test."""
    record = METHODS.get(result.method) if result.rows_of("test") else None
    return result.direction if record is None else record.direction


def _differences(one: Result, two: Result) -> list[str]:
    """What differs between two results and bears on their scores."""
    out = []
    a, b = map(dataset_facts, (one, two))
    known = [d.get("sha256") or d.get("revision") for d in (a, b)]
    if all(known) and known[0] != known[1]:
        out.append("the data differ between the two; items of the same name are taken for the same")
    elif not all(known) and not (a == b and a):
        out.append("the data carry no checksum; items of the same name are taken for the same")
    for key in dict.fromkeys((*one.settings, *two.settings)):
        first_value, second_value = one.settings.get(key), two.settings.get(key)
        if first_value != second_value and key not in _OF_INFERENCE:
            out.append(
                f"{key} is {quoted(first_value)} in the first and {quoted(second_value)} in the second"
            )
    versions = [provenance_facts(r, "versions").get("evaluate-bias") for r in (one, two)]
    if versions[0] != versions[1]:
        out.append(f"measured with versions {versions[0]} and {versions[1]} of evaluate-bias")
    return out
