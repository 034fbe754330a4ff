"""Compare two measurements on the units that both have."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import stats
from ...api import measure
from ...errors import DataError, InputError, UndefinedScoreError, UnknownNameError, quoted
from ...files import short_path
from ...method import MethodRecord, Units
from ...registry import METHODS
from ...result import Result, Row
from ..lines import model_name
from ..results_io import RESULTS_FILE, read_results
from .comparison import Change, Comparison
from .pairing import FIRST, SECOND, A, B, Shared, UnitValue, shared_units, units_of

__all__ = ["compare", "compare_results"]

_OF_INFERENCE = frozenset(
    (
        "level",
        "seed",
        "n_resamples",
        "ci",
        "ci_resamples",
        "p_method",
        "alternative",
        "strict",
        "max_missing",
        "ties",
    )
)
"""Settings that change intervals and p-values and no score."""


def compare(
    first: Any,
    second: Any,
    *,
    methods: str | Sequence[str] = (),
    models: tuple[str | None, str | None] = (None, None),
    level: float = 0.95,
    seed: int = 0,
    **options: Any,
) -> Comparison:
    """Compare two models, or two sets of results, on the same units: did debiasing help, is the checkpoint worse?

    Scores whose results keep what they are made of (pairs, words, templates) are compared unit by unit: shares by
    McNemar's exact test and Tango's interval, means by a paired permutation test and a studentised bootstrap, effect
    sizes of words by a permutation of the words' differences and a bootstrap. Of other scores the difference is given
    with an interval from both intervals, and no test. Scores are those of the units that both have. P-values are
    adjusted by Holm for the groups, and for the tests, of a method.

    Args:
        first: results (a :class:`Result`, several, or the path of ``results.jsonl``), or a model, anything that
            :func:`evaluate_bias.load_model` takes, which is measured with ``methods``.
        second: the same, what ``first`` is compared with.
        methods: names of methods, where models are given.
        models: names of the two models, where a side holds results of several.
        level: level of the intervals.
        seed: seed of permutations and resamples.
        options: options of the measurement, where models are given.

    Returns:
        The changes, second minus first, with a sentence each, a table and a picture.

    Raises:
        InputError: models without methods, methods or options beside results, or nothing in common.
        DataError: results of different data or languages, or of one name with two values.
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
        >>> found = eb.compare(one, two, methods="weat", data=[test])
        >>> print(found.changes[0].sentence)
        Word Embedding Association Test (WEAT), toy: 1.610 to -0.526, a difference of −2.136 (−3.193 to −0.208),
        p = 0.12: not told from chance. A change of 2.133 would have been seen in 80 % of cases.
    """
    if not 0 < level < 1:
        raise InputError(f"level must lie between 0 and 1, not {quoted(level)}")
    names = (methods,) if isinstance(methods, str) else tuple(methods)
    one, two = _results_of(first), _results_of(second)
    if (one is None) != (two is None):
        raise InputError("one side is results and the other a model: give two of a kind")
    if one is not None and two is not None:
        if names or options:
            raise InputError("methods and options belong to models; results have been measured already")
        sides = [_of_model(side, name) for side, name in zip((one, two), models, strict=True)]
        return compare_results(*sides, level=level, seed=seed)
    if not names:
        raise InputError("say with methods=… what to measure both models with")
    measured = [[measure(name, model, **options) for name in names] for model in (first, second)]
    return compare_results(*measured, level=level, seed=seed)


def _results_of(given: Any) -> list[Result] | None:
    """The results that were given, or nothing where it is a model."""
    if isinstance(given, Result):
        return [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(r, Result) for r in given):
        return list(given)
    if isinstance(given, (str, Path)):
        path = Path(given)
        if path.suffix == ".jsonl" or (path.is_dir() and (path / RESULTS_FILE).exists()):
            return read_results(path)
    return None


def _of_model(results: Sequence[Result], name: str | None) -> Sequence[Result]:
    chosen = [r for r in results if name is None or model_name(r) == name]
    if not chosen:
        raise UnknownNameError("model with results", name, {model_name(r) for r in results})
    return chosen


def compare_results(
    first: Sequence[Result], second: Sequence[Result], *, level: float = 0.95, seed: int = 0
) -> Comparison:
    """Compare two sets of results, each about one model; see :func:`compare`."""
    names = [_one_model(results) for results in (first, second)]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    ones, others = _by_key(first), _by_key(second)
    common = [key for key in ones if key in others]
    if not common:
        raise InputError(
            "the two have no method and data set in common: "
            f"{_listed(ones)} on one side, {_listed(others)} on the other"
        )
    changes: list[Change] = []
    notes: list[str] = []
    for key in common:
        found, warnings = _compare_pair(ones[key], others[key], level, seed)
        changes += found
        notes += warnings
    left_out = [
        f"{key[0]} on {key[1] or 'its data'} was measured on {name} only"
        for keys, other, name in ((ones, others, names[0]), (others, ones, names[1]))
        for key in keys
        if key not in other
    ]
    return Comparison(
        first=names[0],
        second=names[1],
        changes=tuple(changes),
        same_weights=_same_weights(first[0], second[0]),
        level=level,
        warnings=tuple(dict.fromkeys(notes)),
        left_out=tuple(left_out),
    )


def _one_model(results: Sequence[Result]) -> str:
    if not results:
        raise InputError("there is no result to compare")
    names = list(dict.fromkeys(model_name(r) for r in results))
    if len(names) > 1:
        raise InputError(
            f"one side holds results of several models ({', '.join(names[:5])}): choose two with models=(…, …), at "
            "the command with --models"
        )
    return names[0]


def _by_key(results: Sequence[Result]) -> dict[tuple[str, str, str], Result]:
    """Results by method, data set, language or part of it; the last one counts where one was measured twice."""
    out: dict[tuple[str, str, str], Result] = {}
    for r in results:
        data = r.provenance.get("dataset", {})
        part = data.get("language") or data.get("config") or ""
        out[r.method, str(data.get("name") or data.get("source") or ""), str(part)] = r
    return out


def _listed(keys: Iterable[tuple[str, str, str]]) -> str:
    """The first methods with their data, in words."""
    names = [f"{method} ({short_path(data) or 'data without a name'})" for method, data, _ in keys]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def _weights(result: Result) -> Any:
    model = result.provenance.get("model", {})
    return model.get("weights_sha256") or model.get("sha256") if isinstance(model, Mapping) else None


def _same_weights(first: Result, second: Result) -> bool | None:
    one, two = _weights(first), _weights(second)
    if not one or not two:
        return None
    return bool(_sums(one) == _sums(two))


def _sums(weights: Any) -> Any:
    """Checksums of the files, whatever the files are called."""
    return sorted(map(str, weights.values())) if isinstance(weights, Mapping) else str(weights)


def _compare_pair(one: Result, two: Result, level: float, seed: int) -> tuple[list[Change], list[str]]:
    record = METHODS.get(one.method)
    title = one.method if record is None else record.title
    if one.direction != two.direction:
        raise DataError(f"{title}: the two scores are read in different directions and cannot be compared")
    notes = [f"{title}: {text}" for text in _differences(one, two)]
    units = None if record is None else record.units
    whole = None
    if units is not None and not units.list:
        whole, more = _shared(one, two, units, title)
        notes += more
    pairs = _rows(one, two)
    changes: list[Change] = []
    for kind in ("overall", "test", "group"):
        of_kind = [
            _change(one, two, a, b, record, units, whole, level, seed, notes)
            for a, b in pairs
            if a.kind == kind and not (kind == "overall" and _is_summary(one, two))
        ]
        if (
            kind == "group" and changes and changes[0].n is not None
        ):  # a group of all units is the overall score
            of_kind = [c for c in of_kind if c.n != changes[0].n]
        tested = [c.p_value for c in of_kind if c.p_value is not None]
        adjusted = iter(stats.holm(tested).tolist() if tested else ())
        changes += [
            dataclasses.replace(c, p_holm=next(adjusted))
            if c.p_value is not None and kind != "overall"
            else c
            for c in of_kind
        ]
    return changes, notes


def _is_summary(one: Result, two: Result) -> bool:
    """Whether the overall scores are those of tests, which have rows of their own."""
    return bool(one.rows_of("test") and two.rows_of("test"))


def _differences(one: Result, two: Result) -> list[str]:
    """What differs between two results and bears on their scores."""
    out = []
    a, b = (r.provenance.get("dataset", {}) for r in (one, two))
    known = [d.get("sha256") or d.get("revision") for d in (a, b)]
    if all(known) and known[0] != known[1]:
        out.append("the data differ between the two; units are taken for the same where their names are")
    elif not all(known) and not (a == b and one.provenance.get("dataset")):
        out.append("the data carry no checksum; units are taken for the same where their names are")
    for key in dict.fromkeys((*one.settings, *two.settings)):
        left, right = one.settings.get(key), two.settings.get(key)
        if left != right and key not in _OF_INFERENCE:
            out.append(f"{key} is {quoted(left)} in the first and {quoted(right)} in the second")
    versions = [r.provenance.get("versions", {}).get("evaluate-bias") for r in (one, two)]
    if versions[0] != versions[1]:
        out.append(f"measured with versions {versions[0]} and {versions[1]} of evaluate-bias")
    return out


def _rows(one: Result, two: Result) -> list[tuple[Row, Row]]:
    """Rows with a score that both results have: the overall one, tests and groups."""
    ours = {(r.kind, r.name): r for r in (two.overall, *two.rows)}
    return [
        (row, ours[row.kind, row.name])
        for row in (one.overall, *one.rows)
        if row.kind != "item"
        and row.score is not None
        and (row.kind, row.name) in ours
        and ours[row.kind, row.name].score is not None
    ]


def _shared(one: Result, two: Result, units: Units, title: str) -> tuple[Shared | None, list[str]]:
    """The items of both, and what is to be said of those that stand in one only."""
    try:
        shared = shared_units(units_of(one, units), units_of(two, units))
    except DataError as error:
        return None, [f"{title}: {error}"]
    if not shared.names:
        return None, [f"{title}: the two have no {units.name} in common, so that no change can be tested"]
    if shared.only_first or shared.only_second:
        return shared, [
            f"{title}: {len(shared.names)} {units.name} are in both; {shared.only_first} stand in the first only and "
            f"{shared.only_second} in the second only and are left out"
        ]
    return shared, []


def _change(
    one: Result,
    two: Result,
    a: Row,
    b: Row,
    record: MethodRecord | None,
    units: Units | None,
    whole: Shared | None,
    level: float,
    seed: int,
    notes: list[str],
) -> Change:
    """The change of one row: tested on its units where both results have them."""
    assert a.score is not None  # _rows
    assert b.score is not None
    facts: dict[str, Any] = {
        "method": one.method,
        "name": a.name,
        "kind": a.kind,
        "first": a.score,
        "second": b.score,
        "ideal_first": one.ideal if a.ideal is None else a.ideal,
        "ideal_second": two.ideal if b.ideal is None else b.ideal,
        "difference": b.score - a.score,
    }
    if units is not None:
        try:
            shared = _of_row(a, b, units, whole)
            if shared is not None and shared.names:
                return Change(**facts | _tested(shared, units, record, level, seed, two))
        except UndefinedScoreError as error:
            notes.append(f"{one.method}, {a.name}: {error}")
    ends = (a.ci_low, a.ci_high, b.ci_low, b.ci_high)
    if None not in ends and one.ci_level == two.ci_level == level:
        low, high = stats.unpaired_interval((a.score, *ends[:2]), (b.score, *ends[2:]))  # type: ignore[arg-type]
        facts |= {
            "low": low,
            "high": high,
            "interval": "from both intervals, as if the measurements were independent",
        }
    return Change(**facts)


def _of_row(a: Row, b: Row, units: Units, whole: Shared | None) -> Shared | None:
    """The shared units of a row: those of a test, all items, or the items of a group."""
    if units.list:
        return shared_units(units_of(a, units), units_of(b, units)) if a.kind == "test" else None
    if whole is None or a.kind == "overall":
        return whole
    inside = [i for i, u in enumerate(whole.first) if a.name in u.labels]
    names = tuple(whole.names[i] for i in inside)
    return Shared(names, tuple(whole.first[i] for i in inside), tuple(whole.second[i] for i in inside), 0, 0)


def _tested(
    shared: Shared, units: Units, record: MethodRecord | None, level: float, seed: int, result: Result
) -> dict[str, Any]:
    """Scores on the shared units, and the test of their difference."""
    if units.list:
        return _effect(shared, units, level, seed, result)
    a, b = _values(shared.first, units), _values(shared.second, units)
    outcomes = sorted({*a, *b})
    shares = not units.cluster and bool(units.outcomes) and {*units.outcomes.values()} >= {*outcomes}
    top = max(units.outcomes.values(), default=0.0)
    if shares and set(outcomes) <= {0.0, top}:
        found, scale = stats.paired_shares([v == top for v in a], [v == top for v in b], level), top
    else:
        found, scale = stats.paired_means(a, b, level, seed), 1.0
    facts = _facts(found, units, scale)
    facts |= {"first": float(np.mean(a)), "second": float(np.mean(b))}
    if scale != 1.0 and record is not None and None not in record.score_range:
        changed = float(np.mean([x != y for x, y in zip(a, b, strict=True)]))
        needed = stats.units_needed(max(changed, 0.05), 0.05)
        if needed is not None and needed > found.n:
            facts["more_units"] = needed - found.n
    before, after = ([u.also for u in side if u.also is not None] for side in (shared.first, shared.second))
    if 1 < len(shared.names) == len(before) == len(after):
        mean = stats.paired_means(before, after, level, seed)
        facts["also"] = {"value": mean.difference, "p": mean.p_value}
        if mean.low is not None and mean.high is not None:
            facts["also"] |= {"low": mean.low, "high": mean.high}
    return facts


def _values(shared: Iterable[UnitValue], units: Units) -> list[float]:
    """The units' values, or the means of their clusters."""
    if not units.cluster:
        return [u.value for u in shared]
    clusters: dict[str, list[float]] = {}
    for u in shared:
        clusters.setdefault(u.within, []).append(u.value)
    return [float(np.mean(values)) for values in clusters.values()]


