"""Data that a file of other people names, such as a log or a result: read only where nobody can misuse that."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..errors import DataError, quoted
from ..files import short_path

_GUARD: ContextVar[tuple[str, Collection[str]] | None] = ContextVar("guard of named sources", default=None)
"""Who names sources here, and the checksums of the files that may be read. ``None`` if the user names them."""


@contextmanager
def sources_named_by(who: str, checksums: Collection[str] = ()) -> Iterator[None]:
    """Within this context, read data sets of this library, files of these contents, and what was downloaded before.

    Args:
        who: what names the sources, for errors.
        checksums: SHA-256 of files that may be read.

    Examples:
        >>> with sources_named_by("this log"):
        ...     require_content(Path("notes.csv"), b"a,b")
        Traceback (most recent call last):
        ...
        evaluate_bias.errors.DataError: this log names the file notes.csv, which is not the one that was measured: it
        was not read
    """
    token = _GUARD.set((who, checksums))
    try:
        yield
    finally:
        _GUARD.reset(token)


def require_content(path: Path, raw: bytes | None = None) -> None:
    """Refuse a file whose content nobody vouches for, and a folder, whose names are its content.

    Raises:
        DataError: it is not to be read here.
    """
    guard = _GUARD.get()
    if guard and (raw is None or hashlib.sha256(raw).hexdigest() not in guard[1]):
        kind = "folder" if raw is None else "file"
        raise DataError(
            f"{guard[0]} names the {kind} {short_path(path)}, which is not the one that was measured: it was not read"
        )


def require_download(repo_id: str) -> None:
    """Refuse a data set of the Hub that the user has not downloaded.

    Raises:
        DataError: it is not to be read here.
    """
    import datasets

    owner, _, name = repo_id.partition("/")
    folder = Path(
        datasets.config.HF_DATASETS_CACHE, f"{owner}___{datasets.naming.camelcase_to_snakecase(name)}"
    )
    if (guard := _GUARD.get()) and not folder.is_dir():
        raise DataError(
            f"{guard[0]} names the data set {repo_id} of the Hub, which was not downloaded",
            hint=f"if you trust it, load it first with datasets.load_dataset({quoted(repo_id)}, …)",
        )
