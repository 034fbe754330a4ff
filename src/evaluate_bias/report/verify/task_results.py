"""Files of ``.eval_results``, held against the entries that recomputed results give."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import yaml

from ...errors import DataError
from ...result import Result
from ..card.eval_results import FOLDER, eval_results_files
from .lines import Expected, Rendered, check_lines, lines_of
from .raw import strict_yaml
from .verdicts import Check, Verdict

_DATE = re.compile(r"[\d:.TZ+-]{8,35}", re.ASCII)
"""When an entry was written, which no recording holds; another text in its place is compared."""
_PAGE = re.compile(r"https://huggingface\.co/([\w.-]+/[\w.-]+)")

Place = tuple[str, str]
"""Data set and task."""


class TaskResultsChecker:
    """Judges files of ``.eval_results`` written from one set of results."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._rendered = lru_cache(maxsize=None)(self._render)

    def check(self, name: str, text: str) -> list[Check]:
        """Judge a file, entry by entry; those that no recorded result gives are of other measurements."""
        file = f"{FOLDER}/{name}"
        try:
            read = strict_yaml(text)
            entries, model = _by_place(read), _model(read)
        except (DataError, ValueError, TypeError, KeyError, AttributeError) as error:
            return [Check(file, "", "false", "", "", f"it does not hold evaluation results: {_first(error)}")]
        made = [self._rendered(name, model, places) for places in self._expected.choices()]
        # Of several models each has its own file of this name.
        wanted = max(
            made,
            key=lambda w: (
                sum(w[k].lines == v for k, v in entries.items() if k in w),
                len(entries.keys() & w),
                bool(w),
            ),
        )
        missing = [place for place in wanted if place not in entries]
        checks: list[Check] = []
        for place, lines in entries.items():
            if place in wanted:
                checks += _judged(file, place, lines, wanted[place])
            elif any(place in _entries(list(old), name, model) for old in self._expected.earlier):
                checks.append(Check(file, place[1], "stale", "", "", "an earlier result gives this entry"))
            else:
                # Where one of ours is missing, this is the one, changed.
                verdict: Verdict = "false" if missing and wanted else "not verifiable"
                reason = "the recorded results have no such score"
                checks.append(Check(file, place[1], verdict, "", "", reason))
        reason = "this score is missing"
        return [*checks, *(Check(file, place[1], "false", "", "", reason) for place in missing)]

    def _render(self, name: str, model: str | None, places: tuple[int, ...]) -> dict[Place, Rendered]:
        expected = self._expected.only(places)

        def text_of(place: Place) -> Callable[[Sequence[Result]], str]:
            return lambda results: "\n".join(_entries(results, name, model).get(place, ()))

        return {
            place: Rendered.of(expected, text_of(place)) for place in _entries(expected.results, name, model)
        }


def _judged(file: str, place: Place, lines: tuple[str, ...], rendered: Rendered) -> Iterator[Check]:
    for check in check_lines(file, lines, rendered):
        yield Check(file, place[1], check.verdict, check.shown, check.expected, check.reason)


def _entries(results: Sequence[Result], name: str, model: str | None) -> dict[Place, tuple[str, ...]]:
    return _by_place(strict_yaml(eval_results_files(results, model=model)[0].get(name, "[]")))


def _by_place(entries: Any) -> dict[Place, tuple[str, ...]]:
    """What the entries of a file say, line by line."""
    found: dict[Place, tuple[str, ...]] = {}
    for entry in entries or ():
        place = str(entry["dataset"]["id"]), str(entry["dataset"]["task_id"])
        if place in found:
            raise ValueError(f"the task {place[1]} stands there twice")
        said = dict(entry)
        if _DATE.fullmatch(str(said.get("date")).replace(" ", "T")):
            del said["date"]
        found[place] = lines_of(yaml.safe_dump(said, sort_keys=True, allow_unicode=True, width=1000))
    return found


def _model(entries: Any) -> str | None:
    """The Hub id of the model whose page the sources name."""
    for entry in entries if isinstance(entries, list) else ():
        source = entry.get("source") if isinstance(entry, dict) else None
        found = _PAGE.fullmatch(str(source.get("url"))) if isinstance(source, dict) else None
        if found is not None:
            return found[1]
    return None


def _first(error: Exception) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
