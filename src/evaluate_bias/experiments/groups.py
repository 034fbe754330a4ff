"""More than two groups, and intersections of groups: every pair with a method, and one test of all together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, Literal, TypeAlias

import numpy as np

from ..api import measure
from ..errors import InputError, UnknownNameError, bad_option, check_whole, quoted, wrap_external_errors
from ..options import checked_options
from ..registry import METHODS, MethodRecord, get_method
from ..result import Result, Row, format_p
from ..stats import effect_size, largest_effect_test, sampled_p
from ..text import name_list, stable_order

Role: TypeAlias = Literal["targets", "attributes"]
"""Which two lists of a method the words of two groups become."""

_LISTS: Mapping[str, tuple[str, str]] = {
    "targets": ("targets_x", "targets_y"),
    "attributes": ("attributes_a", "attributes_b"),
}


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """What a method says of every pair of groups, and of all groups together.

    Attributes:
        method: name of the method.
        groups: number of words of each group that were measured.
        pairs: a row for every pair, called "first / second", with its score, interval, p-value and the p-value adjusted
            after Holm over the pairs, as the method gives them.
        statistic: the largest distance of a pair's score from the method's ideal value.
        strongest: name of that pair.
        p_value: share of the relabellings whose largest distance is as large. ``None`` without an omnibus
            test.
        p_error: its Monte Carlo error.
        null_mean: mean of the largest distance over the relabellings: what it is without any bias.
        n_resamples: number of relabellings.
        result: the measurement of the pairs, with settings, provenance and what was omitted.
    """

    method: str
    groups: Mapping[str, int]
    pairs: tuple[Row, ...]
    statistic: float
    strongest: str
    p_value: float | None
    p_error: float | None
    null_mean: float | None
    n_resamples: int
    result: Result

    def __str__(self) -> str:
        lines = [
            f"{self.method}, {len(self.groups)} groups, strongest: {self.strongest} ({self.statistic:.4f})"
        ]
        if self.p_value is not None:
            lines[0] += f"  {format_p(self.p_value, self.p_error or 0.0)} for all groups together"
        for row in self.pairs:
            parts = [f"  {row.name} = " + ("not defined" if row.score is None else f"{row.score:.4f}")]
            if row.ci_low is not None and row.ci_high is not None:
                parts.append(
                    f"[{100 * self.result.confidence_level:g}% CI {row.ci_low:.4f}, {row.ci_high:.4f}]"
                )
            if row.p_holm is not None:
                parts.append(f"p (Holm) = {row.p_holm:.4g}")
            lines.append("  ".join(parts))
        return "\n".join(lines)


def pairwise(
    method: str,
    model: Any,
    groups: Mapping[str, Sequence[str]],
    *,
    role: Role = "targets",
    omnibus_resamples: int = 999,
    seed: int = 0,
    **lists_and_options: Any,
) -> GroupComparison:
    """Compare every pair of several groups with a method on word lists, and test all groups at once.

    The omnibus test asks whether it matters at all to which group a word belongs: the words of all groups are dealt out
    again to groups of the same sizes, every pair is scored again, and the largest distance of a score from
    the method's ideal value is compared with the observed one. It holds for any number of groups of any
    sizes. A pair's own p-value is to be read adjusted for the number of pairs (``p_holm``). If a score is the effect
    size of associations that every word has on its own, as the targets of WEAT do, the associations are dealt out
    (:func:`evaluate_bias.stats.largest_effect_test`), which takes no time. For other scores, every relabelling is a
    measurement of all pairs.

    Args:
        method: a method on lists of words, such as ``"weat"``, ``"rnd"`` or ``"ect"``, not one whose lists
            are pairs.
        model: anything :func:`evaluate_bias.load_model` accepts.
        groups: two groups or more, words by name. No word belongs to two. :func:`intersect` makes groups of
            several properties.
        role: ``"targets"``: the words of two groups are the two target lists. ``"attributes"``: the attribute
            lists.
        omnibus_resamples: number of relabellings, 0 for no omnibus test.
        seed: of the relabellings and of whatever the method draws.
        lists_and_options: the method's other lists, ``attributes_a`` and ``attributes_b`` or ``targets_x`` and
            ``targets_y``, and its options.

    Raises:
        InputError: there are fewer than two groups, one is empty, a word appears twice, a list or option does
            not fit, or the method does not accept two lists in this role.
        BiasError: whatever the method raises.

    Examples:
        >>> vectors = {"ada": [1.0, 0.1], "eva": [0.9, 0.2], "ben": [0.2, 1.0], "tom": [0.1, 0.9], "kim": [0.6, 0.5],
        ...            "lou": [0.5, 0.6], "home": [1.0, 0.0], "family": [0.9, 0.3], "work": [0.0, 1.0],
        ...            "office": [0.3, 0.9]}
        >>> comparison = pairwise("weat", vectors, {"f": ["ada", "eva"], "m": ["ben", "tom"], "n": ["kim", "lou"]},
        ...                  attributes_a=["home", "family"], attributes_b=["work", "office"], omnibus_resamples=99)
        >>> [(row.name, round(row.score, 2)) for row in comparison.pairs]
        [('f / m', 1.73), ('f / n', 1.68), ('m / n', -1.69)]
        >>> comparison.strongest, 0.01 <= comparison.p_value <= 1
        ('f / m', True)
    """
    record = get_method(method)
    group_words = _checked(record, groups, role, omnibus_resamples)
    columns = {name for name, column in record.data.columns.items() if column.holds == "words"}
    lists = {name: value for name, value in lists_and_options.items() if name in columns}
    if made := [name for name in lists if name in _LISTS[role]]:
        raise InputError(f"{made[0]} is made of the groups, whose role is {role}", hint="omit it")
    options = {name: value for name, value in lists_and_options.items() if name not in lists}
    if unknown := [name for name in options if name not in record.options()]:
        raise UnknownNameError(f"list or option of {record.name}", unknown[0], [*columns, *record.options()])
    options = checked_options(options, record.options(), record.name)
    from ..models.load import load_model

    loaded = load_model(model)
    result = measure(record.name, loaded, data=_tests(group_words, role, lists), **{**options, "seed": seed})
    rows = tuple(row for row in result.rows if row.kind == "test")
    distances = [_distance(row, record) for row in rows]
    largest = max(distances)
    # A word that was omitted is in no group.
    lost = {skip.item for skip in result.skipped}
    members = {name: [word for word in words if word not in lost] for name, words in group_words.items()}
    p = p_error = centre = None
    associations = _associations(rows, members, options.get("ddof", 1))
    if omnibus_resamples and associations is not None:
        test = largest_effect_test(
            associations, ddof=options.get("ddof", 1), n_resamples=omnibus_resamples, seed=seed
        )
        p, p_error, centre = test.p_value, test.p_error, test.null_mean
    elif omnibus_resamples:
        # The largest distance of each relabelling. What a method samples itself is sampled once.
        words = [word for group_words in members.values() for word in group_words]
        words = [words[i] for i in stable_order(words)]
        ends = np.cumsum([len(group_words) for group_words in members.values()])[:-1]
        entry: Callable[..., Result] = record.function()
        known = record.options()
        quick: dict[str, Any] = {"ci": "none", "n_resamples": 1, "seed": seed}
        if "p_method" in known and "monte_carlo" in known["p_method"].choices:
            quick["p_method"] = "monte_carlo"
        settings = {**options, **{name: value for name, value in quick.items() if name in known}}
        rng = np.random.default_rng(seed)
        nulls = np.empty(omnibus_resamples)
        with wrap_external_errors(record.name):
            for b in range(omnibus_resamples):
                dealt = np.split(rng.permutation(len(words)), ends)
                dealt_words = {
                    name: [words[i] for i in places] for name, places in zip(members, dealt, strict=True)
                }
                dealt_rows = entry(loaded, _tests(dealt_words, role, lists), **settings).rows
                nulls[b] = max(_distance(row, record) for row in dealt_rows if row.kind == "test")
        slack = 1e-9 * max(1.0, largest)
        p, p_error = sampled_p(int((nulls >= largest - slack).sum()), omnibus_resamples)
        centre = float(nulls.mean())
    return GroupComparison(
        method=record.name,
        groups={name: len(words) for name, words in members.items()},
        pairs=rows,
        statistic=largest,
        strongest=rows[distances.index(largest)].name,
        p_value=p,
        p_error=p_error,
        null_mean=centre,
        n_resamples=omnibus_resamples,
        result=result,
    )


def intersect(*properties: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return groups of words that have a value of each of several properties, such as gender and age.

    Args:
        properties: for each property its values, and the words that have them.

    Returns:
        Every combination of values, called "value & value", with the words that have all of them, in the order of the
        first property's lists.

    Raises:
        InputError: fewer than two properties, or a combination that no word has.

    Examples:
        >>> intersect({"women": ["girl", "aunt"], "men": ["boy", "uncle"]},
        ...           {"young": ["girl", "boy"], "old": ["aunt", "uncle"]})
        {'women & young': ['girl'], 'women & old': ['aunt'], 'men & young': ['boy'], 'men & old': ['uncle']}
    """
    if len(properties) < 2:
        raise InputError(f"an intersection needs at least two properties, got {len(properties)}")
    groups = {}
    for values in product(*(p.items() for p in properties)):
        (_, first), *others = values
        name = " & ".join(name for name, _ in values)
        groups[name] = [word for word in first if all(word in words for _, words in others)]
    if empty := [name for name, words in groups.items() if not words]:
        raise InputError(
            f"no word belongs to {name_list(map(quoted, empty), 5)}",
            hint="give words for it, or make the groups without it",
        )
    return groups


