"""What a row of word lists must look like, and how any row is checked, with one sentence where it does not fit.

A schema is a frozen pydantic model; its field names are the columns of the matching Hub data set.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    PrivateAttr,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler

from ..errors import DataError, quoted
from ..result.row import is_whole_text
from .table_files import is_absent

WORD_LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
"""The four columns of a word-list test that hold words."""

_M = TypeVar("_M", bound=BaseModel)


def _tidy(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    if text != " ".join(text.split()):
        raise ValueError(f"has spaces around it or more than one inside: {quoted(text)}")
    return text


TidyText = Annotated[str, AfterValidator(_tidy)]
"""A word or several, with one space between two and none around them."""
_Words = Annotated[tuple[TidyText, ...], FailFast()]
"""Words, checked up to the first that does not fit: nobody waits for the others."""
LanguageTag = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$")]
"""A language tag such as ``"en"`` or ``"pt-BR"``."""


class Schema(BaseModel):
    """A row; its fields are all the columns there are.

    Attributes:
        ready: the fields that hold what a model would answer.
    """

    ready: ClassVar[tuple[str, ...]] = ()
    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _drop_absent(cls, values: Any) -> Any:
        """Whatever way a row comes in, None stands for an absent field, and so does NaN where a field may be absent."""
        if not isinstance(values, Mapping):
            return values
        required = {name for name, field in cls.model_fields.items() if field.is_required()}
        return {k: v for k, v in values.items() if v is not None and (k in required or not is_absent(v))}


class TextsAsGiven(Schema):
    """A row that remembers the white space around some of its texts, which published harnesses score.

    Attributes:
        texts: these fields; their values are without white space around them.
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


GIVEN = "given by the caller"
"""Origin of lists that come from no data set."""


class WordListTest(Schema):
    """One association test: two target lists, two attribute lists, and where they come from.

    Only the name and the first list are required: a list that is not given is empty. Lists may be empty, repeat a word
    or share words: what that means is for the method to decide. Words keep their capitals; whether these matter is up
    to the model.

    Attributes:
        name: short name, unique within a language, such as ``"weat7"``.
        language: BCP-47 tag of the words, ``"und"`` when unknown.
        title: what is tested, in English.
        x_label, y_label, a_label, b_label: what each list stands for, in English.
        targets_x, targets_y: the two groups of target words.
        attributes_a, attributes_b: the two groups of attribute words.
        bias_type: ``"gender"``, ``"race"``, ``"ethnicity"``, ``"age"``, ``"health"`` …, or
            ``"none (baseline)"``.
        origin: ``"paper"``, ``"translated, not validated by native speakers"``, ``"co-created"`` ….
        source: citation, or address with a pinned revision.
        licence: terms of the lists.
        notes: choices made, and known problems.

    Examples:
        >>> test = WordListTest(name="toy", targets_x=["rose"], targets_y=["wasp"],
        ...                     attributes_a=["nice"], attributes_b=["vile"])
        >>> test.targets_x, test.language, test.a_label
        (('rose',), 'und', 'A')
    """

    name: TidyText
    language: LanguageTag = "und"
    title: str = ""
    x_label: TidyText = "X"
    y_label: TidyText = "Y"
    a_label: TidyText = "A"
    b_label: TidyText = "B"
    targets_x: _Words
    targets_y: _Words = ()
    attributes_a: _Words = ()
    attributes_b: _Words = ()
    bias_type: str = ""
    origin: str = GIVEN
    source: str = ""
    licence: str = ""
    notes: str = ""


def parse_row(schema: type[_M], row: BaseModel | Mapping[str, Any], where: str) -> _M:
    """Build ``schema`` from a mapping, with one clear sentence when it does not fit.

    Args:
        schema: the pydantic model.
        row: its fields, of which ``None`` counts as absent, and NaN where the field may be; a row already checked is
            returned as it is, and one of a wider schema is checked again.
        where: what to call the row in an error; its ``"name"`` is added where it has one.

    Raises:
        DataError: the row does not fit; the text names the fields where they are only missing, else the first problem,
            and counts the others.

    Examples:
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
            raise DataError(f"{called}: the fields {listed(missing)} are missing") from None
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        fault, hint = _fault(problems[0], schema)
        raise DataError(f"{called}: {fault}{more}", hint=hint) from None
    for name, value in made:
        if not all(map(is_whole_text, _texts(value))):
            raise DataError(f"{where}: {name} contains half a character (a lone surrogate): {quoted(value)}")
    return made


def _texts(value: Any) -> Iterator[str]:
    """The texts in a field of a row."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, BaseModel):
        for _, inner in value:
            yield from _texts(inner)


def listed(names: Iterable[str]) -> str:
    """Write names for an error sentence, the first twenty where there are more.

    Examples:
        >>> listed(["id", "word"]), listed(map(str, range(22)))[-19:]
        ('id, word', '18, 19 and 2 others')
    """
    known = [str(name)[:30] for name in names]
    more = f" and {len(known) - 20} others" if len(known) > 20 else ""
    return ", ".join(known[:20])[:400] + more


_REQUIRED = {
    "tuple_type": "a list of words",
    "string_type": "a string",
    "string_pattern_mismatch": "a language tag such as 'en' or 'pt-BR'",
}
"""What a field must be, by pydantic's name of the problem."""


def _fault(problem: Mapping[str, Any], schema: type[BaseModel]) -> tuple[str, str]:
    """What is wrong with a row, and what to do."""
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
