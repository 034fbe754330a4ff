"""What is in a model repository of the Hub, with the network or from the local cache."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..assets import list_assets
from ..errors import ModelError, network_errors, quoted

_TIMEOUT_SECONDS = 20.0
_SERVER_HINT = (
    "; write a model that a server runs as endpoint:URL#NAME, "
    "or in Python as a function from prompts to completions"
)


@dataclass(frozen=True, slots=True)
class HubRepo:
    """One commit of a model repository and the sizes of its files in bytes: when offline, of the cached ones only."""

    repo_id: str
    commit: str
    files: Mapping[str, int]
    token: str | bool | None = field(default=None, repr=False)

    def folder(self) -> Path:
        """Return the folder of a local copy of all of its files except pickled weights."""
        import huggingface_hub

        try:
            return Path(
                huggingface_hub.snapshot_download(
                    self.repo_id,
                    revision=self.commit,
                    token=self.token,
                    ignore_patterns=["*.bin", "*.pt", "*.pth"],
                )
            )
        except network_errors() as error:
            raise ModelError(_not_downloaded(self.repo_id, self.repo_id, error)) from None

    def file(self, name: str) -> Path:
        """Return the path of a local copy of a file, which is downloaded if it is not cached."""
        import huggingface_hub
        from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

        try:
            return Path(
                huggingface_hub.hf_hub_download(self.repo_id, name, revision=self.commit, token=self.token)
            )
        except network_errors() as error:
            if isinstance(error, EntryNotFoundError) and not isinstance(error, LocalEntryNotFoundError):
                raise ModelError(
                    f"{self.repo_id} has no file {name!r}", hint=f"choose from {', '.join(self.files)}"
                ) from None
            raise ModelError(_not_downloaded(f"{name} of {self.repo_id}", self.repo_id, error)) from None


def find_repo(repo_id: str, revision: str | None, token: str | bool | None = None) -> HubRepo:
    """Look a model repository up on the Hub, or in the local cache when the Hub cannot be reached."""
    import huggingface_hub
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo_id)
    except HFValidationError:
        several = "; give one model at a time" if "," in repo_id else ""
        raise ModelError(
            f"{quoted(repo_id)} is neither a file, a folder, a named asset nor a Hub id, which is organisation/name of "
            f"letters, digits, '-', '_' and '.'{several}"
        ) from None
    try:
        info = huggingface_hub.HfApi(token=token).model_info(
            repo_id, revision=revision, timeout=_TIMEOUT_SECONDS, files_metadata=True
        )
    except GatedRepoError as error:
        raise ModelError(_not_downloaded(repo_id, repo_id, error)) from None
    except RepositoryNotFoundError:
        raise ModelError(
            f"model {repo_id!r} is not on the Hub, or is private and you are not logged "
            f"in{_asset_hint(repo_id)}"
        ) from None
    except RevisionNotFoundError:
        raise ModelError(f"{repo_id} has no revision {revision!r} on the Hub", option="revision") from None
    except network_errors() as error:
        cached = _cached_repo(repo_id, revision)
        if cached is None:
            assets = ", ".join(asset.name for asset in list_assets() if asset.is_model)
            raise ModelError(
                f"{repo_id!r} is read as a Hub id, but the Hub cannot be reached ({_reason(error)}) and the model is "
                "not in the local cache. Without the Hub you can load a local file or folder, or a named asset: "
                f"{assets}{_asset_hint(repo_id)}"
            ) from None
        return cached
    files = {sibling.rfilename: sibling.size or 0 for sibling in info.siblings or ()}
    return HubRepo(repo_id, str(info.sha), files, token)


def _cached_repo(repo_id: str, revision: str | None) -> HubRepo | None:
    """Find the repository in the Hub's cache: refs/ has the commit of a name, snapshots/ its files."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    folder = Path(constants.HF_HUB_CACHE, repo_folder_name(repo_id=repo_id, repo_type="model"))
    name = revision or constants.DEFAULT_REVISION
    reference = folder / "refs" / name
    if reference.is_file():
        snapshot = folder / "snapshots" / reference.read_text(encoding="utf-8").strip()
    elif revision is None:  # files fetched by commit leave no reference behind
        snapshots = [path for path in folder.glob("snapshots/*") if path.is_dir()]
        snapshot = max(snapshots, key=lambda path: path.stat().st_mtime, default=folder)
    else:
        snapshot = folder / "snapshots" / revision
    if snapshot.parent.name != "snapshots" or not snapshot.is_dir():
        return None
    paths = sorted(path for path in snapshot.rglob("*") if path.is_file())
    files = {path.relative_to(snapshot).as_posix(): path.stat().st_size for path in paths}
    return HubRepo(repo_id, snapshot.name, files)


def _not_downloaded(what: str, repo_id: str, error: Exception) -> str:
    """Return why a download failed. The Hub lists the files of a gated repository to all, but does not serve them."""
    from huggingface_hub.errors import GatedRepoError

    if isinstance(error, GatedRepoError):
        return f"{repo_id} is gated: ask for access on its Hub page and log in with 'hf auth login'"
    return f"{what} cannot be downloaded: {_reason(error)}"


def _asset_hint(repo_id: str) -> str:
    """Return a hint: the named asset that a misspelt name is close to, or else how to name a served model."""
    names = [asset.name for asset in list_assets() if asset.is_model]
    near = difflib.get_close_matches(repo_id.lower(), names, n=1, cutoff=0.85)
    return f"; did you mean the named asset {near[0]!r}?" if near else _SERVER_HINT


def _reason(error: Exception) -> str:
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    return next(iter(str(error).splitlines()), "") or type(error).__name__
