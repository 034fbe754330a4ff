"""Publish modules, data sets and Spaces on the Hub: one commit per repository, and only when something changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import AssetError, HubError
from ..paths import ORGANISATION
from .client import LOG_IN, check_organisation, connect, hub_errors
from .plan import COMMIT_TITLE, Folder, RepoPlan, make_plan
from .sources import sources

if TYPE_CHECKING:
    from huggingface_hub import CommitInfo, HfApi


@dataclass(frozen=True, slots=True)
class Published:
    """What was done for one repository.

    Attributes:
        plan: what was to be done.
        commit: the commit that was made; ``None`` when nothing was sent.
        url: address of the commit, or of the pull request; ``None`` when there is neither.
    """

    plan: RepoPlan
    commit: str | None = None
    url: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**self.plan.to_dict(), "commit": self.commit, "url": self.url}


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
        kinds: ``"modules"``, ``"datasets"``, ``"spaces"``; ``None``: all.
        only: names, such as ``["weat"]``; ``None``: all of these kinds.
        org: organisation or user to publish as.
        create_pr: plan pull requests instead of commits, for repositories that exist.
        token: Hub token; public repositories are compared without one.
        source: folder with the upstream files of the data sets, laid out like their repositories; ``None``:
            the network.
        eval_yaml: declare the tasks of data sets, which the Hub may refuse for their scorers.
        only_show: the plan is not carried out, so that the files are listed if the Hub cannot be reached.

    Returns:
        One plan per repository, also for those that need nothing and for data sets whose sources cannot be had.

    Raises:
        UnknownNameError: nothing of these kinds has one of these names.
        InputError: ``org`` is no name of an organisation, a folder has no card, or a data set must not be
            published again.
        HubError: no network, the Hub refuses, or a repository is somebody else's.

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
) -> list[Published]:
    """Do what the plans of :func:`plan_publication` say, one commit per repository that differs.

    The Hub refuses a commit when somebody else has changed the repository in between. Files that are no longer here are
    deleted there, except those whose name starts with a dot. A repository holds its old state or the new one; running
    it again does the rest.

    Args:
        plans: what is to be done.
        token: Hub token with write access.
        private: make new repositories private; those that exist stay as they are.
        create_pr: open pull requests instead of committing.

    Raises:
        HubError: no token though there is something to do, or the Hub refuses; the text says what was done.
    """
    to_do = [plan for plan in plans if plan.action in ("create", "update")]
    if to_do and token is None:
        raise HubError(f"publishing needs a Hub token: {LOG_IN}")
    api = connect(token)
    done: list[Published] = []
    for plan in plans:
        if plan not in to_do:
            done.append(Published(plan, url=plan.pull_request or None))
            continue
        folder, head = plan.folder, plan.head
        trouble = f"{folder.repo_id} was not published"
        finished = [p.plan.folder.repo_id for p in done if p.commit]
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
            made = _commit(api, plan, str(head), create_pr)
        done.append(Published(plan, made.oid, made.pr_url or made.commit_url))
    return done


def _commit(api: HfApi, plan: RepoPlan, head: str, create_pr: bool) -> CommitInfo:
    """Send all changes as one commit on top of ``head``."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    from .. import __version__

    operations = [
        CommitOperationDelete(change.path)
        if change.change == "delete"
        else CommitOperationAdd(change.path, str(plan.folder.path / change.path))
        for change in plan.changes
    ]
    return api.create_commit(
        plan.folder.repo_id,
        operations,
        commit_message=f"{COMMIT_TITLE} {__version__}",
        repo_type=plan.folder.repo_type,
        parent_commit=head,
        create_pr=create_pr,
    )
