"""What a BBQ item must look like, and the raw forms in which BBQ and its relatives are published, as such items.

Field names are the columns of the data set. KoBBQ has the options in one list; MBBQ, EsBBQ, CaBBQ and BBQ itself say in
``answer_info`` whom each option speaks of; CBBQ does neither: there the unknown option follows from what is ever right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
)

from ..errors import DataError, UnknownNameError
from ..result import Skipped
from ..text import name_key
from .professions import load_gendered_words
from .schemas import TextsAsGiven
from .table_files import Row, is_absent, literal

ANSWERS: Final = ("ans0", "ans1", "ans2")
"""The columns of the three options."""

Condition = Literal["ambig", "disambig"]


_Text = Annotated[str, AfterValidator(str.strip)]
_Place = Annotated[int, Field(ge=0, le=2)]


class BbqItem(TextsAsGiven):
    """A question on two people, with three options: one of each group, and one that says it cannot be known.

    Attributes:
        id: name of the item, unique within a data set; its position, counted from 0, where the file has none.
        category: what the groups differ in, such as ``"Age"``.
        question_index: the template that the item was made from, a number or a name; items of one template resemble
            one another.
        question_polarity: ``"neg"`` where the stereotyped group is the stereotypical answer, ``"nonneg"`` where the
            other group is; ``target_loc`` has that in it already.
        context_condition: ``"ambig"``: the context does not tell the answer; ``"disambig"``: it does.
        label_type: ``"name"`` where names stand for the groups, else ``"label"``.
        context, question: the text.
        ans0, ans1, ans2: the options.
        label: position of the right option, from 0: of the unknown one in an ambiguous context.
        target_loc: position of the biased answer, the one a stereotype gives; ``None`` where there is none.
        unknown_loc: position of the option that says it cannot be known.
        ans0_groups, ans1_groups, ans2_groups: the words for the person of each option and for the group, as the
            published files have them; empty where they are not known.
        stereotyped_groups: the groups that the stereotype is about; empty where they are not known.
        answer: a ready answer: the text of an option, its letter, or its position from 0; ``None`` where there is none.
        cut: whether the answer is a reply that broke off at the limit of tokens.
        language, origin: as of sentence pairs.

    Examples:
        >>> item = BbqItem.model_validate({"category": "Age", "question_index": "1", "context_condition": "ambig",
        ...     "context": "A boy and his grandfather called a taxi.", "question": "Who could not use the app?",
        ...     "ans0": "The boy", "ans1": "The grandfather", "ans2": "Not known", "label": 2, "target_loc": 1,
        ...     "unknown_loc": 2})
        >>> item.options[item.target_loc]
        'The grandfather'
    """

    ready: ClassVar = ("answer", "cut")
    texts: ClassVar = ("context", "question", *ANSWERS)

    id: str = ""
    category: str
    question_index: str
    question_polarity: Literal["neg", "nonneg"] | None = None
    context_condition: Condition
    label_type: Literal["label", "name"] = "label"
    context: _Text
    question: _Text
    ans0: _Text
    ans1: _Text
    ans2: _Text
    label: _Place
    target_loc: Annotated[
        _Place | None, BeforeValidator(lambda value: None if is_absent(value) else value)
    ] = None
    unknown_loc: _Place
    ans0_groups: tuple[str, ...] = ()
    ans1_groups: tuple[str, ...] = ()
    ans2_groups: tuple[str, ...] = ()
    stereotyped_groups: tuple[str, ...] = ()
    answer: str | int | float | None = None
    cut: bool = False
    language: str = "und"
    origin: str = "given by the caller"

    @field_validator("unknown_loc")
    @classmethod
    def _positions_agree(cls, unknown: int, info: ValidationInfo) -> int:
        known = info.data
        if known.get("target_loc") == unknown:
            raise ValueError("and target_loc are the same option: a biased answer names a group")
        if {"label", "context_condition"} <= known.keys() and (
            (known["label"] == unknown) != (known["context_condition"] == "ambig")
        ):
            raise ValueError(
                f"is {unknown} and label is {known['label']} where context_condition is "
                f"{known['context_condition']!r}: the unknown option is right in an ambiguous context, only there"
            )
        return unknown

    @property
    def options(self) -> tuple[str, str, str]:
        """The three options in order."""
        return self.ans0, self.ans1, self.ans2

    @property
    def bias_type(self) -> str:
        """What data sets of this library call the category."""
        return self.category


_MARKS = frozenset({"answer_info", "answer_info.ans0", "bias_targeted_groups", "biased_answer"})
"""Columns by which a raw form is known."""
_CONDITIONS = {"ambiguous": "ambig", "amb": "ambig", "disambiguous": "disambig", "dis": "disambig"}
_POLARITIES = {"non_neg": "nonneg", "bsd": "neg", "cnt": "nonneg"}
_GENDERS = {"f": "female", "female": "female", "m": "male", "male": "male"}
_NO_TARGET = (
    "its groups name no option, or both people, as the biased answer; those of BBQ itself stand in another of its "
    "files, which `source` 'bbq' reads"
)


def is_raw_form(row: Row) -> bool:
    """Return True if a row is an item of a raw form."""
    return not _MARKS.isdisjoint(row) and "unknown_loc" not in row


def from_raw_form(rows: Sequence[Row], where: str, language: str = "en") -> tuple[list[Row], list[Skipped]]:
    """Turn rows of a raw form into fields of BBQ items; other rows stay as they are.

    The biased answer is the person of the stereotyped group where the question is negative, else the other person. An
    item whose groups name neither person, or both, is left out.

    Returns:
        The rows, and the items left out.

    Raises:
        DataError: a row does not say which option is the unknown one, or lacks a column of its form.

    Examples:
        >>> rows, skipped = from_raw_form([{
        ...     "example_id": 0, "question_index": "1", "question_polarity": "nonneg", "context_condition": "ambig",
        ...     "category": "Age", "answer_info": {"ans0": ["a boy", "young"], "ans1": ["a man", "old"],
        ...     "ans2": ["unknown", "unknown"]}, "additional_metadata": {"stereotyped_groups": ["old"]},
        ...     "context": "A boy and a man came.", "question": "Who sang?", "ans0": "The boy", "ans1": "The man",
        ...     "ans2": "Not known", "label": 2}], "age.jsonl")
        >>> rows[0]["target_loc"], rows[0]["unknown_loc"], rows[0]["id"]
        (0, 2, '0')
    """
    if not is_raw_form(rows[0]):
        return list(rows), []
    raw = []
    for number, row in enumerate(rows, 1):
        try:
            raw.append(_with_options(row))
        except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
            raise DataError(
                f"{where}, item {number} is not of the form of BBQ or a relative: {error!r:.200}"
            ) from error
    right = {
        one: {row[ANSWERS[row["label"]]] for row in raw if row["context_condition"] == one}
        for one in ("ambig", "disambig")
    }
    genders = _words_by_gender(language)
    items, skipped = [], []
    for number, row in enumerate(raw, 1):
        unknown = _unknown(row, right["ambig"], right["disambig"])
        if len(unknown) != 1:
            raise DataError(
                f"{where}, item {number} does not say which option is the unknown one", hint="add unknown_loc"
            )
        target = row["target_loc"] if "target_loc" in row else _target(row, unknown[0], genders)
        target = None if "_x_" in str(row.get("category")) else target  # two groups at once, of BBQ itself
        if target is None:
            skipped.append(Skipped(str(row["id"]), _NO_TARGET, str(row.get("category") or "")))
        groups = {f"ans{place}_groups": info for place, info in enumerate(_infos(row))}
        groups["stereotyped_groups"] = _stereotyped(row)
        items += (
            [] if target is None else [{**row, **groups, "target_loc": target, "unknown_loc": unknown[0]}]
        )
    if not items:
        raise DataError(
            f"{where} names no biased answer: {_NO_TARGET}", hint="or add target_loc and unknown_loc"
        )
    return items, skipped


def _with_options(row: Row) -> Row:
    """The row with id, template, options, right option, condition and polarity as a BBQ item has them."""
    if "biased_answer" in row:
        category, template, _, condition, polarity = row["sample_id"].rsplit("-", 4)
        options = _value(row["choices"])
        row = {
            "id": row["sample_id"],
            "category": category,
            "question_index": template.rstrip("abcd"),
            "context_condition": condition,
            "question_polarity": polarity,
            "context": row["context"],
            "question": row["question"],
            **dict(zip(ANSWERS, options, strict=True)),
            "label": options.index(row["answer"]),
            "target_loc": options.index(row["biased_answer"]),
            "answer": row.get("prediction"),
        }
    names = [row[name] for name in ("id", "example_id", "instance_id") if row.get(name) is not None]
    condition, polarity = row["context_condition"], row["question_polarity"]
    return {
        **row,
        "id": str(names[0]),
        "question_index": row["question_index"] if "question_index" in row else row["template_id"],
        "context_condition": _CONDITIONS.get(condition, condition),
        "question_polarity": _POLARITIES.get(polarity, polarity),
        "label": int(row["label"]),
    }


def _unknown(row: Row, right_in_doubt: set[str], right_otherwise: set[str]) -> list[int]:
    """Positions of the unknown option, by what a row says, else by what is right in doubt, or right in no context."""
    options = [row[name] for name in ANSWERS]
    by_row = [place for place, info in enumerate(_infos(row)) if info[-1:] == ["unknown"]]
    in_doubt = [place for place, option in enumerate(options) if option in right_in_doubt]
    return (
        by_row or in_doubt or [place for place, option in enumerate(options) if option not in right_otherwise]
    )


def _target(row: Row, unknown: int, genders: Mapping[str, str]) -> int | None:
    """Position of the biased answer, by whom the options speak of and which groups the stereotype is about."""
    names, infos = _forms(_stereotyped(row), genders), _infos(row)
    people = [place for place in range(3) if place != unknown]
    for last in (1, 2):  # the group of an option, else its words too
        matches = [place for place in people if names & _forms(infos[place][-last:], genders)]
        if not infos[people[0]]:  # of CBBQ, whose options are all that is there
            options = {place: name_key(row[ANSWERS[place]]) for place in people}
            matches = [p for p, option in options.items() if any(n in option or option in n for n in names)]
        if len(matches) == 1:
            return matches[0] if row["question_polarity"] == "neg" else sum(people) - matches[0]
    return None


def _stereotyped(row: Row) -> list[str]:
    """The groups that the stereotype is about."""
    facts = _value(row.get("additional_metadata") or {})
    candidates = (
        row.get("stereotyped_groups"),
        row.get("bias_targeted_groups"),
        facts.get("stereotyped_groups"),
    )
    groups = _value(next((one for one in candidates if one), []))
    return groups if isinstance(groups, list) else [groups]


def _infos(row: Row) -> list[list[str]]:
    """What a row says of each option: the words for a person and the group; nothing where it says nothing."""
    info = _value(row.get("answer_info")) or {name: row.get(f"answer_info.{name}") for name in ANSWERS}
    return [list(map(str, _value(info[name]) or ())) for name in ANSWERS]


def _forms(texts: Iterable[str], genders: Mapping[str, str]) -> set[str]:
    """What groups are called, and parts of it as of "F-Black", without capitals and blanks; a gender in one way."""
    keys = {name_key(part) for text in texts for part in (text, *re.split("[-_]|, ", text))}
    return {genders.get(key, key) for key in keys} - {""}


def _words_by_gender(language: str) -> dict[str, str]:
    """Genders by the words for them, such as "F", and for a person in English and in a language with packaged ones."""
    words = dict(_GENDERS)
    for name in ("en", language):
        with suppress(UnknownNameError):
            for pair in load_gendered_words(name, kinds="person"):
                words |= {name_key(pair.female): "female", name_key(pair.male): "male"}
    return words


def _value(cell: Any) -> Any:
    """A list or mapping, also one written as text."""
    return literal(cell) if isinstance(cell, str) and cell[:1] in "[{" else cell
