"""Ray behind the interface of ``concurrent.futures``: what takes an executor then works on more than one machine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

import ray

from ..errors import InputError


class RayExecutor(Executor):
    """Runs every call as a task of the Ray cluster that this process is connected to.

    The package must be installed on every machine of the cluster, or be sent there by a ``runtime_env`` of
    ``ray.init``. Tasks of a machine that is lost run again on another one, as Ray does by default.

    Raises:
        InputError: this process is connected to no cluster.

    Examples:
        On a cluster of eight processors::

            import ray
            from evaluate_bias import load_corpus
            from evaluate_bias.integrations.ray import RayExecutor

            ray.init(address="auto")
            corpus = load_corpus("texts/", executor=RayExecutor(), num_proc=8)
    """

    def __init__(self) -> None:
        if not ray.is_initialized():
            raise InputError("this process is connected to no Ray cluster", hint="call ray.init() first")
        self._call = ray.remote(_call)
        self._waiting: set[Future[Any]] = set()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run ``fn(*args, **kwargs)`` somewhere in the cluster. The future contains what it returns or raises."""
        task = self._call.remote(fn, args, kwargs)
        answer: Future[Any] = Future()
        self._waiting.add(answer)

        def ended(done: Future[Any]) -> None:
            self._waiting.discard(answer)
            if not answer.set_running_or_notify_cancel():
                return
            error = done.exception()
            if error is None:
                answer.set_result(done.result())
            else:
                answer.set_exception(_raised_by(error))

        task.future().add_done_callback(ended)
        answer.add_done_callback(lambda future: ray.cancel(task) if future.cancelled() else None)
        return answer

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for the calls, or cancel those that have not ended. The cluster goes on."""
        from concurrent.futures import wait as wait_for

        waiting = list(self._waiting)
        if cancel_futures:
            for future in waiting:
                future.cancel()
        if wait:
            wait_for(waiting)


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)


def _raised_by(error: BaseException) -> BaseException:
    """Return what the call raised, or, if it did not end by itself, that its worker was lost."""
    if isinstance(error, ray.exceptions.RayTaskError):
        raised: BaseException = error.cause
        return raised
    broken = BrokenExecutor(f"a worker of Ray ended: {str(error)[:300]}")
    broken.__cause__ = error
    return broken
