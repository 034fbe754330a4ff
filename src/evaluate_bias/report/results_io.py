"""Results on disk: one result a line in ``results.jsonl``, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ..errors import DataError, OutputError
from ..result import Result

__all__ = ["RESULTS_FILE", "read_results", "write_results", "write_text"]

RESULTS_FILE = "results.jsonl"


def write_results(results: Sequence[Result], path: str | Path) -> None:
    """Write results as JSON lines, replacing the file in one step.

    A reader never sees half a file: the text goes to a temporary file in the same folder, which is renamed.

    Args:
        results: any number of results.
        path: the file, or a folder that exists, in which ``results.jsonl`` is written.

    Raises:
        OutputError: the folder or file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_results([result], folder)
        ...     read_results(folder) == [result]
        True
    """
    path = Path(path)
    target = path / RESULTS_FILE if path.is_dir() else path
    write_text(target, "".join(f"{r.to_json()}\n" for r in results))


def read_results(path: str | Path) -> list[Result]:
    """Read the results that :func:`write_results` wrote.

    Args:
        path: the file, or the folder that holds ``results.jsonl``.

    Returns:
        The results in the order of the file; never an empty list.

    Raises:
        DataError: there is no such file, it is empty, or a line is not a result of this library or was
            written by a newer version of it; the text names the line.

    Examples:
        >>> read_results("missing")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: there are no results at missing: make them with 'evaluate-bias run'
    """
    path = Path(path)
    source = path / RESULTS_FILE if path.is_dir() else path
    try:
        raw = source.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there are no results at {source}: make them with 'evaluate-bias run'") from None
    except OSError as error:
        raise DataError(f"{source} cannot be read: {error.strerror or error}") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{source} is not UTF-8 text (byte {error.start}): it is no results file") from None
    # Not str.splitlines: JSON strings may hold U+2028 and other characters that it takes for line ends.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise DataError(f"{source} is empty: it holds no results")
    return [_result(line, f"{source}, line {number}") for number, line in lines]


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text to a file in one step, making its folder and keeping line ends as they are.

    A link is followed, and an existing file keeps its permissions.

    Raises:
        OutputError: the folder or file cannot be written.
    """
    target = Path(path)
    temporary: str | None = None
    try:
        target = target.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:80]}.", suffix=".part"
        )
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise OutputError(
            f"{path} cannot be written ({error.strerror or error}): choose a folder that can be written to"
        ) from error


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _result(line: str, where: str) -> Result:
    try:
        data = json.loads(line, parse_constant=_refuse_constant)
        if not isinstance(data, dict):
            raise DataError("not a result of this library: the JSON is not an object")
        result = Result.from_dict(data)
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not JSON: {error.msg} at column {error.colno}") from None
    except (AttributeError, OverflowError, RecursionError, ValueError) as error:
        raise DataError(f"{where}: {error}") from error
    for name in (
        "score",
        "ideal",
        "ci_level",
    ):  # the reports rely on what the type of a result cannot express
        if getattr(result, name) is None:
            raise DataError(f"{where}: {name!r} of a {result.method} result must be a number, not null")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise DataError(f"{name} is not a number that strict JSON allows")
