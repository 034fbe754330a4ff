"""The units that two results share, and the test of a change on them: which one it is, and what it found."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import stats
from ...arrays import FloatArray
from ...data.schemas import WORD_LISTS
from ...errors import DataError, quoted
from ...method import MethodRecord, ScoreUnits
from ...result import Result, Row
from ...result.row import number
from .change import Ties

_Key = tuple[str, ...]
_Settings = Mapping[str, Any]
_Both = tuple[_Settings, _Settings]
_Facts = dict[str, Any]
"""Fields of a change."""


@dataclass(frozen=True, slots=True)
class UnitValue:
    """One unit of a result: what counts for the score, its list, its labels, whether it decides, and all its fields."""

    value: float
    within: str
    labels: frozenset[str]
    decided: bool
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shared:
    """ScoreUnits of two results that are the same, in the order of the first; and how many stand in one only."""

    first: tuple[UnitValue, ...]
    second: tuple[UnitValue, ...]
    only_first: int = 0
    only_second: int = 0

    def __len__(self) -> int:
        return len(self.first)

    def those(self, wanted: Callable[[UnitValue], bool]) -> Shared:
        """The units of which the first result says so."""
        return self.at([i for i, unit in enumerate(self.first) if wanted(unit)])

    def at(self, places: Sequence[int]) -> Shared:
        """The units at these places."""
        return Shared(tuple(self.first[i] for i in places), tuple(self.second[i] for i in places))

    def decided(self) -> tuple[Shared, Ties]:
        """The units that decide in both measurements, and where the others tie."""
        found = [(a.decided, b.decided) for a, b in zip(self.first, self.second, strict=True)]
        ties = Ties(*map(found.count, ((False, True), (True, False), (False, False))))
        return self.at([i for i, both in enumerate(found) if all(both)]), ties


def units_of(source: Result | Row, units: ScoreUnits) -> dict[_Key, UnitValue]:
    """Return the units of a result whose units are its items, or of a row of kind ``"test"``, by what they are.

    A unit is known by its name and by what is no outcome: its list, its clusters, its strata and what else it is.

    Raises:
        DataError: a unit's value is missing or no number, or two units have one name.
    """
    found: dict[_Key, UnitValue] = {}
    for fields, labels in _entries(source, units):
        name, raw = fields["name"], fields.get(units.value)
        own = units.score == "own"
        if raw is None and (own or isinstance(source, Row)):
            continue  # rows that are no units, and words that have no value of their own
        value = 0.0 if own else units.outcomes.get(raw) if isinstance(raw, str) else number(raw, units.value)
        own_kind = (*units.clusters, *units.strata)
        absent = [key for key in (units.value, *own_kind) if key not in fields]
        if absent:
            said = "which earlier versions did not keep: measure again to test the change"
            raise DataError(f"unit {quoted(name)} has no {absent[0]}, {said}")
        if value is None:
            raise DataError(f"unit {quoted(name)} has no {units.value} that counts: it cannot be compared")
        within = str(fields["list"]) if units.list else ""
        if units.lists and within not in units.lists:
            continue
        key = (within, name, *(str(fields.get(k, "")) for k in (*own_kind, *units.same)))
        if key in found:
            raise DataError(f"two units are named {quoted(name)}: give each a name to compare them by")
        decided = not units.tie or raw != units.tie
        found[key] = UnitValue(float(value), within, frozenset(labels), decided, fields)
    return found


def _entries(source: Result | Row, units: ScoreUnits) -> Iterable[tuple[Mapping[str, Any], Iterable[str]]]:
    """Fields and labels of every unit."""
    if isinstance(source, Row):
        listed = source.details.get(units.list, ())
        for entry in listed if isinstance(listed, Sequence) else ():
            if isinstance(entry, Mapping) and isinstance(entry.get("word"), str):
                yield {**entry, "name": entry["word"], "list": entry.get("list", "")}, ()
        return
    for row in source.rows_of("item"):
        fields = {**row.labels, **row.details, "name": row.name, "score": row.score, "n": row.n}
        yield fields, row.labels.values()


def shared_units(one: Result | Row, two: Result | Row, units: ScoreUnits) -> Shared:
    """Return the units that both have, in the order of the first.

    Raises:
        DataError: see :func:`units_of`.
    """
    first, second = units_of(one, units), units_of(two, units)
    names = [name for name in first if name in second]
    both = tuple(first[name] for name in names), tuple(second[name] for name in names)
    return Shared(*both, len(first) - len(names), len(second) - len(names))


def own_score(record: MethodRecord) -> Any:
    """The module of a method that says what its score is of its units."""
    return importlib.import_module(f"{record.package}.units")


def tested(
    shared: Shared, record: MethodRecord, units: ScoreUnits, both: _Both, level: float, seed: int
) -> _Facts:
    """Both scores on the shared units and the test of their difference, as fields of a change.

    Raises:
        UndefinedScoreError: a score is undefined on these units.
    """
    if units.score == "own":
        return _own(shared, own_score(record), units, both, level, seed)
    lists = [name for name in WORD_LISTS if name in {u.within for u in shared.first}]
    if units.score == "effect_size":
        return _effect(shared, units, lists, both[1], level, seed)
    if units.score == "difference" and len(lists) == 2:
        return _difference(shared, units, lists, level, seed)
    return _mean(shared, record, units, level, seed)


def _mean(shared: Shared, record: MethodRecord, units: ScoreUnits, level: float, seed: int) -> _Facts:
    """Means of the units, or of the means of their clusters; shares where a unit succeeds or does not."""
    a, b = _values(shared.first, units), _values(shared.second, units)
    top = max(units.outcomes.values(), default=0.0)
    if top and not units.clusters and {*a, *b} <= {0.0, top}:
        found, scale = stats.paired_shares([v == top for v in a], [v == top for v in b], level), top
    else:
        found, scale = stats.paired_means(a, b, level, seed), 1.0
    name = _plural(units.clusters[0]) if units.clusters else units.name
    facts = _facts(found, name, (float(np.mean(a)), float(np.mean(b))), scale)
    if scale != 1.0 and None not in record.score_range:
        changed = float(np.mean([x != y for x, y in zip(a, b, strict=True)]))
        needed = stats.units_needed(max(changed, 0.05), 0.05)
        if needed is not None and needed > found.n:
            facts["more_units"] = needed - found.n
    return facts


def _values(shared: Sequence[UnitValue], units: ScoreUnits) -> list[float]:
    """The units' values, or the means of their clusters."""
    if not units.clusters:
        return [u.value for u in shared]
    clusters: dict[str, list[float]] = {}
    for u in shared:
        clusters.setdefault(str(u.fields[units.clusters[0]]), []).append(u.value)
    return [float(np.mean(values)) for values in clusters.values()]


