"""The log of a run: a file beside the store for what happens in it."""

from __future__ import annotations

import contextlib
import logging
import platform
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import OutputError
from ..files import short_path
from ..provenance import software_versions


@contextlib.contextmanager
def open_log(folder: Path, runner: str, units: int) -> Iterator[tuple[logging.Logger, Path]]:
    """Open a log for one run and for no other of this process; yield the logger and its file.

    Args:
        folder: where the store is; the file is made in its folder ``logs``.
        runner: the name of the run.
        units: how many units are planned.

    Raises:
        OutputError: the file cannot be made.
    """
    path = folder / "logs" / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{runner[:8]}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _Handler(path, encoding="utf-8")
    except FileExistsError as error:
        raise OutputError(
            f"{short_path(path.parent)} is a file, and the run keeps its logs in a folder of this name: move it away"
        ) from error
    except OSError as error:
        raise OutputError(f"{short_path(path)} cannot be written ({error.strerror or error})") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.Logger(__name__, logging.INFO)
    log.addHandler(handler)
    versions = ", ".join(f"{name} {version}" for name, version in software_versions().items())
    log.info("started on %s with %s: %d units", platform.node(), versions, units)
    try:
        yield log, path
    finally:
        with contextlib.suppress(OSError):
            handler.close()


class _Handler(logging.FileHandler):
    """A log that cannot be written, on a full disk, stops no measurement."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass
