"""What publishing a folder would change on the Hub: its files compared with the repository's by content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import HubError, HubUnreachableError, InputError
from ..files import require_regular_or_absent
from .client import connect, hub_errors

if TYPE_CHECKING:
    from huggingface_hub import HfApi

Kind = Literal["module", "dataset", "space"]
Action = Literal["create", "update", "unchanged", "proposed", "unavailable", "not compared"]

COMMIT_TITLE = "Publish with evaluate-bias"
"""How the title of every commit and pull request of this library begins."""

CARD = "README.md"
_EVERYWHERE = {CARD, "LICENSE", "NOTICE"}
"""Files that do not count as content of a repository."""
TIMEOUT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that belongs into a repository of the Hub.

    Attributes:
        kind: what it holds; modules and spaces are Spaces on the Hub.
        repo_id: the repository, ``organisation/name``.
        path: the folder.
    """

    kind: Kind
    repo_id: str
    path: Path

    @property
    def repo_type(self) -> Literal["dataset", "space"]:
        """Type of the repository."""
        return "dataset" if self.kind == "dataset" else "space"


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happens to one file of a repository.

    Attributes:
        path: the file in the repository.
        change: what is done with it.
        size: its bytes; for a deletion those it has on the Hub.
    """

    path: str
    change: Literal["add", "update", "delete"]
    size: int


@dataclass(frozen=True, slots=True)
class RepoPlan:
    """What publishing one folder will do.

    Attributes:
        folder: the folder.
        head: commit the repository stands at; ``None`` when it does not exist.
        changes: what happens to its files.
        pull_request: address of an open pull request that already holds these changes; empty when none does.
        problem: why the folder could not be made, or compared with the Hub; empty if it was.
    """

    folder: Folder
    head: str | None
    changes: tuple[FileChange, ...]
    pull_request: str = ""
    problem: str = ""

    @property
    def action(self) -> Action:
        """What is to be done: something if it is ``create`` or ``update``."""
        if self.problem:
            return "not compared" if self.changes else "unavailable"
        if self.head is None:
            return "create"
        if not self.changes:
            return "unchanged"
        return "proposed" if self.pull_request else "update"

    @property
    def upload_bytes(self) -> int:
        """Bytes of all files that are added or changed."""
        return sum(c.size for c in self.changes if c.change != "delete")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, without the place of the folder."""
        return {
            "repo_id": self.folder.repo_id,
            "repo_type": self.folder.repo_type,
            "kind": self.folder.kind,
            "action": self.action,
            "head": self.head,
            "changes": [{"path": c.path, "change": c.change, "size": c.size} for c in self.changes],
            "upload_bytes": self.upload_bytes,
            "pull_request": self.pull_request or None,
            "problem": self.problem or None,
        }


def make_plan(
    folders: Sequence[Folder],
    *,
    token: str | None = None,
    create_pr: bool = False,
    siblings: Iterable[tuple[str, str]] = (),
    only_show: bool = False,
) -> list[RepoPlan]:
    """Compare folders with their repositories; nothing is written.

    A file counts as changed when its content is: by git's blob id, or by sha256 where the Hub keeps it as a
    large file. Files whose name starts with a dot belong to the Hub, or to a developer's machine, and are
    neither sent nor deleted.

    Args:
        folders: what is to be published.
        token: what the requests are made with; ``None``: nothing.
        create_pr: plan pull requests instead of commits.
        siblings: further repositories as ``(type, id)`` that rightly share a name with one of these.
        only_show: the plan is not carried out, so that the files are listed if the Hub cannot be reached.

    Returns:
        One plan per folder, in the same order.

    Raises:
        InputError: a folder has no card, or holds a link.
        HubError: the Hub cannot be reached or refuses, a name is taken by a repository of another type, a repository
            that would change was not published by this library or holds something else of it, or a pull request is
            wanted for one that does not exist.
    """
    local = [_local_files(folder) for folder in folders]
    api = connect(token)
    ours = {*siblings, *((f.repo_type, f.repo_id) for f in folders)}
    plans, foreign, unreachable = [], [], ""
    for folder, files in zip(folders, local, strict=True):
        if not unreachable:
            try:
                with hub_errors(f"{folder.repo_id} cannot be looked up on the Hub", token=token):
                    plans.append(plan := _plan_one(api, folder, files, create_pr, ours))
                    if plan.action in ("update", "proposed") and not _is_ours(api, plan, files):
                        foreign.append(f"{folder.repo_id} ({folder.repo_type})")
                continue
            except HubUnreachableError as error:
                if not only_show:
                    raise
                unreachable = str(error)
        plans.append(RepoPlan(folder, None, _additions(files), problem=unreachable))
    if foreign:
        raise HubError(
            f"nothing was changed: {', '.join(foreign)} on the Hub was not published by evaluate-bias, or contains "
            "something else that it published, and its files would be replaced",
            hint="rename or delete it there, or choose another organisation or name",
        )
    return plans


