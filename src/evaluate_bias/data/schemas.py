"""What a row of data must look like, and how any row is checked, with a one-sentence error if it does not fit.

A schema is a frozen pydantic model. Its fields are the columns of the matching Hub data set, and the section
``Attributes`` of its docstring says what they are: documentation, cards, the explorer and the command read them there.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, TypeVar, get_args, get_origin

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    Field,
    PrivateAttr,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler

from ..errors import DataError, InputError, quoted
from ..result import is_whole_text
from ..text import docstring_entries, name_list
from .table_files import is_absent

_M = TypeVar("_M", bound=BaseModel)

Holds: TypeAlias = Literal[
    "text", "label", "number", "words", "numbers", "sentence", "options", "answer", "completions", "probability",
    "ignored",
]  # fmt: skip
"""What a column contains: a text, a label (a text, an integer or a boolean), a number, a list of words, a list of
numbers, a sentence or its ready score, the options of an item (each a sentence or its score, with a label), a ready
answer, completions or a probability instead of a model's. ``"ignored"`` for what may be passed along and plays no
part."""

READY = ("completions", "probability")
"""What an optional column may contain that makes a model unnecessary."""

GIVEN = "given by the caller"
"""Origin of rows that come from no data set."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a kind of data. As an annotation of a field, it says what the type alone does not.

    Attributes:
        holds: see :data:`Holds`.
        text: what it is, in a few words.
        may_be_empty: whether an empty text differs from an absent one, as it does for a sentence.
    """

    holds: Holds
    text: str = ""
    may_be_empty: bool = False


def _tidy(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    if text != " ".join(text.split()):
        raise ValueError(f"has spaces around it or more than one inside: {quoted(text)}")
    return text


def as_label(value: Any, where: str = "label") -> str | None:
    """Return a label as text, ``None`` for an absent one: ``None``, NaN, pandas' marks, or an empty text.

    An integer is the same label as its digits, whether it is stored as one or, as pandas does next to absent
    values, as a float.

    Raises:
        InputError: it is neither a text nor an integer nor a boolean.

    Examples:
        >>> as_label("nurse"), as_label(2), as_label(2.0), as_label(True), as_label(float("nan"))
        ('nurse', '2', '2', 'True', None)
    """
    value = value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value
    if is_absent(value):
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)) and abs(value) < 2**63 and float(value).is_integer():
        return str(int(value))
    raise InputError(f"{where}: a label must be a string, an integer or a boolean, got {quoted(value)}")


TidyText = Annotated[str, AfterValidator(_tidy)]
"""A word or several, with one space between two and none around them."""
Words = Annotated[tuple[TidyText, ...], FailFast()]
"""Words, checked up to the first that does not fit: nobody waits for the others."""
LanguageTag = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]
"""A language tag such as ``"en"`` or ``"pt-BR"``."""
StrippedText = Annotated[str, AfterValidator(str.strip)]
"""A text without the white space around it, which is a slip of the file, and which some tokenizers score."""
Sentence = Annotated[StrippedText, Column("sentence")]
"""A sentence that a model scores."""
BiasType = Annotated[str, BeforeValidator(lambda value: "" if is_absent(value) else value)]
"""What a stereotype is about. NaN, the missing value of pandas, becomes the empty string."""
Label = Annotated[str | None, BeforeValidator(as_label), Column("label")]
"""A label, see :func:`as_label`."""
Completions = Annotated[tuple[str | None, ...], Column("completions")]
"""Precomputed completions, empty if none exist."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""
Unread = Column("ignored")
"""Of a field that plays no part in any measurement."""


class Schema(BaseModel):
    """A row. Its fields are all the columns there are.

    Attributes:
        looks_at: what methods on such data look at, in a few words, empty if cards do not say it.
        compared: columns whose combinations are the groups that are compared. A part of the rows has as many
            of each.
        within: columns within whose combinations groups are compared. A part of the rows has whole
            combinations.
        crossed: columns, the widest first, of which a part of the rows has whole values, or a part of one: a score
            needs the same rows with each of their values.
        unread: further columns that a table may have and that play no part.
    """

    looks_at: ClassVar[str] = ""
    compared: ClassVar[tuple[str, ...]] = ()
    within: ClassVar[tuple[str, ...]] = ()
    crossed: ClassVar[tuple[str, ...]] = ()
    unread: ClassVar[tuple[str, ...]] = ()
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _drop_absent(cls, values: Any) -> Any:
        """However a row comes in, None means an absent field, and so does NaN if the field may be absent."""
        if not isinstance(values, Mapping):
            return values
        required = {name for name, field in cls.model_fields.items() if field.is_required()}
        return {k: v for k, v in values.items() if v is not None and (k in required or not is_absent(v))}

    @classmethod
    def columns(cls) -> Mapping[str, Column]:
        """Return the columns by name, first those that the docstring describes, in its order.

        Examples:
            >>> from evaluate_bias.data.predictions import Prediction
            >>> Prediction.columns()["references"]
            Column(holds='label', text='the true classes', may_be_empty=False)
        """
        return _columns(cls)

    @classmethod
    def aliases(cls) -> dict[str, str]:
        """Return the columns by what published files call them.

        Examples:
            >>> from evaluate_bias.data.words import LexiconEntry
            >>> LexiconEntry.aliases()
            {'lemma': 'word'}
        """
        choices = {name: field.validation_alias for name, field in cls.model_fields.items()}
        return {
            str(alias): name
            for name, other in choices.items()
            if isinstance(other, AliasChoices)
            for alias in other.choices
            if alias != name
        }

    @classmethod
    def ready(cls) -> frozenset[str]:
        """Return the columns with what a model would answer."""
        return frozenset(n for n, column in cls.columns().items() if column.holds in (*READY, "answer"))


