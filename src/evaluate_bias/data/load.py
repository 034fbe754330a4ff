"""The one loader: finds the table a user names (in the package, the cache, a file, a folder, the Hub) and checks it.

Columns that a model reads may contain ready scores instead of sentences: that is decided here too.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, ParamSpec, TypeVar, get_origin

from ..errors import (
    BiasError,
    DataError,
    HubError,
    InputError,
    UnknownNameError,
    network_errors,
    quoted,
)
from ..files import short_path
from ..options import checked_options, options_of
from ..paths import packaged_data
from ..result import Skipped
from ..text import is_same_language, row_place
from .building import MANIFEST, read_manifest
from .other_tools import log_date
from .recipes import dataset_key, dataset_record, get_dataset, record_of
from .row_set import RowSet
from .schemas import Column, Schema, parse_row
from .table_files import (
    FLAT_SUFFIXES,
    TABLE_SUFFIXES,
    Row,
    frame_rows,
    is_frame,
    listed_cell,
    packaged_languages,
    read_rows,
    require_content,
    require_download,
    saved_rows,
    table_bytes,
)

HUB_ID = re.compile(r"(?P<id>\w[\w.-]*/\w[\w.-]*)(@(?P<revision>[\w./-]+))?")
"""A Hub id, ``owner/name`` or, pinned, ``owner/name@revision``."""

ROW_NUMBERS = ("", "Unnamed: 0")
"""What a column of row numbers is called in a CSV file, and what pandas makes of that."""

ROWS = "the rows given"
"""What a table is called that is rows of the caller's."""

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=Schema)


def loader(schema: type[Schema] = Schema) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function a loader of rows of this schema, which becomes its attribute ``schema``.

    Its options are checked by their annotations. Whatever a library below raises on damaged data becomes a DataError.

    Examples:
        >>> loader(Schema)(lambda path: {}[path])("pairs.csv")
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: the data cannot be loaded: KeyError: 'pairs.csv'
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def load(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            options = {k: v for k, v in bound.arguments.items() if k not in ("source", "words")}
            bound.arguments.update(checked_options(options, options_of(function, options), function.__name__))
            try:
                if is_frame(source := bound.arguments.get("source")):
                    bound.arguments["source"] = framed(source)
                return function(*bound.args, **bound.kwargs)
            except BiasError:
                raise
            except Exception as error:
                raise DataError(
                    f"the data cannot be loaded: {type(error).__name__}: {str(error)[:300]}"
                ) from error

        load.schema = schema  # type: ignore[attr-defined]
        return load

    return decorate


@dataclass(slots=True)
class SourcedTable:
    """Rows, and where they come from.

    Attributes:
        name: what to call the table in an error.
        rows: at least one row.
        provenance: its identity, JSON-safe, with the ``name`` of the data set if this library knows it.
        skipped: rows of the published file that could not be used.
        flat: whether a cell contains one value, so that the words of a list are separated by semicolons.
    """

    name: str
    rows: list[Row]
    provenance: dict[str, Any] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    flat: bool = False

    def __post_init__(self) -> None:
        if record := record_of(self.provenance):
            self.provenance = {"name": record.name, **self.provenance}

    @property
    def language(self) -> str | None:
        """Return the language of a data set of this library whose rows name none. ``None`` for other data."""
        record = record_of(self.provenance)
        languages = {config.language for config in record.configs} if record else set()
        return languages.pop() if len(languages) == 1 else None


@dataclass(frozen=True, slots=True)
class Renamed:
    """A source whose columns have names of its own.

    Attributes:
        source: what :func:`find_table` accepts.
        columns: the source's name of each column, by our name.
    """

    source: Any
    columns: Mapping[str, str]


def renamed_rows(table: SourcedTable, columns: Mapping[str, str]) -> list[Row]:
    """Return the rows with our names of these columns.

    Raises:
        UnknownNameError: no row has a column of that name.
    """
    known = dict.fromkeys(name for row in table.rows for name in row)
    if lacking := [name for name in columns.values() if name not in known]:
        raise UnknownNameError(f"column of {short_path(table.name)}", lacking[0], known, option="columns")
    return [
        {
            **{name: value for name, value in row.items() if name not in columns.values()},
            **{ours: row.get(theirs) for ours, theirs in columns.items()},
        }
        for row in table.rows
    ]


def find_table(
    source: Any,
    config: str,
    *,
    split: str = "test",
    columns: Iterable[str] | None = None,
) -> SourcedTable:
    """Read the table that ``source`` names.

    Args:
        source: name of a data set of this library, however written, a file, a folder, a Hub id, or rows in a frame.
        config: configuration, or name of the file in a folder without its ending. Mostly a language.
        split: split to read.
        columns: columns to read if that saves work. ``None`` for all.

    Raises:
        InputError: ``source`` is neither a string nor a path.
        UnknownNameError: no such configuration.
        DataError: no such source, or it cannot be read.
        AssetError: the published data set could not be obtained.
        HubError: the Hub could not be reached or does not have the data set.
    """
    if isinstance(source, Renamed):
        table = find_table(source.source, config, split=split)
        table.rows = renamed_rows(table, source.columns)
        return replace(table, provenance={**table.provenance, "columns": dict(source.columns)})
    if isinstance(source, SourcedTable):
        return replace(source, provenance={**source.provenance, "language": config})
    if not isinstance(source, str | Path):
        raise InputError(
            f"`source` must be a name, a file, a folder or a Hub id, got {quoted(source)}", option="source"
        )
    columns = None if columns is None else tuple(columns)
    if isinstance(source, str) and (key := dataset_key(source)):
        record = dataset_record(key)
        fetched = (
            {c.name for c in record.configs}.difference(packaged_languages(key)) if record.packaged else ()
        )
        if record.packaged and config not in fetched:
            return packaged_table(key, config, fetched)
        return _built(get_dataset(key, configs=config), config, split, columns)
    path = Path(source)
    try:
        if path.is_file():
            return _file(path, config, columns)
        if path.is_dir():
            if (path / MANIFEST).is_file():
                return _built(path, config, split, columns)
            if any((path / name).is_file() for name in ("dataset_dict.json", "state.json")):
                require_content(path)
                return replace(framed(saved_rows(path, split)), name=str(path))
            return _folder(path, config, columns)
    except (OSError, ValueError) as error:
        if isinstance(error, BiasError):
            raise
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)[:200]
        raise DataError(f"{quoted(str(source))} cannot be read: {reason}", option="source") from error
    if HUB_ID.fullmatch(str(source)):
        return _on_hub(str(source), config, split, columns)
    raise DataError(
        f"{quoted(str(source))} is neither a data set of this library, nor a file, a folder or a Hub id such as "
        "'bias/weat-word-lists'",
        option="source",
    )


