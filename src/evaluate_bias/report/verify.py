"""Write the card, the report and the page of a folder again from its results, and list each line that differs."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from .. import api
from ..data.table_files import sources_named_by
from ..errors import BiasError, CardError, DataError, InputError
from ..experiments.sources import RESULTS_FILE, read_results
from ..experiments.store import STORE_FILE
from ..files import is_inside, open_regular, short_path
from ..models.load import load_model
from ..options import check_arguments
from ..provenance import NO_MODEL, software_versions
from ..registry import get_method
from ..result import Result
from ..text import joined
from .card.block import enclosed, outline
from .card.entries import model_index_entries
from .card.eval_results import FILES, FOLDER, eval_results_files, read_entries, undated
from .card.front_matter import FrontMatterError, front_matter_data, is_ours, same_model, split_front_matter
from .card.section import CHANGE_LINE, section
from .card.subject import renamed
from .data_facts import mapping, mappings, outdated, result_note
from .lines import model_name
from .reading import read_not_measured
from .written import FILE, CardOptions, ReportOptions, Written, parse_written, read_written, result_key

_EXCERPT = 160
"""Characters shown of a line, around the first that differs."""
_OF_RUNS = (RESULTS_FILE, STORE_FILE, FILE, "logs", *(f"{STORE_FILE}-{end}" for end in ("wal", "shm")))
_TOLERANCE, _ACCELERATOR_TOLERANCE = 1e-6, 1e-3
"""How far, as a share of its size, a number measured again may differ from the recorded one. On an accelerator, whose
kernels and batches round in another order, the larger value also applies as an absolute difference."""
_HOW_LOADED = (
    "kind",
    "dtype",
    "architecture",
    "tokenizer",
    "system",
    "thinking",
    "reasoning_effort",
    "extra_body",
)
"""Parts of the provenance of a model by which it is seen that it was loaded with other options."""
_NOT_COMPARED = ("settings", "provenance", "warnings", "skipped", "date")
"""Parts of a result that are not numbers. Of the provenance the checksums are compared."""


@dataclass(frozen=True, slots=True)
class DifferingLine:
    """A line that is not as it is written from the results.

    Attributes:
        file: the name of the file, with the part of it.
        place: the line, or the value. Empty for the whole file.
        actual: what is there. Empty if the line is missing.
        expected: what is written from the results. Empty if the line should not be there.
    """

    file: str
    place: str
    actual: str
    expected: str


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """What was compared, and what differs.

    Attributes:
        compared: the number of lines that were compared, by file.
        differences: each line that differs.
        unchecked: what could not be checked, a sentence each.
        notes: what was not read or is missing, a sentence each.
    """

    compared: Mapping[str, int]
    differences: tuple[DifferingLine, ...]
    unchecked: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def verdict(self) -> Literal["true", "differs", "not checked"]:
        """``"differs"`` if a line differs, else ``"not checked"`` if anything could not be checked."""
        return (
            "differs"
            if self.differences
            else "not checked"
            if self.unchecked or not self.compared
            else "true"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict and all its parts, as JSON has them."""
        return {"verdict": self.verdict, **asdict(self)}

    def __repr__(self) -> str:
        counts = f"{sum(self.compared.values())} lines compared, {len(self.differences)} differ"
        return f"<Verification {self.verdict}: {counts}>"


