"""Reads the rows of a table: a file (CSV, TSV, JSONL, JSON, YAML, Parquet or Excel, by its ending) or a frame.

Files of answers that other programs wrote are tables too, see :mod:`.other_tools`.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import itertools
import json
import math
import re
import zipfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path, PurePath
from typing import IO, Any

from ..errors import DataError, expected_form, install_extra, quoted
from ..files import parsed_json, short_path
from ..paths import packaged_data
from ..text import name_list
from .other_tools import (
    answer_rows,
    inspect_rows,
    is_sample,
    is_test_file,
    lm_eval_rows,
    read_test_object,
    word_list_row,
)

YAML_SUFFIXES = (".yaml", ".yml")
FLAT_SUFFIXES = (".csv", ".tsv", ".xlsx")
"""Of files with one value in each cell."""
TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", *YAML_SUFFIXES, ".parquet", ".xlsx", ".eval")

MAX_BYTES = 2**28
"""Of a table, also of one that unfolds: its rows need some ten times as much memory."""
PARTS = 8
"""How many times more an archive may unfold to if only a part of it is in memory, such as a log of the whole of BBQ."""
MAX_VALUES = 20_000_000

Row = dict[str, Any]


_GUARD: ContextVar[tuple[str, Collection[str]] | None] = ContextVar("guard of named sources", default=None)
"""Who names sources here, and the checksums of the files that may be read. ``None`` if the user names them."""


@contextmanager
def sources_named_by(who: str, checksums: Collection[str] = ()) -> Iterator[None]:
    """Within this context, read data sets of this library, files of these contents, and what was downloaded before.

    Args:
        who: what names the sources, for errors.
        checksums: SHA-256 of files that may be read.

    Examples:
        >>> with sources_named_by("this log"):
        ...     require_content(Path("notes.csv"), b"a,b")
        Traceback (most recent call last):
        ...
        evaluate_bias.errors.DataError: this log names the file notes.csv, which is not the one that was measured: it
        was not read
    """
    token = _GUARD.set((who, checksums))
    try:
        yield
    finally:
        _GUARD.reset(token)


def require_content(path: Path, raw: bytes | None = None) -> None:
    """Refuse a file whose content nobody vouches for, and a folder, whose names are its content.

    Raises:
        DataError: it is not to be read here.
    """
    guard = _GUARD.get()
    if guard and (raw is None or hashlib.sha256(raw).hexdigest() not in guard[1]):
        kind = "folder" if raw is None else "file"
        raise DataError(
            f"{guard[0]} names the {kind} {short_path(path)}, which is not the one that was measured: it was not read"
        )


def require_download(repo_id: str) -> None:
    """Refuse a data set of the Hub that the user has not downloaded.

    Raises:
        DataError: it is not to be read here.
    """
    import datasets

    owner, _, name = repo_id.partition("/")
    folder = Path(
        datasets.config.HF_DATASETS_CACHE, f"{owner}___{datasets.naming.camelcase_to_snakecase(name)}"
    )
    if (guard := _GUARD.get()) and not folder.is_dir():
        raise DataError(
            f"{guard[0]} names the data set {repo_id} of the Hub, which was not downloaded",
            hint=f"if you trust it, load it first with datasets.load_dataset({quoted(repo_id)}, …)",
        )


def table_bytes(path: Path) -> bytes:
    """Return the bytes of a table's file, which is refused by its size before it is read.

    Raises:
        DataError: it is too large for a table, or must not be read here, see :func:`sources_named_by`.
    """
    _refuse_large(path.stat().st_size / 1e6, _most_bytes(path.suffix.lower()) / 1e6, str(path))
    raw = path.read_bytes()
    require_content(path, raw)
    return raw


def _most_bytes(suffix: str) -> int:
    """Return the most bytes that a file may have. JSON Lines may be a log of lm-eval, of which little is kept."""
    return 2 * MAX_BYTES if suffix == ".jsonl" else MAX_BYTES


def _refuse_large(n: float, most: float, name: str, unit: str = "MB") -> None:
    if n > most:
        raise DataError(
            f"{name} has {n:,.0f} {unit}, and a table at most {most:,.0f}", hint="give a part of its rows"
        )


def refuse_large_parts(file: IO[bytes], name: str, *, one_by_one: bool = False) -> None:
    """Refuse a zip archive whose parts would be more than a table may be.

    Args:
        file: the archive.
        name: what to call it in an error.
        one_by_one: whether parts are read one after another, so that only each of them must be small.

    Raises:
        DataError: its parts are too large.
        zipfile.BadZipFile: it is not a zip archive.
    """
    with zipfile.ZipFile(file) as parts:
        sizes = [part.file_size for part in parts.infolist()]
    if one_by_one:
        _refuse_large(max(sizes, default=0) / 1e6, MAX_BYTES / 1e6, f"a part of {name}")
    _refuse_large(sum(sizes) / 1e6, (PARTS if one_by_one else 1) * MAX_BYTES / 1e6, f"{name}, unpacked,")


def read_rows(raw: bytes, name: str, *, columns: Sequence[str] | None = None) -> list[Row]:
    """Parse the bytes of a table file.

    Empty cells, and NaN in a column that contains other values, come back as ``None``. A JSON file may
    contain a list of objects or one per line. In an Excel file, the first sheet is read. Lists of words in a
    ``.txt`` file, and a JSON object with ``targ1``, are a test as the BIAS framework writes it, see
    :mod:`.other_tools`.

    Args:
        raw: content of the file.
        name: its name. The ending says what it is, and errors call it by this name.
        columns: columns to read from a Parquet file if it has them. ``None`` for all.

    Returns:
        One dictionary a row. Rows of a CSV or YAML file contain text only, a YAML file also lists of it.

    Raises:
        DataError: the file is empty, of another kind, in another encoding, or broken.

    Examples:
        >>> read_rows(b"sent_more,sent_less\\nShe cooks.,\\n", "pairs.csv")
        [{'sent_more': 'She cooks.', 'sent_less': None}]
        >>> read_rows(b"", "pairs.csv")
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: pairs.csv is empty
    """
    suffix = PurePath(name).suffix.lower()
    if suffix not in (*TABLE_SUFFIXES, ".txt"):
        raise DataError(
            f"{name} does not end in {', '.join(TABLE_SUFFIXES)}: tables are read from these only"
        )
    _refuse_large(len(raw) / 1e6, _most_bytes(suffix) / 1e6, name)
    if not raw.strip():
        raise DataError(f"{name} is empty")
    if suffix == ".parquet":
        rows = _parquet(raw, name, columns)
    elif suffix == ".xlsx":
        rows = _excel(raw, name)
    elif suffix == ".eval":
        with suppress(zipfile.BadZipFile):
            refuse_large_parts(io.BytesIO(raw), name, one_by_one=True)
        rows = inspect_rows(raw, name)
    else:
        text = decoded(raw, name)
        match suffix:
            case ".txt":
                rows = [word_list_row(text, name)]
            case ".json" | ".jsonl" if is_test_file(text):
                rows = [read_test_object(parsed_json(text, name), name)]
            case ".json" | ".jsonl":
                lines = _json_lines(text, name)
                if (first := next(lines, None)) is not None and is_sample(first):
                    rows = lm_eval_rows(itertools.chain([first], lines), name)
                else:
                    _refuse_large(len(raw) / 1e6, MAX_BYTES / 1e6, name)
                    parsed = json_values(text, name)
                    answers = answer_rows(parsed, name)
                    # JSON Lines of one row
                    is_line = isinstance(parsed, Mapping) and "\n" not in text.strip()
                    rows = _rows_of([parsed] if is_line else parsed, name) if answers is None else answers
            case _ if suffix in YAML_SUFFIXES:
                rows = _rows_of(_parsed_yaml(text, name), name, "a list of dicts, one for each row")
            case _:
                rows = _delimited(text, name, _delimiter(text) if suffix == ".csv" else "\t")
    if not rows:
        raise DataError(f"{name} has no rows")
    # Files that were pasted together have a byte order mark within, before the name of a column.
    return [{column.lstrip("\ufeff"): cell_value(value) for column, value in row.items()} for row in rows]


def json_values(text: str, name: str) -> Any:
    """Parse the text of a JSON file, or of JSON Lines as a list, which ``Dataset.to_json`` writes into either.

    Raises:
        DataError: it is not JSON. The text names the line of JSON Lines.

    Examples:
        >>> json_values('[{"a": 1}]', "a.json"), json_values('{"a": 1}\\n{"a": 2}', "a.json")
        ([{'a': 1}], [{'a': 1}, {'a': 2}])
    """
    if _is_json_lines(text, name):
        return list(_json_lines(text, name))
    return parsed_json(text, name, allow_nan=True)


def _is_json_lines(text: str, name: str) -> bool:
    blank = r"(?:[^\S\n]*\n)*"
    return name.lower().endswith(".jsonl") or re.match(rf"{blank}\{{[^\n]*\n{blank}\{{", text) is not None


def _json_lines(text: str, name: str) -> Iterator[Any]:
    """Yield the values of JSON Lines one by one, nothing for other JSON."""
    if _is_json_lines(text, name):
        # Not splitlines(): it also splits at U+2028 and its like, which JSON strings may hold.
        for i, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield parsed_json(line, f"{name}, line {i}", allow_nan=True)


def require_columns(rows: Sequence[Row], *columns: str, name: str = "it", hint: str = "") -> None:
    """Refuse a table that lacks one of these columns.

    Raises:
        DataError: a column is missing. The text calls the table by its ``name``.
    """
    known = dict.fromkeys(column for row in rows for column in row)
    if missing := [column for column in columns if column not in known]:
        has = name_list([str(name)[:30] for name in known], 20)
        raise DataError(
            f"{name} has no column {', '.join(missing)} (its columns are {has})",
            option="columns",
            hint=hint or "rename its columns",
        )


def listed_cell(text: str) -> list[Any]:
    """Return the list that a cell of one value represents: written in JSON, in Python, or split by semicolons.

    Examples:
        >>> listed_cell("rose; lily"), listed_cell('["a; b", null]'), listed_cell("['old', 'nonOld']")
        (['rose', 'lily'], ['a; b', None], ['old', 'nonOld'])
    """
    values = literal(text) if text.lstrip().startswith("[") else None
    return values if isinstance(values, list) else [word.strip() for word in text.split(";")]


def literal(text: str) -> Any:
    """Return the value that a text in JSON or Python represents, or the text itself if it is neither."""
    for parse in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return parse(text.strip())
    return text


def literal_assignments(code: str, where: str) -> dict[str, Any]:
    """Return the literal values that a Python module assigns by name. It is read as data and never run.

    Raises:
        DataError: it is not Python.
    """
    with expected_form(where):
        statements = ast.parse(code).body
    values = {}
    for statement in statements:
        if isinstance(statement, ast.Assign) and isinstance(target := statement.targets[0], ast.Name):
            with suppress(ValueError):  # a sum, such as of shares in two groups
                values[target.id] = ast.literal_eval(statement.value)
    return values


def is_frame(data: Any) -> bool:
    """True if data are a table in memory: of pandas, ``datasets``, or anything that speaks Arrow, such as polars.

    Examples:
        >>> is_frame([{"sent_more": "She cooks."}])
        False
    """
    if isinstance(data, type):
        return False
    if isinstance(data, Mapping):  # a DatasetDict
        return bool(data) and all(hasattr(split, "column_names") for split in data.values())
    is_lazy = hasattr(data, "collect") and hasattr(data, "collect_schema")
    return is_lazy or hasattr(data, "__arrow_c_stream__") or _is_dataset(data)


def is_absent(value: Any) -> bool:
    """True if a value is missing: ``None``, NaN, or pandas' own marks.

    Examples:
        >>> import pandas as pd
        >>> [is_absent(value) for value in (None, float("nan"), pd.NA, "", 0.0)]
        [True, True, True, False, False]
    """
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and math.isnan(value)


def _is_dataset(data: Any) -> bool:
    """True for a data set of ``datasets``, without importing the package for others."""
    return hasattr(data, "features") and hasattr(data, "column_names")


def frame_rows(frame: Any) -> list[Row]:
    """Return the rows of a frame, with what is missing as ``None`` and numbers of numpy as Python's.

    Raises:
        DataError: it has no row, or columns without a name, or two of one name.

    Examples:
        >>> import pandas as pd
        >>> frame_rows(pd.DataFrame({"sent_more": ["She cooks.", None], "id": [1, 2]}))
        [{'sent_more': 'She cooks.', 'id': 1}, {'sent_more': None, 'id': 2}]
    """
    if isinstance(frame, Mapping):
        if len(frame) > 1:
            raise DataError(
                f"the data have the splits {', '.join(map(str, frame))}",
                hint="pass one of them, such as data['test']",
            )
        (frame,) = frame.values()
    kind, classes = type(frame).__name__, {}
    if hasattr(frame, "collect_schema") and not hasattr(frame, "__arrow_c_stream__"):
        raise DataError(f"a {kind} has no rows yet", hint="pass frame.collect()")
    if _is_dataset(frame):
        if not hasattr(frame, "__len__"):
            raise DataError(
                f"a {kind} does not say how many rows it has",
                hint="pass the rows to measure, such as list(data.take(1000))",
            )
        classes = {name: of.int2str for name, of in frame.features.items() if hasattr(of, "int2str")}
        frame = frame.with_format("arrow")[:]
    # A column of pandas may mix types, which Arrow refuses.
    if is_pandas := hasattr(frame, "iloc"):
        names = list(getattr(frame, "columns", [None]))
    else:
        import pyarrow as pa

        try:
            frame = pa.table(frame)
        except pa.ArrowInvalid as error:  # such as one column of polars
            raise DataError(f"a {kind} is not a table", hint="pass a data frame") from error
        names = list(frame.column_names)
    if unnamed := [name for name in names if not isinstance(name, str)]:
        raise DataError(f"the columns of the {kind} must have names, got {quoted(unnamed[0])}")
    if len(set(names)) < len(names):
        raise DataError(f"the {kind} names a column twice: {', '.join(names)[:200]}")
    if not len(frame):
        raise DataError(f"the {kind} has no rows")
    rows = frame.to_dict("records") if is_pandas else frame.to_pylist()
    # Arrays and numbers of numpy as Python's own.
    rows = [
        {name: cell_value(v.tolist() if hasattr(v, "tolist") else v) for name, v in r.items()} for r in rows
    ]
    for row in rows:
        # The names of classes. -1 means no class in data sets without labels.
        row.update({c: of(row[c]) for c, of in classes.items() if isinstance(row[c], int) and row[c] >= 0})
    return rows


def column_rows(data: Any, lists: Iterable[str] = ()) -> list[Row] | None:
    """Return the rows of a dict of columns, lists or arrays of one length, ``None`` if data are missing.

    Args:
        data: the data.
        lists: columns of which a cell is a list, so that a dict of lists with one of them is a row.

    Examples:
        >>> column_rows({"sent_more": ["She cooks."], "sent_less": ["He cooks."]})
        [{'sent_more': 'She cooks.', 'sent_less': 'He cooks.'}]
    """
    if not isinstance(data, Mapping) or not data or not set(lists).isdisjoint(data):
        return None
    columns = [value.tolist() if hasattr(value, "tolist") else value for value in data.values()]
    if not all(isinstance(column, list | tuple) for column in columns) or len(set(map(len, columns))) > 1:
        return None
    return [
        dict(zip(map(str, data), map(cell_value, cells), strict=True)) for cells in zip(*columns, strict=True)
    ]


def saved_rows(folder: Path, split: str) -> list[Row]:
    """Return the rows of a folder that ``save_to_disk`` of ``datasets`` wrote. ``split`` is one of several.

    Raises:
        DataError: it cannot be read, or has no such split.
    """
    import datasets

    try:
        saved = datasets.load_from_disk(str(folder))
    except Exception as error:  # of a damaged folder, whatever its reader raises
        raise DataError(
            f"{folder} is not a data set of save_to_disk that can be read: {str(error)[:200]}"
        ) from error
    if isinstance(saved, Mapping) and len(saved) > 1:
        if split not in saved:
            raise DataError(
                f"{folder} has the splits {', '.join(map(str, saved))}, and not {split!r}",
                hint="load one of them with datasets.load_from_disk and pass it",
            )
        saved = saved[split]
    return frame_rows(saved)


def decoded(raw: bytes, name: str) -> str:
    """Decode a UTF-8 file without its byte order mark. What a spreadsheet saves as Unicode text is UTF-16 with one.

    Raises:
        DataError: the bytes are neither.
    """
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        return raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not {encoding} text ({error.reason} at byte {error.start})", hint="save it as UTF-8"
        ) from None


_MAX_YAML_VALUES = 1_000_000


def _parsed_yaml(text: str, where: str) -> Any:
    import yaml

    try:
        # BaseLoader keeps every scalar as text: the words "no", "on" and "null" stay words.
        parsed = yaml.load(text, Loader=yaml.BaseLoader)
        if _size(parsed, {}) > _MAX_YAML_VALUES:
            raise DataError(f"{where} has aliases that expand to more than {_MAX_YAML_VALUES} values")
    except RecursionError as error:
        raise DataError(f"{where} is nested too deeply to be read") from error
    except yaml.YAMLError as error:
        raise DataError(f"{where} is not YAML: {' '.join(str(error).split())}") from error
    return parsed


def _size(value: Any, known: dict[int, float]) -> float:
    """Return the number of values that expanding all aliases would give, infinite if one contains itself."""
    if not isinstance(value, list | dict):
        return 1
    if id(value) not in known:
        known[id(value)] = math.inf
        parts = value if isinstance(value, list) else value.values()
        known[id(value)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(value)]


def _rows_of(parsed: Any, name: str, what: str = "one JSON object for each row") -> list[Row]:
    if not isinstance(parsed, list) or not all(isinstance(row, Mapping) for row in parsed):
        raise DataError(f"{name} must contain {what}")
    return [dict(row) for row in parsed]


def _delimiter(text: str) -> str:
    """Return a comma, or else the header's semicolon, as spreadsheets write it in much of Europe, or its tab."""
    header = text.lstrip().partition("\n")[0]
    return "," if "," in header else next((mark for mark in ";\t" if mark in header), ",")