def _is_ours(api: HfApi, plan: RepoPlan, files: Mapping[str, Path]) -> bool:
    """Tell whether a repository holds an earlier state of these files, or only what the Hub makes a new one of.

    An earlier state has a commit of this library and, where files go, keeps one that tells what it is.
    """
    repo, kind, head = plan.folder.repo_id, plan.folder.repo_type, plan.head
    commits = api.list_repo_commits(repo, repo_type=kind, revision=head)
    paths = {name: {c.path for c in plan.changes if c.change == name} for name in ("add", "update", "delete")}
    if any(commit.title.startswith(COMMIT_TITLE) for commit in commits):
        return not paths["delete"] or bool(files.keys() - paths["add"] - _EVERYWHERE)
    if len(commits) != 1 or paths["delete"] or paths["update"] - {CARD}:
        return False
    if not paths["update"]:
        return True
    card = Path(api.hf_hub_download(repo, CARD, repo_type=kind, revision=head))
    text = card.read_text(encoding="utf-8", errors="replace")
    body = text.split("---", 2)[-1].strip() if text.startswith("---") else text.strip()
    return not body or body.startswith(
        "Check out the configuration reference at https://huggingface.co/docs/"
    )


def _plan_one(
    api: HfApi, folder: Folder, files: Mapping[str, Path], create_pr: bool, ours: set[tuple[str, str]]
) -> RepoPlan:
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        repository: Any = _repository(api, folder)
    except RepositoryNotFoundError:
        for other in ("model", "dataset", "space"):  # a mistake, or a trap for users of either
            if (other, folder.repo_id) not in ours and api.repo_exists(folder.repo_id, repo_type=other):
                raise HubError(
                    f"{folder.repo_id} exists on the Hub as a {other}, and was to become a {folder.repo_type}",
                    hint="rename or delete that one, or publish to another organisation",
                ) from None
        if create_pr:
            raise HubError(
                f"{folder.repo_id} does not exist as a {folder.repo_type} yet, so there is nothing to open a pull "
                "request against",
                hint="publish it once without --create-pr",
            ) from None
        return RepoPlan(folder, None, _additions(files))
    sdk = getattr(repository, "sdk", None)
    if sdk not in (None, "gradio"):
        raise HubError(
            f"{folder.repo_id} exists on the Hub as a {sdk} Space, not as a gradio Space",
            hint="rename or delete that one, or publish to another organisation",
        )
    changes = compare(files, repository.siblings)
    if create_pr and changes:
        for discussion in api.get_repo_discussions(folder.repo_id, repo_type=folder.repo_type):
            is_ours = discussion.is_pull_request and discussion.title.startswith(COMMIT_TITLE)
            if is_ours and discussion.status in ("open", "draft"):
                proposed = _repository(api, folder, revision=f"refs/pr/{discussion.num}")
                if not compare(files, proposed.siblings):
                    return RepoPlan(folder, repository.sha, changes, str(discussion.url))
    return RepoPlan(folder, repository.sha, changes)


def _additions(files: Mapping[str, Path]) -> tuple[FileChange, ...]:
    return tuple(FileChange(name, "add", path.stat().st_size) for name, path in files.items())


def _repository(api: HfApi, folder: Folder, revision: str | None = None) -> Any:
    """Return commit and files of a repository in one answer, so that they belong together."""
    return api.repo_info(
        folder.repo_id,
        repo_type=folder.repo_type,
        revision=revision,
        files_metadata=True,
        timeout=TIMEOUT_SECONDS,
    )


def compare(files: Mapping[str, Path], siblings: Iterable[Any]) -> tuple[FileChange, ...]:
    """Tell how the files of a repository, as the Hub's client lists them, differ from local ones."""
    from huggingface_hub.utils.sha import git_hash

    remote_files = {s.rfilename: s for s in siblings if not _is_hidden(s.rfilename)}
    changes = []
    for name, path in files.items():
        data, remote = path.read_bytes(), remote_files.get(name)
        if remote is None:
            changes.append(FileChange(name, "add", len(data)))
        elif (
            (git_hash(data) != remote.blob_id)
            if remote.lfs is None
            else (hashlib.sha256(data).hexdigest() != remote.lfs.sha256)
        ):
            changes.append(FileChange(name, "update", len(data)))
    to_delete = sorted(remote_files.keys() - files.keys())
    changes.extend(FileChange(name, "delete", remote_files[name].size or 0) for name in to_delete)
    return tuple(changes)


def _local_files(folder: Folder) -> dict[str, Path]:
    """The files to publish by their path in the repository, sorted; links, which may lead elsewhere, are refused."""
    files = {}
    for path in sorted(folder.path.rglob("*")):
        name = path.relative_to(folder.path).as_posix()
        if _is_hidden(name) or "__pycache__" in path.parts:
            continue
        if path.is_symlink():
            raise InputError(f"{path} is a link", hint="put a plain file in its place before publishing")
        if not path.is_dir():
            files[name] = require_regular_or_absent(path)
    if CARD not in files:
        raise InputError(
            f"{folder.path} has no {CARD}, which is the card of {folder.repo_id}",
            hint="write it before publishing",
        )
    return files


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))
