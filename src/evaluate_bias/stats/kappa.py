"""Cohen's kappa of two yes-or-no judgements of the same units, with an exact test and an interval."""

from __future__ import annotations

from dataclasses import dataclass

from scipy import stats

from ..errors import UndefinedScoreError
from ._checks import check_level, check_whole
from .proportions import wilson_of_share


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two judgements beyond what their own rates of "yes" make likely.

    Attributes:
        kappa: (agreement - chance) / (1 - chance), in [-1, 1]; 1 for full agreement, 0 for what chance gives.
        low, high: ends of its confidence interval.
        level: the nominal coverage.
        p_value: exact, one-sided: the chance of this much agreement or more when the second judgements are dealt out
            to the units at random.
        agreement: share of the units judged alike.
        chance: share expected of independent judgements with the same rates of "yes".
    """

    kappa: float
    low: float
    high: float
    level: float
    p_value: float
    agreement: float
    chance: float


def cohen_kappa(both: int, only_first: int, only_second: int, neither: int, level: float = 0.95) -> Kappa:
    """Cohen's kappa of a table of two by two.

    Shuffling the second judgements among the units keeps both rates of "yes", so that the number of units with "yes"
    twice is hypergeometric, and kappa rises with it: the p-value of this permutation test is exact and needs no
    sampling.

    The interval takes the large-sample variance of kappa (Fleiss, Cohen and Everitt 1969), of the table with one half
    added to every cell, and is Wilson's interval of (1 + kappa) / 2 at the number of trials that gives a proportion
    this variance. Unlike kappa plus or minus two standard errors it stays within -1 and 1, keeps a width where all
    units agree, and holds a high kappa as often as it should.

    The counts are those of units judged "yes" twice, by the first only, by the second only, and not at all.

    Raises:
        InputError: a count is not a whole number, 0 or more, or the level is out of range.
        UndefinedScoreError: there is no unit, or both judgements are the same for every unit, so that chance alone
            agrees fully.

    References:
        Cohen (1960), A coefficient of agreement for nominal scales. Fleiss, Cohen and Everitt (1969), Large sample
        standard errors of kappa and weighted kappa.

    Examples:
        Of 20 units 8 are judged "yes" twice, 8 "no" twice; chance gives one half.

        >>> kappa = cohen_kappa(8, 2, 2, 8)
        >>> round(kappa.kappa, 3), round(kappa.low, 3), round(kappa.high, 3), round(kappa.p_value, 4)
        (0.6, 0.19, 0.832, 0.0115)
    """
    cells = {"both": both, "only_first": only_first, "only_second": only_second, "neither": neither}
    for name, count in cells.items():
        check_whole(count, name, 0)
    check_level(level)
    n = sum(cells.values())
    first, second = both + only_first, both + only_second
    if not n or (first == second and first in (0, n)):
        same = "there is no unit" if not n else f"every unit is judged {'yes' if first else 'no'} both times"
        raise UndefinedScoreError(f"Cohen's kappa is undefined: {same}")
    kappa, agreement, chance = _kappa(both, only_first, only_second, neither)
    variance = _variance(*(count + 0.5 for count in cells.values()))
    smoothed = (1 + _kappa(*(count + 0.5 for count in cells.values()))[0]) / 2
    share = wilson_of_share((1 + kappa) / 2, 4 * smoothed * (1 - smoothed) / variance, level)
    p_value = float(stats.hypergeom.sf(both - 1, n, first, second))
    return Kappa(kappa, 2 * share.low - 1, 2 * share.high - 1, level, min(p_value, 1.0), agreement, chance)


def _kappa(a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """Kappa, agreement and chance agreement of the cells both, first only, second only, neither."""
    n = a + b + c + d
    agreement = (a + d) / n
    chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
    return (agreement - chance) / (1 - chance), agreement, chance


def _variance(a: float, b: float, c: float, d: float) -> float:
    """Large-sample variance of kappa, formula 13 of Fleiss, Cohen and Everitt."""
    n = a + b + c + d
    kappa, _, chance = _kappa(a, b, c, d)
    first, second, off = (a + b) / n, (a + c) / n, 1 - kappa
    yes = a / n * (1 - (first + second) * off) ** 2
    no = d / n * (1 - (2 - first - second) * off) ** 2
    mixed = off**2 * (b / n * (second + 1 - first) ** 2 + c / n * (first + 1 - second) ** 2)
    return (yes + no + mixed - (kappa - chance * off) ** 2) / (n * (1 - chance) ** 2)