def _checked(
    record: MethodRecord, groups: Mapping[str, Sequence[str]], role: Role, resamples: int
) -> dict[str, list[str]]:
    """Return the groups as lists of words."""
    if role not in _LISTS:
        raise UnknownNameError("role", role, _LISTS, option="role")
    # They need both lists, of words that are not pairs, and do not measure another measurement.
    comparing = [
        r.name
        for r in METHODS.values()
        if r.data.name == "word_lists"
        and not r.paired
        and r.robustness is None
        and set(r.columns).issuperset(_LISTS[role])
    ]
    if record.name not in comparing:
        raise InputError(
            f"{record.name} does not compare two lists of words as {role}",
            option="role",
            hint=f"use one of {', '.join(comparing)}",
        )
    check_whole("omnibus_resamples", resamples, 0)
    if not isinstance(groups, Mapping) or len(groups) < 2:
        raise bad_option("groups", groups, "a dict of at least two names and their words")
    group_of: dict[str, str] = {}
    for name, words in groups.items():
        if isinstance(words, str) or not isinstance(words, Sequence) or not words:
            raise InputError(
                f"the group {quoted(name)} must be a list of words, got {quoted(words)}", option="groups"
            )
        for word in words:
            if not isinstance(word, str):
                raise InputError(
                    f"the group {quoted(name)} contains {quoted(word)}, which is not a word", option="groups"
                )
            if (other := group_of.setdefault(word, name)) != name or words.count(word) > 1:
                where = f"{quoted(other)} and {quoted(name)}" if name != other else f"{quoted(name)} twice"
                raise InputError(f"{quoted(word)} is in {where}, but every word belongs to one group")
    return {str(name): list(words) for name, words in groups.items()}