def join_tables(tables: Sequence[SourcedTable]) -> SourcedTable:
    """Return the rows of several configurations of a data set as one table, so that an id that two share is found."""
    first = tables[0]
    configs = [table.provenance.get("config", table.provenance.get("language")) for table in tables]
    return replace(
        first,
        rows=[row for table in tables for row in table.rows],
        provenance={**first.provenance, **({"config": configs} if len(tables) > 1 else {})},
        skipped=tuple(one for table in tables for one in table.skipped),
    )


def framed(frame: Any) -> SourcedTable:
    """Return a frame, or a list of rows, as a table that is identified by its content."""
    rows = frame if isinstance(frame, list) else frame_rows(frame)
    written = json.dumps(rows, ensure_ascii=False, sort_keys=True, default=str).encode(
        "utf-8", "surrogatepass"
    )
    identity = {"source": "given by the caller", "sha256": hashlib.sha256(written).hexdigest()}
    return SourcedTable("the DataFrame", rows, identity, flat=True)


def packaged_table(name: str, language: str, fetched: Iterable[str] = ()) -> SourcedTable:
    """Read a table packaged with the library. ``fetched`` are those that are not packaged, for the error.

    Raises:
        UnknownNameError: it does not have that language.
    """
    tag = language.lower()
    if tag not in (known := packaged_languages(name)):
        raise UnknownNameError("language", language, {*known, *fetched}, option="language")
    raw = packaged_data(f"{name}/{tag}.jsonl").read_bytes()
    identity = {"source": name, "language": tag, "sha256": hashlib.sha256(raw).hexdigest()}
    return SourcedTable(f"{tag}.jsonl", read_rows(raw, f"{tag}.jsonl"), identity)


def _file(path: Path, config: str, columns: tuple[str, ...] | None, source: str = "") -> SourcedTable:
    raw = table_bytes(path)
    rows = read_rows(raw, str(path), columns=columns)
    identity = {
        "source": source or path.name,
        "language": config,
        "sha256": hashlib.sha256(raw).hexdigest(),
        **({"date": day} if (day := log_date(raw)) else {}),
    }
    return SourcedTable(str(path), rows, identity)


