"""Files that people name: read without hanging, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import stat
from pathlib import Path
from typing import Any, BinaryIO

from .errors import BiasError, DataError, InputError, OutputError, quoted

try:
    import fcntl
except ImportError:  # not a POSIX system: leftovers of killed writes stay
    fcntl = None  # type: ignore[assignment]

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_LONGEST_PATH = 200
LARGEST_JSON = 2**28
"""Characters of the largest JSON text that is read, such as a line of a results file."""
DEEPEST_JSON = 40
"""Levels of lists and objects in a JSON text. Results have about ten."""


def short_path(path: str | os.PathLike[str]) -> str:
    """Return a path for an error sentence, without its middle if it is long.

    Examples:
        >>> short_path("out/results.jsonl"), len(short_path("x" * 5000))
        ('out/results.jsonl', 200)
    """
    text = os.fspath(path)
    half = _LONGEST_PATH // 2
    return text if len(text) <= _LONGEST_PATH else f"{text[: half - 1]}…{text[-half:]}"


def is_there(path: str | os.PathLike[str]) -> bool:
    """True if something exists at a path. Nothing does under a name that no file can have, such as a very long one.

    Examples:
        >>> is_there("."), is_there("x" * 300), is_there("a\\0b")
        (True, False, False)
    """
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def is_inside(path: Path, folder: Path) -> bool:
    """True if a file, or the target of a link, is in a folder.

    Examples:
        >>> is_inside(Path("out/README.md"), Path("out")), is_inside(Path("out/../README.md"), Path("out"))
        (True, False)
    """
    return path.resolve().is_relative_to(folder.resolve())


def require_regular_or_absent(path: str | os.PathLike[str]) -> Path:
    """Return ``path`` if it is a regular file or does not exist. Links are followed and nothing is opened.

    Raises:
        InputError: a folder, pipe, socket or device is there, or the path contains a character that no path can have.

    Examples:
        >>> require_regular_or_absent("no such file").name
        'no such file'
        >>> require_regular_or_absent(".")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.InputError: . is a folder, not a file
    """
    try:
        mode = Path(path).stat().st_mode
    except OSError:  # nothing is there, or nothing that can be reached: opening it tells why
        return Path(path)
    except ValueError as error:  # a null character, half a character
        raise InputError(f"{short_path(path)!r} cannot be the name of a file: {error}") from error
    _require_regular(path, mode)
    return Path(path)


def _require_regular(path: str | os.PathLike[str], mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise InputError(f"{short_path(path)} is {_KINDS.get(stat.S_IFMT(mode), 'special')}, not a file")


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading bytes, without waiting for the other end of a pipe.

    Raises:
        InputError: what is there is not a regular file.
        OSError: nothing is there, or it cannot be opened.
    """
    require_regular_or_absent(path)
    # Should a pipe have taken its place by now, O_NONBLOCK opens that without waiting, and it is refused all the same.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        _require_regular(path, os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a UTF-8 file whole, its line ends as they are.

    Raises:
        InputError: what is there is not a regular file.
        DataError: it is not UTF-8.
        OSError: nothing is there, or it cannot be read.
    """
    with open_regular(path) as file:
        raw = file.read()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{short_path(path)} is not UTF-8 text (byte {error.start})") from error


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the mapping of a JSON object, for ``json.loads(…, object_pairs_hook=unique_keys)``.

    Raises:
        DataError: a key is given twice, of which Python would use the last and other programs the first.

    Examples:
        >>> unique_keys([("p", 0.1), ("p", 0.9)])
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: the key 'p' is given twice
    """
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DataError(f"the key {quoted(twice)} is given twice")
    return mapping


