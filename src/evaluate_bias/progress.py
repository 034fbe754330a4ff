"""A progress bar, in terminals and notebooks, for anything that takes more than a moment; silent elsewhere."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

__all__ = ["track"]


@contextmanager
def track(
    description: str,
    total: float | None = None,
    *,
    unit: Literal["items", "bytes"] = "items",
    enabled: bool = True,
    delay: float = 2.0,
) -> Iterator[Callable[[float], None]]:
    """Show a progress bar, on standard error or in the notebook, once the work has taken ``delay`` seconds.

    Args:
        description: what is being done, for people.
        total: amount of work in ``unit``; ``None`` when unknown.
        unit: what the numbers count.
        enabled: ``False`` never shows anything.
        delay: seconds of work before the bar appears, so that short work prints nothing.

    Yields:
        ``advance(amount)``, to be called as work is done; ``advance(0)`` only refreshes the bar.

    Examples:
        >>> with track("counting", total=3) as advance:
        ...     for _ in range(3):
        ...         advance(1)
    """
    # In a notebook standard error is no terminal, yet somebody watches.
    if not enabled or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield lambda amount: None
        return

    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # a notebook without widgets gets the bar of a terminal
        from tqdm.auto import tqdm

    shown = "B" if unit == "bytes" else " items"
    with tqdm(
        total=total, desc=description, unit=shown, unit_scale=unit == "bytes", delay=delay, leave=False
    ) as bar:
        yield bar.update