def _folder(path: Path, config: str, columns: tuple[str, ...] | None) -> SourcedTable:
    tables = (f for f in sorted(path.iterdir()) if f.suffix.lower() in TABLE_SUFFIXES and f.is_file())
    files = {f.stem.lower(): f for f in tables}
    if not files:
        raise DataError(f"the folder {path} has no table: it needs one file per language, such as 'en.csv'")
    same = [name for name in files if name == config.lower()] or [
        name for name in files if is_same_language(name, config)
    ]
    if not same:
        require_content(path)
        raise UnknownNameError("language", config, files, option="language")
    file = files[same[0]]
    return _file(file, file.stem, columns, path.name)


def _built(folder: Path, config: str, split: str, columns: tuple[str, ...] | None) -> SourcedTable:
    manifest = read_manifest(folder)
    configs = manifest["configs"]
    if config not in configs:
        raise UnknownNameError("configuration", config, configs, option="config")
    splits = configs[config]["splits"]
    if split not in splits:
        raise UnknownNameError("split", split, splits, option="split")
    built = splits[split]
    path = folder / built["file"]
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        raise DataError(
            f"the built data set is incomplete: it lacks {path}", hint=f"remove {folder} to build it again"
        )
    identity: dict[str, Any] = {
        "source": manifest["dataset"],
        "config": config,
        "split": split,
        "language": configs[config]["language"],
        "licence": configs[config]["licence"],
        "verified": manifest["verified"],
        **built["made_from"],
    }
    skipped = tuple(Skipped(**row) for row in built["left_out"])
    rows = read_rows(path.read_bytes(), path.name, columns=columns)
    return SourcedTable(f"{manifest['dataset']} ({config}, {split})", rows, identity, skipped)


def _on_hub(
    address: str,
    config: str,
    split: str,
    columns: tuple[str, ...] | None,
) -> SourcedTable:
    """Read one split of a configuration, whose capitals do not matter, of a Hub data set."""
    import datasets

    repo_id, _, revision = address.partition("@")
    require_download(repo_id)
    try:
        names = {c.lower(): c for c in datasets.get_dataset_config_names(repo_id, revision=revision or None)}
        if config.lower() not in names:
            raise UnknownNameError("configuration", config, names.values(), option="config")
        name = names[config.lower()]
        builder = datasets.load_dataset_builder(repo_id, name, revision=revision or None)
        builder.download_and_prepare()
        loaded = builder.as_dataset(split=split)
    except (*network_errors(), datasets.exceptions.DatasetsError) as error:
        raise HubError(f"the data set {repo_id!r} could not be read from the Hub: {error}") from None
    except ValueError as error:
        raise HubError(
            f"the data set {repo_id!r} has no split {split!r} that can be read: {error}", option="split"
        ) from None
    if columns is not None:
        loaded = loaded.select_columns([c for c in loaded.column_names if c in columns])
    if not len(loaded):
        raise DataError(f"the split {split!r} of {repo_id!r} has no rows", option="split")
    # For a data set of the Hub, the builder's hash is the commit it was read from.
    identity = {"source": repo_id, "language": name, "split": split, "revision": str(builder.hash)}
    return SourcedTable(address, frame_rows(loaded), identity)


def load_rows(
    schema: type[M], name: str, language: str, source: str | Path | None, **options: Any
) -> RowSet[M]:
    """Load the rows of the data set ``name``, or of ``source``, in one language. Options: see :func:`checked_rows`."""
    table = find_table(name if source is None else source, language)
    return RowSet(*checked_rows(schema, table, language, **options))


