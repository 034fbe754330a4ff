"""The section of a model card, its picture and its ``model-index``, held against recomputed results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, get_args

from ...errors import CardError
from ...registry import METHODS
from ...result import Result
from ..card.block import outline
from ..card.entries import TASK_TYPE, model_index_entries
from ..card.front_matter import Entry, FrontMatterError, front_matter_data, split_front_matter
from ..card.section import Level, section
from ..card.texts import LANGUAGES, card_text
from ..escape import markdown
from ..lines import model_name
from .lines import Expected, Rendered, check_lines, lines_of
from .verdicts import Check, Verdict

__all__ = ["CardChecker"]

_BEGIN = re.compile(r"\s*<!--\s*evaluate-bias:begin\b[^>]*-->\s*")
_END = re.compile(r"\s*<!--\s*evaluate-bias:end\b[^>]*-->\s*")
_MARKER = re.compile(rf"{_BEGIN.pattern}|{_END.pattern}")
_HEADING = re.compile(r"(#{1,6}) ")
_COMMENT = re.compile(r"\s*<!--(?:(?!-->).)*-->\s*")
_SECTION, _INDEX = "README.md", "README.md, model-index"


class CardChecker:
    """Judges cards written from one set of results; what it renders is kept for the next card."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._rendered = lru_cache(maxsize=None)(self._render)
        self._entries = [model_index_entries([r]) for r in expected.results]
        self._earlier = [e for old in expected.earlier for e in model_index_entries(old)]

    def check(self, text: str, picture: str | None = None) -> list[Check]:
        """Judge a card, and the picture beside it if there is one."""
        head, yaml_text, closing, body = _parts(text)
        before = len(lines_of(f"{head}{yaml_text}{closing}x")) - 1
        checks, places = self._section(body, before, picture)
        return [*checks, *self._index(yaml_text, places)]

    def left_out(self, text: str) -> list[str]:
        """What the section does not tell of the reported results of its models, one sentence each."""
        _, places = self._section(_parts(text)[-1], 0, None)
        results = self._expected.results
        names = {model_name(results[i]) for i in places}
        missing = [r for i, r in enumerate(results) if i not in places and model_name(r) in names]
        return [
            f"the card does not tell of {r.method} of {model_name(r)}, which was recorded" for r in missing
        ]

    # --- section ---------------------------------------------------------------------------------------------

    def _section(self, body: str, before: int, picture: str | None) -> tuple[list[Check], tuple[int, ...]]:
        """The verdicts, and the numbers of the results that the card is about."""
        everything = self._expected.choices()[0]
        lines = body.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        try:
            place = _block(lines)
        except CardError as error:
            return [Check(_SECTION, "", "false", "", "", str(error))], everything
        if place is None:
            reason = "the card has no section of evaluate-bias"
            return [Check(_SECTION, "", "not verifiable", "", "", reason)], everything
        start, end = place
        while start < end and (not lines[start].strip() or _COMMENT.fullmatch(lines[start])):
            start += 1
        found = lines_of("\n".join(lines[start:end]))
        wanted, drawn, places = self._best(found)
        checks, kept = [], []
        for i in (place[0] - 1, place[1]):
            if beside := _MARKER.sub("", lines[i]).strip():
                reason = "the recorded scores do not give what stands beside this marker"
                checks.append(Check(_SECTION, f"line {before + i + 1}", "false", beside, "", reason))
        for i, line in enumerate(found):
            if line not in wanted.lines and _since().fullmatch(line):
                reason = "the earlier results that it compares with are not recorded here"
                checks.append(
                    Check(_SECTION, f"line {before + start + 1 + i}", "not verifiable", line, "", reason)
                )
            else:
                kept.append(i)
        numbers = [before + start + 1 + i for i in kept]
        checks += check_lines(_SECTION, [found[i] for i in kept], wanted, numbers)
        if picture is not None and drawn.lines != ("",):
            checks += check_lines("evaluate-bias.svg", lines_of(picture), drawn)
        return checks, places

    def _best(self, found: Sequence[str]) -> tuple[Rendered, Rendered, tuple[int, ...]]:
        """The section in the language, at the level, with the picture and about the results that the card has."""
        marks = _HEADING.match(found[0]) if found else None
        heading = len(marks[1]) if marks else 3
        own, text = frozenset(found), "\n".join(found)
        choices = self._expected.choices(
            lambda r: r.method in METHODS and f"<summary>{markdown(METHODS[r.method].title)}" in text
        )
        settings = [
            (language, level, heading, picture)
            for picture in (True, False)
            for level in get_args(Level)
            for language in LANGUAGES
        ]

        def likeness(key: tuple[Any, ...]) -> tuple[bool, float]:
            lines = self._rendered(*key)[0].lines
            return lines == tuple(found), len(own & set(lines)) - len(set(lines) - own) / 1e3

        best = max(((choices[0], *setting) for setting in settings), key=likeness)
        best = max(((places, *best[1:]) for places in choices), key=likeness)
        return *self._rendered(*best), best[0]

    def _render(
        self, places: tuple[int, ...], language: str, level: Level, heading: int, picture: bool
    ) -> tuple[Rendered, Rendered]:
        made: dict[tuple[int, ...], Any] = {}
        expected = self._expected.only(places)

        def both(results: Sequence[Result]) -> Any:
            key = tuple(map(id, results))
            if key not in made:
                made[key] = section(results, language=language, level=level, heading=heading, picture=picture)
            return made[key]

        return (
            Rendered.of(expected, lambda results: str(both(results).text)),
            Rendered.of(expected, lambda results: str(both(results).picture)),
        )

    # --- model-index -----------------------------------------------------------------------------------------

    def _index(self, yaml_text: str, places: Sequence[int]) -> Iterator[Check]:
        try:
            index = front_matter_data(yaml_text) if yaml_text else None
        except FrontMatterError as error:
            yield Check(_INDEX, "", "not verifiable", "", "", f"the card's YAML cannot be read: {error}")
            return
        methods = {r.method for r in self._expected.results}
        ours = [(n, r, m) for n, r, m in _metrics(index) if _type(r) == TASK_TYPE or m.get("type") in methods]
        results = self._expected.results
        proven = [any(r is p for p in self._expected.provable) for r in results]
        entries = [(e, proven[i]) for i in places for e in self._entries[i]]
        models = {e.model for e, _ in entries}
        seen: set[int] = set()
        strangers = []
        for name, result, metric in ours:
            own = [
                (i, e, p)
                for i, (e, p) in enumerate(entries)
                # A card may call its model otherwise; of several, each has its own scores.
                if e.is_in(result) and e.is_metric(metric) and (name not in models or e.model == name)
            ]
            seen |= {i for i, _, _ in own}
            if own:
                yield self._judged(result, metric, [(e, p) for _, e, p in own])
            else:
                strangers.append((result, metric))
        missing = [e for i, (e, _) in enumerate(entries) if i not in seen] if ours else []
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


