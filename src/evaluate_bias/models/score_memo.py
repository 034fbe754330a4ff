"""Scores that a model has already computed, kept by request, so that methods share forward passes unknowingly.

A memo belongs to one loaded model, whose scoring methods consult it. It returns exactly the numbers that were
computed before. What is still missing is computed in separate batches, whose sums float32 may round differently
than in one batch with the rest. So a number from shared passes can differ in the last digits of float32 from the
same one measured alone. It never differs from run to run: scores of a measurement are kept when it has ended, and
travel with :meth:`ScoreMemo.commit` and :meth:`ScoreMemo.restore` to whatever continues with the same model.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError

MAX_BYTES = 2**29
"""Most bytes that a memo stores. What comes later is computed each time."""

_KEY = 16


class ScoreMemo:
    """Scores of one loaded model by request.

    Args:
        max_bytes: most numbers to hold, in bytes.

    Examples:
        >>> memo, requests = ScoreMemo(), []
        >>> def compute(missing):
        ...     requests.append(missing)
        ...     return [np.array([float(i)]) for i in missing]
        >>> first = memo.scores("toy", ["a", "b"], compute)
        >>> [float(v[0]) for v in memo.scores("toy", ["b", "c", "a"], compute)], requests
        ([1.0, 1.0, 0.0], [[0, 1], [1]])
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.max_bytes = max_bytes
        self._size = 0
        self._kept: dict[bytes, NDArray[Any]] = {}
        self._new: list[bytes] = []

    def __len__(self) -> int:
        return len(self._kept)

    def scores(
        self,
        kind: str,
        requests: Sequence[Any],
        compute: Callable[[list[int]], Sequence[NDArray[Any]]],
    ) -> list[NDArray[Any]]:
        """Return one array per request, computing those that are new.

        Args:
            kind: what is asked for. Equal requests of two kinds are two requests.
            requests: tuples of plain values that determine the numbers.
            compute: takes the positions of the requests that are missing, and returns an array for each.
        """
        keys = [_key(kind, request) for request in requests]
        missing = [i for i, key in enumerate(keys) if key not in self._kept]
        computed = dict(zip(missing, compute(missing), strict=True)) if missing else {}
        for i, array in computed.items():
            self._keep(keys[i], array)
        return [computed[i] if i in computed else self._kept[key].copy() for i, key in enumerate(keys)]

    def _keep(self, key: bytes, array: NDArray[Any]) -> None:
        if key in self._kept or self._size + array.nbytes + _KEY > self.max_bytes:
            return
        self._size += array.nbytes + _KEY
        self._kept[key] = array.copy()
        self._new.append(key)

    def commit(self) -> bytes:
        """End a measurement: its scores stay, and are returned for :meth:`restore`, as empty bytes without any."""
        new, self._new = self._new, []
        if not new:
            return b""
        arrays = [self._kept[key] for key in new]
        out = io.BytesIO()
        np.savez(
            out,
            keys=np.frombuffer(b"".join(new), dtype=np.uint8).reshape(-1, _KEY),
            # Rows and columns. A plain vector has no columns.
            shapes=np.array([(a.shape[0], a.shape[1] if a.ndim == 2 else -1) for a in arrays]),
            single=np.array([a.dtype == np.float32 for a in arrays]),
            values=np.concatenate([a.ravel().astype(np.float64) for a in arrays]),
        )
        return out.getvalue()

    def rollback(self) -> None:
        """Forget the scores of a measurement that failed, so that the next ones do not depend on how far it came."""
        self._size -= sum(self._kept.pop(key).nbytes + _KEY for key in self._new)
        self._new = []

    def restore(self, chunk: bytes) -> None:
        """Take over the scores of a measurement that has ended, as :meth:`commit` returned them.

        Raises:
            DataError: they are damaged.
        """
        if not chunk:
            return
        try:
            with np.load(io.BytesIO(chunk), allow_pickle=False) as saved:
                keys, shapes, single, values = (
                    saved[name] for name in ("keys", "shapes", "single", "values")
                )
            ends = np.cumsum(shapes[:, 0] * np.abs(shapes[:, 1]))
            parts = np.split(values, ends[:-1])
            for key, (rows, columns), is_single, part in zip(keys, shapes, single, parts, strict=True):
                array = part.astype(np.float32) if is_single else part.copy()
                self._kept[key.tobytes()] = array if columns < 0 else array.reshape(rows, columns)
                self._size += array.nbytes + _KEY
        except Exception as error:
            raise DataError(f"the kept scores cannot be read: {type(error).__name__}") from error


def _key(kind: str, request: Any) -> bytes:
    return hashlib.blake2b(repr((kind, request)).encode(), digest_size=_KEY).digest()
