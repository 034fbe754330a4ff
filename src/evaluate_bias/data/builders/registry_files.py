"""Files that data sets are made from: members of assets, and rows packaged with this library."""

from __future__ import annotations

import fnmatch
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath

from ...assets import fetch, get_asset
from ...errors import AssetError

__all__ = ["AssetFile", "AssetTexts", "PackagedFile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFile:
    """A file of an asset, pinned by its own checksum.

    Attributes:
        asset: name of the asset.
        path: path below the asset's folder.
        sha256: hex digest of the file.
        repository: repository that the file was copied from, empty when the package is the source.
    """

    asset: str
    path: str
    sha256: str
    repository: str = ""

    def facts(self) -> Mapping[str, str]:
        """Return where the file comes from, its path and its checksum."""
        copied = {"copied_from": self.repository} if self.repository else {}
        return {
            "repository": get_asset(self.asset).source.label,
            "path": self.path,
            "sha256": self.sha256,
            **copied,
        }

    def read(self, source: Path | None, verify: bool) -> bytes:
        """Return the file's content.

        Args:
            source: folder laid out like the asset; ``None``: the asset, from the cache or downloaded.
            verify: refuse a file that is not the pinned one.

        Raises:
            AssetError: the file is not there, could not be downloaded, or is not the pinned one.
        """
        folder = fetch(self.asset) if source is None else source
        path = folder / self.path
        if not path.is_file():
            raise AssetError(f"{folder} has no file {self.path}: give a folder laid out like {self.asset}")
        raw = path.read_bytes()
        found = hashlib.sha256(raw).hexdigest()
        if verify and found != self.sha256:
            raise AssetError(f"{path} is not the pinned file: its sha256 is {found}, not {self.sha256}")
        return raw


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetTexts:
    """The text files of an asset, which is pinned by the checksum of its archive.

    Attributes:
        asset: name of the asset.
        patterns: patterns of the files below the asset's folder.
    """

    asset: str
    patterns: tuple[str, ...]

    def facts(self) -> Mapping[str, str]:
        """Return the package, the patterns, and the checksum of the archive."""
        source = get_asset(self.asset).source
        return {
            "repository": source.label,
            "path": ", ".join(self.patterns),
            "archive_sha256": source.sha256,
        }

    def read(self, source: Path | None, verify: bool) -> bytes:
        """Return the texts as a JSON object: name of the file without its ending, and content.

        Args:
            source: folder laid out like the asset; ``None``: the asset, from the cache or downloaded.
            verify: without effect: the archive is checked when it is fetched.

        Raises:
            AssetError: there is no such file, or the asset could not be downloaded.
        """
        folder = fetch(self.asset) if source is None else source
        names = (p.relative_to(folder).as_posix() for p in sorted(folder.rglob("*")) if p.is_file())
        found = [n for n in names if any(fnmatch.fnmatch(n, pattern) for pattern in self.patterns)]
        if not found:
            raise AssetError(f"{folder} has no file {', '.join(self.patterns)}")
        texts = {
            PurePosixPath(n).stem: (folder / n).read_text(encoding="utf-8", errors="replace") for n in found
        }
        return json.dumps(texts, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedFile:
    """A file that comes with this library, identified by its content, so that a new version is built anew.

    Attributes:
        path: path below the folder of packaged data.
        made_with: other packaged files that the rows depend on.
    """

    path: str
    made_with: tuple[str, ...] = ()

    def facts(self) -> Mapping[str, str]:
        """Return the path and the checksum of the file, and one of the files it is made with."""
        facts = {"repository": "evaluate-bias", "path": self.path, "sha256": _digest(self.path)}
        return {**facts, "made_with_sha256": _digest(*self.made_with)} if self.made_with else facts

    def read(self, source: Path | None, verify: bool) -> bytes:
        """Return the file's content; it is the library's own, whatever ``source`` holds."""
        return _packaged(self.path)


def _packaged(path: str) -> bytes:
    return (resources.files("evaluate_bias.data") / "packaged" / path).read_bytes()


def _digest(*paths: str) -> str:
    return hashlib.sha256(b"".join(map(_packaged, paths))).hexdigest()
