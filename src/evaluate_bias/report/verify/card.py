"""A model card (section, picture, ``model-index``) and files of ``.eval_results``, held against recomputed results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any, get_args

import yaml

from ...errors import CardError, DataError
from ...files import unique_keys
from ...result import Result
from .. import FORMAT
from ..card.block import enclosed, format_of, outline
from ..card.edit import titles_in
from ..card.entries import FOLDER, TASK_TYPE, eval_results_files, model_index_entries
from ..card.front_matter import (
    FrontMatterError,
    ModelIndexEntry,
    front_matter_data,
    same_model,
    split_front_matter,
)
from ..card.score_picture import shown_picture
from ..card.section import Level, section
from ..data_facts import mapping, mappings
from ..lines import method_title, model_name
from ..texts import LANGUAGES, card_text
from .lines import Expected, Rendered, check_lines, check_numbers, leaves, lines_of, same
from .verdicts import Check, Verdict

_HEADING = re.compile(r"^(#{1,6}) ", re.MULTILINE)
_SECTION, _INDEX = "README.md", "README.md, model-index"
_DATE = re.compile(r"[\d:.TZ+-]{8,35}", re.ASCII)
"""When an entry was written, which no recording holds; another text in its place is compared."""
_PAGE = re.compile(r"https://huggingface\.co/([\w.-]+/[\w.-]+)")

_Task = tuple[str, str]
"""Data set and task of an entry of ``.eval_results``."""


class CardChecker:
    """Judges cards, and the files beside them, written from one set of results; what it renders is kept for the next.

    Args:
        expected: the results, recomputed.
    """

    def __init__(self, expected: Expected) -> None:
        self.expected = expected
        self._rendered = lru_cache(maxsize=None)(self._render)
        self._rendered_tasks = lru_cache(maxsize=None)(self._render_tasks)
        self._entries = [model_index_entries([r]) for r in expected.results]
        self._earlier = [e for old in expected.earlier for e in model_index_entries(old)]

    def card(self, text: str, picture: str | None = None) -> list[Check]:
        """Judge the text of a model card, and the picture beside it if there is one."""
        head, yaml_text, closing, body = _parts(text)
        before = len(lines_of(f"{head}{yaml_text}{closing}x")) - 1
        checks, places = self._section(body, before, picture)
        return [*checks, *self._index(yaml_text, places)]

    def left_out(self, text: str) -> list[str]:
        """What a card does not tell of the reported results of its models, and what no recording holds of it."""
        _, yaml_text, _, body = _parts(text)
        _, places = self._section(body, 0, None)
        results = self.expected.results
        names = {model_name(results[i]) for i in places}
        missing = [r for i, r in enumerate(results) if i not in places and model_name(r) in names]
        untold = [f"{r.method} of {model_name(r)}" for r in missing]
        notes = [f"the card does not tell of {one}, which was recorded" for one in untold]
        try:
            metrics = [*_metrics(front_matter_data(yaml_text))]
        except FrontMatterError:
            return notes
        called = {str(name) for name, result, _ in metrics if _is_ours(result)}
        strange = sorted(name for name in called if not any(same_model(name, own) for own in names))
        return [*notes, *(f"not read: whether {name} is the model that was measured" for name in strange)]

    # --- section ---------------------------------------------------------------------------------------------

    def _section(self, body: str, before: int, picture: str | None) -> tuple[list[Check], tuple[int, ...]]:
        """The verdicts, and the numbers of the results that the card is about."""
        everything = self.expected.choices()[0]
        try:
            outlined = outline(body.replace("\r\n", "\n").replace("\r", "\n"))
        except CardError as error:
            return [Check(_SECTION, "", "false", reason=str(error))], everything
        if outlined.block is None:
            reason = "the card has no section of evaluate-bias"
            return [Check(_SECTION, "", "not verifiable", reason=reason)], everything
        start, text = outlined.block[0], outlined.block_text
        found, shown = lines_of(text), shown_picture(text)
        wanted, drawn, places = self._best(found)
        unread = ""
        if (version := format_of(text)) != FORMAT:
            unread = f"written by format {version}, sentences not compared"
            checks = [Check(_SECTION, "", "not verifiable", reason=unread)]
            results = self.expected.only(places).results
            checks += check_numbers(_SECTION, "\n".join(found[2:-1]), wanted.lines, results)
        else:
            numbered = list(enumerate(found, before + start + 1))
            since = [(n, x) for n, x in numbered if x not in wanted.lines and _change_line().fullmatch(x)]
            reason = "the earlier results that it compares with are not recorded here"
            checks = [Check(_SECTION, f"line {n}", "not verifiable", x, reason=reason) for n, x in since]
            numbers, lines = zip(*(pair for pair in numbered if pair not in since), strict=True)
            checks += check_lines(_SECTION, lines, wanted, numbers)
            unread = "not read: the card does not show it" if drawn.lines == ("",) else ""
        if picture is not None and unread:
            checks.append(Check(shown, "", "not verifiable", reason=unread))
        elif picture is not None:
            checks += check_lines(shown, lines_of(picture), drawn)
        return checks, places

    def _best(self, found: Sequence[str]) -> tuple[Rendered, Rendered, tuple[int, ...]]:
        """The section in the language, at the level, with the picture and about the results that the card has."""
        own, text = frozenset(found), "\n".join(found)
        marks = _HEADING.search(text)
        heading = len(marks[1]) if marks else 3
        told = titles_in(text)
        choices = self.expected.choices(lambda r: method_title(r.method) in told)
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
        expected = self.expected.only(places)

        def both(results: Sequence[Result]) -> tuple[str, str]:
            key = tuple(map(id, results))
            if key not in made:
                made[key] = section(results, language=language, level=level, heading=heading, picture=picture)
            return made[key]

        return (
            Rendered.of(expected, lambda results: enclosed(both(results)[0])),
            Rendered.of(expected, lambda results: both(results)[1]),
        )

    # --- model-index -----------------------------------------------------------------------------------------

    def _index(self, yaml_text: str, places: Sequence[int]) -> Iterator[Check]:
        try:
            index = front_matter_data(yaml_text) if yaml_text else None
            _strict_yaml(yaml_text, "model-index")
        except FrontMatterError as error:
            yield Check(_INDEX, "", "not verifiable", reason=f"the card's YAML cannot be read: {error}")
            return
        except DataError as error:
            yield Check(_INDEX, "", "false", reason=str(error))
            return
        results = self.expected.results
        methods = {r.method for r in results}
        ours = [(n, r, m) for n, r, m in _metrics(index) if _is_ours(r) or m.get("type") in methods]
        proven = [any(r is p for p in self.expected.provable) for r in results]
        entries = [(e, proven[i]) for i in places for e in self._entries[i]]
        models = {e.model for e, _ in entries}
        seen: set[int] = set()
        strangers = []
        for name, result, metric in ours:
            own = [
                i
                for i, (e, _) in enumerate(entries)
                # A card may call its model otherwise; of several, each has its own scores.
                if e.is_in(result) and e.is_metric(metric) and (name not in models or e.model == name)
            ]
            if own and seen.issuperset(own):
                yield Check(_INDEX, str(metric.get("name")), "false", reason="this score stands there twice")
            elif own:
                yield self._judged(result, metric, [entries[i] for i in own])
            else:
                strangers.append((result, metric))
            seen |= set(own)
        missing = [e for i, (e, _) in enumerate(entries) if i not in seen] if ours else []
        for result, metric in strangers:
            # Where one of ours is missing, this is the one, changed.
            said = _written(metric, "false" if missing else "not verifiable")
            stranger = Check(_INDEX, *said, reason="the recorded results have no such score")
            yield self._older(result, metric) or stranger
        for entry in missing:
            yield Check(_INDEX, entry.metric_name, "false", "", repr(entry.value), "this score is missing")

    def _judged(self, result: Any, metric: Any, own: Sequence[tuple[ModelIndexEntry, bool]]) -> Check:
        """The verdict on an entry as a whole: the score, what it is of, and nothing beside it."""
        fits = [proven for e, proven in own if not _difference(result, metric, e)]
        if any(fits):
            return Check(_INDEX, *_written(metric, "true"), repr(metric.get("value")))
        if fits:
            reason = "the scores behind it were not recorded"
            return Check(_INDEX, *_written(metric, "not verifiable"), reason=reason)
        differs = _difference(result, metric, own[0][0])
        return self._older(result, metric) or Check(_INDEX, str(metric.get("name")), "false", *differs)

    def _older(self, result: Any, metric: Any) -> Check | None:
        old = (e for e in self._earlier if e.is_in(result) and e.is_metric(metric))
        if any(not _difference(result, metric, e) for e in old):
            return Check(_INDEX, *_written(metric, "stale"), reason="an earlier result gives this score")
        return None

    # --- .eval_results ---------------------------------------------------------------------------------------

    def eval_results(self, name: str, text: str) -> list[Check]:
        """Judge a file of ``.eval_results``, entry by entry; those that no recorded result gives are of others."""
        file = f"{FOLDER}/{name}"
        try:
            read = _strict_yaml(text)
            entries, model = _by_task(read), _model(read)
        except (DataError, ValueError, TypeError, KeyError, AttributeError) as error:
            why = (str(error).splitlines() or [type(error).__name__])[0][:200]
            return [Check(file, "", "false", reason=f"it does not hold evaluation results: {why}")]
        made = [self._rendered_tasks(name, model, places) for places in self.expected.choices()]

        def likeness(wanted: Mapping[_Task, Rendered]) -> tuple[int, int, bool]:
            same_lines = sum(wanted[k].lines == v for k, v in entries.items() if k in wanted)
            return same_lines, len(entries.keys() & wanted), bool(wanted)

        # Of several models each has its own file of this name.
        wanted = max(made, key=likeness)
        missing = [task for task in wanted if task not in entries]
        checks: list[Check] = []
        for task, lines in entries.items():
            if task in wanted:
                checks += (replace(c, place=task[1]) for c in check_lines(file, lines, wanted[task]))
            elif any(task in _tasks(old, name, model) for old in self.expected.earlier):
                checks.append(Check(file, task[1], "stale", reason="an earlier result gives this entry"))
            else:
                # Where one of ours is missing, this is the one, changed.
                verdict: Verdict = "false" if missing else "not verifiable"
                checks.append(Check(file, task[1], verdict, reason="the recorded results have no such score"))
        return [*checks, *(Check(file, t[1], "false", reason="this score is missing") for t in missing)]

    def _render_tasks(self, name: str, model: str | None, places: tuple[int, ...]) -> dict[_Task, Rendered]:
        expected = self.expected.only(places)

        def text_of(task: _Task, results: Sequence[Result]) -> str:
            return "\n".join(_tasks(results, name, model).get(task, ()))

        tasks = _tasks(expected.results, name, model)
        return {task: Rendered.of(expected, partial(text_of, task)) for task in tasks}


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
    for model in mappings(index):
        for result in mappings(model.get("results")):
            for metric in mappings(result.get("metrics")):
                yield model.get("name"), result, metric


def _is_ours(result: Mapping[str, Any]) -> bool:
    return mapping(result.get("task")).get("type") == TASK_TYPE


@cache
def _change_line() -> re.Pattern[str]:
    """The line of a section that says what changed since results that are not recorded here."""
    texts = [card_text(language) for language in LANGUAGES]
    forms = {f for t in texts for f in (t.first_changed, t.first_unchanged, t.first_uncompared)}
    patterns = [".+".join(map(re.escape, re.split(r"\{\w+\}", form))) for form in sorted(forms)]
    return re.compile(rf"- (?:{'|'.join(patterns)})")


def _written(metric: Any, verdict: Verdict) -> tuple[str, Verdict, str]:
    """What a score of ``model-index`` is called, a verdict on it, and what stands there."""
    return str(metric.get("name")), verdict, repr(metric.get("value"))


def _tasks(results: Sequence[Result], name: str, model: str | None) -> dict[_Task, tuple[str, ...]]:
    return _by_task(_strict_yaml(eval_results_files(results, model=model)[0].get(name, "[]")))


def _by_task(entries: Any) -> dict[_Task, tuple[str, ...]]:
    """What the entries of a file say, line by line."""
    found: dict[_Task, tuple[str, ...]] = {}
    for entry in entries or ():
        task = str(entry["dataset"]["id"]), str(entry["dataset"]["task_id"])
        if task in found:
            raise ValueError(f"the task {task[1]} stands there twice")
        said = dict(entry)
        if _DATE.fullmatch(str(said.get("date")).replace(" ", "T")):
            del said["date"]
        found[task] = lines_of(yaml.safe_dump(said, sort_keys=True, allow_unicode=True, width=1000))
    return found


def _model(entries: Any) -> str | None:
    """The Hub id of the model whose page the sources name."""
    sources = (mapping(entry.get("source")) for entry in mappings(entries))
    pages = (_PAGE.fullmatch(str(source.get("url"))) for source in sources)
    return next((page[1] for page in pages if page is not None), None)


class _StrictLoader(yaml.SafeLoader):
    """Refuses what other readers of YAML may read otherwise."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        whole = partial(self.construct_object, deep=True)
        return unique_keys([(whole(key), whole(value)) for key, value in node.value])


_StrictLoader.add_constructor("tag:yaml.org,2002:map", _StrictLoader.construct_mapping)


def _strict_yaml(text: str, key: str = "") -> Any:
    """Read YAML in which no key stands twice, or what stands under one of its keys, ``None`` where that is not there.

    Raises:
        DataError: a key stands there twice, or it is no YAML that can be read.

    Examples:
        >>> _strict_yaml("a: {value: 1.5}", "a")
        {'value': 1.5}
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if key and node is not None:
            node = next((value for name, value in node.value if name.value == key), None)
        return None if node is None else _StrictLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"it is no YAML that can be read: {' '.join(str(error).split())[:200]}") from error
