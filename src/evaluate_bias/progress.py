"""A progress bar for anything that takes more than a moment. It is shown only if somebody watches."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

SHOWS_PROGRESS = ContextVar("SHOWS_PROGRESS", default=True)
"""False if bars, and the notes of the command line, are not to be shown."""


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
        total: amount of work in ``unit``, ``None`` when unknown.
        unit: what the numbers count.
        enabled: ``False`` never shows anything.
        delay: seconds of work before the bar appears, so that short work prints nothing.

    Yields:
        ``advance(amount)``, to be called as work is done. ``advance(0)`` only refreshes the bar.

    Examples:
        >>> with track("counting", total=3) as advance:
        ...     for _ in range(3):
        ...         advance(1)
    """
    if not (enabled and SHOWS_PROGRESS.get() and (sys.stderr.isatty() or _in_watched_notebook())):
        yield lambda amount: None
        return

    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # a notebook without widgets gets the bar of a terminal
        from tqdm.auto import tqdm

    unit_label = "B" if unit == "bytes" else " items"
    with tqdm(
        total=total, desc=description, unit=unit_label, unit_scale=unit == "bytes", delay=delay, leave=False
    ) as bar:
        yield bar.update


def _in_watched_notebook() -> bool:
    """True if somebody has this notebook open. Programs that run one unseen, such as nbclient, allow no input."""
    shell = sys.modules["IPython"].get_ipython() if "ipykernel" in sys.modules else None
    return bool(getattr(getattr(shell, "kernel", None), "_allow_stdin", False))
