"""What one visitor may ask for, so that a shared machine answers everybody, and the checks of typed text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ..errors import InputError

MAX_VECTOR_BYTES = 64 * 2**20
MAX_UNPACKED_BYTES = 256 * 2**20
MAX_ARRAYS = 20_000
MAX_LINE_BYTES = 2**16
MAX_TABLE_BYTES = 2 * 2**20
MAX_SENTENCE = 400
MAX_COLUMNS = 50
MAX_VECTORS = 500_000
MAX_UPLOADED_WORD = 500
MAX_TENSOR_HEADER = 8 * 2**20
MAX_MESSAGE = 600
MAX_CHOICE = 1_000
MAX_WORDS = 200
MAX_WORD_LENGTH = 60
MAX_CARD = 500_000
MAX_BODY_BYTES = 4 * 2**20
MAX_UPLOAD_BYTES = MAX_VECTOR_BYTES + 2**16  # one file, and the form around it
MAX_UPLOADS_BYTES = 2**30  # of all visitors; each is deleted an hour after it arrived
MAX_RESULTS = 24
MAX_MODELS = 4
MAX_METHODS = 4
MAX_HUB_BYTES = 2 * 2**30
MODELS_IN_MEMORY = 3
MAX_SESSIONS = 1_000  # for each of which gradio keeps 0.6 MB of the page; those not used for longest go first
REQUEST_SECONDS = 120.0
WAIT_SECONDS = 120.0
MODULE_SECONDS = 600.0
QUEUE_LENGTH = 64
MAX_TEXT = 200_000
MAX_TEXT_BYTES = 8 * 2**20
MAX_ROWS = 500
MAX_ASKED = 20
MAX_PROMPT_VARIANTS = 5
MAX_DRAWS = 5
MAX_DRAWN_TOKENS = 60
MAX_REPLY_TOKENS = 24  # of the models in the list, which repeat the option that they choose
MAX_CELL = 2_000


class OutOfTime(InputError):
    """A request took longer than one visitor may use the machine."""


class Busy(InputError):
    """The model was in use for as long as a request waits."""


class Deadline:
    """The time one request may take, and where its progress is shown.

    Args:
        seconds: time allowed from now on.
        show: called with the share done, between 0 and 1, and what is being done.

    Examples:
        >>> deadline = Deadline(600)
        >>> deadline.step(1, 4)
        >>> 0 < deadline.remaining <= 600
        True
    """

    def __init__(
        self, seconds: float = REQUEST_SECONDS, show: Callable[[float, str], None] | None = None
    ) -> None:
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._show = show
        self.doing = "measuring"

    @property
    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self._end - time.monotonic())

    @contextmanager
    def paused(self, doing: str) -> Iterator[None]:
        """Waiting for others is not counted as time used; ``doing`` is shown meanwhile."""
        start, self.doing = time.monotonic(), doing
        if self._show is not None:
            self._show(0.0, doing)
        yield
        self._end += time.monotonic() - start

    def step(self, done: float, total: float) -> None:
        """Show the progress.

        Raises:
            OutOfTime: the request has used its time.
        """
        if self.remaining == 0.0:
            raise OutOfTime(
                f"stopped after {self._seconds:g} seconds, the most one request may take here; choose fewer words, "
                "pairs, models or methods, or run it on your own machine"
            )
        if self._show is not None:
            self._show(min(1.0, done / total), self.doing)


def check_table(columns: Sequence[object], rows: Sequence[Sequence[object]], longest: int) -> None:
    """Refuse a table that is too large, or that has a text of more than ``longest`` characters.

    Raises:
        InputError: the text names the place.
    """
    if len(rows) > MAX_ROWS:
        raise InputError(f"{len(rows):,} rows are more than the {MAX_ROWS} this page accepts")
    if len(columns) > MAX_COLUMNS:
        raise InputError(f"{len(columns):,} columns are more than the {MAX_COLUMNS} this page accepts")
    for number, row in enumerate(rows, 1):
        for column, cell in zip(columns, row, strict=False):
            length = len(cell.strip()) if isinstance(cell, str) else 0
            if length > longest:
                raise InputError(
                    f"row {number}, {str(column)[:60]}: {length:,} characters are more than the {longest:,} this "
                    "page accepts"
                )


def bounded(text: str | None, limit: int, name: str) -> str:
    """Return typed text without white space around it.

    Raises:
        InputError: it is longer than ``limit`` characters, or empty.

    Examples:
        >>> bounded(" She cooks. ", 400, "first sentence")
        'She cooks.'
    """
    stripped = (text or "").strip()
    if not stripped:
        raise InputError(f"{name} is empty", option=name, hint="type something first")
    if len(stripped) > limit:
        raise InputError(
            f"{name}: {len(stripped):,} characters are more than the {limit:,} this page accepts"
        )
    return stripped


def parse_words(text: str | None, name: str) -> list[str]:
    """Read words separated by commas, semicolons or new lines.

    Raises:
        InputError: no word, more than 200 words, or a word of more than 60 characters.

    Examples:
        >>> parse_words("math, algebra\\n geometry;", "first targets")
        ['math', 'algebra', 'geometry']
    """
    words = [" ".join(w.split()) for w in re.split(r"[,;\n]", text or "") if w.strip()]
    if not words:
        raise InputError(f"{name} is empty", option=name, hint="type at least one word, separated by commas")
    if len(words) > MAX_WORDS:
        raise InputError(f"{name}: {len(words)} words are more than the {MAX_WORDS} this page accepts")
    if too_long := [w for w in words if len(w) > MAX_WORD_LENGTH]:
        raise InputError(
            f"{name}: {too_long[0][:MAX_WORD_LENGTH]}… is longer than {MAX_WORD_LENGTH} characters"
        )
    return words
