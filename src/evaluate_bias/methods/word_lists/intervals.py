"""The bootstrap interval of a score on word lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any

from numpy.typing import NDArray

from ... import stats
from ...arrays import FloatArray
from ...errors import InputError
from ...stats import Interval
from .inference import Inference

__all__ = ["bootstrap_interval"]


def bootstrap_interval(
    sets: Sequence[Sized],
    statistic: Callable[[list[NDArray[Any]]], FloatArray],
    inference: Inference,
    *,
    cells: int = 0,
    rounding: float = 1e-12,
    batch: int | None = None,
) -> Interval | None:
    """Interval of a score over what its sets hold; ``None`` when it was not asked for, has no width, or nothing varies.

    Args:
        sets: what is resampled, each with so many elements; one of a single element stays fixed.
        statistic: the score of bootstrap samples, given the elements drawn of every set.
        inference: kind, number of samples, level and seed.
        cells: numbers that one sample needs, where that is more than its elements.
        rounding: how far scores that are equal may differ.
        batch: number of samples computed at once; by default as many as fit into an array of 4 million numbers.

    Raises:
        InputError: there is less than two bootstrap samples.
    """
    sizes = [len(some) for some in sets]
    if inference.ci == "none" or max(sizes) < 2:
        return None
    if inference.ci_resamples < 2:
        raise InputError(f"ci_resamples must be a whole number, 2 or more, not {inference.ci_resamples!r}")
    interval = stats.bootstrap_ci(
        sizes,
        statistic,
        method=inference.ci,
        n_resamples=inference.ci_resamples,
        level=inference.level,
        seed=inference.seed,
        resample=[size > 1 for size in sizes],
        batch=batch or max(1, (1 << 22) // max(cells, sum(sizes))),
        keep_replicates=True,
    )
    return interval if stats.has_width(interval.low, interval.high, rounding) else None