def verify(folder: str | Path, *, card: str | Path | None = None, measure: bool = False) -> Verification:
    """Write card, report and page of a folder again from its results, and compare each line.

    ``evaluate-bias.json`` next to them says with which options they were written. Of a card, only the section between
    the markers, its picture and its own scores in the YAML and in ``.eval_results`` are compared. If all lines agree,
    the texts follow from the results. Only ``measure`` tells whether the model gave these results.

    Args:
        folder: the folder of the results.
        card: the card, if it is not ``README.md`` in the folder.
        measure: also run the results again, with their own options, and compare the numbers within 1e-6 of their size,
            or within 1e-3 if a GPU or another accelerator measured one of the two.

    Returns:
        The lines that differ, what could not be checked, and what was not read.

    Raises:
        InputError: the folder or card does not exist.
        DataError: the results or ``evaluate-bias.json`` cannot be read.

    Examples:
        >>> import tempfile
        >>> import evaluate_bias as eb
        >>> result = eb.Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = Path(folder) / "README.md"
        ...     _ = (page.with_name("results.jsonl").write_text(result.to_json()), eb.card(result, page))
        ...     whole = verify(folder).verdict
        ...     _ = page.write_text(page.read_text().replace("0.10", "0.01"))
        ...     whole, verify(folder).verdict
        ('true', 'differs')
    """
    check_arguments(verify, folder=folder, card=card, measure=measure)
    place = Path(folder)
    if not os.path.isdir(place):  # noqa: PTH112 (Path.is_dir raises for a name that is too long)
        raise InputError(f"{short_path(place)} is not a folder: give the folder of the results")
    page = place / "README.md" if card is None else Path(card)
    if card is not None and not os.path.isfile(page):  # noqa: PTH113
        raise InputError(f"no card at {short_path(page)}")
    return _FolderCheck(place, page).run(measure=measure)


