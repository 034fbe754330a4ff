"""Results that a link reopens and that can be saved as files, for a day, as long as the server runs."""

from __future__ import annotations

import functools
import json
import secrets
import tempfile
import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..result import Result
from .limits import KEPT_SECONDS, MAX_SHARED_BYTES


@dataclass(frozen=True, slots=True)
class SharedResult:
    """Results and the page that shows them, packed; who knows the token of 128 bits can read them.

    Attributes:
        packed: the results as JSON lines, and the HTML.
        pictures: names of the pictures that can be drawn of the results.
        since: when it was put there, on a clock that only goes forward.
    """

    packed: tuple[bytes, bytes]
    pictures: tuple[str, ...] = ()
    since: float = field(default_factory=time.monotonic)

    @property
    def results(self) -> list[Result]:
        """The results."""
        return [Result.from_json(line) for line in zlib.decompress(self.packed[0]).decode().splitlines()]

    @property
    def html(self) -> str:
        """The page."""
        return zlib.decompress(self.packed[1]).decode()

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(map(len, self.packed))

    def file(self, name: str) -> tuple[str, bytes] | None:
        """Media type and content of one of its files; ``None`` where there is none of that name."""
        makers: dict[str, tuple[str, Callable[[list[Result]], bytes]]] = {
            "results.json": ("application/json", _json),
            "results.jsonl": (
                "application/x-ndjson",
                lambda r: "".join(f"{x.to_json()}\n" for x in r).encode(),
            ),
            "rows.csv": ("text/csv; charset=utf-8", lambda r: _rows(r).encode()),
            **{f"{p}.png": ("image/png", functools.partial(_picture, name=p)) for p in self.pictures},
        }
        if name not in makers:
            return None
        kind, make = makers[name]
        return kind, make(self.results)


class SharedResults:
    """Results by token; the oldest make room for new ones.

    Args:
        seconds: how long a result is kept.
        max_bytes: how much all of them may take.

    Examples:
        >>> shelf = SharedResults()
        >>> token = shelf.keep([Result(method="weat", score=1, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                            n=8)], "<p>1</p>")
        >>> shelf.get(token).html, shelf.get(token).results[0].score
        ('<p>1</p>', 1.0)
    """

    def __init__(self, seconds: float = KEPT_SECONDS, max_bytes: int = MAX_SHARED_BYTES) -> None:
        self._seconds, self._max_bytes = seconds, max_bytes
        self._kept: OrderedDict[str, SharedResult] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, results: Sequence[Result], html: str, pictures: Sequence[str] = ()) -> str:
        """Keep results with their page, and return the token that opens them."""
        lines = "".join(f"{r.to_json()}\n" for r in results)
        entry = SharedResult((zlib.compress(lines.encode()), zlib.compress(html.encode())), tuple(pictures))
        token = secrets.token_urlsafe(16)
        with self._lock:
            self._kept[token] = entry
            while len(self._kept) > 1 and (
                sum(k.size for k in self._kept.values()) > self._max_bytes
                or time.monotonic() - next(iter(self._kept.values())).since > self._seconds
            ):
                self._kept.popitem(last=False)
        return token

    def get(self, token: str) -> SharedResult:
        """Return what a token opens.

        Raises:
            InputError: there is nothing, or no longer.
        """
        with self._lock:
            entry = self._kept.get(token)
        if entry is None or time.monotonic() - entry.since > self._seconds:
            raise InputError(
                "this result is no longer here: a link opens its result for a day, as long as the server runs",
                hint="measure again, or keep the file that can be saved below every result",
            )
        return entry


SHARED_RESULTS = SharedResults()
"""The results of this server."""


def _json(results: list[Result]) -> bytes:
    facts = [r.to_dict() for r in results]
    return json.dumps(facts[0] if len(facts) == 1 else facts, indent=1, ensure_ascii=False).encode()


def _rows(results: Sequence[Result]) -> str:
    """Every row of every result as CSV, formulas of spreadsheets disarmed."""
    import pandas as pd

    from ..experiments.export import csv_text

    frames = []
    for result in results:
        frame = result.to_frame()
        frames.append(frame if "method" in frame else frame.assign(method=result.method))
    return csv_text(pd.concat(frames, ignore_index=True))


def _picture(results: list[Result], name: str) -> bytes:
    from ..report.plots import effect_plot, method_figures

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "picture.png"
        if name == "scores":
            return effect_plot(results[:1], path)[1].read_bytes()
        figure: Any = method_figures(results[0])[name]
        figure.savefig(path, dpi=160, bbox_inches="tight", facecolor="white")
        return path.read_bytes()
