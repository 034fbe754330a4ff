"""Tables of what is refused: a call, the class of its error, the option that the error blames, and a fact that it
states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def refusals(
    call: Callable[..., Any] | None,
    *rows: tuple[Any, ...],
    error: type[Exception] | None = None,
    fixtures: tuple[str, ...] = (),
) -> Callable[..., None]:
    """Return one test of a table.

    Args:
        call: what is refused, called with what a row begins with; ``None`` if each row begins with a call of its own.
        rows: what the call gets, the class of the error, its ``option`` (``None``: not asserted), and a pattern of the
            fact that its text states.
        error: the class of the error of every row, whose rows then leave it out.
        fixtures: names of fixtures that the call gets before what a row begins with.
    """

    @pytest.mark.parametrize("row", rows, ids=[row[-1][:50] for row in rows])
    def test(row: tuple[Any, ...], request: pytest.FixtureRequest) -> None:
        *given, option, fact = row
        kind = error or given.pop()
        refused = call or given.pop(0)
        given = [*map(request.getfixturevalue, fixtures), *given]
        with pytest.raises(kind, match=fact or None) as caught:
            refused(*given)
        assert option in (None, getattr(caught.value, "option", None))
        assert len(str(caught.value)) <= 600
        assert "\n" not in str(caught.value)

    return test