class _FolderCheck:
    """The comparison of one folder."""

    def __init__(self, place: Path, page: Path) -> None:
        self.place, self.page = place, page
        for name in (RESULTS_FILE, STORE_FILE):
            if not is_inside(place / name, place):
                raise InputError(f"{name} in {short_path(place)} is a link out of the folder: copy the file")
        self.results = read_results(place)
        self.compared: dict[str, int] = {}
        self.differences: list[DifferingLine] = []
        self.unchecked: list[str] = []
        self.notes: list[str] = []
        self.read_files: set[Path] = set()

    def run(self, *, measure: bool) -> Verification:
        """Compare everything that is there."""
        if (self.place / STORE_FILE).exists() and (self.place / RESULTS_FILE).exists():
            view = "".join(f"{result.to_json()}\n" for result in self.results)
            self.compare(RESULTS_FILE, self.text(self.place / RESULTS_FILE), view)
        surfaces: dict[Path, Callable[[Path, Written, list[Result]], None]] = {
            self.place / "report.md": self.report,
            self.place / "report.html": self.report,
            self.page: self.card,
        }
        for path, compare in surfaces.items():
            file = path.with_name(FILE)
            text = read_written(path.parent) if is_inside(file, path.parent) else ""
            written = parse_written(text, short_path(file)).get(path.name)
            if not path.exists():
                self.notes += [f"{path.name} is not there"] if written else []
            elif written is None:
                if path != self.page or "evaluate-bias:" in self.text(path):
                    how = f"{FILE} does not say how it was written"
                    self.unchecked.append(f"{path.name}: {how}. Write it again, then verify")
            elif (about := self.about(path.name, written)) is not None:
                compare(path, written, about)
        for result in self.results if measure else ():
            self.measure(result)
        names = [p.name for p in sorted(self.place.iterdir()) if not (p.name in _OF_RUNS or p.name[0] == ".")]
        unread = [n for n in names if not any((self.place / n) in (p, p.parent) for p in self.read_files)]
        self.notes += [f"not read: {', '.join(unread[:12])}{' …' * (len(unread) > 12)}"] if unread else []
        return Verification(self.compared, (*self.differences,), (*self.unchecked,), (*self.notes,))

    # --- comparing ------------------------------------------------------------------------------------------------

    def text(self, path: Path) -> str:
        """Return the text of a file. If its path leads out of the folder, return an empty string and report it."""
        self.read_files.add(path)
        if not is_inside(path, path.parent):
            self.unchecked.append(f"{path.name} is a link out of the folder: it was not read")
            return ""
        with open_regular(path) as file:
            return file.read().decode("utf-8", "replace")

    def compare(
        self, file: str, actual: str | Sequence[str], expected: str | Sequence[str], *, first: int = 1
    ) -> None:
        """Compare line by line, except whitespace at the ends of lines. ``first`` is the number of the first line.

        Of entries, which are lists of lines, those that nothing here accounts for may be of results elsewhere.
        """
        a, b = (_lines(text) if isinstance(text, str) else text for text in (actual, expected))
        self.compared[file] = len(b)
        for kind, a1, a2, b1, b2 in SequenceMatcher(None, a, b).get_opcodes():
            if kind == "delete" and not isinstance(actual, str):
                self.unchecked += [
                    f"{file}: these results do not give {_excerpt(x, '')[0]}" for x in a[a1:a2]
                ]
            elif kind != "equal":
                for i, (x, y) in enumerate(zip_longest(a[a1:a2], b[b1:b2], fillvalue="")):
                    place = f"line {first + min(a1 + i, a2)}" if isinstance(actual, str) else ""
                    self.differences.append(DifferingLine(file, place, *_excerpt(x, y)))

    def about(self, name: str, written: Written) -> list[Result] | None:
        """Return the results that a file is about. If some are missing, return ``None`` and report it."""
        by_key = {result_key(result): result for result in self.results}
        if missing := [key for key in written.results if key not in by_key]:
            count = f"{len(missing)} of the {len(written.results)} results that it was written from"
            self.unchecked.append(f"{name}: {count} are not in the folder")
            return None
        about = [by_key[key] for key in dict.fromkeys(written.results)]
        models = {model_name(result) for result in about}
        left_out = [
            r.method for r in self.results if model_name(r) in models and result_key(r) not in written.results
        ]
        self.notes += [f"{name} does not show {', '.join(left_out)} of the same model"] if left_out else []
        self.check_not_measured(name, written, models)
        here = software_versions(*written.versions)
        if others := [f"{p} {v} (here {here[p]})" for p, v in written.versions.items() if here[p] != v]:
            self.notes.append(f"{name} was written with {', '.join(others)}, which may explain differences")
        return about

    def check_not_measured(self, name: str, written: Written, models: Collection[str]) -> None:
        """Compare what a file says that the run could not measure with the store, if the folder has one."""
        if written.not_measured and not (self.place / STORE_FILE).exists():
            self.notes.append(f"{name} says what was not measured, which only {STORE_FILE} can confirm")
            return
        in_store = read_not_measured(self.place)
        if unconfirmed := [one.method for one in written.not_measured if one not in in_store]:
            names = joined(list(dict.fromkeys(unconfirmed)))
            self.unchecked.append(
                f"{name} says why {names} was not measured, and {STORE_FILE} does not. Write it again, then verify"
            )
        unnamed = [one for one in in_store if one.model in models and one not in written.not_measured]
        if unnamed:
            names = joined(list(dict.fromkeys(one.method for one in unnamed)))
            self.notes.append(f"{name} does not say that {names} could not be measured")

    # --- report and page ------------------------------------------------------------------------------------------

    def report(self, path: Path, written: Written, about: list[Result]) -> None:
        """Compare all files of a report, or a page."""
        from .html import write_html
        from .write import write_report

        with TemporaryDirectory() as temporary:
            if isinstance(written.options, ReportOptions):
                options = dict(written.options)
                paths = write_report(about, Path(temporary), **options, not_measured=written.not_measured)
            else:
                paths = write_html(about, Path(temporary, path.name), not_measured=written.not_measured)
            for made in paths:
                name = made.relative_to(temporary).as_posix()
                here = self.place / name
                if name == FILE:
                    continue
                if not here.exists():
                    self.notes.append(f"{name} is not there, although {path.name} was written with it")
                elif made.suffix in (".svg", ".png"):
                    self.read_files.add(here)
                    self.compared[name] = 1
                    if not is_inside(here, self.place) or here.read_bytes() != made.read_bytes():
                        self.differences.append(
                            DifferingLine(name, "", "another picture", "the picture of these results")
                        )
                else:
                    self.compare(name, self.text(here), made.read_text(encoding="utf-8"))

    # --- the card -------------------------------------------------------------------------------------------------

    def card(self, path: Path, written: Written, about: list[Result]) -> None:
        """Compare the section of a card, its picture, and its scores in the YAML and in ``.eval_results``."""
        from huggingface_hub.repocard_data import eval_results_to_model_index

        options = written.options
        if not isinstance(options, CardOptions):
            self.unchecked.append(f"{path.name}: {FILE} does not say how a card was written")
            return
        text = self.text(path).removeprefix("\ufeff")
        self.notes.append(f"not read: what is in {path.name} outside the section and its own scores")
        head, yaml_text, closing, body = split_front_matter(text) or ("", "", "", text)
        results = renamed(about, options.model or None)
        made, drawing = section(
            results,
            heading=options.heading,
            picture=options.picture,
            not_measured=written.not_measured,
        )
        try:
            markdown = outline(body)
        except CardError as error:
            self.differences.append(
                DifferingLine(path.name, "", str(error), "one section between its markers")
            )
            return
        lines = _lines(markdown.block_text)
        if options.since and (changes := [line for line in lines if CHANGE_LINE.fullmatch(line)]):
            lines = [line for line in lines if line not in changes]
            self.unchecked += [f"{path.name}, what changed since earlier results: {line}" for line in changes]
        first = len(_lines(f"{head}{yaml_text}{closing}x")) + (markdown.block or (0, 0))[0]
        self.compare(path.name, "\n".join(lines), enclosed(made), first=first)
        if options.picture:
            picture = path.parent / Path(options.picture).name
            if picture.exists():
                self.compare(picture.name, self.text(picture), drawing)
            else:
                self.notes.append(f"{picture.name} is not there, although {path.name} shows it")
        try:
            actual = [*_scores(front_matter_data(yaml_text), {model_name(result) for result in results})]
        except FrontMatterError as error:
            actual = [str(error)]
        entries = model_index_entries(results) if options.model_index else {}
        indexes = [eval_results_to_model_index(name, scores) for name, scores in entries.items()]
        expected = [*_scores([model for index in indexes for model in index])]
        if actual or expected:
            self.compare(f"{path.name}, model-index", sorted(actual), sorted(expected))
        if options.eval_results:
            self.eval_results(path.parent, eval_results_files(about, model=options.model or None)[0])

    def eval_results(self, folder: Path, made: Mapping[str, str]) -> None:
        """Compare the entries of ``.eval_results``, but for their dates."""
        files = {p.name: self.text(p) for p in sorted((folder / FOLDER).glob(FILES)) if is_inside(p, folder)}
        for name in dict.fromkeys([*made, *files]):
            try:
                actual = [_json(undated(entry)) for entry in read_entries(name, files.get(name, ""))]
            except CardError as error:
                actual = [str(error)]
            expected = [_json(undated(entry)) for entry in read_entries(name, made.get(name, ""))]
            self.compare(f"{FOLDER}/{name}", sorted(actual), sorted(expected))
        self.notes += [f"not read: the dates in {FOLDER}"] if files else []

    # --- measuring again ------------------------------------------------------------------------------------------

    def measure(self, result: Result) -> None:
        """Run a result again, and compare its numbers, model and data."""
        title = f"{result.method} of {model_name(result)}"
        try:
            again = _measure_again(result, self.place)
        except BiasError as error:
            self.unchecked.append(f"{title} cannot be measured again: {error}")
            return
        first, second = (mapping(one.provenance.get("model")) for one in (result, again))
        if others := [name for name in _HOW_LOADED if first.get(name) != second.get(name)]:
            how = f"its model was loaded with another {joined(others)}"
            self.unchecked.append(f"{title} cannot be measured again: {how}")
            return
        devices = [str(one.get("device") or "cpu") for one in (first, second)]
        how_near = {"rel_tol": _TOLERANCE}
        if set(devices) != {"cpu"}:
            how_near = {"rel_tol": _ACCELERATOR_TOLERANCE, "abs_tol": _ACCELERATOR_TOLERANCE}
            where = f"it was measured on {devices[0]} and now on {devices[1]}"
            self.notes.append(
                f"{title}: {where}, so its numbers are compared within {_ACCELERATOR_TOLERANCE:g}"
            )
        was, now = _comparable(result), _comparable(again)
        self.compared[title] = len(was)
        for place in dict.fromkeys([*was, *now]):
            x, y = was.get(place), now.get(place)
            numbers = all(isinstance(v, (int, float)) for v in (x, y))
            if x != y and not (numbers and math.isclose(x, y, **how_near)):  # type: ignore[arg-type]
                self.differences.append(DifferingLine(title, place, *_excerpt(_json(x), _json(y))))


