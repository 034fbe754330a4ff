"""What is refused: a call, the class of its error, the option that the error blames, and a fact that it states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evaluate_bias.errors import BiasError


def refused(
    error: type[BaseException] | tuple[type[Exception], ...],
    fact: str,
    call: Callable[..., Any],
    /,
    *given: Any,
    **options: Any,
) -> Any:
    """Return the error of a call: of this class, with a match of this pattern, and one sentence if it is ours."""
    with pytest.raises(error, match=fact or None) as caught:
        call(*given, **options)
    if isinstance(caught.value, BiasError):
        assert len(str(caught.value)) <= 600
        assert "\n" not in str(caught.value)
    return caught.value


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
        function = call or given.pop(0)
        found = refused(kind, fact, function, *map(request.getfixturevalue, fixtures), *given)
        assert option in (None, getattr(found, "option", None))

    return test
