"""The section of a model card, its picture and its ``model-index``, held against recomputed results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, get_args

from ...errors import CardError
from ...result import Result
from ..card.block import outline
from ..card.entries import TASK_TYPE, model_index_entries
from ..card.front_matter import Entry, FrontMatterError, front_matter_data, split_front_matter
from ..card.section import Level, section
from ..card.texts import LANGUAGES
from .lines import Expected, Rendered, check_lines, lines_of
from .verdicts import Check, Verdict

__all__ = ["CardChecker"]

_BEGIN = re.compile(r"<!--\s*evaluate-bias:begin\b[^>]*-->")
_END = re.compile(r"<!--\s*evaluate-bias:end\b[^>]*-->")
_HEADING = re.compile(r"(#{1,6}) ")
_SECTION, _INDEX = "README.md", "README.md, model-index"


class CardChecker:
    """Judges cards written from one set of results; what it renders is kept for the next card."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._rendered = lru_cache(maxsize=None)(self._render)
        self._entries = [
            (e, r in expected.provable) for r in expected.results for e in model_index_entries([r])
        ]
        self._earlier = [e for old in expected.earlier for e in model_index_entries(old)]

    def check(self, text: str, picture: str | None = None) -> list[Check]:
        """Judge a card, and the picture beside it if there is one."""
        parts = split_front_matter(text.removeprefix("\ufeff"))
        head, yaml_text, closing, body = ("", "", "", text) if parts is None else parts
        before = len(lines_of(f"{head}{yaml_text}{closing}x")) - 1
        return [*self._section(body, before, picture), *self._index(yaml_text)]

    # --- section ---------------------------------------------------------------------------------------------

    def _section(self, body: str, before: int, picture: str | None) -> Iterator[Check]:
        lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        try:
            place = _block(lines)
        except CardError as error:
            yield Check(_SECTION, "", "false", "", "", str(error))
            return
        if place is None:
            yield Check(_SECTION, "", "not verifiable", "", "", "the card has no section of evaluate-bias")
            return
        start, end = place
        while start < end and (not lines[start].strip() or lines[start].lstrip().startswith("<!--")):
            start += 1
        found = lines_of("\n".join(lines[start:end]))
        wanted = self._best(found)
        yield from check_lines(_SECTION, found, wanted[0], before + start + 1)
        if picture is not None and wanted[1].lines != ("",):
            yield from check_lines("evaluate-bias.svg", lines_of(picture), wanted[1])

    def _best(self, found: Sequence[str]) -> tuple[Rendered, Rendered]:
        """The section in the language, at the level and with the picture that the card has."""
        marks = _HEADING.match(found[0]) if found else None
        heading = len(marks[1]) if marks else 3
        own = frozenset(found)
        chosen = [
            self._rendered(language, level, heading, with_picture)
            for with_picture in (True, False)
            for level in get_args(Level)
            for language in LANGUAGES
        ]
        exact = next((c for c in chosen if c[0].lines == tuple(found)), None)
        return exact or max(
            chosen, key=lambda c: len(own & set(c[0].lines)) - len(set(c[0].lines) - own) / 1e3
        )

    def _render(self, language: str, level: Level, heading: int, picture: bool) -> tuple[Rendered, Rendered]:
        made: dict[tuple[int, ...], Any] = {}

        def both(results: Sequence[Result]) -> Any:
            key = tuple(map(id, results))
            if key not in made:
                made[key] = section(results, language=language, level=level, heading=heading, picture=picture)
            return made[key]

        return (
            Rendered.of(self._expected, lambda results: str(both(results).text)),
            Rendered.of(self._expected, lambda results: str(both(results).picture)),
        )

    # --- model-index -----------------------------------------------------------------------------------------

    def _index(self, yaml_text: str) -> Iterator[Check]:
        try:
            index = front_matter_data(yaml_text) if yaml_text else None
        except FrontMatterError as error:
            yield Check(_INDEX, "", "not verifiable", "", "", f"the card's YAML cannot be read: {error}")
            return
        methods = {r.method for r in self._expected.results}
        ours = [(r, m) for r, m in _metrics(index) if _type(r) == TASK_TYPE or m.get("type") in methods]
        seen: set[int] = set()
        strangers = []
        for result, metric in ours:
            own = [
                (i, e, p) for i, (e, p) in enumerate(self._entries) if e.is_in(result) and e.is_metric(metric)
            ]
            seen |= {i for i, _, _ in own}
            if own:
                yield self._judged(result, metric, [(e, proven) for _, e, proven in own])
            else:
                strangers.append((result, metric))
        missing = [e for i, (e, _) in enumerate(self._entries) if i not in seen] if ours else []
        for result, metric in strangers:
            yield self._stranger(result, metric, bool(missing))
        for entry in missing:
            yield Check(_INDEX, entry.metric_name, "false", "", _number(entry.value), "this score is missing")

    def _judged(self, result: Any, metric: Any, own: Sequence[tuple[Entry, bool]]) -> Check:
        name, shown = str(metric.get("name")), _number(metric.get("value"))
        titled = [(e, p) for e, p in own if result["dataset"].get("name") == e.dataset_name]
        if not titled:
            called = str(result["dataset"].get("name"))
            return Check(
                _INDEX, name, "false", called, own[0][0].dataset_name, "the data are called otherwise"
            )
        fits = [proven for e, proven in titled if _number(e.value) == shown]
        wanted = _number(titled[0][0].value)
        if any(fits):
            return Check(_INDEX, name, "true", shown, wanted)
        if fits:
            return Check(_INDEX, name, "not verifiable", shown, "", "the scores behind it were not recorded")
        return self._older(result, metric) or Check(_INDEX, name, "false", shown, wanted)

    def _older(self, result: Any, metric: Any) -> Check | None:
        name, shown = str(metric.get("name")), _number(metric.get("value"))
        old = (e for e in self._earlier if e.is_in(result) and e.is_metric(metric))
        if any(_number(e.value) == shown for e in old):
            return Check(_INDEX, name, "stale", shown, "", "an earlier result gives this score")
        return None

    def _stranger(self, result: Any, metric: Any, has_gaps: bool) -> Check:
        older = self._older(result, metric)
        if older is not None:
            return older
        name, shown = str(metric.get("name")), _number(metric.get("value"))
        # Where one of ours is missing, this is the one, changed.
        verdict: Verdict = "false" if has_gaps else "not verifiable"
        return Check(_INDEX, name, verdict, shown, "", "the recorded results have no such score")


