"""The change of what a score exceeds its mean under chance by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ._checks import batches

_RESAMPLES = 1_999
_MOST_UNDEFINED = 0.05
_BATCH_CELLS = 1 << 21


def excess_interval(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    excess: Callable[[FloatArray], FloatArray],
    *,
    strata: Sequence[Any],
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    """Interval of the difference between two measurements of the same units of a score less its mean under chance.

    Noise raises such a score, and resamples, which hold the noise of the sample once more, raise it again. The
    percentile interval of the bootstrap is therefore centred at the observed difference.

    Args:
        first: numbers of every unit, shape (n, …).
        second: those of the same units in the other measurement.
        excess: function of totals, shape (batch, …), that returns (batch,) values, NaN where they are undefined.
        strata: for every unit the stratum it is drawn from.
        level: nominal coverage of the interval.
        seed: seed of the resamples.

    Returns:
        Its ends; ``None`` where the score is undefined on the units or on too many resamples.

    Examples:
        >>> units = [[1.0, hit] for hit in (0, 1, 1, 1, 0, 1, 1, 0)]
        >>> better = [[1.0, 1.0] for _ in units]
        >>> low, high = excess_interval(units, better, lambda t: t[:, 1] / t[:, 0], strata=["all"] * 8)
        >>> low < 0.375 < high
        True
    """
    one, two = (np.asarray(side, dtype=np.float64) for side in (first, second))
    n, shape = len(one), one.shape[1:]
    _, places = np.unique([str(s) for s in strata], return_inverse=True)
    rows = np.column_stack([places, one.reshape(n, -1), two.reshape(n, -1)])
    rows = rows[np.lexsort(rows.T)]  # so that the units' order changes nothing
    stratum, sides = rows[:, 0], np.split(rows[:, 1:], 2, axis=1)

    def change(weights: npt.NDArray[Any]) -> FloatArray:
        with np.errstate(all="ignore"):
            before, after = (excess((weights @ side).reshape(-1, *shape)) for side in sides)
        return np.asarray(after - before, dtype=np.float64)

    rng, changes = np.random.default_rng(seed), []
    for size in batches(_RESAMPLES, n, _BATCH_CELLS):
        weights = np.empty((size, n))
        for members in (stratum == s for s in np.unique(stratum)):
            weights[:, members] = rng.multinomial(
                members.sum(), np.full(members.sum(), 1 / members.sum()), len(weights)
            )
        changes.append(change(weights))
    replicates = np.concatenate(changes)
    replicates, estimate = replicates[np.isfinite(replicates)], float(change(np.ones((1, n)))[0])
    if len(replicates) < (1 - _MOST_UNDEFINED) * _RESAMPLES or not np.isfinite(estimate):
        return None
    low, high = estimate + np.quantile(replicates - replicates.mean(), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