def _tests(groups: Mapping[str, Sequence[str]], role: Role, lists: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a test for every pair of groups."""
    first, second = _LISTS[role]
    labels = ("x_label", "y_label") if role == "targets" else ("a_label", "b_label")
    return [
        {
            "name": f"{one} / {other}",
            **dict(zip(labels, (one, other), strict=True)),
            first: list(groups[one]),
            second: list(groups[other]),
            **lists,
        }
        for one, other in combinations(groups, 2)
    ]


def _associations(
    rows: Sequence[Row], groups: Mapping[str, Sequence[str]], ddof: int
) -> list[list[float]] | None:
    """Return the association of every word of each group, if all scores are nothing but effect sizes of these."""
    of: dict[str, float] = {}
    for row in rows:
        lines = [line for line in row.details.get("words", ()) if line["list"] in _LISTS["targets"]]
        x, y = ([line for line in lines if line["list"] == name] for name in _LISTS["targets"])
        if not x or not y or any("association" not in line for line in lines):
            return None
        first, second = ([float(line["association"]) for line in side] for side in (x, y))
        if not math.isclose(
            effect_size(first, second, ddof=ddof), row.score or 0.0, rel_tol=1e-9, abs_tol=1e-12
        ):
            return None
        for line in lines:
            # A word's association is the same next to any other group, or it is not its own.
            if not math.isclose(
                of.setdefault(line["word"], line["association"]), line["association"], rel_tol=1e-9
            ):
                return None
    if set(of) != {word for words in groups.values() for word in words}:
        return None
    return [[of[word] for word in words] for words in groups.values()]


def _distance(row: Row, record: MethodRecord) -> float:
    """Return the distance of a test's score from its ideal value, which the methods here always have."""
    return abs((row.score or 0.0) - (record.ideal if row.reference is None else row.reference))