def _delimited(text: str, name: str, delimiter: str) -> list[Row]:
    # One kind of line end, so that a copy with the other kind contains the same sentences: they may span lines.
    text = text.replace("\r\n", "\n")
    if match := re.match(r"sep=(.)\n", text):  # by which a spreadsheet is told the delimiter
        delimiter, text = match[1], text[match.end() :]
    lines = io.StringIO(text, newline="")
    table = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        if text.count(delimiter) + text.count("\n") > MAX_VALUES:  # or sentences with many commas
            _refuse_large(sum(map(len, table)), MAX_VALUES, name, "values")
            lines.seek(0)
            table = csv.reader(lines, delimiter=delimiter, strict=True)
        header = [column.strip() for column in next(table)]
        # Spreadsheets save columns and rows that were emptied as empty cells.
        while header and not header[-1]:
            header.pop()
        if len(set(header)) < len(header):
            raise DataError(f"{name} names a column twice: {', '.join(header)[:200]}")
        rows = []
        for cells in table:
            if not any(cells):  # a blank line
                continue
            while len(cells) > len(header) and not cells[-1]:
                cells.pop()
            if len(cells) != len(header):
                raise DataError(
                    f"{name}, line {table.line_num}: {len(cells)} cells, and {len(header)} columns",
                    hint=f"put sentences that contain {delimiter!r} in double quotes",
                )
            rows.append(dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise DataError(f"{name}, line {table.line_num}: not a table ({error})") from error
    return rows


def _parquet(raw: bytes, name: str, columns: Sequence[str] | None) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Arrow's own threads may let go of the bytes after the read has returned. If Python is exiting by then, the
        # process aborts (apache/arrow#34314): pq.read_table did so in one of ten short processes.
        with pq.ParquetFile(pa.BufferReader(raw), pre_buffer=False) as file:
            names = [c for c in file.schema_arrow.names if columns is None or c in columns]
            _refuse_large(file.metadata.num_rows * len(names), MAX_VALUES, name, "values")
            return file.read(columns=names, use_threads=False).to_pylist()  # type: ignore[no-any-return]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{name} is not a Parquet file: {' '.join(str(error).split())[:300]}") from error


def _excel(raw: bytes, name: str) -> list[Row]:
    import pandas as pd

    with suppress(zipfile.BadZipFile):
        refuse_large_parts(io.BytesIO(raw), name)
    try:
        # "None", "NA" and their like are words, as in a CSV file. An empty cell alone is not one.
        frame = pd.read_excel(
            io.BytesIO(raw), header=None, dtype=object, keep_default_na=False, na_values=[""]
        )
    except ImportError as error:
        raise DataError(
            f"{name} is an Excel file", hint=f"save it as CSV, or {install_extra('excel')}"
        ) from error
    except Exception as error:  # of a damaged file, whatever its reader raises
        raise DataError(f"{name} is not an Excel file that can be read: {str(error)[:200]}") from error
    head, *lines = frame.to_numpy().tolist() or [[]]
    lines = [cells for cells in lines if not all(map(is_absent, cells))]
    titles = [f"Unnamed: {i}" if is_absent(cell) else str(cell).strip() for i, cell in enumerate(head)]
    used = [
        i
        for i, title in enumerate(titles)
        if not (title.startswith("Unnamed: ") and all(is_absent(cells[i]) for cells in lines))
    ]
    columns = [titles[i] for i in used]
    if len(set(columns)) < len(columns):
        raise DataError(f"{name} names a column twice: {', '.join(columns)[:200]}")
    return [{column: cells[i] for column, i in zip(columns, used, strict=True)} for cells in lines]


def cell_value(value: Any) -> Any:
    """Return the value of a cell, ``None`` for an empty cell and for what pandas writes for one."""
    return None if is_absent(value) or value == "" else value


def packaged_languages(name: str) -> list[str]:
    """Return the languages of a packaged data set, sorted.

    Examples:
        >>> packaged_languages("gendered_words")
        ['de', 'en', 'es', 'fr', 'is', 'it', 'nl', 'no', 'pt', 'tr']
    """
    return sorted(Path(f.name).stem for f in packaged_data(name).iterdir() if f.name.endswith(".jsonl"))
