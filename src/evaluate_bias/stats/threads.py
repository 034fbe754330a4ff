"""Linear algebra on one thread, for many small problems."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
_LIMITED = threading.Lock()


def on_one_thread(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let NumPy's linear algebra work on one thread while ``function`` runs.

    Resampling solves thousands of small problems. Shared out among threads, each takes longer: on two busy cores
    DirectBias of 100 words took 25 s of CPU instead of 2. The limit is the process's: of callers at the same
    time the first sets it and takes it away, since two that restored what they found could leave it for good.
    """

    @functools.wraps(function)
    def limited(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if not _LIMITED.acquire(blocking=False):
            return function(*args, **kwargs)
        try:
            with _libraries().limit(limits=1):
                return function(*args, **kwargs)
        finally:
            _LIMITED.release()

    return limited


@functools.cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
