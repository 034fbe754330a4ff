"""Results in a file: one result a line in ``results.jsonl``, written whole or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, get_args

from ..errors import BiasError, DataError
from ..files import atomic_write, open_regular, short_path, unique_keys
from ..result import Direction, Estimate, Result, Row
from ..result.row import to_plain
from ..text import range_text

RESULTS_FILE = "results.jsonl"


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
        The results in the order of the file; never an empty list.

    Raises:
        InputError: what is there is no regular file.
        DataError: there is no such file, it is empty, or a line is not a result of this library, holds numbers that
            none can have, or was written by a newer version of it; the text names the line.

    Examples:
        >>> read_file("missing")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: there are no results at missing: make them with 'evaluate-bias run'
    """
    source = Path(path)
    try:
        with open_regular(source) as file:
            raw = file.read()
    except FileNotFoundError:
        raise DataError(
            f"there are no results at {short_path(source)}: make them with 'evaluate-bias run'"
        ) from None
    except OSError as error:
        raise DataError(f"{short_path(source)} cannot be read: {error.strerror or error}") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{short_path(source)} is not UTF-8 text (byte {error.start}): it is no results file"
        ) from None
    # Not str.splitlines: JSON strings may hold U+2028 and other characters that it takes for line ends.
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise DataError(f"{short_path(source)} is empty: it holds no results")
    return [_result(line, f"{short_path(source)}, line {number}") for number, line in lines]


_DEEPEST = 40
"""Levels of lists and objects in a line; results have about ten."""


_ROUNDING = 1e-9
"""Share of its largest value by which rounding may carry a score out of its range."""


def _result(line: str, where: str) -> Result:
    try:
        if _depth(line) > _DEEPEST:
            raise DataError(f"it is nested more than {_DEEPEST} deep")
        data = json.loads(line, parse_constant=_refuse_constant, object_pairs_hook=unique_keys)
        if not isinstance(data, dict):
            raise DataError("not a result of this library: the JSON is not an object")
        result = Result.from_dict(data)
        _check(result)
    except json.JSONDecodeError as error:
        raise DataError(f"{where} is not JSON: {error.msg} at column {error.colno}") from None
    except BiasError as error:
        raise DataError(f"{where}: {error}") from error
    except ValueError as error:  # of JSON only this one is left
        raise DataError(f"{where} holds a number of more digits than can be read") from error
    except (AttributeError, TypeError, OverflowError, RecursionError) as error:
        raise DataError(f"{where}: {error}") from error
    return result


def _depth(line: str) -> int:
    """How deep the brackets outside strings nest."""
    depth = deepest = 0
    for bracket in re.findall(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', line):
        if bracket in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in ("]", "}"):
            depth -= 1
    return deepest


def _refuse_constant(name: str) -> NoReturn:
    raise DataError(f"{name} is not a number that strict JSON allows")


def _check(result: Result) -> None:
    """Refuse what reports cannot rely on and the type of a result cannot express."""
    for name in ("score", "ideal", "ci_level"):
        if getattr(result, name) is None:
            raise DataError(f"{name!r} of a {result.method} result must be a number, not null")
    if result.direction not in get_args(Direction):
        raise DataError(f"direction is {result.direction!r}, not one of {', '.join(get_args(Direction))}")
    if not 0 < result.ci_level < 1:
        raise DataError(f"ci_level is {result.ci_level:g}, not between 0 and 1")
    texts = [result.method, result.ci_method, result.p_method, *result.warnings]
    texts += [text for s in result.skipped for text in (s.item, s.reason, s.where)]
    for row in (result.overall, *result.rows):
        _check_row(row, result.score_range)
        texts += [row.name, row.p_method, row.ci_method, *row.labels.values()]
    if not all(isinstance(text, str) for text in texts):
        raise DataError("a name, label or warning is no text")
    to_plain(texts, "a name, label or warning")


def _check_row(row: Row, score_range: tuple[float | None, float | None]) -> None:
    of = f"of {str(row.name)[:60]!r}"
    low, high = row.score_range or score_range
    room = _ROUNDING * max(1.0, abs(low or 0.0), abs(high or 0.0))
    for name, value in (("score", row.score), ("ideal", row.ideal)):
        if value is None:
            continue
        if (low is not None and value < low - room) or (high is not None and value > high + room):
            raise DataError(f"{name} {of} is {value:g}, and its range is {range_text((low, high))}")
    p_values = {name: getattr(row, name) for name in ("p_value", "p_low", "p_high", "p_holm", "p_bh")}
    p_values |= {f"p of {key}": e.p for key, e in row.estimates.items()}
    for name, p in p_values.items():
        if p is not None and not 0 <= p <= 1:
            raise DataError(f"{name} {of} is {p:g}, and a p-value lies between 0 and 1")
    counts = {"n": row.n, "ties": row.ties, "n_tested": row.n_tested}
    if row.coverage is not None:
        n_covered, n_total = row.coverage.found, row.coverage.asked
        counts |= {"coverage.found": n_covered, "coverage.asked": n_total}
        if n_covered > n_total:
            raise DataError(f"coverage {of} is {n_covered} of {n_total}: more was found than asked for")
    for name, count in counts.items():
        if count is not None and (not isinstance(count, int) or not 0 <= count < 2**63):
            raise DataError(f"{name} {of} is no count")
    main_estimate = Estimate(0.0, row.ci_low, row.ci_high)
    for estimate in (main_estimate, *row.estimates.values()):
        if estimate.low is not None and estimate.high is not None and estimate.low > estimate.high:
            raise DataError(f"an interval {of} goes from {estimate.low:g} down to {estimate.high:g}")