def _measure_again(result: Result, folder: Path) -> Result:
    """Measure with the model, data and options that a result records. A data file may be in the folder.

    Raises:
        BiasError: it does not record them, or measuring fails.
    """
    if old := outdated(result):
        raise DataError(old)
    record = get_method(result.method)
    model, data = ({**(result.provenance.get(name) or {})} for name in ("model", "dataset"))
    known = {**record.options(), **record.data_choices()}
    settings = {
        name: value["source"]
        if isinstance(value, dict) and "source" in value
        else value  # a list that was loaded
        for name, value in result.settings.items()
        if name in known or name == "limit"
    }
    options = {k: v for k, v in data.items() if k in record.data_choices()} | settings
    if "given by the caller" in (data.get("source"), model.get("kind")):
        raise DataError("its data were given by the caller, and are not recorded")
    if (note := result_note(result)) is not None and note.hub_id == record.dataset:
        options.pop("source", None)
    source = str(options.get("source"))
    if not Path(source).exists() and is_inside(folder / source, folder) and (folder / source).is_file():
        options["source"] = str(folder / source)
    spec = None
    if model.get("name") != NO_MODEL:
        served = str(model.get("source")).startswith(("endpoint:", "inspect:"))
        spec = model.get("asset") or model["source" if served else "name"]
    # What is loaded by default is float32, or what the weights are quantised to.
    names = ("revision", "dtype") if model.get("dtype") in ("bfloat16", "float16") else ("revision",)
    checksums = set(re.findall(r'"([0-9a-f]{64})"', result.to_json()))
    with sources_named_by("the result", checksums):
        loaded = None if spec is None else load_model(spec, **{k: model[k] for k in names if k in model})
        return api.measure(result.method, loaded, **options)


