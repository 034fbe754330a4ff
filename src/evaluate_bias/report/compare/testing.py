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
from ...result import Result, Row, Sampled
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
    sampled: Sampled | None,
) -> tuple[_Facts, stats.Difference | None]:
    """Both scores on the shared units and the test of their difference, as fields of a change.

    Units that were asked about in several prompt variants are tested over their clusters and these prompt variants,
    those in two kinds of clusters over both. Else the two measurements of every cluster, or of every unit, are
    exchanged. Of the kinds of clusters those count that ``sampled`` draws, without it all.

    Raises:
        UndefinedScoreError: a score is undefined on these units.
    """
    if units.score == "effect_size":
        lists = _lists(shared)
        shared = shared.where(lambda unit: unit.within in lists)
    clusterings = _clusterings(shared, units, sampled)
    cells = shared if len(clusterings) == 2 else shared.cells()
    excess = None
    if cells is not None:
        # Units that belong together in two ways, or units in several prompt variants.
        one, two, score = _totals(cells, record, units, both)
        ways = len(cells) // len(shared)
        (name, rows), *second = clusterings or [(units.name, np.arange(len(shared)))]
        columns = second[0][1] if second else np.tile(np.arange(ways), len(shared))
        strata = _strata(shared, units)
        is_nested = second and len({*zip(rows.tolist(), strata, strict=True)}) == rows.max(initial=-1) + 1
        difference = stats.paired_cells(
            one, two, score, np.repeat(rows, ways), columns, confidence_level, strata if is_nested else None
        )
        scores: Sequence[float] = _scores(one, two, score)
        fewest = stats.FEWEST_UNITS
    else:
        scores, difference, name, excess = _of_units(
            shared, record, units, clusterings, both, confidence_level, seed
        )
        fewest = stats.FEWEST_FLIPS
    facts = {key: getattr(difference, key) for key in ("p_value", "p_error", "test", "n")} | {"items": name}
    if not units.proxy_effect_size:  # Else the score is more than these values, and only the test is theirs.
        facts |= {key: getattr(difference, key) for key in ("difference", "low", "high", "interval")}
        facts |= {"first": scores[0], "second": scores[1], "excess": excess}
    if difference.n < fewest:
        if [u.fields for u in shared.first] == [u.fields for u in shared.second]:
            facts |= {"verdict": ChangeVerdict.SAME}
        else:
            why = f"With fewer than {fewest} {name} in both, no p-value can show a change."
            facts |= {"verdict": ChangeVerdict.TOO_FEW, "reason": why}
        facts |= {"p_value": None, "p_error": None}
        if cells is not None:  # So few clusters say too little of their spread for an interval of Student's.
            facts |= {"low": None, "high": None, "interval": ""}
    return facts, None if units.proxy_effect_size else difference


def _of_units(
    shared: SharedUnits,
    record: MethodRecord,
    units: ScoreUnits,
    clusterings: Sequence[tuple[str, _Places]],
    both: _Both,
    confidence_level: float,
    seed: int,
) -> tuple[Sequence[float], stats.Difference, str, tuple[float, float] | None]:
    """Both scores, the test that exchanges the two measurements of units or of their clusters, and the name of these.

    Of a score whose ideal value is a mean under chance, also the interval of the change of what exceeds it.
    """
    name, places = next(iter(clusterings), (units.name, np.arange(len(shared))))
    if (
        units.score == "mean_of_clusters"
        or (units.score == "mean" and not units.clusters)
        or (units.score == "difference" and len(_lists(shared)) < 2)
    ):
        a, b = (_values(side, units) for side in (shared.first, shared.second))
        scores = float(np.mean(a)), float(np.mean(b))
        top = max(units.outcomes.values(), default=0.0)
        if top and not units.clusters and {*a, *b} <= {0.0, top}:
            one, two = ([v == top for v in side] for side in (a, b))
            return scores, stats.paired_shares(one, two, confidence_level, top), name, None
        return scores, stats.paired_means(a, b, confidence_level, seed), name, None
    first, second, score = _totals(shared, record, units, both)
    functions = _functions(record, units)
    sides, strata = (_summed(first, places), _summed(second, places)), _strata(shared, units)
    clusters = [""] * len(sides[0])
    if len({*zip(places.tolist(), strata, strict=True)}) == len(clusters):  # clusters lie within strata
        clusters = [strata[i] for i in np.unique(places, return_index=True)[1]]
    resampling: dict[str, Any] = {"strata": clusters, "confidence_level": confidence_level, "seed": seed}
    # What all words have in common was taken from a difference, see _sums.
    less_mean = units.less_mean or units.score == "difference"
    difference = stats.paired_totals(*sides, score, less_mean=less_mean, **resampling)
    excess = None
    if isinstance(functions, HasNullMean):
        null_mean = functions.null_mean
        excess = stats.excess_interval(*sides, lambda t: score(t) - null_mean(t, both[0]), **resampling)
    return _scores(*sides, score), difference, name, excess


def _strata(shared: SharedUnits, units: ScoreUnits) -> list[str]:
    """Of every unit what is no outcome: what the record names, or the word list that it is of."""
    if not units.strata and units.score != "function":
        return [unit.within for unit in shared.first]
    return ["\0".join(str(unit.fields[key]) for key in units.strata) for unit in shared.first]


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


def _clusterings(
    shared: SharedUnits, units: ScoreUnits, sampled: Sampled | None
) -> list[tuple[str, _Places]]:
    """The units by the kinds of clusters that are drawn, with what these are called.

    Of two kinds one that has a single cluster says nothing; a single cluster of all units is one thing to exchange.
    """
    clusterings = []
    for key in units.clusters:
        if sampled is not None and not sampled.draws(key):
            continue
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


def _scores(one: FloatArray, two: FloatArray, score: _Score) -> list[float]:
    """Both scores of totals."""
    return [float(score(side.sum(axis=0)[None])[0]) for side in (one, two)]
