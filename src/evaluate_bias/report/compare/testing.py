"""The units that two results share, and the test of a change on them: which one it is, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ... import stats
from ...arrays import FloatArray
from ...data.schemas import WORD_LISTS
from ...errors import DataError, quoted
from ...method_record import MethodRecord
from ...result import Result, Row
from ...result.row import number
from ...units import HasNullMean, ScoreUnits, UnitFunctions
from .change import ChangeVerdict, Ties

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
    key: str = ""

    @property
    def weight(self) -> float:
        """By how much it counts in a mean."""
        return float(self.fields.get("weight", 1.0))

    def cells(self) -> list[UnitValue]:
        """The unit in each of the prompt variants in which it was asked about; nothing where it was not."""
        parts: Mapping[str, Sequence[float]] = self.fields.get("prompt_variants") or {}
        each = [dict(zip(parts, cell, strict=True)) for cell in zip(*parts.values(), strict=True)]
        return [
            replace(self, value=cell.get(self.key, self.value), fields={**self.fields, **cell})
            for cell in each
        ]


@dataclass(frozen=True, slots=True)
class SharedUnits:
    """Units of two results that are the same, in the order of the first; and how many stand in one only."""

    first: tuple[UnitValue, ...]
    second: tuple[UnitValue, ...]
    only_first: int = 0
    only_second: int = 0

    def __len__(self) -> int:
        return len(self.first)

    def where(self, is_chosen: Callable[[UnitValue], bool]) -> SharedUnits:
        """The units of which the first result says so."""
        return self.take([i for i, unit in enumerate(self.first) if is_chosen(unit)])

    def take(self, places: Sequence[int]) -> SharedUnits:
        """The units at these places."""
        return SharedUnits(tuple(self.first[i] for i in places), tuple(self.second[i] for i in places))

    def cells(self) -> SharedUnits | None:
        """Every unit in every wording, those of a unit side by side; ``None`` where these were not kept."""
        sides = [[unit.cells() for unit in side] for side in (self.first, self.second)]
        numbers = {len(cells) for side in sides for cells in side}
        if 0 in numbers or len(numbers) != 1:
            return None
        first, second = (tuple(cell for cells in side for cell in cells) for side in sides)
        return SharedUnits(first, second)

    def decided(self) -> tuple[SharedUnits, Ties]:
        """The units that decide in both measurements, and where the others tie."""
        pairs = [(a.decided, b.decided) for a, b in zip(self.first, self.second, strict=True)]
        ties = Ties(*map(pairs.count, ((False, True), (True, False), (False, False))))
        return self.take([i for i, both in enumerate(pairs) if all(both)]), ties


def units_of(source: Result | Row, units: ScoreUnits) -> dict[_Key, UnitValue]:
    """Return the units of a result whose units are its items, or of a row of kind ``"test"``, by what they are.

    A unit is known by its name and by what is no outcome: its list, its clusters, its strata and what else it is.

    Raises:
        DataError: a unit's value is missing or no number, or two units have one name.
    """
    values: dict[_Key, UnitValue] = {}
    for fields, labels in _entries(source, units):
        name, raw = fields["name"], fields.get(units.value)
        by_rule = units.score == "function"
        if raw is None and (by_rule or isinstance(source, Row)):
            continue  # rows that are no units, and words that have no value of their own
        value = (
            0.0 if by_rule else units.outcomes.get(raw) if isinstance(raw, str) else number(raw, units.value)
        )
        own_kind = (*units.clusters, *units.strata)
        absent = [key for key in (units.value, *own_kind) if key not in fields]
        if absent:
            raise DataError(
                f"item {quoted(name)} has no {absent[0]}", hint="measure again to test the change"
            )
        if value is None:
            raise DataError(f"item {quoted(name)} has no {units.value} that counts: it cannot be compared")
        within = str(fields["list"]) if units.list else ""
        if units.lists and within not in units.lists:
            continue
        key = (within, name, *(str(fields.get(k, "")) for k in (*own_kind, *units.same)))
        if key in values:
            raise DataError(f"two items are named {quoted(name)}", hint="give each a name to compare them by")
        decided = not units.tie or raw != units.tie
        values[key] = UnitValue(float(value), within, frozenset(labels), decided, fields, units.value)
    return values


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


def shared_units(one: Result | Row, two: Result | Row, units: ScoreUnits) -> SharedUnits:
    """Return the units that both have, in the order of the first.

    Raises:
        DataError: see :func:`units_of`.
    """
    first, second = units_of(one, units), units_of(two, units)
    names = [name for name in first if name in second]
    both = tuple(first[name] for name in names), tuple(second[name] for name in names)
    return SharedUnits(*both, len(first) - len(names), len(second) - len(names))


def tested(
    shared: SharedUnits,
    record: MethodRecord,
    units: ScoreUnits,
    both: _Both,
    confidence_level: float,
    seed: int,
) -> _Facts:
    """Both scores on the shared units and the test of their difference, as fields of a change.

    Units that were asked about in several prompt variants are tested over their clusters and these prompt variants,
    those in two kinds of clusters over both. Else the two measurements of every cluster, or of every unit, are
    exchanged.

    Raises:
        UndefinedScoreError: a score is undefined on these units.
    """
    if units.score == "effect_size":
        lists = _lists(shared)
        shared = shared.where(lambda unit: unit.within in lists)
    clusterings = _clusterings(shared, units)
    cells = shared.cells() or (shared if len(clusterings) == 2 else None)
    if cells is not None:
        # Units that belong together in two ways, or units in several prompt variants.
        one, two, score = _totals(cells, record, units, both)
        ways = len(cells) // len(shared)
        (name, rows), *second = clusterings or [(units.name, np.arange(len(shared)))]
        columns = second[0][1] if second else np.tile(np.arange(ways), len(shared))
        difference = stats.paired_cells(one, two, score, np.repeat(rows, ways), columns, confidence_level)
        facts, fewest = _facts(difference, name, one, two, score), stats.FEWEST_UNITS
    else:
        facts, fewest = _of_units(shared, record, units, both, confidence_level, seed), stats.FEWEST_FLIPS
    if facts["n"] >= fewest:
        return facts
    if [u.fields for u in shared.first] == [u.fields for u in shared.second]:
        facts |= {"verdict": ChangeVerdict.SAME}
    else:
        why = f"With fewer than {fewest} {facts['items']} in both, no p-value can show a change."
        facts |= {"verdict": ChangeVerdict.TOO_FEW, "reason": why}
    facts |= dict.fromkeys(("p_value", "p_error", "detectable"))
    # So few clusters say too little of their spread for an interval of Student's.
    return facts | (
        {} if cells is None else {"low": None, "high": None, "total": (None, None), "interval": ""}
    )


def _of_units(
    shared: SharedUnits,
    record: MethodRecord,
    units: ScoreUnits,
    both: _Both,
    confidence_level: float,
    seed: int,
) -> _Facts:
    """The test that exchanges the two measurements of units or of their clusters."""
    means = units.score == "mean" and not units.clusters
    if (
        units.score == "mean_of_clusters"
        or means
        or (units.score == "difference" and len(_lists(shared)) < 2)
    ):
        return _mean(shared, record, units, confidence_level, seed)
    one, two, score = _totals(shared, record, units, both)
    functions = _functions(record, units)
    null_mean = functions.null_mean if isinstance(functions, HasNullMean) else None
    by_list = functions is None
    less_mean = units.less_mean or units.score == "difference"  # see _sums
    strata = [
        u.within if by_list else "\0".join(str(u.fields[k]) for k in units.strata) for u in shared.first
    ]

    name, places = next(iter(_clusterings(shared, units)), (units.name, np.arange(len(shared))))
    sides = _summed(one, places), _summed(two, places)
    clusters = ["" for _ in sides[0]]
    if len({*zip(places.tolist(), strata, strict=True)}) == len(clusters):  # clusters lie within strata
        clusters = [strata[i] for i in np.unique(places, return_index=True)[1]]
    difference = stats.paired_totals(
        *sides, score, strata=clusters, less_mean=less_mean, confidence_level=confidence_level, seed=seed
    )
    facts = _facts(difference, name, *sides, score)
    if null_mean is not None:
        facts["excess"] = stats.excess_interval(
            *sides,
            lambda t: score(t) - null_mean(t, both[0]),
            strata=clusters,
            confidence_level=confidence_level,
            seed=seed,
        )
    if units.proxy_effect_size:
        # The score is more than these values: only the test is theirs.
        return {k: facts[k] for k in ("p_value", "p_error", "test", "n", "items")}
    return facts


def _mean(
    shared: SharedUnits, record: MethodRecord, units: ScoreUnits, confidence_level: float, seed: int
) -> _Facts:
    """Means of the units, or of the means of their clusters; shares where a unit succeeds or does not."""
    a, b = _values(shared.first, units), _values(shared.second, units)
    top = max(units.outcomes.values(), default=0.0)
    if top and not units.clusters and {*a, *b} <= {0.0, top}:
        difference, scale = (
            stats.paired_shares([v == top for v in a], [v == top for v in b], confidence_level),
            top,
        )
    else:
        difference, scale = stats.paired_means(a, b, confidence_level, seed), 1.0
    name = _plural(units.clusters[0]) if units.clusters else units.name
    facts = _scaled(difference, name, (float(np.mean(a)), float(np.mean(b))), scale)
    if scale != 1.0 and None not in record.score_range:
        changed = float(np.mean([x != y for x, y in zip(a, b, strict=True)]))
        needed = stats.units_needed(max(changed, 0.05), 0.05)
        if needed is not None and needed > difference.n:
            facts["more_items"] = needed - difference.n
    return facts


def _values(shared: Sequence[UnitValue], units: ScoreUnits) -> list[float]:
    """The units' values, or the means of their clusters."""
    if not units.clusters:
        return [u.value for u in shared]
    clusters: dict[str, list[float]] = {}
    for u in shared:
        clusters.setdefault(str(u.fields[units.clusters[0]]), []).append(u.value)
    return [float(np.mean(values)) for values in clusters.values()]


