"""The items that two results share, and the test of a change on them: which one it is, and what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ... import stats
from ...arrays import FloatArray
from ...data.word_lists import WORD_LISTS
from ...errors import DataError, quoted
from ...method_record import HasNullMean, MethodRecord, ScoreUnits, SelectsUnits
from ...methods.item_scores import (
    difference_columns,
    difference_of_means,
    effect_size,
    effect_size_columns,
    mean,
)
from ...methods.rows import find_repeats
from ...result import Result, Row, Sampled, number
from .change import ChangeConclusion


class Item(NamedTuple):
    """One item of a result.

    Attributes:
        value: what counts for the score.
        within: the word list that it belongs to, empty for other items.
        decided: whether it is not a tie.
        labels: texts that say which rows it belongs to.
        fields: its labels and details, with ``name``, ``score`` and ``n``.
    """

    value: float
    within: str
    decided: bool
    labels: frozenset[str]
    fields: Mapping[str, Any]


_SAME = 1e-10
"""Numbers of an item that differ by less, relative to the largest of their kind, come from rounding."""

SharedItems = Sequence[tuple[Item, Item]]
"""Items that two results share, in the order of the first, as each of the two has them."""


def items_of(
    source: Result | Row, units: ScoreUnits, *, by_content: bool = False
) -> dict[tuple[str, ...], Item]:
    """Return the items of a result, or the words of a row of kind ``"test"``, by what they are.

    An item is identified by its name and by what is not an outcome: its list, clusters, strata and other properties.
    With ``by_content`` its texts replace the name, and items with the same texts are numbered.

    Raises:
        DataError: an item's value is missing or no number, or two items have one name.
    """
    items: dict[tuple[str, ...], Item] = {}
    own_kind = (*units.clusters, *units.strata)
    of_content: Counter[tuple[str, ...]] = Counter()
    for fields, labels in _items(source, units):
        name, raw = fields["name"], fields.get(units.value)
        if absent := [key for key in (units.value, *units.clusters) if key not in fields]:
            raise DataError(
                f"item {quoted(name)} has no {absent[0]}", hint="measure again to test the change"
            )
        value: float | None = 0.0
        if units.score != "function":
            value = units.outcomes.get(raw) if isinstance(raw, str) else number(raw, units.value)
        if value is None:
            raise DataError(f"item {quoted(name)} has no {units.value} that counts: it cannot be compared")
        within = str(fields["list"]) if units.list else ""
        if units.lists and within not in units.lists:
            continue
        key = (within, name, *(str(fields.get(k, "")) for k in (*own_kind, *units.same)))
        if by_content:
            key = (within, str(fields[units.content]), *key[2:])
            of_content[key] += 1
            key = (*key, str(of_content[key]))
        if key in items:
            raise DataError(f"two items are named {quoted(name)}", hint="give each a name to compare them by")
        decided = not units.tie or raw != units.tie
        items[key] = Item(float(value), within, decided, labels, fields)
    return items


def _items(source: Result | Row, units: ScoreUnits) -> Iterator[tuple[Mapping[str, Any], frozenset[str]]]:
    """Yield the fields and labels of the entries that are items, and not words without a value of their own."""
    optional = units.score == "function" or isinstance(source, Row)
    return (
        entry for entry in _entries(source, units) if not (optional and entry[0].get(units.value) is None)
    )


def _entries(source: Result | Row, units: ScoreUnits) -> Iterator[tuple[Mapping[str, Any], frozenset[str]]]:
    """Yield the fields and labels of every item."""
    if isinstance(source, Row):
        for key in ("words", "attributes") if units.lists else (units.list,):
            listed = source.details.get(key, ())
            for entry in listed if isinstance(listed, Sequence) else ():
                if isinstance(entry, Mapping) and isinstance(entry.get("word"), str):
                    yield {**entry, "name": entry["word"], "list": entry.get("list", "")}, frozenset()
        return
    for row in source.rows_of("item"):
        fields = {**row.labels, **row.details, "name": row.name, "score": row.score, "n": row.n}
        yield fields, frozenset(row.labels.values())


def shared_items(
    one: Result | Row, two: Result | Row, units: ScoreUnits, title: str, notes: list[str]
) -> SharedItems:
    """Return the items that both have. A note says how many appear in only one.

    Raises:
        DataError: see :func:`items_of`.
    """
    by_content = bool(units.content) and all(
        fields.get(units.content) for side in (one, two) for fields, _ in _items(side, units)
    )
    first, second = (items_of(side, units, by_content=by_content) for side in (one, two))
    numbered = first and second and all(item.fields["name"].isdigit() for item in first.values())
    if numbered and not by_content and not units.list:
        _check_numbers(first, second)
        notes.append(
            f"{title}: {units.name} are matched by their numbers, because the results contain no texts. Their rows "
            "must have ids, or be in the same order"
        )
    shared = [(item, second[key]) for key, item in first.items() if key in second]
    only = len(first) - len(shared), len(second) - len(shared)
    if shared and any(only):
        notes.append(
            f"{title}: {len(shared)} {units.name} are in both. {only[0]} are in the first only and {only[1]} in the "
            "second only, and these are not compared"
        )
    return shared


def same_score(
    rows: tuple[Row, Row],
    items: tuple[SharedItems, SharedItems],
    record: MethodRecord,
    settings: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> bool:
    """True if the options of both results make one score of the same items, for a score that is the method's function.

    Args:
        rows: the two rows that are compared.
        items: all items that the two results share, and those of the first row.
        record: the method.
        settings: of both results.
    """
    functions, (shared, chosen) = record.unit_functions(), items
    if settings[0] == settings[1]:
        return True
    try:
        if isinstance(functions, SelectsUnits) and any(
            functions.in_row(one.fields, rows[0], settings[0])
            != functions.in_row(one.fields, rows[1], settings[1])
            for one, _ in shared
        ):
            return False
        for side in zip(*chosen, strict=True):
            fields = [item.fields for item in side]
            columns = [functions.columns(fields, s) for s in settings]
            with np.errstate(all="ignore"):
                scores = [
                    functions.score(c.sum(axis=0)[None], s) for c, s in zip(columns, settings, strict=True)
                ]
            for one, two in (columns, scores):
                if one.shape != two.shape or not np.allclose(one, two, rtol=1e-9, atol=1e-12, equal_nan=True):
                    return False
    except KeyError:  # an option names what the items of the other result do not have
        return False
    return True


def _check_numbers(first: Mapping[tuple[str, ...], Item], second: Mapping[tuple[str, ...], Item]) -> None:
    """Check that items of the same number are of the same kind.

    Raises:
        DataError: one is not, so that the rows are in another order.
    """
    by_name: list[dict[str, list[tuple[str, ...]]]] = [{}, {}]
    for items, of_name in zip((first, second), by_name, strict=True):
        for key, item in items.items():
            kind = (*key[2:], *sorted(item.labels - {*key[2:]}))
            of_name.setdefault(item.fields["name"], []).append(tuple(filter(None, kind)))
    for name, one in by_name[0].items():
        two = by_name[1].get(name, [])
        if len(one) == len(two) == 1 and one != two:
            kinds = " and ".join(quoted(", ".join(kind)) for (kind,) in (one, two))
            raise DataError(
                f"item {quoted(name)} is {kinds} in the two, so items cannot be matched by their numbers",
                hint="give every row an id",
            )


def run_test(
    items: SharedItems,
    record: MethodRecord,
    units: ScoreUnits,
    settings: tuple[Mapping[str, Any], Mapping[str, Any]],
    confidence_level: float,
    seed: int,
    sampled: Sampled | None,
) -> tuple[dict[str, Any], stats.Difference | None]:
    """Return both scores on the shared items and the test of their difference, as fields of a change.

    Items in two kinds of clusters that cross are tested over both, items that were asked about in several prompt
    variants over their clusters and these. Else the two measurements of every cluster, or of every item, are exchanged.
    Of the kinds of clusters those count that ``sampled`` draws, without it all.

    Returns:
        The fields and the difference, which is ``None`` if the score is more than a function of the items.

    Raises:
        UndefinedScoreError: a score is undefined on these items.
    """
    if units.score == "effect_size":
        lists = _lists(items)
        items = [pair for pair in items if pair[0].within in lists]
    fields = [one.fields for one, _ in items]
    clusterings = _clusterings(fields, units, sampled) or _repeated(fields, units)
    name, places = clusterings[0] if clusterings else (units.name, np.arange(len(items)))
    strata = [one.within for one, _ in items]
    if units.strata or units.score == "function":
        strata = ["\0".join(str(item.get(key, "")) for key in units.strata) for item in fields]
    lie_within = len({*zip(places.tolist(), strata, strict=True)}) == len({*places.tolist()})
    cells = items if len(clusterings) == 2 else _by_prompt_variant(items, units.value)
    fewest = stats.FEWEST_FLIPS if cells is None else stats.FEWEST_UNITS
    if cells is None and (
        units.score == "mean_of_clusters"
        or (units.score == "mean" and not units.clusters and not clusterings)
        or (units.score == "difference" and len(_lists(items)) < 2)
    ):
        sides = np.array([[one.value, two.value] for one, two in items]).T
        a, b = (np.bincount(places, values) / np.bincount(places) for values in sides)
        scores = float(np.mean(a)), float(np.mean(b))
        top = max(units.outcomes.values(), default=0.0)
        if top and not units.clusters and {*a, *b} <= {0.0, top}:
            difference = stats.paired_shares(a == top, b == top, confidence_level, top)
        else:
            difference = stats.paired_means(a, b, confidence_level, seed)
    else:
        one, two, score = _totals(cells or items, record, units, settings)
        ways = len(cells or items) // len(items)
        across = clusterings[1][1] if len(clusterings) == 2 else np.tile(np.arange(ways), len(items))
        first, second = (
            stats.Items.of(side, np.repeat(places, ways), np.repeat(strata, ways), across)
            for side in (one, two)
        )
        functions = record.unit_functions() if units.score == "function" else None
        null_mean = None
        if isinstance(functions, HasNullMean):
            null_mean = partial(functions.null_mean, settings=settings[0])
        difference = stats.change(
            first,
            second,
            score,
            crosses=cells is not None,
            strata=lie_within and ways == 1,
            # What all words have in common was taken from them, see difference_columns and effect_size_columns.
            less_mean=units.less_mean or units.score in ("difference", "effect_size"),
            null_mean=null_mean,
            confidence_level=confidence_level,
            seed=seed,
        )
        scores, sides = (first.value(score), second.value(score)), np.stack([one, two])
    declared: dict[str, Any] = {}
    if (
        len(clusterings) == 2
        and sampled
        and (n := len(set(clusterings[1][1].tolist()))) < stats.FEWEST_COLUMNS
    ):
        # With so few of them in both results, they count as fixed, see crossed_error.
        crossing = clusterings[1][0]
        others = tuple(kind for kind in sampled.clusters if kind != crossing)
        declared = {"sampled": Sampled(others, {**sampled.fixed, crossing: n})}
    facts: dict[str, Any] = (
        {key: getattr(difference, key) for key in ("p_value", "p_error", "test", "n")}
        | {"items": name, "unchanged": _are_same(*sides)}
        | declared
    )
    if not units.proxy_effect_size:  # Else only the test is about these values.
        facts |= {
            key: getattr(difference, key) for key in ("difference", "low", "high", "interval", "excess")
        }
        facts |= {"first": scores[0], "second": scores[1]}
    if difference.n < fewest:
        facts |= {
            "p_value": None,
            "p_error": None,
            "conclusion": ChangeConclusion.NOT_SIGNIFICANT,
        }
        if not facts["unchanged"]:
            why = f"With fewer than {fewest} {name} in both, no p-value can show a change."
            facts |= {"conclusion": ChangeConclusion.TOO_FEW, "reason": why}
        if cells is not None:  # So few clusters say too little of their spread for an interval of Student's.
            facts |= {"low": None, "high": None, "interval": ""}
    return facts, None if units.proxy_effect_size else difference


def _are_same(one: FloatArray, two: FloatArray) -> bool:
    """True if the numbers of all items, shape (n, …), are the same in both measurements."""
    largest = np.abs([one, two]).max(axis=(0, 1))
    return bool((np.abs(two - one) <= _SAME * largest).all())


def _clusterings(
    fields: Sequence[Mapping[str, Any]], units: ScoreUnits, sampled: Sampled | None
) -> list[tuple[str, np.ndarray[Any, np.dtype[np.intp]]]]:
    """Return the kinds of clusters that are drawn: their name, and of every item the number of its cluster.

    A kind that the declaration names in other words, and does not take as given, is drawn rather than passed over.
    """
    kinds, unnamed = [], []
    for key in units.clusters:
        name = f"{key[:-1]}ies" if key.endswith("y") else f"{key}s"
        # An item without a cluster is its own cluster.
        names = [str(item[key]).strip().lower() or f"\0{i}" for i, item in enumerate(fields)]
        kind = name, np.unique(names, return_inverse=True)[1]
        if sampled is None or sampled.draws(key):
            kinds.append(kind)
        elif name not in sampled.fixed and 1 < len({*names}) < len(names):
            unnamed.append(kind)
    # With two kinds of clusters, a kind with a single cluster says nothing. If there is only one cluster in all, it is
    # exchanged.
    return [kind for kind in kinds if kind[1].max(initial=0) > 0] or kinds[:1] or unnamed


def _repeated(
    fields: Sequence[Mapping[str, Any]], units: ScoreUnits
) -> list[tuple[str, np.ndarray[Any, np.dtype[np.intp]]]]:
    """Return items with the same texts as clusters, if so many repeat another that the results count these once."""
    if not units.content or not all(item.get(units.content) for item in fields):
        return []
    kinds = find_repeats(
        [tuple(str(item.get(k, "")) for k in (units.content, *units.strata)) for item in fields], ""
    ).kinds
    return [(units.name, kinds)] if kinds.max() + 1 < len(fields) else []


def _by_prompt_variant(items: SharedItems, key: str) -> SharedItems | None:
    """Return every item in every prompt variant, grouped by item. Return ``None`` if prompt variants were not kept.

    What a prompt variant adds to the value and to other numbers of an item is under their keys.
    """

    def cells(item: Item) -> list[Item]:
        parts: Mapping[str, Sequence[float]] = item.fields.get("prompt_variants") or {}
        each = [dict(zip(parts, cell, strict=True)) for cell in zip(*parts.values(), strict=True)]
        return [
            item._replace(value=cell.get(key, item.value), fields={**item.fields, **cell}) for cell in each
        ]

    both = [(cells(one), cells(two)) for one, two in items]
    numbers = {len(side) for pair in both for side in pair}
    if 0 in numbers or len(numbers) != 1:
        return None
    return [cell for pair in both for cell in zip(*pair, strict=True)]


def _lists(items: SharedItems) -> list[str]:
    """Return the word lists whose words are items, two at most."""
    return [name for name in WORD_LISTS if name in {one.within for one, _ in items}][:2]


def _totals(
    items: SharedItems,
    record: MethodRecord,
    units: ScoreUnits,
    settings: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> tuple[FloatArray, FloatArray, Callable[[FloatArray], FloatArray]]:
    """Return what every item adds to totals in both measurements, and the score of totals."""
    sides = list(zip(*items, strict=True))
    if units.score == "function":
        functions = record.unit_functions()
        fields = [[item.fields for item in side] for side in sides]
        if units.one_scale:
            one, two = np.split(functions.columns([*fields[0], *fields[1]], settings[0]), 2)
        else:
            one, two = (functions.columns(fields[k], settings[k]) for k in (0, 1))
        return one, two, lambda totals: np.asarray(functions.score(totals, settings[0]))
    lists = [*_lists(items), "", ""][:2]
    values = np.array([[item.value for item in side] for side in sides])
    weights = np.array(
        [[item.fields.get("weight", 1.0) for item in side] for side in sides], dtype=np.float64
    )
    inside = np.array([[item.within == name for name in lists] for item in sides[0]], dtype=np.float64)
    if units.score == "effect_size":
        one, two = (effect_size_columns(side, inside) for side in values)
        return one, two, partial(effect_size, ddof=int(settings[1].get("ddof", 1)))
    if units.score == "difference" and lists[1]:
        one, two = (difference_columns(*side, inside) for side in zip(values, weights, strict=True))
        return one, two, difference_of_means
    one, two = np.stack([weights, values], axis=2)
    return one, two, mean