def _parts(text: str) -> tuple[str, str, str, str]:
    text = text.removeprefix("\ufeff")
    return split_front_matter(text) or ("", "", "", text)


@cache
def _since() -> re.Pattern[str]:
    """What a section says of what changed since earlier results."""
    texts = [card_text(language) for language in LANGUAGES]
    forms = {f for t in texts for f in (t.first_changed, t.first_unchanged, t.first_uncompared)}
    patterns = [".+".join(map(re.escape, re.split(r"\{\w+\}", form))) for form in sorted(forms)]
    return re.compile(rf"- (?:{'|'.join(patterns)})")


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


def _metrics(index: Any) -> Iterator[tuple[Any, Mapping[str, Any], Mapping[str, Any]]]:
    """Every metric of ``model-index`` with the model's name and the item of ``results`` that it stands in."""
    for model in index if isinstance(index, list) else ():
        results = model.get("results") if isinstance(model, dict) else None
        for result in results if isinstance(results, list) else ():
            metrics = result.get("metrics") if isinstance(result, dict) else None
            for metric in metrics if isinstance(metrics, list) else ():
                if isinstance(metric, dict):
                    yield model.get("name"), result, metric


def _type(result: Mapping[str, Any]) -> Any:
    task = result.get("task")
    return task.get("type") if isinstance(task, dict) else None


def _number(value: Any) -> str:
    """A value as it is compared; whole numbers and others of one value are the same, words and numbers are not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return repr(value)
    return repr(float(value))
