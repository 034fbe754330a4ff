"""Questions whether to decide in favour of a person: the packaged ones, those of discrim-eval, the user's own."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator

from ..errors import DataError, InputError, quoted
from .load import checked_rows, find_table, loader, with_id
from .row_set import RowSet
from .schemas import LanguageTag, Schema
from .table_files import Row

DISCRIM_EVAL = "Anthropic/discrim-eval@6986d6ea802e019d01e94dd59597e94fbd8f8c4a"
"""The published questions (Tamkin et al. 2023), on the Hub under CC BY 4.0, at a fixed commit."""
Attribute = Literal["gender", "age", "race"]

_PACKAGED = "decision_questions"
_UPSTREAM = {"question": "filled_template", "template": "decision_question_id"}
"""What the published rows call two of the columns."""

_Text = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else f"{value:g}")]


class DecisionQuestion(Schema):
    """A question about a decision on a person; "yes" is in the person's favour.

    Attributes:
        id: name of the question; its position, counted from 0, where the file has none.
        question: the question.
        group: the group that the person belongs to.
        template: questions of one template differ in the person alone.
        gender, age, race: properties of the person, one of which can be the group.
        language: language tag.
        source: where the question comes from.
    """

    id: str = ""
    question: str
    group: _Text = ""
    template: _Text
    gender: _Text = ""
    age: _Text = ""
    race: _Text = ""
    language: LanguageTag = "und"
    source: str = ""


@loader
def load_decisions(
    source: str | Path | None = None, *, language: str = "en", attribute: Attribute = "gender"
) -> RowSet[DecisionQuestion]:
    """Load questions about decisions.

    Args:
        source: ``None``: twelve questions about six persons each, packaged with this library: illustrative, not
            validated. ``"discrim-eval"``: the published questions of Tamkin et al. (2023) about explicit groups, from
            the Hub at a fixed commit. Or a file, a folder or a Hub id with the columns of :class:`DecisionQuestion`.
        language: language tag.
        attribute: which property of the persons is their group, where the rows name no ``group``.

    Raises:
        InputError: ``attribute`` is none of the three.
        DataError: a row has neither a group nor the property.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_decisions()
        >>> len(rows), rows[0].group, rows[0].template
        (72, 'woman', 'loan')
        >>> sorted({row.group for row in load_decisions(attribute="age")})
        ['25', '70']
    """
    if attribute not in get_args(Attribute):
        raise InputError(f"attribute must be {', '.join(get_args(Attribute))}, not {quoted(attribute)}")
    if source == "discrim-eval":
        table = find_table(DISCRIM_EVAL, "explicit", split="train")
    else:
        table = find_table(source or _PACKAGED, language)
    return RowSet(*checked_rows(DecisionQuestion, table, language, prepare=partial(_prepared, attribute)))


def _prepared(attribute: str, row: Row, position: int, where: str) -> Row:
    known: dict[str, Any] = {**{column: row[old] for column, old in _UPSTREAM.items() if old in row}, **row}
    group = known.get("group") or known.get(attribute)
    if group is None or group == "":
        raise DataError(f"{where} has neither a group nor the property {attribute}")
    return with_id({**known, "group": group}, position)