def parsed_json(text: str | bytes, where: str, *, allow_nan: bool = False) -> Any:
    """Parse untrusted JSON: of limited size and depth, with every key once and every number finite.

    Args:
        text: the JSON, at most 2^28 characters or bytes, nested at most 40 deep.
        where: what the text is part of, for the error.
        allow_nan: accept ``NaN`` and ``Infinity``, which pandas writes for cells that are empty or too large.

    Raises:
        DataError: the text is not such JSON.

    Examples:
        >>> parsed_json('{"p": [0.1, null]}', "the file")
        {'p': [0.1, None]}
        >>> parsed_json('{"p": 1e999}', "the file")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: the file: 1e999 is not a finite number
    """
    if len(text) > LARGEST_JSON:
        raise DataError(
            f"{where} has {len(text):,} characters, and at most {LARGEST_JSON:,} are read: split it"
        )
    number = float if allow_nan else _finite
    try:
        value = json.loads(text, object_pairs_hook=unique_keys, parse_float=number, parse_constant=number)
    except BiasError as error:
        raise DataError(f"{where}: {error}") from error
    except RecursionError:
        value, depth = None, DEEPEST_JSON + 1
    except ValueError as error:  # also a number of thousands of digits
        raise DataError(f"{where} is not JSON that can be read: {error}") from error
    else:
        depth, level = 0, [value]
        while depth <= DEEPEST_JSON and (level := [part for part in level if isinstance(part, (dict, list))]):
            level = [child for part in level for child in (part.values() if isinstance(part, dict) else part)]
            depth += 1
    if depth > DEEPEST_JSON:
        raise DataError(f"{where} is nested more than {DEEPEST_JSON} deep")
    return value


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise DataError(f"{text[:40]} is not a finite number")
    return number


def atomic_write(path: str | os.PathLike[str], data: str | bytes) -> Path:
    """Write a file in one step, so that whoever reads it, or kills this program, finds the old or the new one whole.

    A link is followed, the folder is made, and text is written as UTF-8 with its line ends unchanged. An existing
    file keeps its permissions. A new one has the permissions that the umask allows. Temporary files that earlier
    calls for the same file left behind when they were killed are removed.

    Returns:
        The path as it was given.

    Raises:
        InputError: a folder, pipe, socket or device is there.
        OutputError: the folder or file cannot be written, or the text cannot be encoded as UTF-8. What was there
            before is unchanged.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     read_text(atomic_write(f"{folder}/new/file.txt", "é"))
        'é'
    """
    require_regular_or_absent(path)
    try:
        raw = data.encode("utf-8") if isinstance(data, str) else data
    except UnicodeEncodeError as error:
        raise OutputError(
            f"{short_path(path)} was not written: the text contains half a character, {data[error.start]!r}"
        ) from error
    temporary: Path | None = None
    try:
        target = Path(path).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        handle, temporary = _temporary(target)
        with os.fdopen(handle, "wb") as file:
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            file.write(raw)
            file.flush()
            os.fsync(handle)
            temporary.replace(target)  # before it is closed, which would end its lock
    except BaseException as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        if not isinstance(error, (OSError, ValueError)) or isinstance(error, BiasError):
            raise
        raise OutputError(
            f"{short_path(path)} cannot be written ({getattr(error, 'strerror', None) or error})",
            hint="choose a folder that can be written to",
        ) from error
    return Path(path)


def _prefix(target: Path) -> str:
    """Return the prefix of temporary files next to ``target``. A file name has at most 255 bytes."""
    return f".{target.name.encode()[:160].decode(errors='ignore')}."


def _temporary(target: Path) -> tuple[int, Path]:
    """Return a new file next to the target. It is locked while open, unlike the leftovers of killed writes."""
    while True:
        path = target.with_name(f"{_prefix(target)}{secrets.token_hex(8)}.part")
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            if fcntl is None or (_locks(handle) and os.fstat(handle).st_nlink):
                return handle, path
        except OSError:  # without locks, nothing is treated as a leftover either
            return handle, path
        os.close(handle)  # another program took it for a leftover before it was locked


def _remove_leftovers(target: Path) -> None:
    prefix = _prefix(target)
    for entry in list(os.scandir(target.parent)) if fcntl is not None else ():
        if not (entry.name.startswith(prefix) and entry.name.endswith(".part")):
            continue
        if not entry.is_file(follow_symlinks=False):
            continue
        with contextlib.suppress(OSError):  # gone by now, or somebody else's
            handle = os.open(entry.path, os.O_WRONLY)
            try:
                if _locks(handle):
                    Path(entry.path).unlink()
            finally:
                os.close(handle)


def _locks(handle: int) -> bool:
    """Lock an open file. Return ``False`` if another program holds its lock."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
