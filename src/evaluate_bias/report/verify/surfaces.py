"""Cards and reports: each is written anew with the options that it records, and compared."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from ...errors import CardError, DataError
from ...result import Result
from .. import FORMAT
from ..card.block import enclosed, imprint_in, outline
from ..card.entries import model_index_entries
from ..card.eval_results import FOLDER, eval_results_files
from ..card.first_screen import CHANGE_LINE
from ..card.front_matter import KEY, is_ours, same_model, split_front_matter
from ..card.section import Level, section
from ..card.subject import renamed, weights_of
from ..data_facts import mapping, mappings
from ..imprint import Imprint, read_imprint, result_key
from ..lines import model_name
from .comparing import (
    NOT_RECORDED,
    Check,
    Entry,
    Replay,
    Writer,
    cached,
    compare_entries,
    compare_lines,
    lines_of,
    strict_yaml,
)
from .results_file import title_of

_CARD_OPTIONS: Mapping[str, Any] = {
    "heading": 3,
    "level": "summary",
    "model": "",
    "model_index": True,
    "picture": "",
    "since": False,
}
_REPORT, _PAGE = "report.md", "report.html"
REPORT_NAMES = ("report.", "effect_sizes", "words/")
"""How the names of what a report is made of begin; it may have further pictures."""
_DATE = re.compile(r"[\d:.TZ+-]{8,35}", re.ASCII)
"""When an entry was written, which no recording holds; another text in its place is compared."""
_DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_DRAWN_ELSEWHERE = "not read: its bytes are not those drawn here, where other versions may be installed"


class UnreadError(Exception):
    """Why a surface is not compared: the one check on it."""

    def __init__(self, check: Check) -> None:
        super().__init__(check.reason)
        self.check = check


def _options(
    file: str, mark: Imprint | None, defaults: Mapping[str, Any], replays: Sequence[Replay]
) -> tuple[dict[str, Any], list[Replay]]:
    """The options that a surface records, and the measurements that it is about.

    Raises:
        UnreadError: it is of another format, its options make no sense, or not all of its results are here.
    """
    if mark is None:
        reason = "the line that says how it was written is missing or changed"
        raise UnreadError(Check(file, "", "false", reason=reason))
    if mark.format != FORMAT:
        raise UnreadError(_format_note(file, mark.format))
    try:
        options = mark.checked(defaults)
        if options.get("level", "full") not in get_args(Level) or options.get("heading", 1) not in range(
            1, 7
        ):
            raise DataError("it was written with a level that there is not")
    except DataError as error:
        raise UnreadError(Check(file, "", "false", reason=str(error))) from error
    keys = options["results"]
    by_key = {result_key(r.result): r for r in replays}
    matches = [by_key.get(key) or next((r for r in replays if key in r.keys), None) for key in keys]
    if not keys or None in matches:
        reason = f"{matches.count(None)} of the {len(keys)} results that it was written from are not here"
        raise UnreadError(Check(file, "", "not verifiable", reason=reason))
    about = list({id(r): r for r in matches if r is not None}.values())
    return options, about


def _format_note(file: str, number: int) -> Check:
    return Check(file, "", "not verifiable", reason=f"written by format {number}, texts not compared")


def _missing_notes(file: str, about: Sequence[Replay], replays: Sequence[Replay]) -> Iterator[str]:
    """A note on each measurement of the same models that a surface leaves out."""
    models = {model_name(r.result) for r in about}
    for replay in replays:
        left_out = not any(replay is r for r in about) and model_name(replay.result) in models
        if left_out and not replay.withdrawn:
            yield f"{file} does not tell of {title_of(replay.result)}, which was measured"


# --- the card ---------------------------------------------------------------------------------------------------


class CardText:
    """A model card: its section, and what that was written with.

    Args:
        file: what to call it.
        text: the card.
        replays: the measurements of the folder.

    Raises:
        UnreadError: it has no section of this format, or one of which the options or results are not known.
    """

    def __init__(self, file: str, text: str, replays: Sequence[Replay]) -> None:
        text = text.removeprefix("\ufeff")
        head, yaml_text, closing, body = split_front_matter(text) or ("", "", "", text)
        try:
            markdown = outline(body.replace("\r\n", "\n").replace("\r", "\n"))
        except CardError as error:
            raise UnreadError(Check(file, "", "false", reason=str(error))) from error
        if markdown.block is None:
            reason = "the card has no section of evaluate-bias"
            raise UnreadError(Check(file, "", "not verifiable", reason=reason))
        self.file = file
        self._lines = lines_of(markdown.block_text)
        self._first = len(lines_of(f"{head}{yaml_text}{closing}x")) + markdown.block[0]
        self.options, self.about = _options(file, imprint_in(markdown.block_text), _CARD_OPTIONS, replays)
        self._write = cached(self._section)
        self._left_out = [*_missing_notes(file, self.about, replays)]
        try:
            self._index, self._broken = strict_yaml(yaml_text, KEY), ""
        except DataError as error:
            self._index, self._broken = None, str(error)

    def _section(self, results: Sequence[Result]) -> dict[str, str]:
        """The block and the picture that these results give."""
        section_options = {name: self.options[name] for name in ("level", "heading", "picture")}
        results = self._with_model_name(results)
        text, drawing = section(results, **section_options)
        return {"section": enclosed(text, self.options, weights_of(results)), "picture": drawing}

    def _with_model_name(self, results: Sequence[Result]) -> list[Result]:
        return renamed(results, self.options["model"] or None)

    def check_section(self) -> Iterator[Check]:
        """Judge every line between the markers; of what changed since earlier results the recording says nothing."""
        places = [f"line {n}" for n in range(self._first, self._first + len(self._lines))]
        placed = list(zip(places, self._lines, strict=True))
        changes = [p for p in placed if self.options["since"] and CHANGE_LINE.fullmatch(p[1])]
        reason = "the earlier results that it compares with are not recorded here"
        yield from (Check(self.file, place, "not verifiable", x, reason=reason) for place, x in changes)
        placed = [p for p in placed if p not in changes]
        yield from compare_lines(
            self.file,
            [line for _, line in placed],
            self.about,
            lambda results: lines_of(self._write(results)["section"]),
            [place for place, _ in placed],
        )

    @property
    def picture(self) -> str:
        """Name of the picture that it shows, whoever made that; empty where it has a chart in text."""
        return str(self.options["picture"])

    def check_picture(self, text: str) -> Iterator[Check]:
        """Judge the picture that it shows."""
        return compare_lines(
            self.picture,
            lines_of(text),
            self.about,
            lambda results: lines_of(self._write(results)["picture"]),
        )

    def check_index(self) -> Iterator[Check]:
        """Judge the entries of this library in ``model-index``."""
        file = f"{self.file}, {KEY}"
        if self._broken:
            yield Check(file, "", "false", reason=self._broken)
        methods = [r.result.method for r in self.about]
        ours = [m for m in _metrics(self._index) if is_ours(m[1]) or m[2].get("type") in methods]
        for model in {id(m[0]): m[0] for m in ours}.values():
            if more := sorted(map(str, model.keys() - {"name", "results"})):
                reason = f"evaluate-bias does not write this beside a model's name: {', '.join(more)}"
                yield Check(file, str(model.get("name")), "not verifiable", reason=reason)
        names = {model_name(r) for r in self._with_model_name([r.result for r in self.about])}
        entries = []
        for m, result, metric in ours:
            written = str(m.get("name"))
            entries.append(
                _index_entry(next((n for n in names if _fits(written, n)), written), result, metric)
            )
        if ours or (self.options["model_index"] and not self._broken):
            yield from compare_entries(file, entries, self.about, self._index_entries)

    def _index_entries(self, results: Sequence[Result]) -> list[Entry]:
        entries = model_index_entries(self._with_model_name(results))
        return [_index_entry(e.model, e.result(), e.metric) for e in entries]

    def notes(self) -> Iterator[str]:
        """Say what the card leaves out, and what of it is not read."""
        yield from self._left_out
        metrics = [*_metrics(self._index)]
        ours = [str(model.get("name")) for model, result, _ in metrics if is_ours(result)]
        if (
            not ours
            and not self.options["model_index"]
            and self._index_entries([r.result for r in self.about])
        ):
            yield f"{self.file} was written without its scores in model-index"
        called = {*ours, *filter(None, [self.options["model"]])}
        if strange := sorted(called - {model_name(r.result) for r in self.about}):
            yield f"not read: whether {', '.join(strange)} is the model that was measured"
        if others := [str(m.get("type")) for _, result, m in metrics if not is_ours(result)]:
            yield f"not read: scores of others in model-index: {', '.join(dict.fromkeys(others[:12]))}"


_Metric = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]


def _metrics(index: Any) -> Iterator[_Metric]:
    """The model of every metric of ``model-index``, the item of ``results`` that it stands in, and itself."""
    for model in mappings(index):
        for result in mappings(model.get("results")):
            for metric in mappings(result.get("metrics")):
                yield model, result, metric


def _index_entry(name: str, result: Mapping[str, Any], metric: Mapping[str, Any]) -> Entry:
    """An entry of ``model-index``: what it is of, and all that it says."""
    data = mapping(result.get("dataset"))
    key = repr([name, *(data.get(k) for k in ("type", "config", "split")), metric.get("type")])
    return f"{metric.get('name')}\n{key}", {"model": name, **result, "metrics": [metric]}


def _fits(name: str, other: str) -> bool:
    """Whether a name in a card is that of a model, which may stand there without its owner."""
    owners = {n.rpartition("/")[0].casefold() for n in (name, other)} - {""}
    return same_model(name, other) and len(owners) < 2


# --- .eval_results ----------------------------------------------------------------------------------------------


class EvalResults:
    """The files of ``.eval_results``.

    Args:
        about: the measurements that the card beside them is about.
        model: what the card calls the model; empty where that is the results' own name.
    """

    def __init__(self, about: Sequence[Replay], model: str) -> None:
        self._about = about
        self._write = cached(lambda results: eval_results_files(results, model=model or None)[0])
        self.files = self._write([r.result for r in about])

    def check(self, name: str, text: str) -> Iterator[Check]:
        """Judge a file, entry by entry; nothing of one that is somebody else's.

        Args:
            name: of the file in its folder.
            text: what it holds.
        """
        file = f"{FOLDER}/{name}"

        def write(results: Sequence[Result]) -> list[Entry]:
            return _tasks(self._write(results).get(name, "[]"))

        try:
            entries = _tasks(text)
        except DataError as error:
            yield Check(file, "", "false", reason=f"it does not hold evaluation results: {error}")
            return
        tasks = {task for file_text in self.files.values() for task, _ in _tasks(file_text)}
        if "evaluate-bias" in f"{name} {text}".casefold() or any(task in tasks for task, _ in entries):
            yield from compare_entries(file, entries, self._about, write)


def _tasks(text: str) -> list[Entry]:
    """The entries of a file, without the date.

    Raises:
        DataError: it holds no list of entries.
    """
    items = strict_yaml(text)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise DataError("it is no list of entries")
    entries = []
    for item in items:
        data = mapping(item.get("dataset"))
        dated = _DATE.fullmatch(str(item.get("date")).replace(" ", "T"))
        content = {key: value for key, value in item.items() if key != "date" or not dated}
        entries.append((f"{data.get('task_id')}\n{data.get('id')}", content))
    return entries


# --- the report -------------------------------------------------------------------------------------------------


def check_report(
    files: Mapping[str, bytes], replays: Sequence[Replay], oldest: int
) -> tuple[list[Check], list[str], list[str]]:
    """Judge the files of a report, and those of a page.

    Args:
        files: what is there, by its name in the folder: all that may be of a report.
        replays: the measurements of the folder.
        oldest: format of the recording, which a report that says none has.

    Returns:
        The verdicts on every file, notes, and the names of files that are not of the report.
    """
    checks: list[Check] = []
    notes: list[str] = []
    others = [n for n in files if not n.startswith(REPORT_NAMES)]
    for head, defaults in ((_REPORT, {"all_pictures": False, "png": False}), (_PAGE, {})):
        contents = {n: c for n, c in files.items() if (n == _PAGE) == (head == _PAGE)}
        if all(name in others for name in contents):
            continue
        mark = read_imprint(lines_of(_decoded(files.get(head, b"")))[-1])
        about = [r for r in replays if not r.withdrawn] or list(replays)
        options: dict[str, Any] = {"results": [], **defaults}
        try:
            if mark is not None:
                options, about = _options(head, mark, defaults, replays)
            elif oldest != FORMAT:
                raise UnreadError(_format_note(head, oldest))
        except UnreadError as unread:
            checks += [replace(unread.check, file=name) for name in contents if name not in others]
            continue
        write = cached(partial(_write_files, head, {k: v for k, v in options.items() if k != "results"}))
        written = write([r.result for r in about])
        others = [name for name in others if name not in written]
        for name, content in contents.items():
            checks += _check_file(name, content, about, write) if name not in others else ()
        notes += _missing_notes(head, about, replays)
        if missing := sorted(name for name in written if name not in contents):
            notes.append(f"not there, although a report has it: {', '.join(missing)}")
    return checks, notes, others


def _write_files(head: str, options: Mapping[str, Any], results: Sequence[Result]) -> dict[str, bytes]:
    """All files of a report, or of a page, by name."""
    from ..html import write_html
    from ..write import write_report

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        paths = (
            write_report(results, folder, **options)
            if head == _REPORT
            else write_html(results, folder / _PAGE)
        )
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _check_file(name: str, content: bytes, about: Sequence[Replay], write: Writer[bytes]) -> Iterator[Check]:
    """Judge a text line by line, and a picture, also one within the page, by its bytes."""
    expected = write([r.result for r in about]).get(name)
    if expected is None:
        yield Check(name, "", "not verifiable", reason="the report of these results has no such file")
    elif name.endswith((".md", ".csv", ".tex", ".html")):

        def lines(content: bytes) -> tuple[str, ...]:
            text = _decoded(content)
            return lines_of(_DRAWING.sub("<svg/>", text) if name == _PAGE else text)

        yield from compare_lines(
            name, lines(content), about, lambda results: lines(write(results).get(name, b""))
        )
        if name == _PAGE and _DRAWING.findall(_decoded(content)) != _DRAWING.findall(_decoded(expected)):
            yield Check(name, "pictures", "not verifiable", reason=_DRAWN_ELSEWHERE)
    else:
        proven = all(r.proven for r in about)
        reason = _DRAWN_ELSEWHERE if content != expected else "" if proven else NOT_RECORDED
        yield Check(name, "", "not verifiable" if reason else "true", reason=reason)


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")
