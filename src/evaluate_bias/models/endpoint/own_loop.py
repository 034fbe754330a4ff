"""One event loop in one thread of ours: a notebook, a page in the browser and other callers have loops already."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

_T = TypeVar("_T")
_STARTING = threading.Lock()
_GIVING_UP = 5.0
"""Most seconds that cancelled work is waited for."""


@functools.cache
def _running_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="evaluate-bias requests", daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):  # a forked process has no thread that turns the loop
    os.register_at_fork(after_in_child=_running_loop.cache_clear)


def in_own_loop(work: Callable[[], Awaitable[_T]]) -> _T:
    """Run a coroutine to its end in the loop of this library; an interrupt cancels it.

    Examples:
        >>> in_own_loop(lambda: asyncio.sleep(0, "done"))
        'done'
    """
    ended = threading.Event()

    async def run() -> _T:
        try:
            return await work()
        finally:
            ended.set()

    with _STARTING:
        loop = _running_loop()
    future = asyncio.run_coroutine_threadsafe(run(), loop)
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        ended.wait(_GIVING_UP)
        raise
