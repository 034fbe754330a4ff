"""Where results come from: the store of a folder, a file of results, a folder that has only such a file, a log.

The store is the truth. ``results.jsonl`` next to it is a view: the store's contents, for people and other
programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from ..errors import BiasError, DataError, OutputError, bad_option
from ..files import LARGEST_JSON, atomic_write, open_regular, require_regular_or_absent, short_path
from ..result import Result, to_plain
from ..text import range_text
from .inspect_log import LOG_SUFFIX, read_log
from .store import STORE_FILE, Failure, Store, listed
from .unit import Unit, latest, unit_of_result

RESULTS_FILE = "results.jsonl"

_ROUNDING = 1e-9
"""Share of its largest value by which rounding may carry a score out of its range."""
_SQLITE = b"SQLite format 3\0"


def holds_results(path: str | Path) -> bool:
    """True if a path leads to results rather than to a model.

    Examples:
        >>> holds_results("out/results.jsonl"), holds_results("bert-base-uncased")
        (True, False)
    """
    path = Path(path)
    try:
        return path.suffix in (".jsonl", ".sqlite", LOG_SUFFIX) or any(
            (path / name).exists() for name in (RESULTS_FILE, STORE_FILE)
        )
    except (OSError, ValueError):  # a name that no file can have
        return False


def read_results(path: str | Path) -> list[Result]:
    """Read the results of a folder that ``evaluate-bias run`` wrote to, or of a file.

    Args:
        path: a folder with ``results.sqlite`` or, if that is not there, ``results.jsonl``, or such a file, or
            a ``.eval`` log of Inspect of one of our tasks.

    Returns:
        One result for each measurement, the latest, in the order in which they were first measured. For a ``.jsonl``
        file, all lines. Never an empty list.

    Raises:
        InputError: what is there is not a regular file.
        DataError: no results exist, or they cannot be read. The text names the place.

    Examples:
        >>> read_results("missing")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: no results at missing; make them with 'evaluate-bias run'
    """
    path = Path(path)
    try:
        is_folder = path.is_dir()
    except OSError as error:  # such as a name that is too long
        raise DataError(f"no results at {short_path(path)}: {error.strerror or error}") from error
    if path.suffix == LOG_SUFFIX and not is_folder:
        return [read_log(path)]
    if is_folder:
        path /= STORE_FILE if (path / STORE_FILE).exists() else RESULTS_FILE
    if not _is_store(path):
        return read_file(path)
    with Store(path, read_only=True) as store:
        results = latest(result for _, result in store.in_order())
    if not results:
        raise DataError(f"no results at {short_path(path)}", hint="make them with 'evaluate-bias run'")
    return results


def write_results(results: Sequence[Result], path: str | Path) -> None:
    """Write results as JSON lines, replacing the file in one step.

    A reader never sees half a file: the text goes to a temporary file in the same folder, which is renamed.

    Args:
        results: any number of results.
        path: the file, or a folder that exists, in which ``results.jsonl`` is written.

    Raises:
        OutputError: the folder or file cannot be written.

    Examples:
        >>> import tempfile
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_results([result], folder)
        ...     read_file(f"{folder}/results.jsonl") == [result]
        True
    """
    path = Path(path)
    target = path / RESULTS_FILE if path.is_dir() else path
    atomic_write(target, "".join(f"{r.to_json()}\n" for r in results))


def read_file(path: str | Path) -> list[Result]:
    """Read the results that :func:`write_results` wrote.

    Returns:
        The results in the order of the file, never an empty list.

    Raises:
        InputError: what is there is not a regular file.
        DataError: the file is missing or empty, or a line is not a result of this library, contains numbers that no
            result can have, or was written by a newer version of it. The text names the line.

    Examples:
        >>> read_file("missing")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: no results at missing; make them with 'evaluate-bias run'
    """
    name, results = short_path(path), list[Result]()
    try:
        with open_regular(path) as file:
            # Not str.splitlines: JSON strings may contain U+2028 and other characters that it treats as line ends.
            for number, line in enumerate(iter(lambda: file.readline(LARGEST_JSON + 1), b""), 1):
                if line.strip():
                    results.append(_result(line, f"{name}, line {number}"))
    except FileNotFoundError:
        raise DataError(f"no results at {name}", hint="make them with 'evaluate-bias run'") from None
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}") from error
    if not results:
        raise DataError(f"{name} is empty: it has no results")
    return results


def _result(line: bytes, where: str) -> Result:
    try:
        result = Result.from_json(line.decode("utf-8-sig"))
        _check(result)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{where} is not UTF-8 text (byte {error.start}): this is not a results file"
        ) from None
    except BiasError as error:
        raise DataError(f"{where}: {error}") from error
    return result


def _check(result: Result) -> None:
    """Refuse what reports cannot rely on and the type of a result cannot express."""
    texts = [result.method, result.ci_method, result.p_method, *result.warnings]
    texts += [text for s in result.skipped for text in (s.item, s.reason, s.where)]
    for row in (result.overall, *result.rows):
        texts += [row.name, row.p_method, row.ci_method]
        of = f"of {str(row.name)[:60]!r}"
        low, high = score_range = row.score_range or result.score_range
        room = _ROUNDING * max(1.0, abs(low or 0.0), abs(high or 0.0))
        lowest, highest = (-inf if low is None else low - room), (inf if high is None else high + room)
        for name, value in (
            ("score", row.score),
            ("ideal", row.ideal),
            ("expected_by_chance", row.expected_by_chance),
        ):
            if value is not None and not lowest <= value <= highest:
                raise DataError(f"{name} {of} is {value:g}, and its range is {range_text(score_range)}")
        if row.coverage is not None and row.coverage.found > row.coverage.asked:
            share = f"{row.coverage.found} of {row.coverage.asked}"
            raise DataError(f"coverage {of} is {share}: more was found than asked for")
        for estimate in row.estimates.values():
            if estimate.low is not None and estimate.high is not None and estimate.low > estimate.high:
                raise DataError(f"an interval {of} goes from {estimate.low:g} down to {estimate.high:g}")
    if not all(isinstance(text, str) for text in texts):
        raise DataError("a name, label or warning is not a string")
    to_plain(texts, "a name, label or warning")


def results_of(source: Any, option: str) -> list[Result]:
    """Return the results that a function was given: results, or the path of a folder or file of them.

    Args:
        source: what it was given.
        option: the name of its option, for the error.

    Raises:
        InputError: it is something else.
        DataError: the path has no results, or they cannot be read.

    Examples:
        >>> results_of([1], "since")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `since` must be results, or the path of a folder or file of them, got 1
    """
    if isinstance(source, (str, Path)):
        return read_results(source)
    results = list(source) if isinstance(source, (list, tuple)) else [source]
    for one in results:
        if not isinstance(one, Result):
            raise bad_option(option, one, "results, or the path of a folder or file of them")
    return results


def read_pairs(
    path: str | Path, *, history: bool = False, rows: bool = True
) -> tuple[list[tuple[Unit, Result]], list[Failure]]:
    """Read what :func:`read_results` reads, each result with its unit, and the units without a result.

    Args:
        path: as there.
        history: also results that a later one of the same measurement replaces, and failures of earlier configs.
        rows: with the breakdown of the results. Without it, a store is read many times faster.

    Raises:
        InputError, DataError: as there.
    """
    path = Path(path)
    if path.is_dir():
        path /= RESULTS_FILE if holds_results(path) and not (path / STORE_FILE).exists() else STORE_FILE
    if path.suffix in (".jsonl", LOG_SUFFIX) and not _is_store(path):
        results = read_results(path)
        pairs = [(unit_of_result(result), result) for result in (results if history else latest(results))]
        return sorted(pairs, key=listed), []
    with Store(path, read_only=True) as store:
        return store.results(history=history, rows=rows), store.failures(history=history)


def read_failures(path: str | Path) -> list[Failure]:
    """Read the measurements of a folder or store that have no result, each under the name that results give its model.

    Failures that the last run did not plan count for models that have results, until the method is measured on them.
    A file of results has no failures.

    Raises:
        DataError: the store cannot be read.
    """
    path = Path(path)
    if path.is_dir():
        path /= STORE_FILE
    if not _is_store(path):
        return []
    with Store(path, read_only=True) as store:
        failures = store.failures(history=True)
        pairs = store.in_order(rows=False) if failures else []
    names = {unit.model: unit_of_result(result).model for unit, result in pairs}
    measured = {(unit.model, unit.method) for unit, _ in pairs}
    return [
        replace(f, unit=replace(f.unit, model=names.get(f.unit.model) or f.unit.model))
        for f in failures
        if f.current or (f.unit.model in names and (f.unit.model, f.unit.method) not in measured)
    ]


def _is_store(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return path.name == STORE_FILE or file.read(len(_SQLITE)) == _SQLITE
    except OSError:  # reading it says what is wrong
        return False


def import_results(store: Store) -> dict[str, str]:
    """Add what ``results.jsonl`` has and the store lacks: all of it if the store is new, or what is damaged there.

    Returns:
        Names of the damaged results, by the keys of their units.

    Raises:
        DataError: the store is new, and the file is not one of results.
    """
    damaged, path = store.damaged_names(), store.path.with_name(RESULTS_FILE)
    if path.exists() and (damaged or store.is_empty):
        with suppress(DataError) if damaged else nullcontext():  # damaged too
            store.insert_results(read_file(path))
    return damaged


def write_results_file(store: Store) -> None:
    """Write ``results.jsonl`` next to a store, unless it already says what the store has.

    A reader never sees half a file. Several runs take turns by the lock of the store.

    Raises:
        InputError: a folder, pipe, socket or device is there.
        OutputError: it cannot be written.
    """
    path = require_regular_or_absent(store.path.with_name(RESULTS_FILE))
    with store.writing():
        text = "".join(f"{r.to_json()}\n" for r in latest(result for _, result in store.in_order()))
        try:
            is_current = path.exists() and path.read_bytes() == text.encode()
        except OSError as error:
            raise OutputError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error
        if text and not is_current:
            atomic_write(path, text)
