"""The section of a model card, its picture and its ``model-index``, held against recomputed results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, get_args

from ...errors import CardError, DataError
from ...registry import METHODS
from ...result import Result
from .. import FORMAT
from ..card.block import enclosed, format_of, outline
from ..card.entries import TASK_TYPE, model_index_entries
from ..card.front_matter import (
    FrontMatterError,
    ModelIndexEntry,
    front_matter_data,
    same_model,
    split_front_matter,
)
from ..card.score_picture import shown_picture
from ..card.section import Level, section
from ..escape import markdown
from ..lines import model_name
from ..texts import LANGUAGES, card_text
from .lines import Expected, Rendered, check_lines, check_numbers, lines_of
from .raw import leaves, same, strict_yaml
from .verdicts import Check, Verdict

_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
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
        """What the card does not tell of the reported results of its models, and what no recording holds of it."""
        _, yaml_text, _, body = _parts(text)
        _, places = self._section(body, 0, None)
        results = self._expected.results
        names = {model_name(results[i]) for i in places}
        missing = [r for i, r in enumerate(results) if i not in places and model_name(r) in names]
        notes = [
            f"the card does not tell of {r.method} of {model_name(r)}, which was recorded" for r in missing
        ]
        try:
            called = {
                str(name) for name, result, _ in _metrics(front_matter_data(yaml_text)) if _is_ours(result)
            }
        except FrontMatterError:
            return notes
        strange = sorted(name for name in called if not any(same_model(name, own) for own in names))
        return [*notes, *(f"not read: whether {name} is the model that was measured" for name in strange)]

    # --- section ---------------------------------------------------------------------------------------------

    def _section(self, body: str, before: int, picture: str | None) -> tuple[list[Check], tuple[int, ...]]:
        """The verdicts, and the numbers of the results that the card is about."""
        everything = self._expected.choices()[0]
        try:
            outlined = outline(body.replace("\r\n", "\n").replace("\r", "\n"))
        except CardError as error:
            return [Check(_SECTION, "", "false", "", "", str(error))], everything
        if outlined.block is None:
            reason = "the card has no section of evaluate-bias"
            return [Check(_SECTION, "", "not verifiable", "", "", reason)], everything
        start, text = outlined.block[0], outlined.block_text
        found = lines_of(text)
        wanted, drawn, places = self._best(found)
        if (version := format_of(text)) != FORMAT:
            reason = f"written by format {version}, sentences not compared"
            checks = [Check(_SECTION, "", "not verifiable", "", "", reason)]
            results = self._expected.only(places).results
            checks += check_numbers(_SECTION, "\n".join(found[2:-1]), wanted.lines, results)
            if picture is not None:
                checks.append(Check(shown_picture(text), "", "not verifiable", "", "", reason))
            return checks, places
        numbered = list(enumerate(found, before + start + 1))
        since = [(n, x) for n, x in numbered if x not in wanted.lines and _change_line().fullmatch(x)]
        reason = "the earlier results that it compares with are not recorded here"
        checks = [Check(_SECTION, f"line {n}", "not verifiable", line, "", reason) for n, line in since]
        numbers, lines = zip(*(pair for pair in numbered if pair not in since), strict=True)
        checks += check_lines(_SECTION, lines, wanted, numbers)
        if picture is not None and drawn.lines != ("",):
            checks += check_lines(shown_picture(text), lines_of(picture), drawn)
        elif picture is not None:
            reason = "not read: the card does not show it"
            checks.append(Check(shown_picture(text), "", "not verifiable", "", "", reason))
        return checks, places

    def _best(self, found: Sequence[str]) -> tuple[Rendered, Rendered, tuple[int, ...]]:
        """The section in the language, at the level, with the picture and about the results that the card has."""
        own, text = frozenset(found), "\n".join(found)
        marks = _HEADING.search(text)
        heading = len(marks[1]) if marks else 3
        choices = self._expected.choices(
            lambda r: r.method in METHODS and f"<summary>{markdown(METHODS[r.method].title)}" in text
        )
        settings = [
            (language, level, heading, picture)
            for picture in (shown_picture(text), "")
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
        self, places: tuple[int, ...], language: str, level: Level, heading: int, picture: str
    ) -> tuple[Rendered, Rendered]:
        made: dict[tuple[int, ...], tuple[str, str]] = {}
        expected = self._expected.only(places)

        def both(results: Sequence[Result]) -> tuple[str, str]:
            key = tuple(map(id, results))
            if key not in made:
                own = section(results, language=language, level=level, heading=heading, picture=picture)
                made[key] = enclosed(own.text), own.picture
            return made[key]

        return (
            Rendered.of(expected, lambda results: both(results)[0]),
            Rendered.of(expected, lambda results: both(results)[1]),
        )

    # --- model-index -----------------------------------------------------------------------------------------

    def _index(self, yaml_text: str, places: Sequence[int]) -> Iterator[Check]:
        try:
            index = front_matter_data(yaml_text) if yaml_text else None
            strict_yaml(yaml_text, "model-index")
        except FrontMatterError as error:
            yield Check(_INDEX, "", "not verifiable", "", "", f"the card's YAML cannot be read: {error}")
            return
        except DataError as error:
            yield Check(_INDEX, "", "false", "", "", str(error))
            return
        methods = {r.method for r in self._expected.results}
        ours = [(n, r, m) for n, r, m in _metrics(index) if _is_ours(r) or m.get("type") in methods]
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
            if own and all(i in seen for i, _, _ in own):
                yield Check(_INDEX, str(metric.get("name")), "false", "", "", "this score stands there twice")
            elif own:
                yield self._judged(result, metric, [(e, p) for _, e, p in own])
            else:
                strangers.append((result, metric))
            seen |= {i for i, _, _ in own}
        missing = [e for i, (e, _) in enumerate(entries) if i not in seen] if ours else []
        for result, metric in strangers:
            yield self._stranger(result, metric, bool(missing))
        for entry in missing:
            yield Check(_INDEX, entry.metric_name, "false", "", repr(entry.value), "this score is missing")

    def _judged(self, result: Any, metric: Any, own: Sequence[tuple[ModelIndexEntry, bool]]) -> Check:
        """The verdict on an entry as a whole: the score, what it is of, and nothing beside it."""
        name, shown = str(metric.get("name")), repr(metric.get("value"))
        fits = [proven for e, proven in own if not _difference(result, metric, e)]
        if any(fits):
            return Check(_INDEX, name, "true", shown, shown)
        if fits:
            return Check(_INDEX, name, "not verifiable", shown, "", "the scores behind it were not recorded")
        older = self._older(result, metric)
        return older or Check(_INDEX, name, "false", *_difference(result, metric, own[0][0]))

    def _older(self, result: Any, metric: Any) -> Check | None:
        name, shown = str(metric.get("name")), repr(metric.get("value"))
        old = (e for e in self._earlier if e.is_in(result) and e.is_metric(metric))
        if any(not _difference(result, metric, e) for e in old):
            return Check(_INDEX, name, "stale", shown, "", "an earlier result gives this score")
        return None

    def _stranger(self, result: Any, metric: Any, has_gaps: bool) -> Check:
        older = self._older(result, metric)
        if older is not None:
            return older
        name, shown = str(metric.get("name")), repr(metric.get("value"))
        # Where one of ours is missing, this is the one, changed.
        verdict: Verdict = "false" if has_gaps else "not verifiable"
        return Check(_INDEX, name, verdict, shown, "", "the recorded results have no such score")


def _difference(result: Mapping[str, Any], metric: Any, entry: ModelIndexEntry) -> tuple[str, ...]:
    """What an entry has that is not as it is written, and as it is; nothing where all is."""
    there = {**result, "metrics": [metric]}
    different = ((path, a, b) for path, a, b in leaves(there, entry.result()) if not same(a, b))
    found = next(different, None)
    return () if found is None else tuple(map(repr, found[1:]))


def _parts(text: str) -> tuple[str, str, str, str]:
    text = text.removeprefix("\ufeff")
    return split_front_matter(text) or ("", "", "", text)


def _metrics(index: Any) -> Iterator[tuple[Any, Mapping[str, Any], Mapping[str, Any]]]:
    """Every metric of ``model-index`` with the model's name and the item of ``results`` that it stands in."""
    for model in index if isinstance(index, list) else ():
        results = model.get("results") if isinstance(model, dict) else None
        for result in results if isinstance(results, list) else ():
            metrics = result.get("metrics") if isinstance(result, dict) else None
            for metric in metrics if isinstance(metrics, list) else ():
                if isinstance(metric, dict):
                    yield model.get("name"), result, metric


def _is_ours(result: Mapping[str, Any]) -> bool:
    task = result.get("task")
    return isinstance(task, dict) and task.get("type") == TASK_TYPE


@cache
def _change_line() -> re.Pattern[str]:
    """The line of a section that says what changed since results that are not recorded here."""
    texts = [card_text(language) for language in LANGUAGES]
    forms = {f for t in texts for f in (t.first_changed, t.first_unchanged, t.first_uncompared)}
    patterns = [".+".join(map(re.escape, re.split(r"\{\w+\}", form))) for form in sorted(forms)]
    return re.compile(rf"- (?:{'|'.join(patterns)})")
