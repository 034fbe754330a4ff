"""The uncertainty of scores and proportions over clusters, of one kind or two that cross (items, prompt variants)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import UndefinedScoreError
from .proportions import ProportionInterval, wilson_interval, wilson_of_share

Clusters = Sequence[Hashable]

_MIN_SHARE_OF_CELLS = 0.6
"""Of V_cells, the least variance: V_cells itself covers 97% if neither rows nor columns vary, this 95 to
96%.
"""

FEWEST_COLUMNS = 5
"""With fewer columns these are taken as they are, and the uncertainty is one over rows alone."""


@dataclass(frozen=True, slots=True)
class CrossedError:
    """A standard error with its degrees of freedom.

    Attributes:
        error: the standard error, 0 if nothing varies.
        df: degrees of freedom of Student's t.
        over_columns: whether columns were drawn too, and not fixed.
    """

    error: float
    df: float
    over_columns: bool

    def half_width(self, confidence_level: float) -> float:
        """Half the width of the interval of a level."""
        return self.error * float(special.stdtrit(self.df, (1 + confidence_level) / 2))

    def p_value(self, deviation: float) -> float | None:
        """Return the two-sided p-value of a deviation from the null hypothesis, ``None`` if nothing varies."""
        return float(2 * special.stdtr(self.df, -abs(deviation) / self.error)) if self.error > 0 else None


def satterthwaite(variance: float, parts: Iterable[tuple[float, float]]) -> float:
    """Degrees of freedom of a variance, above 0, that adds up parts, each with its own: V² / Σ (V_i² / df_i).

    Examples:
        >>> satterthwaite(3.0, [(1.0, 4.0), (2.0, 8.0)])
        12.0
    """
    # The squares of small variances would be 0. A power of two changes no digit.
    exponent = -math.frexp(variance)[1]
    scaled = [(math.ldexp(v, exponent), df) for v, df in parts]
    return math.ldexp(variance, exponent) ** 2 / sum(v * v / df for v, df in scaled)


def crossed_table(
    values: npt.ArrayLike, rows: npt.ArrayLike, columns: npt.ArrayLike, *, absent: float = 0.0
) -> FloatArray:
    """Return a table of values by their clusters of two kinds. Values of one cell are added up.

    Cells that no value is of are ``absent``.
    """
    places = tuple(np.unique(np.asarray(kind), return_inverse=True)[1] for kind in (rows, columns))
    table = np.full([kind.max(initial=-1) + 1 for kind in places], absent)
    table[places] = 0.0
    np.add.at(table, places, values)
    return table


def column_variance(influence: npt.ArrayLike) -> tuple[float, float]:
    """Return what drawn columns add to the variance over rows, max(V_columns - V_cells, 0), and its degrees of freedom.

    With fewer than five columns, which count as fixed, it is 0, see :func:`crossed_error`.

    Args:
        influence: shape (rows, columns).
    """
    u: FloatArray = np.asarray(influence, dtype=np.float64)
    if u.shape[1] < FEWEST_COLUMNS or len(u) < 2:
        return 0.0, 1.0
    _, of_columns, of_cells = _variances(u)
    return max(of_columns[0] - of_cells[0][0], 0.0), float(of_columns[1])


def _variances(
    u: FloatArray, strata: Sequence[Hashable] | None = None
) -> tuple[list[tuple[float, int]], tuple[float, int], list[tuple[float, int]]]:
    """V_rows of every stratum, V_columns, and V_cells of every stratum, each with its degrees of freedom.

    Each stratum has at least two rows, and there are at least two columns. With a single column only V_rows is useful.
    """
    n_columns = u.shape[1]
    _, places = np.unique([str(s) for s in strata or [""] * len(u)], return_inverse=True)
    rows, cells = [], []
    for part in (u[places == s] for s in range(int(places.max()) + 1)):
        n, known = len(part), np.isfinite(part)
        n_known = known.sum(axis=0)
        filled = np.where(known, part, 0.0)
        centred = np.where(known, filled - filled.sum(axis=0) / np.maximum(n_known, 1), 0.0)
        rest, freedom = centred - centred.mean(axis=1, keepdims=True), (n - 1) * max(n_columns - 1, 1)
        if not known.all():
            # A row deviates from a column's mean by (k - 1) / k of what it would from the mean of the k - 1 others.
            centred = centred * np.where(
                n_known > 1, n_known * (n - 1) / (np.maximum(n_known - 1, 1) * n), 0.0
            )
            rest, freedom = _without_effects(np.where(known, part * n_known, 0.0), known)
            rest = rest / np.maximum(n_known, 1)
        rows.append((n / (n - 1) * float((centred.sum(axis=1) ** 2).sum()), n - 1))
        cells.append((int(known.sum()) / freedom * float((rest**2).sum()), freedom))
    of_columns = n_columns / max(n_columns - 1, 1) * float((np.nansum(u, axis=0) ** 2).sum())
    return rows, (of_columns, n_columns - 1), cells


def _without_effects(values: FloatArray, known: npt.NDArray[np.bool_]) -> tuple[FloatArray, int]:
    """Residuals of the known cells from rows and columns fitted by least squares, and their degrees of freedom."""
    row, column = np.nonzero(known)
    effects = np.zeros((len(row), sum(known.shape)))
    effects[np.arange(len(row)), row] = effects[np.arange(len(row)), len(known) + column] = 1.0
    fitted, _, rank, _ = np.linalg.lstsq(effects, values[known])
    rest = np.zeros_like(values)
    rest[known] = values[known] - effects @ fitted
    return rest, max(len(row) - int(rank), 1)


def _add_variances(parts: Sequence[tuple[float, int]]) -> tuple[float, float]:
    """Return the sum of the variances, with its degrees of freedom."""
    variance = sum(v for v, _ in parts)
    if len(parts) == 1 or variance == 0:
        return variance, float(sum(df for _, df in parts))
    return variance, satterthwaite(variance, parts)


def crossed_error(influence: npt.ArrayLike, strata: Sequence[Hashable] | None = None) -> CrossedError | None:
    """Standard error of a score whose clusters cross, by mean squares with Satterthwaite's degrees of freedom less one.

    With u[r, c] what the cells move the score by, which add up to 0, R rows and C columns,
    V_rows = R / (R - 1) · Σ_r (Σ_c u)², V_columns the same, and V_cells = RC / ((R - 1)(C - 1)) · Σ (u - row
    mean - column mean)², the variance is V_rows + V_columns - V_cells, and no smaller than 0.6 V_cells: of a
    mean over a full table, (MS_rows + MS_columns - MS_cells) / RC. Fewer than five columns count as fixed,
    and the variance is V_rows. Rows that lie in strata, such as the names of two groups, are drawn
    within these: V_rows and V_cells are then sums over the strata, in each of which the influences add up to
    0.

    Args:
        influence: shape (rows, columns). A cell without a value is 0, or NaN if the means are over the
            others.
        strata: for every row the stratum it is drawn from. Without it, all rows are of one stratum.

    Returns:
        ``None`` with a single row in a stratum, which says nothing of others.

    References:
        Satterthwaite (1946): An approximate distribution of estimates of variance components. Biometrics Bulletin 2,
        110-114. Brennan (2001): Generalizability Theory. Springer.

    Examples:
        If all columns of a table are the same, the error comes from the rows alone:

        >>> rows = np.array([1.0, 2.0, 3.0, 4.0])
        >>> cells = np.repeat(rows[:, None], 6, axis=1)
        >>> error = crossed_error((cells - cells.mean()) / cells.size)
        >>> bool(np.isclose(error.error, rows.std(ddof=1) / 2)), error.df
        (True, 3.0)
    """
    u: FloatArray = np.asarray(influence, dtype=np.float64)
    if min(Counter(strata or [""] * len(u)).values(), default=0) < 2:
        return None
    rows, columns, cells = _variances(u, strata)
    of_rows, of_cells = _add_variances(rows), _add_variances(cells)
    if u.shape[1] < FEWEST_COLUMNS:
        return CrossedError(float(np.sqrt(of_rows[0])), of_rows[1], False)
    variance = of_rows[0] + columns[0] - of_cells[0]
    if variance <= _MIN_SHARE_OF_CELLS * of_cells[0]:
        return CrossedError(float(np.sqrt(_MIN_SHARE_OF_CELLS * of_cells[0])), of_cells[1], True)
    parts = *rows, columns, *cells
    df = satterthwaite(variance, parts)
    # Satterthwaite's number is a little too large with few columns: with one fewer, coverage is nearer to nominal.
    return CrossedError(float(np.sqrt(variance)), max(df - 1, float(min(df for _, df in parts))), True)


def clustered_variance(influence: npt.ArrayLike, *clusters: Clusters) -> tuple[float, int]:
    """Variance of a sum of contributions that resemble one another within clusters, of one kind or of two that cross.

    With u the sums of the contributions of each of m clusters, V = m / (m - 1) · Σ u². Of two kinds of
    clusters V = V_1 + V_2 - V_12, where V_12 is the variance between the cells that they make, and V is at least the
    larger of V_1 and V_2. A kind with a single cluster says nothing and is omitted.

    Args:
        influence: contributions of the units to the estimate less its value, which add up to 0, shape (n,).
        clusters: for each kind, the cluster of every unit. Without any, every unit is one.

    Returns:
        The variance, and the smaller number of clusters less one: the degrees of freedom.

    Raises:
        UndefinedScoreError: there are fewer than two clusters of every kind.

    References:
        Cameron, Gelbach and Miller (2011): Robust Inference with Multiway Clustering. Journal of Business and Economic
        Statistics 29, 238-249.

    Examples:
        >>> clustered_variance([0.1, 0.1, -0.2, 0.0], ["a", "a", "b", "c"])
        (0.12000000000000002, 2)
    """
    values = np.asarray(influence, dtype=np.float64)
    kinds = [kind for kind in clusters or [range(len(values))] if len(set(kind)) > 1]
    if not kinds:
        raise UndefinedScoreError("the variance between fewer than two clusters is undefined")
    variances = [_variance_between(values, kind) for kind in kinds]
    variance = max(variances)
    if len(kinds) == 2:
        cells = list(zip(*kinds, strict=True))
        variance = max(variance, sum(variances) - _variance_between(values, cells))
    return variance, min(len(set(kind)) for kind in kinds) - 1


def _variance_between(values: FloatArray, clusters: Clusters) -> float:
    sums: dict[Hashable, float] = defaultdict(float)
    for value, cluster in zip(values.tolist(), clusters, strict=True):
        sums[cluster] += value
    return len(sums) / (len(sums) - 1) * float(np.sum(np.square(sorted(sums.values()))))


def clustered_proportion_interval(
    k: Sequence[int],
    n: Sequence[int],
    *clusters: Clusters,
    confidence_level: float = 0.95,
    further: tuple[float, float] = (0.0, 1.0),
) -> ProportionInterval:
    """Interval of the pooled proportion Σk / Σn of units that resemble one another within clusters.

    Wilson's formula with the effective number of trials p (1 - p) / V and Student's quantile, where V and the degrees
    of freedom come from :func:`clustered_variance`. If the units' proportions are all equal, they say nothing about V,
    and every unit counts as one trial. For one unit it is Wilson's interval.

    Args:
        k: number of successes of each unit, shape (m,).
        n: number of trials of each, shape (m,), each above 0.
        clusters: for each kind, the cluster of every unit. Without any, every unit is one.
        confidence_level: nominal coverage, between 0 and 1.
        further: variance of the proportion from something else that was drawn, and its degrees of freedom.
            The two variances add up, with Satterthwaite's degrees of freedom.

    Returns:
        The interval, with Σk / Σn as its estimate.

    Raises:
        InputError: counts, clusters or the level out of range.
        UndefinedScoreError: units are missing, or one has no trials.

    Examples:
        >>> interval = clustered_proportion_interval([1, 0, 2, 1], [4, 4, 4, 4], ["a", "a", "b", "b"])
        >>> round(interval.estimate, 4), round(interval.low, 4), round(interval.high, 4)
        (0.25, 0.0045, 0.9609)
    """
    units = [
        wilson_interval(a, b, confidence_level) for a, b in zip(k, n, strict=True)
    ]  # which checks the counts
    if not units:
        raise UndefinedScoreError("the proportion of no trials is undefined")
    if len(units) == 1:
        return units[0]
    successes, trials = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    p = float(successes.sum() / trials.sum())
    influence = (successes - p * trials) / trials.sum()
    if np.abs(influence).max() <= 1e-12:
        return wilson_of_share(p, len(units), confidence_level, len(units) - 1)
    informative = [kind for kind in clusters if len(set(kind)) > 1]
    freedom: float
    variance, freedom = clustered_variance(influence, *informative)
    # Clusters may be equal although units are not. Then the units decide.
    if variance <= 1e-24:
        variance, freedom = clustered_variance(influence)
    if further[0] > 0:
        parts = ((variance, freedom), further)
        variance += further[0]
        freedom = satterthwaite(variance, parts)
    return wilson_of_share(p, p * (1 - p) / variance, confidence_level, freedom)
