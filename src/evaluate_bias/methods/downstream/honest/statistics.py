"""Shares of hurtful completions, their intervals, and tests between groups, from counts of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....stats.clustered import clustered_proportion_interval, clustered_variance

_BATCH_CELLS = 1 << 20


class PromptCounts(NamedTuple):
    """What came of one prompt: hurtful and all completions, and what it belongs to; empty texts for nothing."""

    hurtful: int
    completions: int
    group: str
    template: str
    word: str
    wordings: tuple[tuple[int, int], ...] = ()
    """Of a chat, hurtful and all completions by wording of the instruction."""


def share(prompts: Sequence[PromptCounts]) -> float:
    """Hurtful completions over all."""
    return sum(p.hurtful for p in prompts) / sum(p.completions for p in prompts)


def interval(prompts: Sequence[PromptCounts], level: float) -> tuple[float, float]:
    """Wilson interval of the share, with the variance between templates, words for persons, and wordings."""
    further = (0.0, 1.0)
    if prompts[0].wordings:
        by_wording = np.array([p.wordings for p in prompts], dtype=np.float64)  # shape (prompts, wordings, 2)
        hurtful, n = by_wording[..., 0], by_wording[..., 1]
        further = stats.column_variance((hurtful - share(prompts) * n) / n.sum())
    found = clustered_proportion_interval(
        [p.hurtful for p in prompts],
        [p.completions for p in prompts],
        *_clusters(prompts),
        level=level,
        further=further,
    )
    return found.low, found.high


def _clusters(prompts: Sequence[PromptCounts]) -> list[list[Any]]:
    """Templates and words for persons, where there are several; a word that stands in two groups is two.

    One word for each group says nothing of other words.
    """
    templates = [p.template for p in prompts]
    words = [(p.group, p.word) for p in prompts]
    groups = {p.group for p in prompts}
    kinds: list[list[Any]] = []
    if all(templates) and len(set(templates)) > 1:
        kinds.append(templates)
    if all(p.word for p in prompts) and len(set(words)) > len(groups):
        kinds.append(words)
    return kinds


@dataclass(frozen=True, slots=True)
class GroupTest:
    """A test that groups have the same share.

    Attributes:
        p_value, p_low, p_high: p-value and its bounds.
        method: what was permuted, in words.
        n: number of units that were.
    """

    p_value: float
    p_low: float
    p_high: float
    method: str
    n: int


def compare(
    prompts: Sequence[PromptCounts], groups: Sequence[str], *, n_resamples: int, seed: int
) -> dict[str, GroupTest]:
    """Tests over ``"templates"`` and over ``"words"``, those that can be made; else over the ``"prompts"``.

    Over templates: within each template that has all groups, which of its shares belongs to which group does not
    matter. Over words: which word for a person belongs to which group does not matter.
    """
    found: dict[str, GroupTest] = {}
    table = _by_template(prompts, groups)
    if len(table) > 1:
        found["templates"] = _over_templates(table, n_resamples, seed)
    if all(p.word for p in prompts):
        shares = _shares(prompts, groups, lambda p: p.word)
        if all(shares.values()) and max(map(len, shares.values())) > 1:
            found["words"] = _over_units(shares, "words for persons", n_resamples, seed)
    if not found:
        units = {g: [p.hurtful / p.completions for p in prompts if p.group == g] for g in groups}
        found["prompts"] = _over_units(units, "prompts", n_resamples, seed)
    return found


def _by_template(prompts: Sequence[PromptCounts], groups: Sequence[str]) -> FloatArray:
    """Shares of each group in the templates that have all groups, shape (templates, groups), ordered by name."""
    cells: dict[str, dict[str, list[PromptCounts]]] = {}
    for p in prompts:
        if p.template and p.group in groups:
            cells.setdefault(p.template, {}).setdefault(p.group, []).append(p)
    rows = [[share(cells[t][g]) for g in groups] for t in sorted(cells) if len(cells[t]) == len(groups)]
    return np.array(rows).reshape(len(rows), len(groups))


def _shares(prompts: Sequence[PromptCounts], groups: Sequence[str], unit: Any) -> Mapping[str, list[float]]:
    """The shares of the units of each group, in the order of their names."""
    members: dict[str, dict[str, list[PromptCounts]]] = {g: {} for g in groups}
    for p in prompts:
        if p.group in members:
            members[p.group].setdefault(unit(p), []).append(p)
    return {g: [share(units[name]) for name in sorted(units)] for g, units in members.items()}


def _over_templates(table: FloatArray, n_resamples: int, seed: int) -> GroupTest:
    n = len(table)
    if table.shape[1] == 2:
        test = stats.sign_flip_test(table[:, 0] - table[:, 1], n_resamples=n_resamples, seed=seed)
        how = "exact" if test.method == "exact" else f"{n_resamples} random patterns"
        return GroupTest(
            test.p_value, test.p_low, test.p_high, f"sign flips of the differences within templates, {how}", n
        )
    rng, beyond = np.random.default_rng(seed), 0
    # Spread of the groups' means over templates; table has shape (templates, groups).
    observed = float(np.var(table.mean(axis=0)))
    batch = max(1, _BATCH_CELLS // table.size)
    for start in range(0, n_resamples, batch):
        size = min(batch, n_resamples - start)
        order = rng.random((size, *table.shape)).argsort(axis=2)
        drawn = np.take_along_axis(np.broadcast_to(table, (size, *table.shape)), order, axis=2)
        beyond += int(np.count_nonzero(np.var(drawn.mean(axis=1), axis=1) >= observed - 1e-12))
    p, low, high = stats.sampled_p(beyond, n_resamples)
    return GroupTest(p, low, high, f"groups permuted within templates, {n_resamples} random ways", n)


def _over_units(units: Mapping[str, list[float]], what: str, n_resamples: int, seed: int) -> GroupTest:
    # Sorted, so that the same shares in another order give the same sampled p.
    samples = [np.sort(np.array(shares)) for shares in units.values()]
    pooled = np.concatenate(samples)
    n = len(pooled)
    if np.ptp(pooled) == 0:
        return GroupTest(1.0, 1.0, 1.0, f"all {what} have the same share", n)
    if len(samples) == 2:
        test = stats.permutation_test(
            samples[0], samples[1], alternative="two-sided", n_resamples=n_resamples, seed=seed
        )
        return GroupTest(
            test.p_value, test.p_low, test.p_high, f"{what} permuted between groups, {test.method}", n
        )
    ends = np.cumsum([len(sample) for sample in samples])[:-1]
    sizes = np.array([len(sample) for sample in samples])

    def spread(values: FloatArray) -> FloatArray:
        """Σ n_g · mean_g², which orders partitions as the spread between groups does; values (draws, units)."""
        sums = np.stack([part.sum(axis=1) for part in np.split(values, ends, axis=1)], axis=1)
        return np.asarray((sums**2 / sizes).sum(axis=1))

    rng, beyond = np.random.default_rng(seed), 0
    observed = float(spread(pooled[None])[0])
    batch = max(1, _BATCH_CELLS // n)
    for start in range(0, n_resamples, batch):
        drawn = pooled[rng.random((min(batch, n_resamples - start), n)).argsort(axis=1)]
        beyond += int(np.count_nonzero(spread(drawn) >= observed * (1 - 1e-12)))
    p, low, high = stats.sampled_p(beyond, n_resamples)
    return GroupTest(p, low, high, f"{what} permuted among groups, {n_resamples} random ways", n)


def difference(
    prompts: Sequence[PromptCounts], first: str, second: str, level: float
) -> tuple[float, float | None, float | None]:
    """Share of the first group less that of the second, with Student's interval.

    Its variance is that between templates and between words for persons; there is no interval where there is none.
    """
    own = [p for p in prompts if p.group in (first, second)]
    sides = {g: [p for p in own if p.group == g] for g in (first, second)}
    shares = {g: share(members) for g, members in sides.items()}
    total = {g: sum(p.completions for p in members) for g, members in sides.items()}
    value = shares[first] - shares[second]
    # What each prompt adds to the difference of the two shares.
    influence = [
        (1 if p.group == first else -1) * (p.hurtful - shares[p.group] * p.completions) / total[p.group]
        for p in own
    ]
    try:
        variance, freedom = clustered_variance(influence, *_clusters(own))
    except UndefinedScoreError:
        return value, None, None
    if variance <= 1e-24:
        return value, None, None
    half = float(special.stdtrit(freedom, (1 + level) / 2)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)


def pairs(groups: Sequence[str]) -> list[tuple[str, str]]:
    """Every two groups."""
    return list(combinations(groups, 2))
