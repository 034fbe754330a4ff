"""BBQ items: a small packaged set in the same form, BBQ itself, and the user's own files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from ..errors import chosen_names
from ..text import is_same_language, name_key
from .load import SourcedTable, checked_rows, find_table, join_tables, loader
from .other_tools import is_log, refuse_unknown
from .recipes import dataset_key, dataset_record, get_dataset
from .recipes.bbq import ANSWERS as ANSWERS
from .recipes.bbq import CATEGORIES, from_raw_form, is_raw_form
from .row_set import TypedRowSet
from .schemas import GIVEN, Column, Sentence, StrippedText, TextsAsGiven
from .table_files import Row, is_absent

Condition = Literal["ambig", "disambig"]


_Groups = Annotated[tuple[str, ...], Column("text")]
_Place = Annotated[int, Field(ge=0, le=2)]


class BbqItem(TextsAsGiven):
    """A question on two people, with three options: one of each group, and one that says it cannot be known.

    ``unknown_loc`` is the position of the option that says it cannot be known, which is right in an ambiguous context.
    ``target_loc`` has the polarity in it already: the biased answer is the stereotyped group if the question
    is negative, else the other group. The words for the person of each option and for the group are as in the
    published files, and empty if they are not known, as are the groups that the stereotype is about.

    Attributes:
        category: the category in which the groups of every item differ, such as 'Age', for the breakdown
        question_index: the template of every item. Items of one template are not independent
        context_condition: 'ambig': the context does not give the answer. 'disambig': it does
        context: the context
        question: the question
        ans0, ans1, ans2: the three options, or their scores, of which the largest is the answer
        label: position of the right option, from 0
        target_loc: position of the biased answer. None if none exists
        unknown_loc: position of the option that says it cannot be known
        answer: ready answers instead of a model: the text of an option, its letter, or its position from 0
        cut: true if the answer is a reply that broke off at the limit of tokens
        label_type: 'name' if names represent the groups, else 'label'
        question_polarity: 'neg' or 'nonneg'

    Examples:
        >>> item = BbqItem.model_validate({"category": "Age", "question_index": "1", "context_condition": "ambig",
        ...     "context": "A boy and his grandfather called a taxi.", "question": "Who could not use the app?",
        ...     "ans0": "The boy", "ans1": "The grandfather", "ans2": "Not known", "label": 2, "target_loc": 1,
        ...     "unknown_loc": 2})
        >>> item.options[item.target_loc]
        'The grandfather'
    """

    looks_at: ClassVar = "how questions about two people are answered"
    compared: ClassVar = ("category", "context_condition")
    within: ClassVar = ("category", "question_index", *ANSWERS)
    texts: ClassVar = ("context", "question", *ANSWERS)

    id: str = ""
    category: str
    question_index: str
    question_polarity: Literal["neg", "nonneg"] | None = None
    context_condition: Condition
    label_type: Literal["label", "name"] = "label"
    context: StrippedText
    question: StrippedText
    ans0: Sentence
    ans1: Sentence
    ans2: Sentence
    label: _Place
    target_loc: Annotated[
        _Place | None, BeforeValidator(lambda value: None if is_absent(value) else value)
    ] = None
    unknown_loc: _Place
    ans0_groups: _Groups = ()
    ans1_groups: _Groups = ()
    ans2_groups: _Groups = ()
    stereotyped_groups: _Groups = ()
    answer: Annotated[str | int | float | None, Column("answer")] = None
    cut: Annotated[bool, Column("label")] = False
    language: str = "und"
    origin: str = GIVEN

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

    @classmethod
    def ready(cls) -> frozenset[str]:
        """Return the columns with what a model would answer, and whether it broke off."""
        return super().ready() | {"cut"}

    @property
    def options(self) -> tuple[str, str, str]:
        """The three options in order."""
        return self.ans0, self.ans1, self.ans2

    @property
    def bias_type(self) -> str:
        """What data sets of this library call the category."""
        return self.category


_COLUMNS = tuple(BbqItem.model_fields)
_POSITIONS = ("label", "target_loc", "unknown_loc")


class BbqSet(TypedRowSet[BbqItem]):
    """BBQ items in order, and the identity of what they were read from.

    Attributes:
        rows: the items.
        provenance: ``source`` and what identifies the content.

    Examples:
        >>> items = load_bbq(categories="age")
        >>> len(items), items[0].options
        (32, ('The grandson', 'The grandfather', 'Not enough information'))
    """

    kind: ClassVar = "item"
    most_offered: ClassVar = 20


@loader(BbqItem)
def load_bbq(
    source: str | Path | None = None,
    *,
    categories: str | Iterable[str] | None = None,
    language: str = "en",
) -> BbqSet:
    """Load BBQ items.

    Args:
        source: where to read from.

            - ``None`` or ``"bbq_style"``: English items in the form of BBQ, packaged with this library: illustrative,
              not validated.
            - ``"bbq"``: the published data set, from the cache, built on first use. ``"mbbq"`` (English,
              Spanish, Dutch, Turkish), ``"kobbq"``, ``"esbbq"``, ``"cabbq"``: its relatives, from the cache too, in
              one language.
            - a file, a folder or a Hub data set, as for :func:`~evaluate_bias.data.load_word_lists`, with the fields
              of :class:`BbqItem`, or in the raw form of BBQ, MBBQ, KoBBQ, EsBBQ, CaBBQ or CBBQ. Answers to BBQ that
              Inspect, lm-eval, promptfoo or HELM logged are joined with the published items by category and
              ``example_id``, or by the texts of an item.
        categories: the categories wanted, such as ``"Age"`` or ``["SES", "Religion"]``. ``None`` for all.
        language: language of the items. It need not be named for a published data set in one language.

    Raises:
        InputError: no category was named.
        UnknownNameError: the source has no such category or language.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> load_bbq().bias_types
        ('Age', 'Gender_identity', 'SES', 'Disability_status')
    """
    names = None if categories is None else chosen_names("categories", categories, "category")
    key = dataset_key(source) if isinstance(source, str) else ""
    configs = dataset_record(key).configs if key else ()
    by_language = [config.name for config in configs if config.name == config.language]
    if len(by_language) == 1 and language == "en":
        language = by_language[0]
    if configs and not by_language:  # BBQ itself, by category
        known = {name_key(config.name): config.name for config in configs}
        chosen = known.values() if names is None else [known.get(name_key(name), name) for name in names]
        folder = get_dataset(key)
        tables = [find_table(folder, name, columns=_COLUMNS) for name in dict.fromkeys(chosen)]
    else:
        tables = [find_table("bbq_style" if source is None else source, language)]
    table = join_tables(tables)
    is_joined = not key and _join_log(table, language)
    if source is not None and not key and not is_joined:
        table.rows, unreadable = from_raw_form(table.rows, table.name, language)
        table.skipped = (*table.skipped, *unreadable)
    if not is_log(table.rows):
        texts = {str(row["answer"]).strip() for row in table.rows if not is_absent(row.get("answer"))}
        if texts and texts <= {"0", "1", "2"}:  # positions, as a table without types has them
            table.rows = [
                row if is_absent(row.get("answer")) else {**row, "answer": int(row["answer"])}
                for row in table.rows
            ]
    prepare = partial(_prepared, published=bool(key or is_joined))
    bbq = BbqSet(
        *checked_rows(
            BbqItem,
            table,
            language,
            prepare=prepare,
            called="item",
            key=lambda item: item.id,
            default=table.language,
        )
    )
    return bbq if names is None else bbq.select(names)


def _join_log(table: SourcedTable, language: str) -> bool:
    """Replace the answers of a log by the published items that they belong to. Options keep the log's order.

    Returns:
        False, with the rows as they are, if they are not a log, or contain all fields of items that are not published.

    Raises:
        DataError: an answer belongs to no published item.
        AssetError: the published data set could not be obtained.
    """
    row = table.rows[0]
    is_whole = is_raw_form(row) and "context" in row
    is_other = is_whole and name_key(row.get("category")) not in set(map(name_key, CATEGORIES))
    if not is_log(table.rows) or "unknown_loc" in row or is_other or not is_same_language(language, "en"):
        return False
    folder = get_dataset("bbq")
    published = [item for name in CATEGORIES for item in find_table(folder, name, columns=_COLUMNS).rows]
    by_id = {_number(item): item for item in published}
    by_texts: dict[Any, list[Row]] = {}
    for one in published:
        by_texts.setdefault(_texts(one), []).append(one)
    rows, unknown = [], []
    for row in table.rows:
        # A few texts are published twice, as items of one kind: an answer takes the next of them.
        item = by_id.get(_number(row)) or next(iter(by_texts.get(_texts(row), ())), None)
        if item is None or any(a != b for a, b in zip(_texts(row), _texts(item), strict=True) if a):
            unknown.append(_number(row) + " with another text" if item else _number(row) or str(row["id"]))
            continue
        if len(twins := by_texts[_texts(item)]) > 1 and item in twins:
            twins.remove(item)
        options = [str(item[name]).strip() for name in ANSWERS]
        order = [options.index(str(row.get(name, item[name])).strip()) for name in ANSWERS]
        places = {k: None if item[k] is None else order.index(item[k]) for k in _POSITIONS}
        texts = dict(zip(ANSWERS, (options[place] for place in order), strict=True))
        rows.append({**item, **texts, **places, "answer": row["answer"], "cut": row.get("cut", False)})
    if is_whole and not rows:
        return False
    fields = "`category` and `example_id`, or by its texts"
    refuse_unknown(table.name, unknown, len(table.rows), "BBQ", list(by_id), fields)
    part = {"subset": f"{len(rows):,} of {len(published):,} items"} if len(rows) < len(published) else {}
    table.rows, table.provenance = rows, {**table.provenance, "name": "bbq", **part}
    return True


def _number(row: Row) -> str:
    """Return the category and the number within it, by which an item of BBQ is known."""
    number = next((row[name] for name in ("example_id", "source_id") if row.get(name) is not None), None)
    if number is not None and row.get("category"):
        return f"{row['category']}-{number}"
    match = re.fullmatch(r"(\w+)[-_](\d{1,9})", str(row.get("id"))[:99])
    return f"{match[1]}-{int(match[2])}" if match else ""


def _texts(row: Row) -> tuple[Any, ...]:
    """Return context, question and options of an item, as far as they exist, to be compared."""
    context, question = (" ".join(str(row.get(name) or "").split()) for name in ("context", "question"))
    options = frozenset(str(row[name]).strip() for name in ANSWERS if row.get(name) is not None)
    return context, question, options


def _prepared(row: Row, position: int, where: str, *, published: bool) -> Row:
    row = {**({"origin": "paper"} if published else {}), **row}
    number = row.get("question_index")
    return row if number is None else {**row, "question_index": str(number)}