def _effect(
    shared: Shared, units: ScoreUnits, lists: Sequence[str], settings: _Settings, level: float, seed: int
) -> _Facts:
    """Effect sizes over the words that both have, d = (mean over X − mean over Y) / standard deviation over both."""
    one, other = (*lists, "", "")[:2]
    ddof = int(settings.get("ddof", 1))
    kept = shared.those(lambda unit: unit.within in (one, other))

    def columns(side: Sequence[UnitValue]) -> FloatArray:
        values = np.array([u.value for u in side])
        # Centred and scaled, which changes no d and gives both measurements one scale.
        values = (values - values.mean()) / (values.std() or 1.0)
        x, y = (np.array([u.within == name for u in side], dtype=np.float64) for name in (one, other))
        return np.stack([x, y, x * values, y * values, values**2], axis=1)

    def score(totals: FloatArray) -> FloatArray:
        n_x, n_y, x, y, squares = totals.T
        variance = (squares - (x + y) ** 2 / (n_x + n_y)) / (n_x + n_y - ddof)
        return np.asarray((x / n_x - y / n_y) / np.sqrt(np.where(variance > 1e-12, variance, np.nan)))

    facts = _of_totals(kept, columns, score, units.name, level, seed)
    if units.proxy_effect_size:
        # The score is more than these values: only the test is theirs.
        return {k: facts[k] for k in ("p_value", "p_low", "p_high", "test", "n", "units")}
    return facts


def _difference(shared: Shared, units: ScoreUnits, lists: Sequence[str], level: float, seed: int) -> _Facts:
    """Means of the first list less those of the second."""
    inside = np.array([[u.within == name for name in lists] for u in shared.first], dtype=np.float64)

    def columns(side: Sequence[UnitValue]) -> FloatArray:
        values = np.array([u.value for u in side])
        # What all words have in common cancels out of the score.
        return np.concatenate([inside, inside * (values - values.mean())[:, None]], axis=1)

    def score(totals: FloatArray) -> FloatArray:
        return np.asarray(totals[:, 2] / totals[:, 0] - totals[:, 3] / totals[:, 1])

    return _of_totals(shared, columns, score, units.name, level, seed)


def _of_totals(shared: Shared, columns: Any, score: Any, name: str, level: float, seed: int) -> _Facts:
    """The test of a score of totals over the units, each in its list."""
    strata = [u.within for u in shared.first]
    return _exchanged(columns(shared.first), columns(shared.second), score, strata, name, level, seed)


