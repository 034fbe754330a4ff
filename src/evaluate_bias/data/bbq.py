"""BBQ items: a small packaged set in the same form, BBQ itself, and the user's own files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from ..errors import InputError
from ..text import name_key
from .bbq_items import BbqItem, from_raw_form
from .load import checked_rows, find_table, loader, with_id
from .recipes import dataset_key, dataset_record, get_dataset
from .row_set import TypedRowSet
from .table_files import Row

_COLUMNS = tuple(BbqItem.model_fields)


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


@loader
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
            - ``"bbq"``: the published data set, from the cache; built on first use. ``"mbbq"`` (English, Spanish,
              Dutch, Turkish), ``"kobbq"``, ``"esbbq"``, ``"cabbq"``: its relatives, likewise, in one language.
            - a file, a folder or a Hub data set, as of :func:`~evaluate_bias.data.load_word_lists`, with the fields of
              :class:`~evaluate_bias.data.bbq_items.BbqItem`, or in the raw form of BBQ, MBBQ, KoBBQ, EsBBQ, CaBBQ or
              CBBQ, see :mod:`~evaluate_bias.data.bbq_items`.
        categories: the categories wanted, such as ``"Age"`` or ``["SES", "Religion"]``; ``None`` for all.
        language: language of the items; that of a published data set which has one alone need not be named.

    Raises:
        InputError: no category was named.
        UnknownNameError: the source has no such category or language.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> load_bbq().bias_types
        ('Age', 'Gender_identity', 'SES', 'Disability_status')
    """
    names = [categories] if isinstance(categories, str) else None if categories is None else list(categories)
    if names == []:
        raise InputError(
            "`categories` is empty",
            option="categories",
            hint="name a category, or omit `categories` to use all",
        )
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
    # One table: a row is checked with the others of its data set, and an id that two files share is found.
    table = replace(tables[0], rows=[row for table in tables for row in table.rows])
    if len(tables) > 1:
        table.provenance = {**table.provenance, "config": [t.provenance["config"] for t in tables]}
    if source is not None and not key:
        table.rows, unreadable = from_raw_form(table.rows, table.name, language)
        table.skipped = (*table.skipped, *unreadable)
    prepare = partial(_prepared, published=bool(key))
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


def _prepared(row: Row, position: int, where: str, *, published: bool) -> Row:
    row = {**({"origin": "paper"} if published else {}), **with_id(row, position)}
    number = row.get("question_index")
    return row if number is None else {**row, "question_index": str(number)}
