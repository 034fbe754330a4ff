"""Tests that hold what a model would answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...data.instructions import Wordings, refuse_wordings
from ...errors import InputError
from ..rows import refuse_model


def hold_ready(method: str, tests: Sequence[Any], column: str, model: Any, wordings: Wordings) -> bool:
    """Whether tests hold in a column what a model would answer, which leaves nothing to ask.

    Raises:
        InputError: some do and others do not, or there is a model or wordings besides.
    """
    lacking = [test.name for test in tests if not getattr(test, column)]
    if len(lacking) == len(tests):
        return False
    if lacking:
        raise InputError(
            f"{method}: {lacking[0]} has no {column} and others have some; give {column} to all tests or to none"
        )
    refuse_model(model, method, column)
    refuse_wordings(method, wordings, f"no {column} in the data")
    return True
