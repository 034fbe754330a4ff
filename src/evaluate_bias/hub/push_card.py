"""Write the bias section into a model card on the Hub, and the scores as evaluation results next to it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import CardError, HubError, InputError
from ..report.card import CardUpdate, plan_card
from ..report.card.entries import unentered_data
from ..report.card.eval_results import FILES, FOLDER, eval_results_files
from ..report.card.front_matter import same_model
from ..report.card.subject import results_of_model
from ..report.lines import model_name
from ..report.reading import NotMeasured
from ..report.written import FILE
from ..result import Result
from ..text import one_line
from .client import LOG_IN, connect, find_token, hub_errors

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def push_card(
    results: Sequence[Result],
    model: str,
    *,
    model_index: bool = True,
    eval_results: bool = True,
    drop: Sequence[str] = (),
    create_pr: bool = True,
    for_model: bool = False,
    not_measured: Sequence[NotMeasured] = (),
    token: str | None = None,
) -> tuple[CardUpdate, str]:
    """Put the bias section into the card of a model on the Hub, by default as a pull request.

    Nothing is sent when the card, and the evaluation results if these are wanted, are there already. The
    commit names the state it was made from, so a card that somebody changed in the meantime is not
    overwritten.

    Args:
        results: what was measured on this model.
        model: Hub id of the model.
        model_index: as for :func:`evaluate_bias.card`.
        eval_results: as for :func:`evaluate_bias.card`.
        drop: as for :func:`evaluate_bias.card`.
        create_pr: open a pull request. ``False`` commits directly.
        for_model: say that the results belong to this model although they name another, such as the folder it was in.
        not_measured: what the run could not measure.
        token: Hub token, by default the token of the Hub's own login.

    Returns:
        What changed in the text, and the address of the pull request or commit, or empty if nothing had to change.

    Raises:
        HubError: not logged in, no such model, no right to write, the Hub unreachable, or the card changed meanwhile.
        CardError: the card cannot be edited safely.
        InputError: no result was given, or the results are from another model.
        DataError: the ``evaluate-bias.json`` next to the card is not one that this library wrote.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    results, others = results_of_model(list(results), model)
    if not for_model:
        _refuse_other_models(results, model)
    token = find_token(token)
    if token is None:
        raise HubError(f"the card of {model} was not changed: nobody is logged in to the Hub ({LOG_IN})")
    api = connect(token)
    with hub_errors(f"the card of {model} was not changed", token=token):
        info = api.model_info(model)
        head = info.sha
        text, written = (_file(api, model, name, head) for name in ("README.md", FILE))
        update = plan_card(
            text,
            results,
            model_index=model_index,
            eval_results=eval_results,
            model=model,
            drop=drop,
            picture=True,
            written=written,
            not_measured=not_measured,
        )
        warnings = [*others, *update.warnings]
        is_same = not update.changed and update.files[FILE] == written
        texts = {} if is_same else {"README.md": update.text, **update.files}
        if eval_results:
            names = [
                file.rfilename for file in info.siblings or () if fnmatch(file.rfilename, f"{FOLDER}/{FILES}")
            ]
            existing = {name.partition("/")[2]: _file(api, model, name, head) for name in names}
            entered, notes = eval_results_files(results, model=model, existing=existing, drop=drop)
            texts |= {f"{FOLDER}/{name}": content for name, content in entered.items()}
            warnings += [*([] if model_index else unentered_data(results)), *notes]
        update = replace(update, warnings=tuple(warnings))
        if not texts:
            return update, ""
        commit = api.create_commit(
            model,
            [
                CommitOperationAdd(name, content.encode("utf-8")) if content else CommitOperationDelete(name)
                for name, content in texts.items()
            ],
            commit_message="Update the measured bias in the model card",
            commit_description="Written by evaluate-bias. The section is between its two markers.",
            create_pr=create_pr,
            parent_commit=head,
        )
    return update, commit.pr_url or commit.commit_url


def _refuse_other_models(results: Sequence[Result], model: str) -> None:
    """Refuse results whose model has another name, or another owner if both names have one."""
    names = dict.fromkeys(one_line(model_name(r)) for r in results)
    owner = model.partition("/")[0].casefold()
    others = [
        n for n in names if not (same_model(n, model) and n.casefold().rpartition("/")[0] in ("", owner))
    ]
    if others:
        raise InputError(
            f"the card of {model} was not changed: the results are of {', '.join(others)[:300]}",
            option="for_model",
            hint="set `for_model` (--for-model) if that is the same model",
        )


def _file(api: HfApi, model: str, name: str, revision: str | None) -> str:
    """Return the text of a file in a model's repository, or an empty string without such a file."""
    if not api.file_exists(model, name, revision=revision):
        return ""
    path = Path(api.hf_hub_download(model, name, revision=revision))
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        what = "card" if name == "README.md" else name
        raise CardError(f"the {what} of {model} is not UTF-8 text (byte {error.start})") from None


def push_result(result: Result, repo_id: str, **options: Any) -> str:
    """Write one result into a model's card and return its address, see :meth:`Result.push_to_hub`."""
    update, url = push_card([result], repo_id, **options)
    for warning in update.warnings:
        warnings.warn(warning, stacklevel=3)
    return url