def _functions(record: MethodRecord, units: ScoreUnits) -> UnitFunctions | None:
    return record.unit_functions() if units.score == "function" else None


def _lists(shared: SharedUnits) -> list[str]:
    """The word lists whose words are units, two at most."""
    return [name for name in WORD_LISTS if name in {u.within for u in shared.first}][:2]


_Score = Callable[[FloatArray], FloatArray]


def _totals(
    shared: SharedUnits, record: MethodRecord, units: ScoreUnits, both: _Both
) -> tuple[FloatArray, FloatArray, _Score]:
    """What every unit adds to totals in both measurements, and the score of totals."""
    if (functions := _functions(record, units)) is not None:
        fields = [[u.fields for u in side] for side in (shared.first, shared.second)]
        if units.one_scale:
            one, two = np.split(functions.columns([*fields[0], *fields[1]], both[0]), 2)
        else:
            one, two = (functions.columns(side, its) for side, its in zip(fields, both, strict=True))
        return one, two, lambda totals: np.asarray(functions.score(totals, both[0]))
    lists, score = _lists(shared), _ratio
    if units.score == "difference" and len(lists) == 2:
        score = _difference
    is_effect = units.score == "effect_size"
    one, two = (
        (_effect_columns if is_effect else _sums)(side, lists) for side in (shared.first, shared.second)
    )
    return one, two, partial(_effect_size, ddof=int(both[1].get("ddof", 1))) if is_effect else score


