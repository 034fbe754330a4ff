"""Publish modules, data sets and Spaces on the Hub: one commit per repository, and only when something changed.

What publishing would change is planned first: the files of a folder are compared with the repository's by content.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..errors import AssetError, HubError, HubUnreachableError, InputError, UnknownNameError
from ..files import atomic_write, require_regular_or_absent
from ..paths import ORGANISATION
from .client import LOG_IN, check_organisation, connect, hub_errors
from .modules import module_names, module_path

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
    """A folder that belongs in a repository of the Hub.

    Attributes:
        kind: what it contains. Modules and spaces are Spaces on the Hub.
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
        size: its bytes, for a deletion those on the Hub.
    """

    path: str
    change: Literal["add", "update", "delete"]
    size: int


@dataclass(frozen=True, slots=True)
class RepoPlan:
    """What publishing one folder will do.

    Attributes:
        folder: the folder.
        head: latest commit of the repository, or ``None`` if it does not exist.
        changes: what happens to its files.
        pull_request: address of an open pull request that already contains these changes, or empty if none does.
        problem: why the folder could not be made, or compared with the Hub, or empty if it was.
        commit: the commit that was made, or ``None`` if nothing was sent.
        url: address of that commit, or of its pull request.
    """

    folder: Folder
    head: str | None
    changes: tuple[FileChange, ...]
    pull_request: str = ""
    problem: str = ""
    commit: str | None = None
    url: str | None = None

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
            "changes": [asdict(change) for change in self.changes],
            "upload_bytes": self.upload_bytes,
            "pull_request": self.pull_request or None,
            "problem": self.problem or None,
            "commit": self.commit,
            "url": self.url,
        }


def make_plan(
    folders: Sequence[Folder],
    *,
    token: str | None = None,
    create_pr: bool = False,
    siblings: Iterable[tuple[str, str]] = (),
    only_show: bool = False,
) -> list[RepoPlan]:
    """Compare folders with their repositories without writing anything.

    A file counts as changed when its content is: by git's blob id, or by sha256 if the Hub keeps it as a
    large file. Files whose name starts with a dot belong to the Hub, or to a developer's machine, and are
    neither sent nor deleted.

    Args:
        folders: what is to be published.
        token: the Hub token of the requests, or ``None``.
        create_pr: plan pull requests instead of commits.
        siblings: further repositories as ``(type, id)`` that rightly share a name with one of these.
        only_show: the plan is not carried out, so that the files are listed if the Hub cannot be reached.

    Returns:
        One plan per folder, in the same order.

    Raises:
        InputError: a folder has no card, or contains a link.
        HubError: the Hub cannot be reached or refuses, a name is taken by a repository of another type, a repository
            that would change was not published by this library or contains another item of it, or a pull request is
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
    """True if a repository contains an earlier state of these files, or only what the Hub puts into a new one.

    An earlier state has a commit of this library and, if files are deleted, keeps one that says what it is.
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
    """Return the files to publish by their path in the repository, sorted. Links may lead elsewhere and are refused."""
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


@dataclass(frozen=True, slots=True)
class Publishable:
    """Something that can be published.

    Attributes:
        kind: what it is.
        name: its name here, with underscores.
        source: the folder of a module or Space, or ``None`` for a data set, which is built.
    """

    kind: Kind
    name: str
    source: Path | None = None

    def repo_id(self, org: str) -> str:
        """Return its name on the Hub.

        Modules keep their underscores, because ``evaluate.load`` fetches the script of that name. Data sets
        are written with hyphens, as the methods' records name them.

        Examples:
            >>> [s.repo_id("bias") for s in sources() if s.name in ("weat", "minimal_pairs")]
            ['bias/weat', 'bias/minimal-pairs']
        """
        return f"{org}/{self.name.replace('_', '-') if self.kind == 'dataset' else self.name}"

    def folder(self, org: str, build_in: Path, upstream: Path | None = None) -> Folder:
        """Make the folder and say where it belongs on the Hub.

        Args:
            org: the organisation.
            build_in: the folder to make it in.
            upstream: a folder with the upstream files of a data set. ``None``: the network.
        """
        from ..data.building import build, licence_files
        from ..data.recipes import dataset_record
        from ..report.card.hub_tasks import EVAL_YAML, eval_yaml

        path = build_in / self.kind / self.name
        if self.source is None:
            # Again each time, not from the cache: what is published shows today's card, tasks and conversion. Without
            # names, only configurations that may be published are built.
            path = build(dataset_record(self.name), path, source=upstream)
            if tasks := eval_yaml(self.name):
                atomic_write(path / EVAL_YAML, tasks)
        else:
            shutil.rmtree(path, ignore_errors=True)
            ignored = shutil.ignore_patterns(".*", "__pycache__")
            shutil.copytree(self.source, path, symlinks=True, ignore=ignored)  # links are refused later
            for name, text in licence_files(f"{self.source.name}, of evaluate-bias").items():
                atomic_write(path / name, text)
        if org != ORGANISATION:  # card and tasks name what is published next to them
            names = "|".join(s.repo_id("") for s in sources())
            for file in (*path.glob("*.md"), *path.glob("*.yaml")):
                if not file.is_symlink():
                    text = file.read_text(encoding="utf-8")
                    renamed = re.sub(rf"(?<![\w-]){ORGANISATION}({names})(?![\w-])", rf"{org}\1", text)
                    atomic_write(file, renamed)
        return Folder(self.kind, self.repo_id(org), path)


def sources(kinds: Iterable[str] | None = None, only: Iterable[str] | None = None) -> list[Publishable]:
    """Return what can be published.

    Args:
        kinds: ``"modules"``, ``"datasets"``, ``"spaces"``, also in the singular. ``None``: all.
        only: names. Hyphens, capitals and an organisation in front do not matter. ``None``: all.

    Raises:
        UnknownNameError: nothing of these kinds has one of these names.
        InputError: it is a data set of which nothing may be published again.

    Examples:
        >>> [s.name for s in sources(["datasets"])][-2:]
        ['winogender_occupations', 'word_association_tests']
        >>> [(s.kind, s.name) for s in sources(only=["bias/StereoSet"])]
        [('module', 'stereoset'), ('dataset', 'stereoset')]
        >>> sources(["moduls"])
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.UnknownNameError: unknown kind 'moduls'; did you mean 'modules'?
    """
    from ..data.recipes import dataset_names, dataset_record

    known = get_args(Kind)
    chosen = {kind.strip().lower().removesuffix("s") for kind in kinds or known}
    if unknown := chosen.difference(known):
        raise UnknownNameError("kind", f"{unknown.pop()}s", [f"{kind}s" for kind in known])
    # An installed package has no Spaces next to it.
    root = Path(__file__).resolve().parents[3]
    is_checkout = (root / "datasets_scripts").is_dir()
    spaces = sorted(card.parent for card in (root / "spaces").glob("*/README.md")) if is_checkout else []
    everything = [
        *(Publishable("module", name, module_path(name)) for name in module_names()),
        *(Publishable("dataset", name) for name in dataset_names() if dataset_record(name).select(None)),
        *(Publishable("space", folder.name, folder) for folder in spaces),
    ]
    publishable = [s for s in everything if s.kind in chosen]
    if only is None:
        return publishable
    names = []
    for name in only:
        names.append(name.strip().lower().rsplit("/", 1)[-1].replace("-", "_"))
        if names[-1] not in (s.name for s in publishable):
            if "dataset" in chosen and names[-1] in dataset_names():
                refusal = dataset_record(names[-1]).configs[0].refusal.rstrip(".")
                raise InputError(f"{names[-1]} must not be published again: {refusal}")
            raise UnknownNameError("name to publish", name, {s.name for s in publishable})
    return [s for s in publishable if s.name in names]


def plan_publication(
    kinds: Iterable[str] | None = None,
    only: Iterable[str] | None = None,
    org: str = ORGANISATION,
    *,
    create_pr: bool = False,
    token: str | None = None,
    source: Path | None = None,
    eval_yaml: bool = True,
    only_show: bool = False,
) -> list[RepoPlan]:
    """Prepare evaluate modules, data sets and Spaces, and compare them with the Hub.

    Args:
        kinds: ``"modules"``, ``"datasets"``, ``"spaces"``. ``None``: all.
        only: names, such as ``["weat"]``. ``None``: all of these kinds.
        org: organisation or user to publish as.
        create_pr: plan pull requests instead of commits, for repositories that exist.
        token: Hub token. Public repositories are compared without one.
        source: folder with the upstream files of the data sets, laid out like their repositories. ``None``:
            the network.
        eval_yaml: declare the tasks of data sets, which the Hub may refuse for their scorers.
        only_show: the plan is not carried out, so that the files are listed if the Hub cannot be reached.

    Returns:
        One plan per repository, also for those that need nothing and for data sets whose sources cannot be obtained.

    Raises:
        UnknownNameError: nothing of these kinds has one of these names.
        InputError: ``org`` is not the name of an organisation, a folder has no card, or a data set must not be
            published again.
        HubError: the Hub cannot be reached or refuses, or a repository belongs to somebody else.

    Examples:
        >>> plan_publication(["modules"], ["waet"])
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.UnknownNameError: unknown name to publish 'waet'; did you mean 'weat' or 'wefat'?
    """
    from ..assets import cache_root
    from ..report.card.hub_tasks import EVAL_YAML

    check_organisation(org)
    chosen = sources(kinds, only)
    build_in = cache_root() / "publish"
    folders, unavailable = [], []
    for one in chosen:
        try:
            folders.append(folder := one.folder(org, build_in, source))
        except AssetError as error:
            nowhere = Folder(one.kind, one.repo_id(org), build_in)
            unavailable.append(RepoPlan(nowhere, None, (), problem=str(error)))
            continue
        if folder.kind == "dataset" and not eval_yaml:
            (folder.path / EVAL_YAML).unlink(missing_ok=True)
    known = [("dataset" if s.kind == "dataset" else "space", s.repo_id(org)) for s in sources()]
    plans = make_plan(folders, token=token, create_pr=create_pr, siblings=known, only_show=only_show)
    return plans + unavailable


def carry_out(
    plans: Sequence[RepoPlan], *, token: str | None, private: bool = False, create_pr: bool = False
) -> list[RepoPlan]:
    """Do what the plans of :func:`plan_publication` say, one commit per repository that differs.

    The Hub refuses a commit when somebody else has changed the repository in between. Files that are no longer here
    are deleted there, except those whose name starts with a dot. After a failure, each repository has its old state
    or the new one. Running this again does the rest.

    Args:
        plans: what is to be done.
        token: Hub token with write access.
        private: make new repositories private. Those that exist stay as they are.
        create_pr: open pull requests instead of committing.

    Returns:
        The plans, with commit and address of what was sent.

    Raises:
        HubError: a token is missing although there is something to do, or the Hub refuses. The message says what
            was done.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    from .. import __version__

    to_do = [plan for plan in plans if plan.action in ("create", "update")]
    if to_do and token is None:
        raise HubError(f"publishing needs a Hub token: {LOG_IN}")
    api = connect(token)
    done: list[RepoPlan] = []
    for plan in plans:
        if plan not in to_do:
            done.append(replace(plan, url=plan.pull_request or None))
            continue
        folder, head = plan.folder, plan.head
        trouble = f"{folder.repo_id} was not published"
        finished = [p.folder.repo_id for p in done if p.commit]
        hint = f"already published: {', '.join(finished)}" if finished else ""
        if head is None:
            space_sdk = "gradio" if folder.repo_type == "space" else None
            with hub_errors(trouble, token=token, hint=hint):
                api.create_repo(
                    folder.repo_id, repo_type=folder.repo_type, private=private, space_sdk=space_sdk
                )
            created = "the repository was created and stays empty until it is run again"
            hint = "; ".join(filter(None, [created, hint]))
            with hub_errors(trouble, token=token, hint=hint):
                head = api.repo_info(folder.repo_id, repo_type=folder.repo_type).sha
        with hub_errors(trouble, token=token, hint=hint):
            made = api.create_commit(
                folder.repo_id,
                [
                    CommitOperationDelete(change.path)
                    if change.change == "delete"
                    else CommitOperationAdd(change.path, str(folder.path / change.path))
                    for change in plan.changes
                ],
                commit_message=f"{COMMIT_TITLE} {__version__}",
                repo_type=folder.repo_type,
                parent_commit=head,
                create_pr=create_pr,
            )
        done.append(replace(plan, commit=made.oid, url=made.pr_url or made.commit_url))
    return done
