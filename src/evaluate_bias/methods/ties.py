"""What methods that count preferences share: the parts of a result and their p-values, ties, empty sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import stats

__all__ = ["EMPTY_TEXT", "all_tied", "tie_warnings", "with_adjusted_p"]

EMPTY_TEXT = "the text is empty"
"""Why a row with an empty sentence is skipped."""

_MANY_TIES = 0.02
"""From this share of ties on a result warns."""


def with_adjusted_p(groups: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Add the p-values adjusted for the number of groups: Holm's ``p_holm`` and Benjamini-Hochberg's ``p_bh``.

    A group whose test is undefined has ``None`` as its p-value, is not counted, and gets ``None`` for both.

    Examples:
        >>> [g["p_holm"] for g in with_adjusted_p([{"name": "age", "p_value": 0.01}, {"name": "sex", "p_value": 0.5}])]
        [0.02, 0.5]
    """
    p = [g["p_value"] for g in groups if g["p_value"] is not None]
    adjusted = iter(zip(stats.holm(p), stats.benjamini_hochberg(p), strict=True) if p else ())
    out = []
    for group in groups:
        holm, bh = (None, None) if group["p_value"] is None else map(float, next(adjusted))
        out.append({**group, "p_holm": holm, "p_bh": bh})
    return tuple(out)


def all_tied(n: int, what: str, detail: str = "", warnings: Sequence[str] = ()) -> str:
    """Say that no row decides the score.

    Args:
        n: number of scored rows.
        what: what a row is, in the plural.
        detail: what counted as a tie.
        warnings: what the model told; the first may be the cause.

    Examples:
        >>> all_tied(2, "pairs", " at 3 decimals")
        'no pair decides the score, so it is undefined: all 2 pairs are ties at 3 decimals'
    """
    singular = what.removesuffix("s")
    count = f"the one {singular} is a tie" if n == 1 else f"all {n} {what} are ties"
    cause = f". {warnings[0]}" if warnings else ""
    return f"no {singular} decides the score, so it is undefined: {count}{detail}{cause}"


def tie_warnings(ties: int, n: int, what: str, consequence: str) -> list[str]:
    """Warn where 2 % of the rows or more are ties.

    Args:
        ties: number of ties.
        n: number of scored rows.
        what: what a row is, in the plural.
        consequence: what this does to the score.

    Examples:
        >>> tie_warnings(2, 3, "pairs", "few decide")
        ['2 of 3 pairs (67 %) are ties: few decide']
        >>> tie_warnings(1, 51, "pairs", "few decide")
        []
    """
    if not ties or ties < _MANY_TIES * n:
        return []
    return [f"{ties} of {n} {what} ({100 * ties / n:.0f} %) are ties: {consequence}"]
