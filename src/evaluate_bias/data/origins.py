"""Where the files of a data set come from, and how their bytes are obtained and checked."""
# ruff: noqa: D102 - what the methods of an origin do is said once, in the base class.

from __future__ import annotations

import fnmatch
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from ..assets import Asset, Url, asset_folder, fetch, get_asset, is_cached
from ..errors import AssetError
from ..paths import packaged_data, recipe_file
from .table_files import decoded

BENCHMARKS = "benchmarks"
"""The asset with copies of many published benchmarks."""


def checksums(dataset: str) -> dict[str, str]:
    """Return the SHA-256 of a data set's upstream files by their paths: ``SHA256SUMS`` in the folder of its recipe.

    Examples:
        >>> list(checksums("kobbq"))
        ['data/KoBBQ_test_samples.tsv']
    """
    lines = recipe_file(dataset, "SHA256SUMS").read_text("utf-8").splitlines()
    return {path: sha256 for sha256, path in (line.split("  ", 1) for line in lines)}


class Origin(ABC):
    """What one split of a data set is made from."""

    @abstractmethod
    def read(self, source: Path | None, verify: bool) -> Any:
        """Return its content: the bytes of one file, or the texts of several by their names without ending.

        Args:
            source: folder laid out like the repository or the asset. ``None``: the cache or the network.
            verify: refuse a file that is not the pinned one.

        Raises:
            AssetError: it is not below ``source``, could not be downloaded, or is not the pinned one and
                ``verify`` is set.
        """

    @abstractmethod
    def facts(self) -> Mapping[str, str]:
        """Return what identifies it, for cards and provenance."""

    def pins(self) -> tuple[str, ...]:
        """Return the checksums of the files in which others have published it."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryFile(Origin):
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
        return {
            "repository": self.repository,
            "revision": self.commit,
            "path": self.path,
            "sha256": self.sha256,
        }

    def read(self, source: Path | None, verify: bool) -> bytes:
        # Also a folder that contains one called owner_name, or one laid out like the asset ``benchmarks``.
        if source is None:
            return self._checked(self._obtained(), self.url)
        places = [self.path, f"{self.repository.replace('/', '_')}/{self.path}", self.in_benchmarks]
        file = next((source / place for place in places if place and (source / place).is_file()), None)
        if file is None:
            raise AssetError(
                f"{source} has no file {self.path}",
                hint=f"give a folder laid out like the repository {self.repository}, or one that contains such a "
                f"folder, called {places[1].split('/')[0]}",
            )
        raw = file.read_bytes()
        return self._checked(raw, str(file)) if verify else raw

    def pins(self) -> tuple[str, ...]:
        return (self.sha256,)

    def _obtained(self) -> bytes:
        if self.in_benchmarks and is_cached(get_asset(BENCHMARKS)):
            return self._from_benchmarks()
        name = f"{PurePosixPath(self.repository).name}-{PurePosixPath(self.path).name}"
        source = Url(self.url, self.sha256)
        asset = Asset(name=name, kind="data sets", source=source)
        try:
            return fetch(asset).read_bytes()
        except AssetError as error:
            if not self.in_benchmarks:
                # A download that failed, which names the command to get the file by hand.
                goes_to = (
                    f", and move it to {asset_folder(asset) / source.filename}" if error.__cause__ else ""
                )
                raise AssetError(f"{error}{goes_to}") from error
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


def pinned_files(
    repository: str, commit: str, sums: Mapping[str, str], copies: str = ""
) -> tuple[RepositoryFile, ...]:
    """Return files of a repository by their paths, with their checksums.

    ``copies`` says where below the asset ``benchmarks`` copies are, by ``{path}``, or ``{folder}`` and ``{name}``.
    """
    return tuple(
        RepositoryFile(
            repository=repository,
            commit=commit,
            path=path,
            sha256=sha256,
            in_benchmarks=copies.format(
                path=path, folder=PurePosixPath(path).parent.name, name=PurePosixPath(path).name
            ),
        )
        for path, sha256 in sums.items()
    )


@dataclass(frozen=True, slots=True)
class RepositoryTexts(Origin):
    """Several text files of a repository by their names, or by their paths if two have the same name."""

    files: tuple[RepositoryFile, ...]

    def facts(self) -> Mapping[str, str]:
        first = self.files[0]
        digest = hashlib.sha256("".join(self.pins()).encode()).hexdigest()
        path = ", ".join(file.path for file in self.files)
        return {"repository": first.repository, "revision": first.commit, "path": path, "sha256": digest}

    def read(self, source: Path | None, verify: bool) -> dict[str, str]:
        stems = [PurePosixPath(f.path).stem for f in self.files]
        names = stems if len(set(stems)) == len(stems) else [f.path.rpartition(".")[0] for f in self.files]
        contents = (decoded(f.read(source, verify), f.path) for f in self.files)
        return dict(zip(names, contents, strict=True))

    def pins(self) -> tuple[str, ...]:
        return tuple(file.sha256 for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetFile(Origin):
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
        copied = {"copied_from": self.repository} if self.repository else {}
        return {
            "repository": get_asset(self.asset).source.label,
            "path": self.path,
            "sha256": self.sha256,
            **copied,
        }

    def read(self, source: Path | None, verify: bool) -> bytes:
        folder = fetch(self.asset) if source is None else source
        path = folder / self.path
        if not path.is_file():
            raise AssetError(
                f"{folder} has no file {self.path}", hint=f"give a folder laid out like {self.asset}"
            )
        raw = path.read_bytes()
        checksum = hashlib.sha256(raw).hexdigest()
        if verify and checksum != self.sha256:
            raise AssetError(f"{path} is not the pinned file: its sha256 is {checksum}, not {self.sha256}")
        return raw

    def pins(self) -> tuple[str, ...]:
        return (self.sha256,)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetTexts(Origin):
    """The text files of an asset, which is pinned by the checksum of its archive.

    Attributes:
        asset: name of the asset.
        patterns: patterns of the files below the asset's folder.
    """

    asset: str
    patterns: tuple[str, ...]

    def facts(self) -> Mapping[str, str]:
        source = get_asset(self.asset).source
        return {
            "repository": source.label,
            "path": ", ".join(self.patterns),
            "archive_sha256": source.sha256,
        }

    def read(self, source: Path | None, verify: bool) -> dict[str, str]:
        folder = fetch(self.asset) if source is None else source
        names = (p.relative_to(folder).as_posix() for p in sorted(folder.rglob("*")) if p.is_file())
        matching = [n for n in names if any(fnmatch.fnmatch(n, pattern) for pattern in self.patterns)]
        if not matching:
            raise AssetError(f"{folder} has no file {', '.join(self.patterns)}")
        return {PurePosixPath(n).stem: (folder / n).read_text("utf-8", errors="replace") for n in matching}


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagedFile(Origin):
    """A file that comes with this library, identified by its content, so that a new version is built again.

    Attributes:
        path: path below the folder of packaged data.
        made_with: other packaged files that the rows depend on.
    """

    path: str
    made_with: tuple[str, ...] = ()

    def facts(self) -> Mapping[str, str]:
        facts = {"repository": "evaluate-bias", "path": self.path, "sha256": _digest(self.path)}
        return {**facts, "made_with_sha256": _digest(*self.made_with)} if self.made_with else facts

    def read(self, source: Path | None, verify: bool) -> bytes:
        return packaged_data(self.path).read_bytes()


@cache
def _digest(*paths: str) -> str:
    return hashlib.sha256(b"".join(packaged_data(path).read_bytes() for path in paths)).hexdigest()
