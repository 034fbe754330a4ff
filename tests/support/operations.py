"""How much arithmetic is done on arrays, counted and not timed: to hold that work grows no faster than it should."""

from __future__ import annotations

from typing import Any

import numpy as np


class Counted(np.ndarray):
    """An array that counts the numbers which every operation on it, and on what was made of it, goes over."""

    done = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [np.asarray(v) if isinstance(v, Counted) else v for v in inputs]
        for key in ("out", "where"):
            if isinstance(options.get(key), tuple):
                options[key] = tuple(np.asarray(v) if isinstance(v, Counted) else v for v in options[key])
        found = getattr(ufunc, method)(*plain, **options)
        sizes = [np.size(v) for v in (*plain, found)]
        Counted.done += sizes[-1] * np.shape(plain[0])[-1] if ufunc is np.matmul else max(sizes)
        return found.view(Counted) if isinstance(found, np.ndarray) else found


def counted(array: Any) -> Counted:
    return np.array(array, dtype=np.float64).view(Counted)


def operations(call: Any) -> int:
    """Numbers that the operations on counted arrays in a call go over."""
    Counted.done = 0
    call()
    return Counted.done
