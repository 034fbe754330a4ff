"""Prompts that differ in nothing but the group that they speak of: the packaged ones, and the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, StringConstraints

from .load import checked_rows, find_table, loader, with_id
from .row_set import RowSet
from .schemas import LanguageTag, Schema
from .table_files import Row

GROUP = "{group}"
"""Where a form of the group stands in a prompt."""

_PACKAGED = "counterfactual_style"
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
    table = find_table(_PACKAGED if source is None else source, language)
    return RowSet(*checked_rows(GroupPrompt, table, language, prepare=_prepared))


def _prepared(row: Row, position: int, where: str) -> Row:
    # A text may hold the semicolons by which lists of words are split in a table of flat cells.
    one = row.get("completions")
    texts = [one] if isinstance(one, str) and not one.lstrip().startswith("[") else one
    return with_id({**row, "completions": texts}, position)
