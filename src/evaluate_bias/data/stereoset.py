"""StereoSet items, and their blanks with two sets of words: packaged in the same form, StereoSet itself, own files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args

from pydantic import AfterValidator

from ..errors import DataError, InputError, bad_option, quoted
from ..result import Skipped
from .load import SourcedTable, checked_rows, find_table, loader, with_id
from .pair_flags import without_flags as leave_out_flagged
from .pair_schemas import BLANK, LABELS, BiasType, StereoSetItem, StereoSetSentence, Task, fill_span
from .recipes import dataset_key, dataset_record, get_dataset
from .recipes.stereoset import TASKS, parse_upstream, upstream_rows
from .row_set import RowSet, TypedRowSet
from .schemas import Schema, TidyText
from .table_files import Row, table_bytes

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


@loader
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
            - ``"stereoset"``: the published data set, from the cache; built on first use.
            - a file: StereoSet's own ``dev.json``, or JSONL, JSON, YAML, CSV or Parquet with the fields of
              :class:`~evaluate_bias.data.pair_schemas.StereoSetItem`; in place of ``sentences`` there may be one column
              per option, ``stereotype``, ``anti-stereotype`` and ``unrelated``. An item that names no task is an
              intrasentence item when its context contains BLANK.
            - a folder made by :func:`~evaluate_bias.data.recipes.get_dataset`.
            - the id of a Hub data set with the configurations ``intrasentence`` and ``intersentence``.
        task: ``"intrasentence"`` or ``"intersentence"``; ``None`` for both.
        split: ``"validation"`` (dev.json, what most published results are on) or ``"test"``; only for the
            published data set.
        language: language of the items; the published data set is English.
        bias_types: the bias types wanted; ``None`` for all.
        without_flags: flags of pairs to leave out, see :data:`~evaluate_bias.data.pair_flags.FLAGS`; ``"any"``: every
            pair that has one; ``None``: leave out none.

    Raises:
        InputError: there is no such task, or the source has no splits.
        UnknownNameError: the source has no such split, language or bias type.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> items = load_stereoset(task="intersentence")
        >>> len(items), items[0].context
        (16, 'Our neighbour became a mother last spring.')
    """
    if task is not None and task not in TASKS:
        raise bad_option("task", task, f"{' or '.join(map(repr, get_args(Task)))}")
    tasks = TASKS if task is None else (task,)
    tables = _tables(source, tasks, split, language)
    items = [
        item
        for table in tables
        for item in checked_rows(
            StereoSetItem,
            table,
            language,
            prepare=_prepared,
            called="item",
            key=lambda item: (item.task, item.id),
            default=table.language,
        )[0]
        if item.task in tasks
    ]
    if not items:
        raise DataError(f"{tables[0].name} has no {task} item", option="task")
    identity = dict(tables[0].provenance)
    if len(tables) > 1:
        identity["config"] = [
            table.provenance.get("config", table.provenance["language"]) for table in tables
        ]
    stereoset = StereoSet(tuple(items), identity)
    chosen = stereoset if bias_types is None else stereoset.select(bias_types)
    return leave_out_flagged(chosen, without_flags)


def _tables(
    source: str | Path | SourcedTable | None, tasks: Sequence[str], split: str, language: str
) -> list[SourcedTable]:
    """One table, or one for each task, whose rows get the task written into them."""
    key = dataset_key(source) if isinstance(source, str) else ""
    file = Path(source) if isinstance(source, str | Path) and not key and Path(source).is_file() else None
    is_packaged = source is None or bool(key and dataset_record(key).packaged)
    if split != _SPLIT and (file or is_packaged):
        raise InputError(
            "`split` applies to the published data set only, and this one has no splits",
            option="split",
            hint="omit `split`",
        )
    if file or is_packaged or isinstance(source, SourcedTable):
        upstream = _upstream_table(file) if file and file.suffix.lower() == ".json" else None
        return [upstream or find_table(_PACKAGED if source is None else source, language)]
    if key:  # Both tasks come from one large file: it is read once, and the other split's not at all.
        source = get_dataset(key, configs=tasks, split=split)
    tables = [find_table(source, task, split=split, columns=_ITEM_COLUMNS) for task in tasks]
    for task, table in zip(tasks, tables, strict=True):
        table.rows = [{**row, "task": task} for row in table.rows]
    return tables


def _upstream_table(path: Path) -> SourcedTable | None:
    """Read a file in StereoSet's own form; ``None`` when it has another one."""
    raw = table_bytes(path)
    parsed = parse_upstream(raw, str(path))
    if not isinstance(parsed, dict):
        return None
    rows = [{**row, "task": t} for t in TASKS for row in upstream_rows(parsed, str(path), t)]
    return SourcedTable(str(path), rows, {"source": path.name, "sha256": hashlib.sha256(raw).hexdigest()})


def _prepared(row: Row, position: int, where: str) -> dict[str, Any]:
    known: dict[str, Any] = {c: row[c] for c in _ITEM_COLUMNS if row.get(c) is not None}
    if "context" in row:  # an empty cell is an empty context, which the method lists
        known.setdefault("context", "")
    known["id"] = str(known.get("id", position))
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
        id: name of the item; its position, counted from 0, where the file has none.
        text: the sentence, its blank written BLANK.
        stereotypical, anti_stereotypical: words that may stand in the blank.
        unrelated: words that make no sense there; may be empty.
        bias_type: what the stereotype is about; may be empty.
        language: language tag.

    Examples:
        >>> TokenSetItem(text="The nurse said BLANK was tired.", stereotypical=["she"], anti_stereotypical=["he"]).id
        ''
    """

    id: str = ""
    text: Annotated[str, AfterValidator(_with_blank)]
    stereotypical: tuple[TidyText, ...]
    anti_stereotypical: tuple[TidyText, ...]
    unrelated: tuple[TidyText, ...] = ()
    bias_type: BiasType = ""
    language: str = "und"


@loader
def load_token_sets(source: str | Path | None = None, *, language: str = "en") -> RowSet[TokenSetItem]:
    """Load sentences with a blank and two sets of words for it.

    Args:
        source: ``"stereoset"``: the intrasentence items of StereoSet, each with its stereotypical and its
            anti-stereotypical word as the sets. ``None`` or ``"stereoset_style"``: the packaged items of that form,
            illustrative, not validated. Or a file, a folder or a Hub data set with the columns of
            :class:`TokenSetItem`; in CSV the words of a set are separated by semicolons.
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
        return RowSet(*checked_rows(TokenSetItem, find_table(source, language), language, prepare=with_id))
    items = load_stereoset(source, task="intrasentence", language=language)
    made = [_of_stereoset(item) for item in items]
    lost = tuple(one for one in made if isinstance(one, Skipped))
    return RowSet(tuple(one for one in made if isinstance(one, TokenSetItem)), items.provenance, lost)


def _of_stereoset(item: StereoSetItem) -> TokenSetItem | Skipped:
    before, _, after = item.context.rpartition(BLANK)
    words = []
    for sentence in (item.option("stereotype"), item.option("anti-stereotype")):
        if (span := fill_span(item.context, sentence)) is None or BLANK in before:
            return Skipped(item.id, "not one word stands in its blank")
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
