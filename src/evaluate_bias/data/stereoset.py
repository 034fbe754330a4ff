"""StereoSet items, and their blanks with two sets of words: packaged in the same form, StereoSet itself, own files."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, ValidationInfo, field_validator

from ..errors import DataError, InputError, quoted
from ..result import Skipped
from .load import SourcedTable, checked_rows, find_table, join_tables, load_rows, loader
from .other_tools import STEREOSET_TASKS
from .pair_flags import pair_flags
from .pair_flags import without_flags as leave_out_flagged
from .recipes import dataset_key, dataset_record, get_dataset
from .row_set import RowSet, TypedRowSet
from .schemas import GIVEN, BiasType, Column, Schema, StrippedText, TidyText
from .table_files import Row

BLANK = "BLANK"
"""The mark of the missing word in the context of an intrasentence item."""

GoldLabel = Literal["stereotype", "anti-stereotype", "unrelated"]
LABELS: Final[tuple[GoldLabel, GoldLabel, GoldLabel]] = ("stereotype", "anti-stereotype", "unrelated")
"""The gold labels of the three options of an item."""

Task = Literal["intrasentence", "intersentence"]


class StereoSetSentence(Schema):
    """One of the three options of a StereoSet item."""

    id: str = ""
    sentence: StrippedText
    gold_label: GoldLabel


class StereoSetItem(Schema):
    """A context with a stereotypical, an anti-stereotypical and an unrelated option.

    The context of an intrasentence item has a word missing, written BLANK, and its options are the sentence with three
    different words. The options of an intersentence item are sentences that follow. Scores are averaged for each target
    term first.

    Attributes:
        target: target term of every item
        bias_type: bias type of every item, for the breakdown. May be empty
        context: context sentences. Those of intrasentence items contain BLANK
        sentences: three options per item, each with sentence (text or score) and gold_label: 'stereotype',
            'anti-stereotype' or 'unrelated'
        id: names of the items
        task: 'intrasentence' or 'intersentence'

    Examples:
        >>> item = StereoSetItem.model_validate({
        ...     "task": "intrasentence", "target": "nurse", "context": "The nurse is BLANK.",
        ...     "sentences": [{"sentence": "The nurse is kind.", "gold_label": "stereotype"},
        ...                   {"sentence": "The nurse is rude.", "gold_label": "anti-stereotype"},
        ...                   {"sentence": "The nurse is oval.", "gold_label": "unrelated"}]})
        >>> item.option("unrelated")
        'The nurse is oval.'
    """

    looks_at: ClassVar = "which continuation is preferred"
    compared: ClassVar = ("bias_type", "task")
    unread: ClassVar = ("labels", "harm")

    id: str = ""
    task: Task
    target: str
    bias_type: BiasType = ""
    context: Annotated[StrippedText, Column("text", may_be_empty=True)]
    sentences: Annotated[tuple[StereoSetSentence, ...], Column("options")]
    language: str = "und"
    origin: str = GIVEN

    @classmethod
    def columns(cls) -> Mapping[str, Column]:
        """Return the columns, including those with one option each."""
        option = Column("sentence", "the options of an item, instead of sentences")
        return {**super().columns(), **dict.fromkeys(LABELS, option)}

    @field_validator("context")
    @classmethod
    def _has_blank(cls, context: str, info: ValidationInfo) -> str:
        if info.data.get("task") == "intrasentence" and BLANK not in context:
            raise ValueError(f"of an intrasentence item must contain {BLANK}: {context!r}")
        return context

    @field_validator("sentences")
    @classmethod
    def _one_of_each(cls, sentences: tuple[StereoSetSentence, ...]) -> tuple[StereoSetSentence, ...]:
        labels = sorted(s.gold_label for s in sentences)
        if labels != sorted(LABELS):
            raise ValueError(f"must be one {', one '.join(LABELS)}, got {', '.join(labels) or 'none'}")
        return sentences

    @property
    def flags(self) -> tuple[str, ...]:
        """What rules say against the stereotypical and the anti-stereotypical option of an intrasentence item."""
        if self.task == "intersentence":
            return ()
        return pair_flags(self.option("stereotype"), self.option("anti-stereotype"), self.language)

    def option(self, label: GoldLabel) -> str:
        """Return the sentence with this gold label."""
        return next(s.sentence for s in self.sentences if s.gold_label == label)


def fill_span(context: str, sentence: str) -> tuple[int, int] | None:
    """Return the characters of ``sentence`` that fill the last BLANK of ``context``.

    The text around the blank is matched first. If an option deviates there, the whitespace token at the place
    of the last token that contains BLANK is used, without punctuation at its ends.

    Returns:
        Start and end (exclusive), or ``None`` when no word appears there.

    Examples:
        >>> sentence = "Girls tend to be more soft."
        >>> start, end = fill_span("Girls tend to be more BLANK.", sentence)
        >>> sentence[start:end]
        'soft'
    """
    before, _, after = context.rpartition(BLANK)
    if (
        len(sentence) > len(before) + len(after)
        and sentence[: len(before)].lower() == before.lower()
        and sentence[len(sentence) - len(after) :].lower() == after.lower()
    ):
        start, end = len(before), len(sentence) - len(after)
    else:
        number = max(k for k, token in enumerate(context.split()) if BLANK in token)
        tokens = sentence.split()
        if number >= len(tokens):
            return None
        start = 0
        for k, token in enumerate(tokens[: number + 1]):
            start = sentence.index(token, start) + (len(token) if k < number else 0)
        end = start + len(tokens[number])
    trimmed = sentence[start:end].strip(string.punctuation + string.whitespace)
    if not trimmed:
        return None
    start = sentence.index(trimmed, start)
    return start, start + len(trimmed)


_ITEM_COLUMNS = tuple(StereoSetItem.model_fields)
_OPTION_COLUMNS = tuple(StereoSetSentence.model_fields)
_SPLIT = "validation"
_PACKAGED = "stereoset_style"


class StereoSet(TypedRowSet[StereoSetItem]):
    """StereoSet items in order, and the identity of what they were read from.

    Attributes:
        rows: the items.
        provenance: ``source`` and what identifies the content: ``sha256`` of the file, or ``repository`` and
            ``revision``.

    Examples:
        >>> items = load_stereoset(task="intrasentence", bias_types="religion")
        >>> len(items), items.targets
        (8, ('Muslim', 'rabbi'))
    """

    kind: ClassVar = "item"
    most_offered: ClassVar = 20

    @property
    def targets(self) -> tuple[str, ...]:
        """The target terms in order of their first item."""
        return tuple(dict.fromkeys(item.target for item in self.rows))


@loader(StereoSetItem)
def load_stereoset(
    source: str | Path | None = None,
    *,
    task: Task | None = None,
    split: str = _SPLIT,
    language: str = "en",
    bias_types: str | Iterable[str] | None = None,
    without_flags: str | Iterable[str] | None = None,
) -> StereoSet:
    """Load StereoSet items.

    Args:
        source: where to read from.

            - ``None`` or ``"stereoset_style"``: 56 English items in the form of StereoSet, packaged with this
              library: illustrative, not validated.
            - ``"stereoset"``: the published data set, from the cache, built on first use.
            - a file: StereoSet's own ``dev.json``, or JSONL, JSON, YAML, CSV or Parquet with the fields of
              :class:`StereoSetItem`. Instead of ``sentences`` there may be one column
              per option, ``stereotype``, ``anti-stereotype`` and ``unrelated``. An item that names no task is an
              intrasentence item when its context contains BLANK.
            - a folder made by :func:`~evaluate_bias.data.recipes.get_dataset`.
            - the id of a Hub data set with the configurations ``intrasentence`` and ``intersentence``.
        task: ``"intrasentence"`` or ``"intersentence"``. ``None`` for both.
        split: ``"validation"`` (dev.json, what most published results are on) or ``"test"``, only for the
            published data set.
        language: language of the items. The published data set is English.
        bias_types: the bias types wanted. ``None`` for all.
        without_flags: flags of pairs to omit, see :data:`~evaluate_bias.data.pair_flags.FLAGS`. ``"any"``:
            every pair that has one. ``None``: omit none.

    Raises:
        InputError: no such task, or the source has no splits.
        UnknownNameError: the source has no such split, language or bias type.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> items = load_stereoset(task="intersentence")
        >>> len(items), items[0].context
        (16, 'Our neighbour became a mother last spring.')
    """
    tasks = STEREOSET_TASKS if task is None else (task,)
    table = join_tables(_tables(source, tasks, split, language))
    checked, *_ = checked_rows(
        StereoSetItem,
        table,
        language,
        prepare=_prepared,
        called="item",
        key=lambda item: (item.task, item.id),
        default=table.language,
    )
    items = tuple(item for item in checked if item.task in tasks)
    if not items:
        raise DataError(f"{table.name} has no {task} item", option="task")
    stereoset = StereoSet(items, table.provenance)
    chosen = stereoset if bias_types is None else stereoset.select(bias_types)
    return leave_out_flagged(chosen, without_flags)


def _tables(
    source: str | Path | SourcedTable | None, tasks: Sequence[str], split: str, language: str
) -> list[SourcedTable]:
    """Return one table, or one for each task, with the task written into its rows."""
    key = dataset_key(source) if isinstance(source, str) else ""
    is_file = isinstance(source, str | Path) and not key and Path(source).is_file()
    is_packaged = source is None or bool(key and dataset_record(key).packaged)
    if split != _SPLIT and (is_file or is_packaged):
        raise InputError(
            "`split` applies to the published data set only, and this one has no splits",
            option="split",
            hint="omit `split`",
        )
    if is_file or is_packaged or isinstance(source, SourcedTable):
        return [find_table(_PACKAGED if source is None else source, language)]
    if key:  # Both tasks come from one large file: it is read once, and the other split's not at all.
        source = get_dataset(key, configs=tasks, split=split)
    tables = [find_table(source, task, split=split, columns=_ITEM_COLUMNS) for task in tasks]
    for task, table in zip(tasks, tables, strict=True):
        table.rows = [{**row, "task": task} for row in table.rows]
    return tables


def _prepared(row: Row, position: int, where: str) -> dict[str, Any]:
    known: dict[str, Any] = {c: row[c] for c in _ITEM_COLUMNS if row.get(c) is not None}
    if "context" in row:  # an empty cell is an empty context, which the method lists
        known.setdefault("context", "")
    blank = BLANK in str(known.get("context", ""))
    known.setdefault("task", "intrasentence" if blank else "intersentence")
    options = known.get("sentences") or [
        {"gold_label": label, "sentence": row[label]} for label in LABELS if row.get(label) is not None
    ]
    if not isinstance(options, list | tuple) or not all(isinstance(option, Mapping) for option in options):
        raise DataError(f"{where}: its sentences must be a list of objects with 'sentence' and 'gold_label'")
    known["sentences"] = [{c: o[c] for c in _OPTION_COLUMNS if o.get(c) is not None} for o in options]
    return known


def _with_blank(text: str) -> str:
    if text.count(BLANK) != 1:
        raise ValueError(f"must contain {BLANK} once: {quoted(text)}")
    return text.strip()


class TokenSetItem(Schema):
    """A sentence with one blank, and the words that make it a stereotype or its opposite.

    Attributes:
        text: sentences with one blank each, written BLANK
        stereotypical: the words for the blank that make the sentence a stereotype
        anti_stereotypical: the words that make it the opposite
        unrelated: words that make no sense in the blank. May be empty
        bias_type: bias type of every sentence, for the breakdown. May be empty
        id: names of the items

    Examples:
        >>> TokenSetItem(text="The nurse said BLANK was tired.", stereotypical=["she"], anti_stereotypical=["he"]).id
        ''
    """

    compared: ClassVar = ("bias_type",)

    id: str = ""
    text: Annotated[str, AfterValidator(_with_blank)]
    stereotypical: tuple[TidyText, ...]
    anti_stereotypical: tuple[TidyText, ...]
    unrelated: tuple[TidyText, ...] = ()
    bias_type: BiasType = ""
    language: str = "und"


@loader(TokenSetItem)
def load_token_sets(source: str | Path | None = None, *, language: str = "en") -> RowSet[TokenSetItem]:
    """Load sentences with a blank and two sets of words for it.

    Args:
        source: ``"stereoset"``: the intrasentence items of StereoSet, each with its stereotypical and its
            anti-stereotypical word as the sets. ``None`` or ``"stereoset_style"``: the packaged items of that form,
            illustrative, not validated. Or a file, a folder or a Hub data set with the columns of
            :class:`TokenSetItem`. In CSV the words of a set are separated by semicolons.
        language: language tag.

    Raises:
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> items = load_token_sets()
        >>> len(items), items[0].text, items[0].stereotypical, items[0].anti_stereotypical
        (40, 'The mother spent the evening BLANK for the family.', ('cooking',), ('working',))
    """
    if source is not None and (
        not isinstance(source, str) or dataset_key(source) not in ("stereoset", _PACKAGED)
    ):
        return load_rows(TokenSetItem, "", language, source)
    items = load_stereoset(source, task="intrasentence", language=language)
    made = [_of_stereoset(item) for item in items]
    lost = tuple(one for one in made if isinstance(one, Skipped))
    return RowSet(tuple(one for one in made if isinstance(one, TokenSetItem)), items.provenance, lost)


def _of_stereoset(item: StereoSetItem) -> TokenSetItem | Skipped:
    before, _, after = item.context.rpartition(BLANK)
    words = []
    for sentence in (item.option("stereotype"), item.option("anti-stereotype")):
        if (span := fill_span(item.context, sentence)) is None or BLANK in before:
            return Skipped(item.id, "its blank is not filled by exactly one word")
        words.append((sentence[slice(*span)],))
    # Only StereoSet's fill of one word can be read at one mask.
    unrelated = item.option("unrelated")
    span = fill_span(item.context, unrelated)
    return TokenSetItem(
        id=item.id,
        text=f"{before}{BLANK}{after}",
        stereotypical=words[0],
        anti_stereotypical=words[1],
        unrelated=(unrelated[slice(*span)],) if span else (),
        bias_type=item.bias_type,
        language=item.language,
    )
