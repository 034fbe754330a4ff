"""The score of a pair method with and without the pairs that have a flag."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from .. import stats
from ..arrays import FloatArray
from ..data.pair_flags import FLAGS
from ..errors import InputError, quoted
from ..options import Level, Seed, check_arguments
from ..registry import get_method
from ..result import Estimate, Result, Row
from .compare.testing import items_of


def flag_effects(
    result: Result, pairs: Iterable[Any], *, confidence_level: Level = 0.95, seed: Seed = 0
) -> tuple[Row, ...]:
    """Return the score without the pairs of each flag, and without all flagged pairs, and how far it changes.

    The score is the share of the decided pairs. If the method averages over clusters, as StereoSet does over target
    terms, it is the mean of the clusters' shares. The change is the score without the flagged pairs less the score of
    all. It is an estimate, with an interval and no test. With several flags, the intervals are not adjusted for one
    another, and a pair may have several flags. Flagged pairs differ from the others in more than the flag, such as
    their bias type, so a change does not show what the flag does. Over clusters it has no interval if only one
    cluster has a flagged pair.

    Args:
        result: of a method that counts preferences of pairs, with its items.
        pairs: the rows that were measured, as a loader returns them: their flags are found by ``id``.
        confidence_level: level of the intervals.
        seed: seed of the resamples, which a method with clusters needs.

    Returns:
        Rows of kind ``"group"``: ``score`` and its interval without the flagged pairs, and ``n``, the number of pairs
        left. The estimates are ``change``, with its interval, and ``flagged_score``. ``details["n_flagged"]`` is the
        number of flagged pairs.

    Raises:
        InputError: the method does not count preferences, an item has no row with its id, or something else than a
            result and rows of a loader was given.

    Examples:
        >>> import evaluate_bias as eb
        >>> from evaluate_bias.data import load_sentence_pairs
        >>> pairs = load_sentence_pairs()
        >>> scores = [{"id": p.id, "sent_more": -float(len(p.sent_more)), "sent_less": -float(len(p.sent_less))}
        ...           for p in pairs]
        >>> row = eb.flag_effects(eb.measure("crows_pairs", data=scores), pairs)[-1]
        >>> row.name, row.n, row.details["n_flagged"], round(row.estimates["change"].value, 2)
        ('any', 138, 11, -0.04)
    """
    check_arguments(flag_effects, confidence_level=confidence_level, seed=seed)
    if not isinstance(result, Result):
        raise InputError(f"`result` must be the result of a method, got {quoted(result)}", option="result")
    units = get_method(result.method).units_of(result)
    if units is None or not units.outcomes:
        raise InputError(f"{result.method} does not count preferences of pairs, so that flags split nothing")
    try:
        flags = {pair.id: pair.flags for pair in pairs}
    except (AttributeError, TypeError):
        raise InputError(
            "`rows` must be rows as a loader returns them, such as load_sentence_pairs", option="rows"
        ) from None
    decided = [unit for unit in items_of(result, units).values() if unit.decided]
    if unknown := [unit.fields["name"] for unit in decided if unit.fields["name"] not in flags]:
        raise InputError(
            f"{len(unknown)} of {len(decided)} items of the result have no pair with their id, such as "
            f"{quoted(unknown[0])}",
            option="rows",
            hint="give the rows that were measured",
        )
    has = [flags[unit.fields["name"]] for unit in decided]
    values = np.array([unit.value for unit in decided])
    clusters = ["/".join(str(unit.fields[key]) for key in units.clusters) for unit in decided]
    marks = {name: np.array([name in names for names in has]) for name in FLAGS}
    marks["any"] = np.array([bool(names) for names in has])
    rows = []
    for name, flagged in marks.items():
        if not flagged.any() or flagged.all():
            continue
        if units.clusters:
            score, change, flagged_score = _change_over_clusters(
                values, flagged, clusters, confidence_level, seed
            )
        else:
            score, change, flagged_score = _change_of_shares(values, flagged, confidence_level)
        row = Row(
            name=name,
            kind="group",
            score=score.value,
            ci_low=score.low,
            ci_high=score.high,
            n=int((~flagged).sum()),
            estimates={"change": change, "flagged_score": Estimate(flagged_score)},
            details={"n_flagged": int(flagged.sum())},
        )
        rows.append(row)
    return tuple(rows)


def _change_of_shares(
    values: FloatArray, flagged: npt.NDArray[np.bool_], confidence_level: float
) -> tuple[Estimate, Estimate, float]:
    # The share without less the share of all is f (without - flagged), f the flagged part of the pairs. The two shares
    # are of different pairs: Newcombe's interval of their difference, from both Wilson intervals, times f.
    sides = []
    for side in (flagged, ~flagged):
        share = stats.wilson_interval(int((values[side] > 0).sum()), int(side.sum()), confidence_level)
        sides.append((100.0 * share.estimate, 100.0 * share.low, 100.0 * share.high))
    part = float(flagged.mean())
    low, high = stats.unpaired_interval(*sides)
    change = Estimate(part * (sides[1][0] - sides[0][0]), part * low, part * high)
    return Estimate(*sides[1]), change, sides[0][0]


def _change_over_clusters(
    values: FloatArray,
    flagged: npt.NDArray[np.bool_],
    clusters: list[str],
    confidence_level: float,
    seed: int,
) -> tuple[Estimate, Estimate, float]:
    # Of cluster c: the mean m_c over all its decided pairs, w_c over those without the flag, g_c over the others. The
    # scores are the means of m_c over all C clusters and of w_c over the K that keep a pair. Their difference is the
    # mean over the clusters of w_c C / K - m_c, with w_c measured from its own mean where clusters are lost.
    _, place = np.unique(clusters, return_inverse=True)
    sides = (np.ones_like(flagged), ~flagged, flagged)
    with np.errstate(invalid="ignore"):  # NaN if a cluster has no such pair
        every, clean, flagged_means = (
            np.bincount(place, values * side) / np.bincount(place, side) for side in sides
        )
    valid = np.isfinite(clean)
    score, change = clean[valid].mean(), clean[valid].mean() - every.mean()
    deviations = np.where(valid, (clean - score) / valid.mean(), 0.0) - (every - every.mean())
    # Clusters without a flag vary little here, so the degrees of freedom come from the clusters with one. In
    # simulations with 2 to 40 of these, the interval contains the change in 95 to 100 of 100 draws, and a studentised
    # bootstrap in 88 to 95.
    freedom = int(np.isfinite(flagged_means).sum()) - 1
    half = 0.0
    if freedom > 0:
        error = float(deviations.std(ddof=1)) / len(every) ** 0.5
        half = error * float(special.stdtrit(freedom, (1 + confidence_level) / 2))
    ends = (change - half, change + half) if half > 0 else (None, None)
    return (
        _mean(clean[valid], confidence_level, seed),
        Estimate(change, *ends),
        float(np.nanmean(flagged_means)),
    )


def _mean(values: FloatArray, confidence_level: float, seed: int) -> Estimate:
    """Return a mean over clusters, with an interval if they are several and differ."""
    mean = float(values.mean())
    if len(values) < 2:
        return Estimate(mean)
    ci = stats.bootstrap_mean_ci(values, n_resamples=1_999, confidence_level=confidence_level, seed=seed)
    return Estimate(mean, ci.low, ci.high) if stats.has_width(ci.low, ci.high) else Estimate(mean)