def _block(lines: Sequence[str]) -> tuple[int, int] | None:
    """First line after the begin marker, and the line of the end marker."""
    begins = [i for i, line in enumerate(lines) if _BEGIN.search(line)]
    ends = [i for i, line in enumerate(lines) if _END.search(line)]
    if not begins and not ends:
        return None
    if len(begins) == len(ends) == 1 and begins[0] < ends[0]:
        return begins[0] + 1, ends[0]
    found = outline("\n".join(lines)).block  # markers in code are none
    return None if found is None else (found[0] + 1, found[1] - 1)


def _metrics(index: Any) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every metric of ``model-index`` with the item of ``results`` that it stands in."""
    for model in index if isinstance(index, list) else ():
        results = model.get("results") if isinstance(model, dict) else None
        for result in results if isinstance(results, list) else ():
            metrics = result.get("metrics") if isinstance(result, dict) else None
            for metric in metrics if isinstance(metrics, list) else ():
                if isinstance(metric, dict):
                    yield result, metric


def _type(result: Mapping[str, Any]) -> Any:
    task = result.get("task")
    return task.get("type") if isinstance(task, dict) else None


def _number(value: Any) -> str:
    """A value as it is compared; whole numbers and others of one value are the same, words and numbers are not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return repr(value)
    return repr(float(value))
