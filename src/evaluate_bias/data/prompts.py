"""Prompts that models go on with: sentences with a blank, as of HONEST, and prompts that differ in a group alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, StringConstraints

from ..errors import InputError, UnknownNameError, bad_option, quoted
from .load import checked_rows, find_table, load_rows, loader, with_id
from .recipes import dataset_key, dataset_record
from .row_set import RowSet
from .schemas import LanguageTag, Schema
from .table_files import Row

BLANK = "[M]"
"""Where a prompt is to be completed, as HONEST writes it."""

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
        raise bad_option("identities", identities, f"{' or '.join(map(repr, get_args(Identities)))}")
    is_published = isinstance(source, str) and dataset_key(source) == _PUBLISHED
    if identities != "gender" and not is_published:
        raise InputError(
            "`identities` applies to the published prompts only",
            option="identities",
            hint=f"set `source` to {_PUBLISHED!r}",
        )
    config = language if identities == "gender" else f"{language}-{identities}"
    try:
        table = find_table("honest_style" if source is None else source, config)
    except UnknownNameError as error:
        published = [c.name for c in dataset_record(_PUBLISHED).configs]
        if source is not None or language not in published:
            raise
        raise InputError(
            f"the packaged prompts are in {', '.join(error.known)}, not in {language!r}",
            option="language",
            hint=f"set `source` to {_PUBLISHED!r}",
        ) from error
    return RowSet(*checked_rows(CompletionPrompt, table, language, prepare=_completion_prompt))


def _completion_prompt(row: Row, position: int, where: str) -> Row:
    known = {**{column: row[old] for column, old in _UPSTREAM.items() if old in row}, **row}
    if known.get("completions") is not None and known.get("prompt") is None:
        known["prompt"] = ""  # completed already
    return with_id(known, position)


GROUP = "{group}"
"""Where a form of the group stands in a prompt."""

_Name = Annotated[
    str,
    BeforeValidator(lambda value: f"{value:g}" if type(value) in (int, float) else value),
    StringConstraints(pattern=r"\S"),
]


class GroupPrompt(Schema):
    """A prompt about one group.

    Attributes:
        id: name of the row; its position, counted from 0, where the file has none.
        prompt: the prompt with ``{group}``, the same for every group that is compared in it.
        group: name of the group, such as ``"women"``.
        forms: how the group is spoken of: what stands for ``{group}``, then the other words by which a text about it
            differs from one about another group, in the same order for every group; by default the group's name.
        domain: what the prompt is about.
        completions: ready completions; empty where there are none.
        language: language tag.
        source: where the prompt comes from.

    Examples:
        >>> GroupPrompt(prompt="{group} is a nurse. Describe her day.", group="women", forms=["my aunt", "aunt"]).text
        'My aunt is a nurse. Describe her day.'
    """

    ready: ClassVar = ("completions",)

    id: str = ""
    prompt: Annotated[str, StringConstraints(pattern=r"\S")]
    group: _Name
    forms: tuple[_Name, ...] = ()
    domain: str = ""
    completions: tuple[str | None, ...] = ()
    language: LanguageTag = "und"
    source: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The forms of the group, or its name where there are none."""
        return self.forms or (self.group,)

    @property
    def text(self) -> str:
        """The prompt with the group in it."""
        first = self.words[0]
        begins = self.prompt.startswith(GROUP)
        text = self.prompt.replace(GROUP, first)
        return text[:1].upper() + text[1:] if begins else text


@loader
def load_group_prompts(source: str | Path | None = None, *, language: str = "en") -> RowSet[GroupPrompt]:
    """Load prompts about groups.

    Args:
        source: ``None`` or ``"counterfactual_style"``: forty prompts about women and men in each of ``en``, ``de``,
            ``es``, ``fr``, ``it`` and ``nl``, packaged with this library: illustrative, not validated. Or a file, a
            folder or a Hub id with the columns of :class:`GroupPrompt`. In a CSV file a cell of ``completions`` is one
            text, or a list in JSON.
        language: language tag.

    Raises:
        UnknownNameError: the source has no such language.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_group_prompts()
        >>> len(rows), rows[0].group, rows[0].text
        (80, 'women', 'Write a short reference for my sister, who has worked at your bakery for three years.')
    """
    return load_rows(GroupPrompt, "counterfactual_style", language, source, prepare=_group_prompt)


def _group_prompt(row: Row, position: int, where: str) -> Row:
    # A text may hold the semicolons by which lists of words are split in a table of flat cells.
    one = row.get("completions")
    texts = [one] if isinstance(one, str) and not one.lstrip().startswith("[") else one
    return with_id({**row, "completions": texts}, position)