def _sums(side: Sequence[UnitValue], lists: Sequence[str]) -> FloatArray:
    """Weights and weighted values of every unit, of each list apart; shape (n, 2) or (n, 4)."""
    weights, values = np.array([[u.weight, u.value] for u in side]).T
    if len(lists) < 2:
        return np.stack([weights, values], axis=1)
    # What all words have in common cancels out of a difference.
    values = values - weights * values.sum() / weights.sum()
    inside = np.array([[u.within == name for name in lists] for u in side], dtype=np.float64)
    return np.concatenate([inside * weights[:, None], inside * values[:, None]], axis=1)


def _ratio(totals: FloatArray) -> FloatArray:
    return np.asarray(totals[:, 1] / totals[:, 0])


def _difference(totals: FloatArray) -> FloatArray:
    return np.asarray(totals[:, 2] / totals[:, 0] - totals[:, 3] / totals[:, 1])


def _effect_columns(side: Sequence[UnitValue], lists: Sequence[str]) -> FloatArray:
    one, other = (*lists, "", "")[:2]
    values = np.array([u.value for u in side])
    # Centred and scaled, which changes no d and gives both measurements one scale.
    values = (values - values.mean()) / (values.std() or 1.0)
    x, y = (np.array([u.within == name for u in side], dtype=np.float64) for name in (one, other))
    return np.stack([x, y, x * values, y * values, values**2], axis=1)


