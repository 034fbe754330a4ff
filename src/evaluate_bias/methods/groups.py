"""What methods that compare groups within prompts or templates share: which groups, and all of them together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .. import stats
from ..arrays import FloatArray
from ..errors import InputError, UnknownNameError
from .word_lists.inference import batch_sizes


def compared_groups(
    method: str, groups: Iterable[str], pair: tuple[str, str] | None
) -> tuple[list[str], tuple[int, int]]:
    """The groups of the data, and the numbers of the two that are compared, by default the first two.

    Raises:
        InputError: there are fewer than two, or a group is compared with itself.
        UnknownNameError: the data have no such group.
    """
    names = list(dict.fromkeys(group for group in groups if group))
    if len(names) < 2:
        group = f"only {names[0]!r}" if names else "none"
        raise InputError(f"{method} compares two groups, and the data name {group}: fill in the column group")
    first, second = pair or (names[0], names[1])
    for name in (first, second):
        if name not in names:
            raise UnknownNameError("group", name, names)
    if first == second:
        raise InputError(f"groups must name two different groups, not {first!r} twice")
    return names, (names.index(first), names.index(second))


def largest_gap(values: FloatArray, *, n_resamples: int, seed: int) -> tuple[float, float] | None:
    """Largest difference of two groups over the templates that have all, and its p: groups change within templates.

    Args:
        values: shape (templates, groups), or (templates, cells, groups), whose mean is over the cells that have all
            groups; NaN where a group has no answer.
        n_resamples: number of random exchanges.
        seed: of these.

    Returns:
        ``None`` where no template has all groups.

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
    observed = float(np.ptp(table.mean(axis=0)))
    # The largest difference of two groups is the range of the groups' means, shape (batch,).
    rng = np.random.default_rng(seed)
    slack = stats.TIE_TOLERANCE * max(1.0, float(np.abs(table).max()))
    extreme = 0
    for size in batch_sizes(n_resamples, table.size):
        null_means = rng.permuted(np.broadcast_to(table, (size, *table.shape)), axis=2).mean(axis=1)
        extreme += int((np.ptp(null_means, axis=1) >= observed - slack).sum())
    return observed, stats.sampled_p(extreme, n_resamples)[0]
