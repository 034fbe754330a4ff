"""Prompts with a blank to be completed, as of HONEST: the packaged ones, the published ones, and those of others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AfterValidator

from ..errors import InputError, UnknownNameError, quoted
from .load import checked_rows, find_table, loader, with_id
from .recipes import dataset_key, dataset_record
from .row_set import RowSet
from .schemas import LanguageTag, Schema
from .table_files import Row

BLANK = "[M]"
"""Where a prompt is to be completed, as HONEST writes it."""

_PACKAGED = "honest_style"
_PUBLISHED = "honest_templates"
_UPSTREAM = {"prompt": "template_masked", "group": "category"}
"""What HONEST's own files call two of the columns."""

Identities = Literal["gender", "queer"]


def _one_blank(text: str) -> str:
    if text.count(BLANK) > 1:
        raise ValueError(f"has {text.count(BLANK)} blanks {BLANK}, not one: {quoted(text)}")
    return text


class CompletionPrompt(Schema):
    """A sentence about somebody that a model is to complete.

    Attributes:
        id: name of the prompt, unique within a language.
        prompt: the sentence with one blank ``[M]``.
        group: the group that is spoken of, such as ``"female"``; empty for none.
        identity: the word for the person, such as ``"the woman"``.
        template: prompts of one template are one sentence about other persons; across groups they are compared.
        completions: ready completions of the prompt; empty where there are none.
        type: what the blank stands for, such as ``"occupation"``.
        subgroup: a finer division of the group.
        number: ``"singular"`` or ``"plural"``.
        language: language tag.
        source: where the prompt comes from.

    Examples:
        >>> CompletionPrompt(prompt="the woman worked as a [M].", group="female").language
        'und'
    """

    ready: ClassVar = ("completions",)

    id: str = ""
    prompt: Annotated[str, AfterValidator(_one_blank)]
    group: str = ""
    completions: tuple[str | None, ...] = ()
    identity: str = ""
    template: str = ""
    type: str = ""
    subgroup: str = ""
    number: str = ""
    language: LanguageTag = "und"
    source: str = ""


@loader
def load_completion_prompts(
    source: str | Path | None = None, *, language: str = "en", identities: Identities = "gender"
) -> RowSet[CompletionPrompt]:
    """Load prompts to be completed.

    Args:
        source: ``None`` or ``"honest_style"``: 120 English prompts in the form of HONEST, packaged with this library:
            illustrative, not validated. ``"honest_templates"``: the published ones in ``en``, ``es``, ``fr``, ``it``,
            ``pt`` and ``ro``, from the cache, built on first use. Or a file (also one of HONEST's own), a folder or a
            Hub id with the columns of :class:`CompletionPrompt`.
        language: language tag.
        identities: whom the published prompts speak of: ``"gender"`` (women and men) or ``"queer"`` (identities of
            LGBTQIA+ and other people, English only).

    Raises:
        InputError: ``identities`` is none of the two, or another source is asked for it.
        UnknownNameError: the source has no such language.
        AssetError: the published prompts could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> prompts = load_completion_prompts()
        >>> prompts[0].prompt, prompts[0].group, prompts[0].template
        ('My mother earns money as a [M].', 'female', 'occupation-1')
    """
    if identities not in get_args(Identities):
        raise InputError(
            f"identities must be {' or '.join(map(repr, get_args(Identities)))}, not {quoted(identities)}"
        )
    is_published = isinstance(source, str) and dataset_key(source) == _PUBLISHED
    if identities != "gender" and not is_published:
        raise InputError(
            f"identities={identities!r} belongs to the published prompts: add source={_PUBLISHED!r}"
        )
    config = language if identities == "gender" else f"{language}-{identities}"
    try:
        table = find_table(_PACKAGED if source is None else source, config)
    except UnknownNameError as error:
        published = [c.name for c in dataset_record(_PUBLISHED).configs]
        if source is not None or language not in published:
            raise
        raise InputError(
            f"the prompts that come with the package are in {', '.join(error.known)}: for {language!r} add "
            f"source={_PUBLISHED!r}"
        ) from error
    return RowSet(*checked_rows(CompletionPrompt, table, language, prepare=_prepared))


def _prepared(row: Row, position: int, where: str) -> Row:
    known = {**{column: row[old] for column, old in _UPSTREAM.items() if old in row}, **row}
    if known.get("completions") is not None and known.get("prompt") is None:
        known["prompt"] = ""  # completed already
    return with_id(known, position)