def _effect_size(totals: FloatArray, ddof: int) -> FloatArray:
    """d = (mean over X − mean over Y) / standard deviation over both."""
    n_x, n_y, x, y, squares = totals.T
    variance = (squares - (x + y) ** 2 / (n_x + n_y)) / (n_x + n_y - ddof)
    return np.asarray((x / n_x - y / n_y) / np.sqrt(np.where(variance > 1e-12, variance, np.nan)))


_Places = np.ndarray[Any, np.dtype[np.intp]]
"""Of every unit the number of its cluster, which is exchanged as a whole."""


def _clusterings(shared: SharedUnits, units: ScoreUnits) -> list[tuple[str, _Places]]:
    """The units by their kinds of clusters, with what these are called.

    Of two kinds one that has a single cluster says nothing; a single cluster of all units is one thing to exchange.
    """
    clusterings = []
    for key in units.clusters:
        # A unit without a cluster stands alone.
        names = [str(u.fields[key]).strip().lower() or f"\0{i}" for i, u in enumerate(shared.first)]
        clusterings.append((_plural(key), np.unique(names, return_inverse=True)[1]))
    return [one for one in clusterings if one[1].max(initial=0) > 0] or clusterings[:1]


def _summed(columns: FloatArray, places: _Places) -> FloatArray:
    """Sums of the columns over clusters."""
    out = np.zeros((int(places.max()) + 1, *columns.shape[1:]))
    np.add.at(out, places, columns)
    return out


def _plural(name: str) -> str:
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _facts(
    difference: stats.Difference, name: str, one: FloatArray, two: FloatArray, score: _Score
) -> _Facts:
    """Fields of a change in a score of totals."""
    return _scaled(difference, name, [float(score(side.sum(axis=0)[None])[0]) for side in (one, two)])


def _scaled(difference: stats.Difference, name: str, scores: Sequence[float], scale: float = 1.0) -> _Facts:
    """Fields of a change, and the interval of the sum of both scores as ``total``."""

    ends = ("low", "high", "sum_low", "sum_high", "detectable")
    scaled = {key: None if (end := getattr(difference, key)) is None else scale * end for key in ends}
    same = ("p_value", "p_error", "test", "interval", "n")
    return {
        "first": scores[0],
        "second": scores[1],
        "difference": scale * difference.difference,
        "total": (scaled.pop("sum_low"), scaled.pop("sum_high")),
        "items": name,
        **scaled,
        **{key: getattr(difference, key) for key in same},
    }