def _flatten_values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a nested structure, with its path."""
    if isinstance(value, (dict, list)) and value:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flatten_values(part, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _comparable(result: Result) -> dict[str, Any]:
    """Return what a second measurement gives again: all numbers, and the checksums of model and data."""
    facts = result.to_dict()
    for part in ("model", "dataset"):
        origin = mapping(facts["provenance"].get(part)).items()
        facts[part] = {k: v for k, v in origin if "sha256" in k or k == "revision"}
    return dict(_flatten_values({k: v for k, v in facts.items() if k not in _NOT_COMPARED}))


def _lines(text: str) -> list[str]:
    """Return lines without trailing spaces and tabs, and without empty lines at the end of the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip(" \t\n")
    return [line.rstrip(" \t") for line in text.split("\n")]


def _excerpt(actual: str, expected: str) -> tuple[str, str]:
    """Return both lines or, if they are long, the parts around the first character that differs."""
    if max(len(actual), len(expected)) <= _EXCERPT:
        return actual, expected
    same = next((i for i, (x, y) in enumerate(zip(actual, expected, strict=False)) if x != y), 0)
    start = max(0, same - _EXCERPT // 3)
    a, b = (
        f"{'…' * (start > 0)}{x[start : start + _EXCERPT]}{'…' * (len(x) > start + _EXCERPT)}" if x else ""
        for x in (actual, expected)
    )
    return a, b


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _scores(index: Any, names: Collection[str] = ()) -> Iterator[str]:
    """Yield each score of this library in ``model-index`` as a line, with all that is said about it.

    A model may be called there without its owner, or with other capitals, than its results call it.
    """
    for model in mappings(index):
        written = str(model.get("name"))
        of_model = {**model, "name": next((n for n in names if _is_called(n, written)), written)}
        for result in filter(is_ours, mappings(of_model.pop("results", None))):
            for metric in mappings(result.get("metrics")):
                yield _json({"model": of_model, **result, "metrics": metric})


def _is_called(name: str, written: str) -> bool:
    owners = {n.rpartition("/")[0].casefold() for n in (name, written)} - {""}
    return same_model(name, written) and len(owners) < 2
