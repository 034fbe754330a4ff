"""What methods that count preferences share: ties, tests that may be undefined, p-values of groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from .. import stats
from ..errors import UndefinedScoreError
from ..stats.permutation import Alternative

EMPTY_TEXT = "the text is empty"
"""Why a row with an empty sentence is skipped."""

_MANY_TIES = 0.02
"""From this share of ties on a result warns."""


def outcome_or_reason(test: Callable[[], Any], *names: str) -> dict[str, Any]:
    """Return numbers of a test's outcome by name, all of them unless some are named, or why it is undefined.

    Examples:
        >>> from evaluate_bias import stats
        >>> outcome_or_reason(lambda: stats.proportion_z_test(2, 4), "z", "p_value")
        {'z': 0.0, 'p_value': 1.0}
        >>> outcome_or_reason(lambda: stats.proportion_z_test(4, 4))
        {'undefined': "the z test is undefined: ..."}
    """
    try:
        outcome = test()
    except UndefinedScoreError as error:
        return {"undefined": str(error)}
    return {name: getattr(outcome, name) for name in names or outcome.__slots__}


def z_tests(
    successes: int, n: int, share: float = 0.5, alternative: Alternative = "two-sided"
) -> dict[str, dict[str, Any]]:
    """Normal tests of a count against a share: with the sample's variance (``z_test``), with that of the null
    hypothesis (``score_test``).

    Examples:
        >>> z_tests(2, 4)
        {'z_test': {'z': 0.0, 'p_value': 1.0}, 'score_test': {'z': 0.0, 'p_value': 1.0}}
    """

    def test(variance: Literal["z", "score"]) -> dict[str, Any]:
        return outcome_or_reason(
            lambda: stats.proportion_z_test(successes, n, share, variance, alternative), "z", "p_value"
        )

    return {"z_test": test("z"), "score_test": test("score")}


def all_tied(n: int, what: str, detail: str = "", warnings: Sequence[str] = ()) -> str:
    """Say that no row decides the score.

    Args:
        n: number of scored rows.
        what: what a row is, in the plural.
        detail: what counted as a tie.
        warnings: the model's caveats. The first may be the cause.

    Examples:
        >>> all_tied(2, "pairs", " at 3 decimals")
        'no pair decides the score, so it is undefined: all 2 pairs are ties at 3 decimals'
    """
    singular = what.removesuffix("s")
    count = f"the one {singular} is a tie" if n == 1 else f"all {n} {what} are ties"
    cause = f". {warnings[0]}" if warnings else ""
    return f"no {singular} decides the score, so it is undefined: {count}{detail}{cause}"


def lowered_ideal(facts: Mapping[str, Any], what: str) -> list[str]:
    """Warn if ties lower the ideal value of a score that counts them as not preferred."""
    ideal = (
        f"the published score counts them as not preferred, so its ideal is {facts['ideal']:.4g} and not 50"
    )
    return tie_warnings(facts["ties"], facts["n"], what, ideal)


def tie_warnings(ties: int, n: int, what: str, consequence: str) -> list[str]:
    """Warn if 2% of the rows or more are ties.

    Args:
        ties: number of ties.
        n: number of scored rows.
        what: what a row is, in the plural.
        consequence: what this does to the score.

    Examples:
        >>> tie_warnings(2, 3, "pairs", "few decide")
        ['2 of 3 pairs (67%) are ties: few decide']
        >>> tie_warnings(1, 51, "pairs", "few decide")
        []
    """
    if not ties or ties < _MANY_TIES * n:
        return []
    verb = "is a tie" if ties == 1 else "are ties"
    return [f"{ties} of {n} {what} ({100 * ties / n:.0f}%) {verb}: {consequence}"]
