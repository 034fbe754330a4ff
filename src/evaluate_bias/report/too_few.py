"""Whether a row has too few units for its test, whatever these show, and why."""

from __future__ import annotations

from collections.abc import Sequence

from .. import stats
from ..data.schemas import WORD_LISTS
from ..method_record import NullTest
from ..result import Row
from ..text import joined, plain_p

ALPHA = 0.05
"""Level below which a p-value is called significant in tables, plots and cards."""


def why_too_few(row: Row, test: NullTest, alternative: str = "two-sided") -> str:
    """Return why no p-value of a row can show anything, a clause; empty where one can, or where that is not known.

    Args:
        row: the row; one whose method knows more of its units than the row says has ``details["smallest_p"]``.
        test: what the test rearranges.
        alternative: the side that it asks for.

    Examples:
        >>> why_too_few(Row(name="t", kind="group", score=1.0, n=5), "flips")
        'with 5 units, the smallest possible p-value is .062'
        >>> why_too_few(Row(name="t", kind="group", score=1.0, n=4), "t")
        'a t test takes 5 units, and there are 4'
    """
    if (n := tested_units(row)) == 0:
        return "none of them differs, so there is nothing to test"
    smallest, units = row.details.get("smallest_p"), str(n)
    if not isinstance(smallest, float):
        if not test or n is None:
            return ""
        if test == "t":
            fewest = stats.FEWEST_UNITS
            return f"a t test takes {fewest} items, and there are {n}" if n < fewest else ""
        smallest, sizes = _smallest_p(row, test, n, alternative)
        units = joined([str(size) for size in sizes])
    return (
        f"with {units} {'item' if units == '1' else 'items'}, the smallest possible p-value is {plain_p(smallest)}"
        if smallest >= ALPHA
        else ""
    )


def tested_units(row: Row) -> int | None:
    """Return the number of units that a p-value is about: those that do not tie, where the method names no others."""
    return row.n - row.ties if row.n_tested is None and row.n is not None else row.n_tested


def _smallest_p(row: Row, test: NullTest, n: int, alternative: str) -> tuple[float, Sequence[int]]:
    """The smallest p-value of a test of n units, and the sizes of their lists."""
    if test == "ratings":
        ratings = [entry.get("rating") for entry in row.details.get("attributes", ())]
        if len(ratings) == n and None not in ratings:
            return stats.smallest_rank_p(ratings), [n]
    elif test == "order":
        return stats.smallest_order_p(n), [n]
    elif test == "pairs":
        n = _sizes(row, "xy")[0] or n // 2
    elif test != "flips":
        targets = test == "targets"
        sizes = [size for size in _sizes(row, "xy" if targets else "ab") if size]
        if len(sizes) == 2 and (sum(sizes) == n or not (targets or row.n_tested)):
            return stats.smallest_split_p(*sizes, alternative=alternative), sizes
        if targets:  # the best that so many units allow
            return stats.smallest_split_p(n // 2, n - n // 2, alternative=alternative), [n]
        n = sizes[0] if len(sizes) == 1 and row.n_tested is None else n
    return stats.smallest_flip_p(n), [n]


def _sizes(row: Row, lists: str) -> list[int]:
    """Numbers of words of two of a test's lists."""
    sizes = [row.details.get(f"n_{key}") for key in lists]
    if all(isinstance(size, int) for size in sizes):
        return sizes  # type: ignore[return-value]
    words = [entry.get("list") for entry in row.details.get("words", ())]
    return [
        words.count(name) for name in dict(zip("xyab", WORD_LISTS, strict=True)).values() if name[-1] in lists
    ]
