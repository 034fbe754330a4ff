"""Tables of what is refused: a call, the class of its error, the option that the error blames, and a fact that it
states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def refusals(call: Callable[..., Any] | None, *rows: tuple[Any, ...]) -> Callable[..., None]:
    """Return one test of a table.

    Args:
        call: what is refused, called with what a row begins with; ``None`` if each row begins with a call of its own.
        rows: what the call gets, the class of the error, its ``option`` (``None``: not asserted), and a pattern of the
            fact that its text states.
    """

    @pytest.mark.parametrize("row", rows, ids=[row[-1][:50] for row in rows])
    def test(row: tuple[Any, ...]) -> None:
        *given, error, option, fact = row
        with pytest.raises(error, match=fact or None) as refused:
            (call or given.pop(0))(*given)
        assert option in (None, refused.value.option)
        assert len(str(refused.value)) <= 600
        assert "\n" not in str(refused.value)

    return test