def _effect(shared: Shared, units: Units, level: float, seed: int, result: Result) -> dict[str, Any]:
    """Effect sizes over the words that both have."""
    lists = {u.within for u in shared.first}
    one, other = (FIRST, SECOND) if FIRST in lists else (A, B)

    def split(values: Sequence[UnitValue]) -> tuple[list[float], list[float]]:
        return [u.value for u in values if u.within == one], [u.value for u in values if u.within == other]

    before, after = split(shared.first), split(shared.second)
    ddof = int(result.settings.get("ddof", 1))
    found = stats.paired_effect_sizes(before, after, level, seed, ddof)
    sizes = {"first": stats.effect_size(*before, ddof), "second": stats.effect_size(*after, ddof)}
    return _facts(found, units, 1.0) | sizes


def _facts(found: stats.Difference, units: Units, scale: float) -> dict[str, Any]:
    def scaled(value: float | None) -> float | None:
        return None if value is None else scale * value

    return {
        "difference": scale * found.difference,
        "low": scaled(found.low),
        "high": scaled(found.high),
        "p_value": found.p_value,
        "p_low": found.p_low,
        "p_high": found.p_high,
        "test": found.test,
        "interval": found.interval,
        "n": found.n,
        "units": f"{units.cluster}s" if units.cluster else units.name,
        "detectable": scaled(found.detectable),
    }
