"""Write the bias section into a model card on the Hub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import CardError, HubError
from ..report.card import CardUpdate, Level, plan_card
from ..result import Result
from .client import LOG_IN, connect, find_token, hub_errors

__all__ = ["PushedCard", "push_card"]


@dataclass(frozen=True, slots=True)
class PushedCard:
    """What happened to a card on the Hub.

    Attributes:
        update: what changed in the text.
        url: address of the pull request or commit, empty when nothing had to change.
    """

    update: CardUpdate
    url: str


def push_card(
    results: Sequence[Result],
    model: str,
    *,
    language: str = "en",
    level: Level = "summary",
    model_index: bool = True,
    create_pr: bool = True,
    revision: str = "main",
    token: str | None = None,
) -> PushedCard:
    """Put the bias section into the card of a model on the Hub, by default as a pull request.

    Nothing is sent when the card holds the section already. The commit names the state it was made from, so a card
    that somebody changed in the meantime is not overwritten.

    Args:
        results: what was measured on this model.
        model: Hub id of the model.
        language, level, model_index: as for :func:`evaluate_bias.card`.
        create_pr: open a pull request; ``False`` commits directly.
        revision: branch of the repository.
        token: Hub token; by default that of the Hub's own login.

    Raises:
        HubError: not logged in, no such model, no right to write, the Hub unreachable, or the card changed meanwhile.
        CardError: the card cannot be edited safely.
        InputError: there is no result, or the results are of several models.
        UnknownNameError: cards are not written in that language.
    """
    from huggingface_hub import CommitOperationAdd

    token = find_token(token)
    if token is None:
        raise HubError(f"the card of {model} was not changed: nobody is logged in to the Hub; {LOG_IN}")
    api = connect(token)
    with hub_errors(f"the card of {model} was not changed", token=token):
        head = api.model_info(model, revision=revision).sha
        text = ""
        if api.file_exists(model, "README.md", revision=head):
            raw = Path(api.hf_hub_download(model, "README.md", revision=head)).read_bytes()
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise CardError(f"the card of {model} is not UTF-8 text (byte {error.start})") from None
        update = plan_card(
            text,
            results,
            language=language,
            level=level,
            model_index=model_index,
            model=model,
            picture=True,
        )
        if not update.changed:
            return PushedCard(update, "")
        commit = api.create_commit(
            model,
            [
                CommitOperationAdd(name, content.encode("utf-8"))
                for name, content in {"README.md": update.text, **update.pictures}.items()
            ],
            commit_message="Update the measured bias in the model card",
            commit_description="Written by evaluate-bias; the section stands between its two markers.",
            revision=revision,
            create_pr=create_pr,
            parent_commit=head,
        )
    return PushedCard(update, commit.pr_url or commit.commit_url)
