"""``evaluate-bias.json``: how the card, report or page next to it was written, so that it can be written again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import DataError, OutputError
from ..experiments.unit import digest, measurement_key
from ..files import parsed_json, read_text, short_path
from ..provenance import software_versions
from ..result import Result
from .reading import NotMeasured

FILE = "evaluate-bias.json"


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CardOptions(_StrictModel):
    """How a card was written.

    Attributes:
        heading: level of the section's heading.
        model: the model's name in the card, if it differs from the name in the results.
        model_index: whether the card's YAML has the scores.
        eval_results: whether ``.eval_results`` has them.
        picture: the name of the file that the card shows, empty if it shows none.
        since: whether it says what changed since earlier results.
    """

    heading: int = Field(ge=1, le=6)
    model: str
    model_index: bool
    eval_results: bool
    picture: str
    since: bool


class ReportOptions(_StrictModel):
    """How a report was written, see :func:`evaluate_bias.report.write.write_report`."""

    all_pictures: bool
    png: bool


class PageOptions(_StrictModel):
    """How an HTML page was written: nothing can be chosen."""


class Written(_StrictModel):
    """How a file was written.

    Attributes:
        options: of the function that wrote it.
        results: keys of the results that it is about, see :func:`result_key`.
        versions: of the packages that its bytes depend on.
        weights: a checksum of the weights of the model that a card is about, empty if it is unknown.
        numbers: of a card, every result with its numbers, see :func:`evaluate_bias.report.card.numbers.numbers_of`.
        not_measured: what it says that the run could not measure.
    """

    options: CardOptions | ReportOptions | PageOptions
    results: list[str] = Field(min_length=1)
    versions: dict[str, str]
    weights: str = ""
    numbers: list[dict[str, Any]] = Field(default_factory=list)
    not_measured: list[NotMeasured] = Field(default_factory=list)


class _WrittenFiles(_StrictModel):
    schema_version: Literal[1] = 1
    files: dict[str, Written] = Field(min_length=1)


def result_key(result: Result) -> str:
    """Return a short name of the measurement that a result is of. A repeated measurement has the same name."""
    return digest(measurement_key(result))[:16]


def written_with(
    options: CardOptions | ReportOptions | PageOptions,
    results: Iterable[Result],
    *,
    weights: str = "",
    numbers: Iterable[dict[str, Any]] = (),
    not_measured: Iterable[NotMeasured] = (),
) -> Written:
    """Return how a file is written today, about these results."""
    packages = () if isinstance(options, CardOptions) and not options.picture else ("matplotlib",)
    here = software_versions(*packages)
    versions = {name: here[name] for name in ("evaluate-bias", *packages)}
    keys = [result_key(result) for result in results]
    return Written(
        options=options,
        results=keys,
        versions=versions,
        weights=weights,
        numbers=list(numbers),
        not_measured=list(not_measured),
    )


def parse_written(text: str, where: str = FILE) -> dict[str, Written]:
    """Read the text of ``evaluate-bias.json``: how each file was written, by its name. An empty text has no files.

    Raises:
        DataError: it is not a text that this version writes.

    Examples:
        >>> parse_written("[]")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: evaluate-bias.json was not written by this version of evaluate-bias: move it
        away, then write the card or report again
    """
    try:
        return {} if not text else _WrittenFiles.model_validate(parsed_json(text, where)).files
    except (DataError, ValidationError) as error:
        advice = "move it away, then write the card or report again"
        raise DataError(f"{where} was not written by this version of evaluate-bias: {advice}") from error


def with_written(text: str, name: str, written: Written, where: str = FILE) -> str:
    """Return the text of ``evaluate-bias.json`` with how a file was written. Entries of other files stay.

    Raises:
        DataError: as :func:`parse_written`.
    """
    files = {**parse_written(text, where), name: written}
    return _WrittenFiles(files=dict(sorted(files.items()))).model_dump_json(indent=2) + "\n"


def read_written(folder: Path) -> str:
    """Return the text of ``evaluate-bias.json`` in a folder, empty if the file does not exist.

    Raises:
        DataError: it is not text.
        OutputError: it cannot be read.
    """
    path = folder / FILE
    try:
        return read_text(path) if path.exists() else ""
    except OSError as error:
        raise OutputError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error


def written_beside(path: Path, written: Written) -> dict[Path, str]:
    """Return the ``evaluate-bias.json`` that belongs next to a file, and its text.

    Raises:
        DataError: there is one that this version does not write.
        OutputError: it cannot be read.
    """
    target = path.with_name(FILE)
    return {target: with_written(read_written(path.parent), path.name, written, short_path(target))}
