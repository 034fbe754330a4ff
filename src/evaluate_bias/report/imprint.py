"""The line in which a card's section, a report or a page says how it was written, so that it can be written again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import DataError
from ..experiments.unit import digest, measurement_key
from ..result import Result
from . import FORMAT

_REPLACED = " What stands between these markers is replaced by the next run."
_LINE = re.compile(
    r"<!-- Written by evaluate-bias(?:, format ([1-9][0-9]{0,3}))?(?:, with (\{.*\}))?\."
    rf"(?:{re.escape(_REPLACED)})? -->"
)


@dataclass(frozen=True, slots=True)
class Imprint:
    """How a surface was written.

    Attributes:
        format: number of its wording and arrangement, see :data:`evaluate_bias.report.FORMAT`.
        options: keys of the results that it is about, and the options of its writer; empty where it says none.
    """

    format: int
    options: Mapping[str, Any]

    def checked(self, defaults: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options.

        Args:
            defaults: of every option a value of its type.

        Raises:
            DataError: an option is missing, of another type, or unknown.
        """
        expected = {"results": [], **defaults}
        unfit = expected.keys() ^ self.options.keys()
        unfit |= {
            name for name in expected.keys() - unfit if type(expected[name]) is not type(self.options[name])
        }
        if unfit or not all(isinstance(key, str) for key in self.options["results"]):
            raise DataError(
                f"the options that it was written with cannot be read: {', '.join(sorted(unfit) or ['results'])}"
            )
        return dict(self.options)


def result_key(result: Result) -> str:
    """Return a short name of the measurement that a result is of; it stays when the same is measured again."""
    return digest(measurement_key(result))[:8]


def imprint(results: Iterable[Result], **options: Any) -> dict[str, Any]:
    """Return what a surface records about the way it is written: its results, by their keys, and these options."""
    return {**options, "results": [result_key(r) for r in results]}


def imprint_line(options: Mapping[str, Any], *, within_markers: bool = False) -> str:
    """Return the comment that records the options of a surface.

    Examples:
        >>> line = imprint_line({"level": "full", "results": ["0123abcd"]})
        >>> read_imprint(line).options
        {'level': 'full', 'results': ['0123abcd']}
    """
    text = json.dumps(options, sort_keys=True)
    # Nothing in a name ends the comment.
    text = text.replace("--", r"-\u002d").replace(">", r"\u003e")
    return f"<!-- Written by evaluate-bias, format {FORMAT}, with {text}.{_REPLACED if within_markers else ''} -->"


def read_imprint(line: str) -> Imprint | None:
    """Return what :func:`imprint_line` recorded, ``None`` for another line; earlier formats had no options."""
    match = _LINE.fullmatch(line.rstrip(" \t\r"))
    if match is None:
        return None
    try:
        options = json.loads(match[2] or "{}")
    except (ValueError, RecursionError):
        options = {}
    return Imprint(int(match[1] or 1), options)
