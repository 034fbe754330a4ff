"""The limit of linear algebra to one thread: set inside, and the number of before afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from evaluate_bias.stats import bootstrap_ci
from evaluate_bias.stats.threads import on_one_thread


def threads() -> set[int]:
    np.linalg.eigh(np.eye(2))
    return {
        int(i["num_threads"])
        for i in threadpool_info()
        if i["user_api"] == "blas" and "numpy" in i["filepath"]
    }


def test_the_limit_holds_inside_and_not_after_an_error() -> None:
    with threadpool_limits(2, user_api="blas"):
        assert threads() == {2}
        assert on_one_thread(on_one_thread(threads))() == {1}
        with pytest.raises(ZeroDivisionError):
            on_one_thread(lambda: 1 / 0)()
        assert threads() == {2}


def test_callers_at_the_same_time_leave_the_number_as_it_was() -> None:
    inside, leave = threading.Barrier(3), [threading.Event(), threading.Event()]

    def stay(number: int) -> Callable[[], None]:
        def wait() -> None:
            inside.wait(30)
            leave[number].wait(30)

        return on_one_thread(wait)

    before = threads()
    callers = [threading.Thread(target=stay(number)) for number in (0, 1)]
    for caller in callers:
        caller.start()
    inside.wait(30)
    assert threads() == {1}
    for number, caller in enumerate(callers):
        leave[number].set()
        caller.join(30)
    assert threads() == before


def test_resampling_is_limited() -> None:
    seen: set[int] = set()

    def mean(indices: list[np.ndarray]) -> np.ndarray:
        seen.update(threads())
        return indices[0].mean(axis=1)

    with threadpool_limits(2, user_api="blas"):
        bootstrap_ci([5], mean, n_resamples=9)
    assert seen == {1}
