"""Texts of a file, a folder, a list or a column of a data set, in batches of bounded size that know their position."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError, InputError, quoted

BATCH = 1 << 22
"""Bytes, or characters, of a batch. A longer line is cut at whitespace, so that it needs no more memory than others."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some texts.

    Attributes:
        content: the texts, or lines of UTF-8.
        end: where reading goes on: the number of the file and the byte, or of the row and 0.
    """

    content: list[str] | bytes
    end: tuple[int, int]


def decoded(content: list[str] | bytes) -> tuple[list[str], int]:
    """The texts of a batch, and the number of bytes that were no valid UTF-8 and read as U+FFFD."""
    if isinstance(content, list):
        return content, 0
    try:
        text, invalid = content.decode("utf-8"), 0
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        invalid = text.count("\ufffd") - content.count("\ufffd".encode())
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1], invalid


def files_of(path: Path) -> list[Path]:
    """The text files that a path stands for, sorted: itself, or all ``.txt`` files of a folder and those below it.

    Raises:
        DataError: there is none, or a path is not a regular file.
    """
    if not os.path.exists(path):  # noqa: PTH110 (a name that is too long does not exist either)
        raise DataError(
            f"{quoted(str(path))} does not exist", hint="give a text file, a folder of .txt files, or texts"
        )
    files = sorted(p for p in path.rglob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise DataError(f"{path} contains no .txt file", hint="give a text file, or a folder of .txt files")
    for file in files:
        if not stat.S_ISREG(file.stat().st_mode):
            raise DataError(f"{file} is not a regular file, so it cannot be read as text")
    return files


def read_files(files: Sequence[Path], start: tuple[int, int] = (0, 0)) -> Iterator[Batch]:
    """Read text files from a position, a line a text; long lines are cut at a blank.

    Raises:
        DataError: a file holds a NUL byte, as text does not.
    """
    for number in range(start[0], len(files)):
        at = start[1] if number == start[0] else 0
        with files[number].open("rb") as stream:
            stream.seek(at)
            rest = b""
            # A batch depends on its first byte alone: a pass that goes on there cuts long lines at the same places.
            while block := stream.read(BATCH - len(rest)):
                if b"\0" in block:
                    raise DataError(
                        f"{files[number]} is not text: it contains a NUL byte",
                        hint="give UTF-8 text (iconv converts UTF-16)",
                    )
                block = rest + block
                cut = block.rfind(b"\n") + 1
                if not cut and len(block) == BATCH:
                    cut = max(block.rfind(b" "), block.rfind(b"\t")) + 1 or _whole(block)
                block, rest = block[:cut], block[cut:]
                at += len(block)
                if block:
                    yield Batch(block, (number, at))
            if rest:
                yield Batch(rest, (number, at + len(rest)))
        yield Batch([], (number + 1, 0))


def _whole(block: bytes) -> int:
    """The end of the last whole character of UTF-8."""
    end = len(block)
    while end and block[end - 1] & 0xC0 == 0x80:
        end -= 1
    return end - 1 if end and block[end - 1] >= 0xC0 else len(block)


def read_rows(rows: Iterable[Any], column: str, start: int = 0) -> Iterator[Batch]:
    """Read texts, or rows with a text in ``column``, from a row on.

    Raises:
        DataError: a row has no such column, or no text in it.
    """
    texts: list[str] = []
    size = number = 0
    for number, row in enumerate(_from(rows, start), start + 1):
        text = row
        if isinstance(row, dict):
            if column not in row:
                raise DataError(
                    f"row {number} (counted from 1) has no column {column!r}, only {', '.join(map(repr, row))}",
                    option="column",
                    hint="name the column with `column`",
                )
            text = row[column]
        if not isinstance(text, str):
            raise DataError(
                f"row {number} (counted from 1) is {type(text).__name__}, but a corpus consists of strings"
            )
        texts.append(text)
        size += len(text)
        if size >= BATCH:
            yield Batch(texts, (number, 0))
            texts, size = [], 0
    if texts:
        yield Batch(texts, (number, 0))


def _from(rows: Any, start: int) -> Iterable[Any]:
    if not start:
        return rows  # type: ignore[no-any-return]
    if hasattr(rows, "skip"):
        return rows.skip(start)  # type: ignore[no-any-return]
    if isinstance(rows, Sequence):
        return (rows[i] for i in range(start, len(rows)))
    raise InputError("counting in an iterator cannot be resumed", hint="give a list, a file or a data set")