def _own(shared: Shared, own: Any, units: ScoreUnits, settings: _Both, level: float, seed: int) -> _Facts:
    """A score that the method makes of totals over units or over their clusters."""
    fields = [[u.fields for u in side] for side in (shared.first, shared.second)]
    if units.one_scale:
        one, two = np.split(own.columns([*fields[0], *fields[1]], settings[0]), 2)
    else:
        one, two = (own.columns(side, its) for side, its in zip(fields, settings, strict=True))

    def score(totals: FloatArray) -> FloatArray:
        return np.asarray(own.score(totals, settings[0]))

    strata = ["\0".join(str(u.fields[key]) for key in units.strata) for u in shared.first]

    def over(name: str, places: _Places) -> _Facts:
        sides = _summed(one, places), _summed(two, places)
        clusters = ["" for _ in sides[0]]
        if len({*zip(places.tolist(), strata, strict=True)}) == len(clusters):  # clusters lie within strata
            clusters = [strata[i] for i in np.unique(places, return_index=True)[1]]
        facts = _exchanged(*sides, score, clusters, name, level, seed)
        if hasattr(own, "null_mean"):
            facts["excess"] = stats.excess_interval(
                *sides,
                lambda t: score(t) - own.null_mean(t, settings[0]),
                strata=clusters,
                level=level,
                seed=seed,
            )
        return facts

    each = (units.name, np.arange(len(shared)))
    found = [over(*clusters) for clusters in _clusterings(shared, units) or [each]]
    return found[0] if len(found) == 1 else _crossed(*found, each=over(*each), level=level)


def _crossed(one: _Facts, other: _Facts, *, each: _Facts, level: float) -> _Facts:
    """The test of units that belong together in two ways, from that over either and that of each unit."""
    facts = max(one, other, key=lambda found: float(found["p_value"]))
    kinds = f"over {one['units']} and {other['units']}"
    facts |= {
        key: stats.crossed_p(one[key], other[key], each[of_each])
        for key, of_each in (("p_value", "p_value"), ("p_low", "p_high"), ("p_high", "p_low"))
    } | {"test": f"{facts['test']}, {kinds}"}
    if not any(None in (found["low"], *found["total"]) for found in (one, other, each)):
        d, total = facts["difference"], facts["first"] + facts["second"]
        low, high = _crossed_ends(d, [(found["low"], found["high"]) for found in (one, other, each)])
        facts |= {
            "low": low,
            "high": high,
            "total": _crossed_ends(total, [found["total"] for found in (one, other, each)]),
            "interval": f"{facts['interval']}, {kinds}",
            "detectable": stats.detectable_of(low, high, level),
        }
    return facts


def _crossed_ends(estimate: float, ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The interval over two kinds of clusters, from those over either and over each unit."""
    below, above = (stats.crossed_reach(*(pair[end] - estimate for pair in ends)) for end in (0, 1))
    return estimate - below, estimate + above


_Places = np.ndarray[Any, np.dtype[np.intp]]
"""Of every unit the number of its cluster, which is exchanged as a whole."""


def _clusterings(shared: Shared, units: ScoreUnits) -> list[tuple[str, _Places]]:
    """The units by each of their kinds of clusters of which there are several, with what these are called."""
    found = []
    for key in units.clusters:
        # A unit without a cluster stands alone.
        names = [str(u.fields[key]).strip().lower() or f"\0{i}" for i, u in enumerate(shared.first)]
        places = np.unique(names, return_inverse=True)[1]
        if places.max(initial=0) > 0:
            found.append((_plural(key), places))
    return found


def _summed(columns: FloatArray, places: _Places) -> FloatArray:
    """Sums of the columns over clusters."""
    out = np.zeros((int(places.max()) + 1, *columns.shape[1:]))
    np.add.at(out, places, columns)
    return out


def _exchanged(
    one: FloatArray, two: FloatArray, score: Any, strata: Sequence[str], name: str, level: float, seed: int
) -> _Facts:
    found = stats.paired_totals(one, two, score, strata=strata, level=level, seed=seed)
    return _facts(found, name, [float(score(side.sum(axis=0)[None])[0]) for side in (one, two)])


def _plural(name: str) -> str:
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _facts(found: stats.Difference, name: str, scores: Sequence[float], scale: float = 1.0) -> _Facts:
    """Fields of a change, and the interval of the sum of both scores as ``total``."""

    ends = ("low", "high", "sum_low", "sum_high", "detectable")
    scaled = {key: None if (end := getattr(found, key)) is None else scale * end for key in ends}
    same = ("p_value", "p_low", "p_high", "test", "interval", "n")
    return {
        "first": scores[0],
        "second": scores[1],
        "difference": scale * found.difference,
        "total": (scaled.pop("sum_low"), scaled.pop("sum_high")),
        "units": name,
        **scaled,
        **{key: getattr(found, key) for key in same},
    }