def checked_rows(
    schema: type[M],
    table: SourcedTable,
    language: str,
    *,
    prepare: Callable[[Row, int, str], Mapping[str, Any]] = lambda row, position, where: row,
    called: str = "row",
    key: Callable[[M], Any] | None = None,
    strict: bool = False,
    default: str | None = None,
) -> tuple[tuple[M, ...], dict[str, Any], tuple[Skipped, ...]]:
    """Check every row of a table in a language. Rows of other languages are omitted.

    Args:
        schema: what a row must look like. It has the field ``language``. A row that may lack an id and does
            gets its position from 0.
        table: the table. In a CSV, TSV or Excel file or a frame, the words of a list may be separated by
            semicolons.
        language: language tag. Rows of the same language, as ``"de"`` and ``"de-AT"`` are, belong to it too.
        prepare: makes the schema's fields from a row, its position from 0, and what to call it in an error.
        called: what to call a row in an error.
        key: gives what no two rows of a language may share.
        strict: refuse columns that the schema does not have, instead of naming them in the provenance.
        default: language of rows that name none. ``None``: ``language``, without its region where that makes
            no difference.

    Returns:
        Rows, provenance and what was skipped: the fields of a :class:`RowSet`.

    Raises:
        UnknownNameError: no row is in this language.
        DataError: a row does not follow the schema, or two rows are the same one.
    """
    fields = schema.model_fields
    lists = [name for name, info in fields.items() if get_origin(info.annotation) is tuple]
    is_flat = table.flat or PurePath(table.name).suffix.lower() in FLAT_SUFFIXES
    if default is None:
        base = language.partition("-")[0].lower()
        default = base if is_same_language(base, language) else language.lower()
    aliases = schema.aliases()
    columns = dict.fromkeys(aliases.get(column, column) for row in table.rows[:1] for column in row)
    ignored = [] if strict else [column for column in columns if column not in fields]
    has_id = "id" in fields and not fields["id"].is_required()
    rows: list[M] = []
    seen, languages, chosen_languages, trimmed = set[Any](), set[str](), set[str](), 0
    for position, row in enumerate(table.rows):
        where = f"{table.name}, {row_place(position, len(table.rows), called)}"
        row = row | {aliases[k]: v for k, v in row.items() if k in aliases and row.get(aliases[k]) is None}
        known = {k: v for k, v in prepare(row, position, where).items() if v is not None}
        if has_id:
            known["id"] = str(known.get("id", position))
        # A column of row numbers is not one of the user's.
        known = {k: v for k, v in known.items() if (k not in ROW_NUMBERS if strict else k in fields)}
        if is_flat:
            for name in lists:
                if isinstance(text := known.get(name), str):
                    known[name] = listed_cell(text)
        row_language = str(known.setdefault("language", default)).lower()
        if row_language not in languages:
            languages.add(row_language)
            if is_same_language(row_language, language):
                chosen_languages.add(row_language)
        checked = parse_row(schema, known, where)
        trimmed += sum(
            isinstance(text, str) and text != text.strip() == getattr(checked, name)
            for name, text in known.items()
        )
        if key is not None:
            if (mark := (row_language, key(checked))) in seen:
                name = "id" if "id" in fields else "name"
                raise DataError(
                    f"{table.name} has two {called}s with the {name} {quoted(getattr(checked, name))}"
                )
            seen.add(mark)
        if row_language in chosen_languages:
            rows.append(checked)
    if not rows:
        raise UnknownNameError("language", language, languages, option="language")
    provenance = {**table.provenance, **({"ignored_columns": ignored} if ignored else {})}
    provenance |= {"trimmed_texts": trimmed} if trimmed else {}
    return tuple(rows), provenance, table.skipped


def score_rows(
    columns: Mapping[str, Column], rows: Sequence[Any], name: str, *, in_text: bool = False
) -> list[Row] | None:
    """Return rows with scores instead of sentences or options, as numbers. ``None`` if they contain texts.

    They are scores if most of these cells are numbers.

    Args:
        columns: columns of the kind of data.
        rows: the rows, which stay as they are.
        name: what to call them in an error.
        in_text: whether a text such as ``"-9.5"`` is a number, as in a file, whose cells may have no other type.

    Raises:
        DataError: a few cells among many numbers are not numbers, or have a decimal comma, or a row has only numbers
            although most others have sentences.

    Examples:
        >>> from evaluate_bias.data.kinds import SENTENCE_PAIRS
        >>> rows = [{"sent_more": "-9.5", "sent_less": -10, "id": "7"}]
        >>> score_rows(SENTENCE_PAIRS.columns, rows, "scores.csv", in_text=True)
        [{'sent_more': -9.5, 'sent_less': -10.0, 'id': '7'}]
    """
    copies = [_copy(row) for row in rows]
    cells = list(_cells(columns, copies))
    numbers = [_number(holder[key], in_text) for _, holder, key in cells]
    wrong = [cell for cell, number in zip(cells, numbers, strict=True) if number is None]
    sentences = [cell for cell in wrong if not (in_text and _has_decimal_comma(cell[1][cell[2]]))]
    if 2 * len(sentences) >= len(cells):
        texts = {number for number, _, _ in sentences}
        if texts and (scores := sorted({number for number, _, _ in cells} - texts)):
            raise DataError(
                f"{name}, {row_place(scores[0] - 1, len(rows))}: numbers alone, and other rows have sentences",
                hint="give sentences in every row, or scores in every row",
            )
        return None
    if wrong:  # too few to be sentences, one of which is a number
        number, holder, key = wrong[0]
        why = "and most others are scores: write it as a number"
        if _has_decimal_comma(holder[key]):
            why = f"with a decimal comma: write scores with a point, as in {holder[key].strip().replace(',', '.')[:40]}"
        raise DataError(f"{name}, {row_place(number - 1, len(rows))}: {key} is {quoted(holder[key])}, {why}")
    for (_, holder, key), value in zip(cells, numbers, strict=True):
        holder[key] = value
    return copies


