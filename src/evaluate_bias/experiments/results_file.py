"""Results in a file: one result a line in ``results.jsonl``, written whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path

from ..errors import BiasError, DataError
from ..files import LARGEST_JSON, atomic_write, open_regular, short_path
from ..result import Result, Row
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
        evaluate_bias.errors.DataError: no results at missing; make them with 'evaluate-bias run'
    """
    name, results = short_path(path), list[Result]()
    try:
        with open_regular(path) as file:
            # Not str.splitlines: JSON strings may hold U+2028 and other characters that it takes for line ends.
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


_ROUNDING = 1e-9
"""Share of its largest value by which rounding may carry a score out of its range."""


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
        _check_row(row, row.score_range or result.score_range)
        texts += [row.name, row.p_method, row.ci_method]
    if not all(isinstance(text, str) for text in texts):
        raise DataError("a name, label or warning is not a string")
    to_plain(texts, "a name, label or warning")


def _check_row(row: Row, score_range: tuple[float | None, float | None]) -> None:
    of = f"of {str(row.name)[:60]!r}"
    low, high = score_range
    room = _ROUNDING * max(1.0, abs(low or 0.0), abs(high or 0.0))
    lowest, highest = (-inf if low is None else low - room), (inf if high is None else high + room)
    for name, value in (("score", row.score), ("ideal", row.ideal)):
        if value is not None and not lowest <= value <= highest:
            raise DataError(f"{name} {of} is {value:g}, and its range is {range_text(score_range)}")
    if row.coverage is not None and row.coverage.found > row.coverage.asked:
        raise DataError(
            f"coverage {of} is {row.coverage.found} of {row.coverage.asked}: more was found than asked for"
        )
    for estimate in row.estimates.values():
        if estimate.low is not None and estimate.high is not None and estimate.low > estimate.high:
            raise DataError(f"an interval {of} goes from {estimate.low:g} down to {estimate.high:g}")
