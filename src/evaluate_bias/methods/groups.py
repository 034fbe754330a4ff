"""What methods that compare groups within prompts or templates share: which groups, and all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from .. import stats
from ..arrays import FloatArray
from ..errors import InputError, UnknownNameError


def sort_groups(groups: Iterable[str]) -> list[str]:
    """Return the groups in alphabetical order, each once.

    Examples:
        >>> sort_groups(["women", "Men", "women", ""])
        ['Men', 'women']
    """
    return sorted({group for group in groups if group}, key=lambda name: (name.casefold(), name))


def compared_groups(
    method: str, groups: Iterable[str], pair: tuple[str, str] | None
) -> tuple[list[str], tuple[int, int]]:
    """Return the groups of the data in alphabetical order, and the numbers of the two that are compared.

    Without ``pair`` these are the first two, so that the sign of a score does not follow the order of rows.

    Raises:
        InputError: there are fewer than two, or a group is compared with itself.
        UnknownNameError: the data have no such group.
    """
    names = sort_groups(groups)
    if len(names) < 2:
        group = f"only {names[0]!r}" if names else "none"
        raise InputError(
            f"{method} compares two groups, and the data name {group}", hint="fill in the column group"
        )
    first, second = pair or (names[0], names[1])
    for name in (first, second):
        if name not in names:
            raise UnknownNameError("group", name, names, option="groups")
    if first == second:
        raise InputError(f"`groups` must name two different groups, got {first!r} twice", option="groups")
    return names, (names.index(first), names.index(second))


def largest_gap(values: FloatArray, *, n_resamples: int, seed: int) -> tuple[float, float] | None:
    """Largest difference of two groups over the templates that have all, and its p: groups change within templates.

    Args:
        values: shape (templates, groups), or (templates, cells, groups), whose mean is over the cells that have all
            groups, NaN if a group has no answer.
        n_resamples: number of random exchanges.
        seed: of these.

    Returns:
        ``None`` if no template has all groups.

    Examples:
        >>> round(largest_gap(np.array([[1.0, 0.5, 0.0], [0.9, 0.2, 0.3]]), n_resamples=999, seed=0)[0], 6)
        0.8
    """
    cells = values.reshape(len(values), -1, values.shape[-1])
    complete = np.asarray(np.isfinite(cells).all(axis=-1))  # (templates, cells)
    used = complete.any(axis=1)
    sums = np.where(complete[..., None], cells, 0.0).sum(axis=1)
    table = sums[used] / complete.sum(axis=1)[used, None]
    if not len(table):
        return None
    return range_test(table, lambda values: values.mean(axis=-2), n_resamples=n_resamples, seed=seed)


def range_test(
    values: FloatArray, means: Callable[[FloatArray], FloatArray], *, n_resamples: int, seed: int
) -> tuple[float, float]:
    """Largest difference of two groups' means, and its p: values change places along their last axis.

    Args:
        values: of any shape.
        means: the groups' means of such values, which have a further axis in front in each batch.
        n_resamples: number of random exchanges.
        seed: of these.
    """
    observed = float(np.ptp(means(values)))
    rng = np.random.default_rng(seed)
    slack = stats.TIE_TOLERANCE * max(1.0, float(np.abs(values).max()))
    extreme = 0
    for size in stats.batches(n_resamples, values.size):
        exchanged = rng.permuted(np.broadcast_to(values, (size, *values.shape)), axis=-1)
        extreme += int((np.ptp(means(exchanged), axis=-1) >= observed - slack).sum())
    return observed, stats.sampled_p(extreme, n_resamples)[0]


def known_mean(values: FloatArray, axis: int) -> FloatArray:
    """Mean over one axis of the numbers that are there, NaN if none exist."""
    known = np.isfinite(values)
    n = known.sum(axis=axis)
    return np.where(n > 0, np.where(known, values, 0.0).sum(axis=axis) / np.maximum(n, 1), np.nan)