def load_scores(
    columns: Mapping[str, Column], source: Any, *, language: str = "", **choices: Any
) -> RowSet[Row] | None:
    """Return the rows of a frame, a table or a file if they are scores, ``None`` for texts and other sources.

    Rows of other languages are omitted if one is named.

    Raises:
        DataError: as for :func:`score_rows`.
        InputError: ``choices``, which choose among texts, are given for scores.
        UnknownNameError: no row is in this language.
    """
    table = (
        _table_as_is(source) if any(c.holds in ("sentence", "options") for c in columns.values()) else None
    )
    if table is None:
        return None
    name, in_file = short_path(table.name), not (table.flat or table.name == ROWS)
    if (rows := score_rows(columns, table.rows, name, in_text=in_file)) is None:
        return None
    if chosen := [choice for choice, value in choices.items() if value is not None]:
        raise InputError(
            f"{', '.join(chosen)} choose among texts, and {name} contains scores", hint="omit them"
        )
    languages = [str(row.get("language") or language).lower() for row in rows]
    rows = [
        r for r, one in zip(rows, languages, strict=True) if not language or is_same_language(one, language)
    ]
    if not rows:
        raise UnknownNameError("language", language, languages, option="language")
    ignored = [column for column in rows[0] if column not in columns]
    rows = [{column: value for column, value in row.items() if column in columns} for row in rows]
    # A file of scores is named after a model: two of them are of the same data.
    source = {"source": "given by the caller"}
    facts = {**table.provenance, **source, "language": language, "ignored_columns": ignored}
    return RowSet(tuple(rows), {name: fact for name, fact in facts.items() if fact})


def _table_as_is(source: Any) -> SourcedTable | None:
    """Return a table in memory, or in a file, as it is. Its kind of data is not known yet."""
    place = source.source if isinstance(source, Renamed) else source
    if not isinstance(place, SourcedTable):
        try:
            if Path(place).suffix.lower() not in TABLE_SUFFIXES or not Path(place).is_file():
                return None
        except (OSError, ValueError, TypeError):  # no name that a file can have
            return None
    try:
        return find_table(source, "")
    except DataError:  # for the loader, which knows its encoding and its form
        return None


def _copy(row: Mapping[str, Any]) -> Row:
    """Return a copy of the row, and of the options in it, to write numbers into."""
    return {
        name: [dict(o) if isinstance(o, Mapping) else o for o in value]
        if isinstance(value, (list, tuple))
        else value
        for name, value in row.items()
    }


def _cells(columns: Mapping[str, Column], rows: Sequence[Row]) -> Iterator[tuple[int, Row, str]]:
    """Yield row number, container and key of the cell of every sentence and option that is present."""
    readable = {
        name: column.holds for name, column in columns.items() if column.holds in ("sentence", "options")
    }
    for number, row in enumerate(rows, 1):
        for name in (name for name in readable if name in row):
            if readable[name] == "sentence":
                holders, key = [row], name
            else:
                holders, key = [o for o in row[name] or () if isinstance(o, dict)], "sentence"
            yield from ((number, holder, key) for holder in holders if holder.get(key) is not None)


def _has_decimal_comma(cell: Any) -> bool:
    return isinstance(cell, str) and re.fullmatch(r"\s*[+-]?\d+,\d+\s*", cell) is not None


def _number(cell: Any, in_text: bool) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str) if in_text else (int, float)):
        return None
    try:
        if isinstance(cell, str):  # with the minus sign of typesetting too
            return None if "_" in cell else float(cell.replace("\N{MINUS SIGN}", "-"))
        return float(cell)
    except (ValueError, OverflowError):
        return None