@cache
def _columns(schema: type[Schema]) -> Mapping[str, Column]:
    texts: dict[str, str] = {}
    for base in reversed(schema.__mro__):
        if base is not Schema:
            texts |= docstring_entries(inspect.cleandoc(base.__doc__ or ""), "Attributes")
    names = dict.fromkeys([*(n for n in texts if n in schema.model_fields), *schema.model_fields])
    columns = {n: replace(_column(schema, n), text=texts.get(n, "").rstrip(".")) for n in names}
    flags = ["flags"] if hasattr(schema, "flags") else []
    return columns | dict.fromkeys((*schema.unread, *flags), Unread)


def _column(schema: type[BaseModel], name: str) -> Column:
    field = schema.model_fields[name]
    marks = [*field.metadata]
    for part in get_args(field.annotation):
        marks += getattr(part, "__metadata__", ())
    if mark := next((mark for mark in marks if isinstance(mark, Column)), None):
        return mark
    types = set(types_in(field.annotation))
    is_number = not types.isdisjoint((int, float))
    if get_origin(field.annotation) is tuple:
        return Column("numbers" if is_number else "words")
    return Column("number" if is_number else "text")


def types_in(annotation: Any) -> Iterator[Any]:
    """Yield a type and what it is made of: the parts of a union, what an annotated type annotates."""
    yield annotation
    for part in get_args(annotation):
        if isinstance(part, type) or get_origin(part) is not None:
            yield from types_in(part)


class TextsAsGiven(Schema):
    """A row that remembers the white space around some of its texts, which published harnesses score.

    Attributes:
        texts: names of these fields. Their values have no white space around them.
    """

    texts: ClassVar[tuple[str, ...]]
    _given: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_white_space(cls, row: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        checked = handler(row)
        if isinstance(row, Mapping):
            checked._given.update(
                {name: row[name] for name in cls.texts if row[name] != getattr(checked, name)}
            )
        return checked

    def as_given(self, name: str) -> str:
        """Return a text with the white space around it."""
        return self._given.get(name) or str(getattr(self, name))


def parse_row(schema: type[_M], row: BaseModel | Mapping[str, Any], where: str) -> _M:
    """Build ``schema`` from a mapping, with one clear sentence when it does not fit.

    Args:
        schema: the pydantic model.
        row: its fields, of which ``None`` counts as absent, and so does NaN if the field may be absent. A row already
            checked is returned as it is, and one of a wider schema is checked again.
        where: what to call the row in an error. Its ``"name"`` is added if it has one.

    Raises:
        DataError: the row does not fit. The text names the fields if they are only missing, else the first
            problem, and counts the others.

    Examples:
        >>> from evaluate_bias.data.word_lists import WordListTest
        >>> parse_row(WordListTest, {"name": "toy", "targets_x": ["rose", " "]}, "word-list test")
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: word-list test 'toy': targets_x[1] is blank
    """
    if isinstance(row, schema):
        return row
    if isinstance(row, BaseModel) and issubclass(schema, type(row)):
        row = row.model_dump()
    if not isinstance(row, Mapping):
        raise DataError(
            f"{where} must be a dict with the fields {_fields(schema)}, got a {type(row).__name__}"
        )
    try:
        made = schema.model_validate(row)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        called = f"{where} {quoted(row['name'])}" if isinstance(row.get("name"), str) else where
        missing = [repr(str(p["loc"][0])) for p in problems if p["type"] == "missing" and len(p["loc"]) == 1]
        if len(missing) == len(problems) > 1:
            raise DataError(f"{called}: the fields {name_list(missing, 20)} are missing") from None
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        fault, hint = _fault(problems[0], schema)
        raise DataError(f"{called}: {fault}{more}", hint=hint) from None
    for name, value in made:
        if not all(map(is_whole_text, _texts(value))):
            raise DataError(f"{where}: {name} contains half a character (a lone surrogate): {quoted(value)}")
    return made


def _texts(value: Any) -> Iterator[str]:
    """Return the texts in a field of a row."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, BaseModel):
        for _, inner in value:
            yield from _texts(inner)


_REQUIRED = {
    "tuple_type": "a list of words",
    "string_type": "a string",
    "string_pattern_mismatch": "a language tag such as 'en' or 'pt-BR'",
}
"""What a field must be, by pydantic's name of the problem."""


def _fault(problem: Mapping[str, Any], schema: type[BaseModel]) -> tuple[str, str]:
    """Return what is wrong with a row, and what to do."""
    head, *rest = problem["loc"]
    field, kind = str(head)[:80] + "".join(f"[{part}]" for part in rest), problem["type"]
    if kind == "missing":
        others = [str(key) for key in dict(problem["input"]) if key not in schema.model_fields]
        close = [repr(name[:80]) for name in difflib.get_close_matches(field, others, 1)]
        hint = f"if {close[0]} is meant, set `columns` to read {field!r} from {close[0]}" if close else ""
        return f"the field {field!r} is missing", hint
    if kind == "extra_forbidden":
        return f"there is no field {field!r}", f"the fields are {_fields(schema)}"
    if kind == "value_error":
        return f"{field} {problem['ctx']['error']}", ""
    if kind in _REQUIRED:
        return f"{field} must be {_REQUIRED[kind]}, got {quoted(problem['input'])}", ""
    return f"{field}: {problem['msg']}", ""


def _fields(schema: type[BaseModel]) -> str:
    return ", ".join(schema.model_fields)
