"""Where the files of a data set come from, and how their bytes are obtained and checked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Protocol

from ...assets import Asset, Url, fetch, get_asset, is_cached
from ...errors import AssetError

__all__ = ["Origin", "Packaged", "Upstream"]

BENCHMARKS = "benchmarks"
"""The asset that holds copies of many published benchmarks."""


class Origin(Protocol):
    """One file a data set is made from."""

    def read(self, source: Path | None, verify: bool) -> bytes:
        """Return the file's content.

        Raises:
            AssetError: it is not below ``source``, could not be downloaded, or is not the pinned one and
                ``verify`` is set.
        """
        ...

    def facts(self) -> Mapping[str, str]:
        """Return the identity of the file, for cards and provenance."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A file of a public repository, pinned by commit and checksum.

    Attributes:
        repository: owner and name on GitHub.
        commit: the commit, in full.
        path: path of the file in the repository.
        sha256: hex digest of the file as it lies in the repository.
        in_benchmarks: path of a copy below the asset ``benchmarks``, empty when it has none.
    """

    repository: str
    commit: str
    path: str
    sha256: str
    in_benchmarks: str = ""

    @property
    def url(self) -> str:
        """Address of the raw file."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.path}"

    def facts(self) -> Mapping[str, str]:
        """Return repository, revision, path and checksum."""
        return {
            "repository": self.repository,
            "revision": self.commit,
            "path": self.path,
            "sha256": self.sha256,
        }

    def read(self, source: Path | None, verify: bool) -> bytes:
        """Return the file's content, checked against the pin.

        Args:
            source: folder laid out like the repository, or with such a folder called ``owner_name`` in it, or
                laid out like the asset ``benchmarks``; ``None``: the copy in the asset when that is already
                here, else the network, else the asset.
            verify: refuse a file that is not the pinned one.
        """
        if source is None:
            return self._checked(self._obtained(), self.url)
        places = [self.path, f"{self.repository.replace('/', '_')}/{self.path}", self.in_benchmarks]
        found = next((source / place for place in places if place and (source / place).is_file()), None)
        if found is None:
            raise AssetError(
                f"{source} has no file {self.path}: give a folder laid out like the repository "
                f"{self.repository}, or one that holds such a folder, called {places[1].split('/')[0]}"
            )
        raw = found.read_bytes()
        return self._checked(raw, str(found)) if verify else raw

    def _obtained(self) -> bytes:
        if self.in_benchmarks and is_cached(get_asset(BENCHMARKS)):
            return self._from_benchmarks()
        name = f"{PurePosixPath(self.repository).name}-{PurePosixPath(self.path).name}"
        asset = Asset(
            name=name,
            kind="data sets",
            description=f"{self.path} of {self.repository}",
            language="mul",
            licence="as the repository states",
            size=0,
            source=Url(self.url, self.sha256),
        )
        try:
            return fetch(asset).read_bytes()
        except AssetError:
            if not self.in_benchmarks:
                raise
        return self._from_benchmarks()

    def _from_benchmarks(self) -> bytes:
        return (fetch(BENCHMARKS) / self.in_benchmarks).read_bytes()

    def _checked(self, raw: bytes, where: str) -> bytes:
        """Accept the pinned bytes, also when a copy of them has the line ends of Windows."""
        if hashlib.sha256(raw).hexdigest() == self.sha256:
            return raw
        if hashlib.sha256(unix := raw.replace(b"\r\n", b"\n")).hexdigest() == self.sha256:
            return unix
        raise AssetError(
            f"{where} is not {self.path} of {self.repository} at {self.commit[:12]}: its sha256 is "
            f"{hashlib.sha256(raw).hexdigest()} and {self.sha256} was expected"
        )


@dataclass(frozen=True, slots=True)
class Packaged:
    """A file that comes with this library.

    Attributes:
        path: path below the folder of packaged data.
    """

    path: str

    def facts(self) -> Mapping[str, str]:
        """Return the path."""
        return {"repository": "evaluate-bias", "path": self.path}

    def read(self, source: Path | None, verify: bool) -> bytes:
        """Return the file's content; ``source`` is another folder to take it from."""
        if source is None:
            return (resources.files("evaluate_bias.data") / "packaged" / self.path).read_bytes()
        path = source / PurePosixPath(self.path).name
        if not path.is_file():
            raise AssetError(f"{source} has no file {path.name}")
        return path.read_bytes()
