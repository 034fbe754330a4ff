"""One test case for many draws of a seed, or for a family of inputs; a failure says which of them it was."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

import pytest

DRAWS = int(os.environ.get("EVALUATE_BIAS_TEST_DRAWS", "30"))
"""Seeds of a case with :func:`draws` at most; ``make test-nightly`` raises it, so that all of them are checked."""

Test = Callable[..., None]


def draws(count: int) -> Callable[[Test], Test]:
    """Run a test in one case for the seeds 0, 1, … as its argument ``seed``: 30 of the `count`, at night all."""

    def decorate(test: Test) -> Test:
        return pytest.mark.draws(in_one_case("seed", range(min(count, DRAWS)))(test))

    return decorate


def in_one_case(argument: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Run a test in one case with every one of the values as its argument of that name."""
    every = list(values)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def case(**others: Any) -> None:
            for place, value in enumerate(every):
                try:
                    test(**others, **{argument: value})
                except Exception as error:
                    text = f", {value[:80]!r}" if isinstance(value, str) else ""
                    error.add_note(f"{argument}: value {place} of {len(every)}{text}")
                    raise

        # pytest takes the arguments that it sees for fixtures.
        seen = inspect.signature(test)
        others = [p for p in seen.parameters.values() if p.name != argument]
        case.__signature__ = seen.replace(parameters=others)  # type: ignore[attr-defined]
        return case

    return decorate
