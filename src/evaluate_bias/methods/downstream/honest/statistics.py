"""Shares of hurtful completions, their intervals, and tests between groups, from counts of prompts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....stats.crossed import clustered_proportion_interval, clustered_variance
from ...rows import places_of
from ...word_lists.inference import Inference, batch_sizes, difference_test, sign_flips

_BATCH_CELLS = 1 << 20


class PromptCounts(NamedTuple):
    """What came of one prompt: hurtful and all completions, and what it belongs to; empty texts for nothing."""

    hurtful: int
    completions: int
    group: str
    template: str
    word: str
    prompt_variants: tuple[tuple[int, int], ...] = ()
    """Of a chat, hurtful and all completions by prompt variant of the instruction."""


def share(prompts: Sequence[PromptCounts]) -> float:
    """Hurtful completions over all."""
    return sum(p.hurtful for p in prompts) / sum(p.completions for p in prompts)


def interval(prompts: Sequence[PromptCounts], confidence_level: float) -> tuple[float, float]:
    """Wilson interval of the share, with the variance between templates, words for persons, and prompt variants."""
    further = (0.0, 1.0)
    if prompts[0].prompt_variants:
        by_prompt_variant = np.array(
            [p.prompt_variants for p in prompts], dtype=np.float64
        )  # shape (prompts, prompt variants, 2)
        hurtful, n = by_prompt_variant[..., 0], by_prompt_variant[..., 1]
        further = stats.column_variance((hurtful - share(prompts) * n) / n.sum())
    ends = clustered_proportion_interval(
        [p.hurtful for p in prompts],
        [p.completions for p in prompts],
        *_clusters(prompts),
        confidence_level=confidence_level,
        further=further,
    )
    return ends.low, ends.high


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


class GroupTest(NamedTuple):
    """A test that groups have the same share.

    Attributes:
        p_value, p_error: p-value and its Monte Carlo error.
        method: what was permuted, in words.
        n: number of units that were.
        smallest_p: the smallest p-value that so many units allow, whatever they show.
    """

    p_value: float
    p_error: float
    method: str
    n: int
    smallest_p: float


def compare(
    prompts: Sequence[PromptCounts], groups: Sequence[str], inference: Inference
) -> dict[str, GroupTest]:
    """Tests over ``"templates"`` and over ``"words"``, those that can be made; else over the ``"prompts"``.

    Over templates: within each template that has all groups, which of its shares belongs to which group does not
    matter. Over words: which word for a person belongs to which group does not matter.
    """
    tests: dict[str, GroupTest] = {}
    cells = _shares(prompts, [(p.template, p.group) for p in prompts])
    templates = sorted({template for template, _ in cells} - {""})
    rows = [[cells.get((template, g)) for g in groups] for template in templates]
    if len(table := [row for row in rows if None not in row]) > 1:
        tests["templates"] = _over_templates(np.array(table, dtype=np.float64), inference)
    if all(p.word for p in prompts):
        cells = _shares(prompts, [(p.group, p.word) for p in prompts])
        units = {g: [cells[cell] for cell in sorted(cells) if cell[0] == g] for g in groups}
        if max(map(len, units.values())) > 1:
            tests["words"] = _over_units(units, "words for persons", inference)
    if not tests:
        units = {g: [share([p]) for p in prompts if p.group == g] for g in groups}
        tests["prompts"] = _over_units(units, "prompts", inference)
    return tests


def _shares(
    prompts: Sequence[PromptCounts], names: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], float]:
    """Shares of the prompts that have two names in common."""
    return {pair: share([prompts[i] for i in places]) for pair, places in places_of(names).items()}


def _sampled(
    statistic: Callable[[np.random.Generator, int], FloatArray],
    least: float,
    cells: int,
    inference: Inference,
) -> tuple[float, float]:
    """P-value and its Monte Carlo error: a statistic of so many random rearrangements is at least ``least``."""
    rng = np.random.default_rng(inference.seed)
    batches = batch_sizes(inference.n_resamples, cells, _BATCH_CELLS)
    beyond = sum(int(np.count_nonzero(statistic(rng, size) >= least)) for size in batches)
    return stats.sampled_p(beyond, inference.n_resamples)


def _over_templates(table: FloatArray, inference: Inference) -> GroupTest:
    n = len(table)
    smallest = stats.smallest_flip_p(n, math.factorial(table.shape[1]))
    if table.shape[1] == 2:
        test = sign_flips(table[:, 0] - table[:, 1], inference)
        how = "exact" if test.method == "exact" else f"{inference.n_resamples} random patterns"
        method = f"sign flips of the differences within templates, {how}"
        return GroupTest(test.p_value, test.p_error, method, n, smallest)

    # Spread of the groups' means over templates; tables have shape (…, templates, groups).
    def spread(tables: FloatArray) -> FloatArray:
        return np.asarray(np.var(tables.mean(axis=-2), axis=-1))

    def permuted_spreads(rng: np.random.Generator, size: int) -> FloatArray:
        order = rng.random((size, *table.shape)).argsort(axis=2)
        return spread(np.take_along_axis(np.broadcast_to(table, (size, *table.shape)), order, axis=2))

    p = _sampled(permuted_spreads, float(spread(table)) - 1e-12, table.size, inference)
    return GroupTest(
        *p, f"groups permuted within templates, {inference.n_resamples} random ways", n, smallest
    )


def _over_units(units: Mapping[str, list[float]], what: str, inference: Inference) -> GroupTest:
    # Sorted, so that the same shares in another order give the same sampled p.
    samples = [np.sort(np.array(shares)) for shares in units.values()]
    pooled = np.concatenate(samples)
    n, smallest = len(pooled), stats.smallest_split_p(*map(len, samples))
    if np.ptp(pooled) == 0:
        return GroupTest(1.0, 0.0, f"all {what} have the same share", n, smallest)
    if len(samples) == 2:
        test = difference_test(samples[0], samples[1], None, inference)
        method = f"{what} permuted between groups, {test.method}"
        return GroupTest(test.p_value, test.p_error, method, n, smallest)
    sizes = np.array([len(sample) for sample in samples])

    def spread(values: FloatArray) -> FloatArray:
        """Σ n_g · mean_g², which orders partitions as the spread between groups does; values (draws, units)."""
        parts = np.split(values, np.cumsum(sizes)[:-1], axis=1)
        sums = np.stack([part.sum(axis=1) for part in parts], axis=1)
        return np.asarray((sums**2 / sizes).sum(axis=1))

    def permuted_spreads(rng: np.random.Generator, size: int) -> FloatArray:
        return spread(pooled[rng.random((size, n)).argsort(axis=1)])

    p = _sampled(permuted_spreads, float(spread(pooled[None])[0]) * (1 - 1e-12), n, inference)
    return GroupTest(*p, f"{what} permuted among groups, {inference.n_resamples} random ways", n, smallest)


def difference(
    prompts: Sequence[PromptCounts], first: str, second: str, confidence_level: float
) -> tuple[float, float | None, float | None]:
    """Share of the first group less that of the second, with Student's interval.

    Its variance is that between templates and between words for persons; there is no interval where there is none.
    """
    pair_prompts = [p for p in prompts if p.group in (first, second)]
    sides = {g: [p for p in pair_prompts if p.group == g] for g in (first, second)}
    shares = {g: share(members) for g, members in sides.items()}
    total = {g: sum(p.completions for p in members) for g, members in sides.items()}
    value = shares[first] - shares[second]
    # What each prompt adds to the difference of the two shares.
    influence = [
        (1 if p.group == first else -1) * (p.hurtful - shares[p.group] * p.completions) / total[p.group]
        for p in pair_prompts
    ]
    try:
        variance, freedom = clustered_variance(influence, *_clusters(pair_prompts))
    except UndefinedScoreError:
        return value, None, None
    if variance <= 1e-24:
        return value, None, None
    half = float(special.stdtrit(freedom, (1 + confidence_level) / 2)) * variance**0.5
    return value, max(-1.0, value - half), min(1.0, value + half)
