"""Compare a file line by line with the same written from recomputed results; and read YAML as every reader does."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import zip_longest
from typing import Any, Literal, TypeVar, get_args

import yaml

from ...errors import DataError
from ...files import unique_keys
from ...result import Result
from ...text import one_line
from ..card.front_matter import shares_nodes
from ..escape import markdown
from ..table import Cell, Table, table_of

NOT_RECORDED = "the scores behind it were not recorded, or give no result any more"

Lines = Sequence[str]
Entry = tuple[str, Any]
"""What an entry is of, its first line for people, and all that it says."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A measurement of a folder.

    Attributes:
        result: what surfaces are written anew from: the recorded result where the same is computed again, to rounding;
            else the one computed now; the stored one where none can be computed.
        proven: whether it could be computed again.
        earlier: results of the same measurement that it replaced, the latest first.
        keys: by which surfaces name it, see :func:`~evaluate_bias.report.imprint.result_key`.
        withdrawn: whether it was recorded and the file of results has it no more.
    """

    result: Result
    proven: bool
    earlier: tuple[Result, ...] = ()
    keys: frozenset[str] = frozenset()
    withdrawn: bool = False


def lines_of(text: str) -> tuple[str, ...]:
    """Lines without blanks and tabs at their ends, and without empty lines at the end of the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip(" \t\n")
    return tuple(line.rstrip(" \t") for line in text.split("\n"))


def flat_lines(value: Any, path: str = "") -> Iterator[str]:
    """Yield every value of a structure as a line, with its place in it; 1 and 1.0 are one number.

    Examples:
        >>> [*flat_lines({"n": 16.0, "rows": [{"name": "weat6"}], "more": []})]
        ['n: 16', 'rows[0].name: "weat6"', 'more: []']
    """
    if isinstance(value, dict) and value:
        for key, part in value.items():
            step = key if isinstance(key, str) and key.isidentifier() else json.dumps(key, default=repr)
            yield from flat_lines(part, f"{path}.{step}" if path else step)
    elif isinstance(value, list) and value:
        for i, part in enumerate(value):
            yield from flat_lines(part, f"{path}[{i}]")
    else:
        whole = isinstance(value, float) and value.is_integer()
        yield f"{path}: {json.dumps(int(value) if whole else value, ensure_ascii=False, default=repr)}"


def compare_lines(
    file: str,
    lines: Lines,
    about: Sequence[Replay],
    write: Callable[[Sequence[Result]], Lines],
    places: Sequence[str] = (),
) -> Iterator[Check]:
    """Judge every line.

    Args:
        file: what to call what they stand in.
        lines: what stands there.
        about: the measurements that it is about.
        write: makes from results what should stand there.
        places: what to call the place of each line; by default it is numbered.
    """
    expected_lines = write([r.result for r in about])
    proven = all(r.proven for r in about)
    earlier: set[str] | None = None
    place = places[0] if places else ""
    for here, other in _aligned(lines, expected_lines):
        if here is not None:  # what is missing has the place of the line before it
            place = places[here] if places else f"line {here + 1}"
        line = "" if here is None else lines[here]
        expected = "" if other is None else expected_lines[other]
        if here is None:
            yield Check(file, place, "false", "", expected or "an empty line", "a line is missing here")
        elif other is None or line != expected:
            earlier = _earlier_lines(about, write) if earlier is None else earlier
            if line and line in earlier:
                yield Check(file, place, "stale", line, expected, "an earlier result gives this line")
            else:
                yield Check(file, place, "false", line or "an empty line", expected)
        elif line and proven:
            yield Check(file, place, "true", line, expected)
        elif line:
            yield Check(file, place, "not verifiable", line, reason=NOT_RECORDED)


def _earlier_lines(about: Sequence[Replay], write: Callable[[Sequence[Result]], Lines]) -> set[str]:
    """All lines that earlier results give."""
    versions = [r.earlier or (r.result,) for r in about]
    depth = max((len(r.earlier) for r in about), default=0)
    lists = [[results[min(k, len(results) - 1)] for results in versions] for k in range(depth)]
    return {line for results in lists for line in write(results)}


def _aligned(lines: Lines, expected: Lines) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of corresponding lines; ``None`` for a line without a counterpart."""
    if tuple(lines) == tuple(expected):
        yield from ((i, i) for i in range(len(lines)))
        return
    for _, a, b, c, d in SequenceMatcher(None, lines, expected, autojunk=False).get_opcodes():
        yield from zip_longest(range(a, b), range(c, d))


def compare_entries(
    file: str,
    entries: Sequence[Entry],
    about: Sequence[Replay],
    write: Callable[[Sequence[Result]], Sequence[Entry]],
) -> Iterator[Check]:
    """Judge entries, in whatever order, value by value; those that no result gives may be of measurements elsewhere.

    Arguments are as for :func:`compare_lines`.
    """

    def lines(results: Sequence[Result]) -> list[str]:
        return [line for _, line in _entry_lines(write(results))]

    expected = dict(write([r.result for r in about]))
    # Where one of ours is missing, a stranger is that one, changed.
    if not expected.keys() - dict(entries).keys():
        earlier = _earlier_lines(about, lines)
        strangers = [
            e for e in entries if e[0] not in expected and any(x not in earlier for _, x in _entry_lines([e]))
        ]
        entries = [e for e in entries if e not in strangers]
        for name, content in strangers:
            reason = "the recorded results have no such score"
            text = json.dumps(content, ensure_ascii=False, default=repr)
            yield Check(file, name.partition("\n")[0], "not verifiable", text, reason=reason)
    placed = _entry_lines(entries)
    yield from compare_lines(file, [x for _, x in placed], about, lines, [place for place, _ in placed])


def _entry_lines(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """The name of each entry, and each of its values as a line."""
    ordered = sorted(entries, key=lambda entry: entry[0])
    titled = ((name.partition("\n")[0], content) for name, content in ordered)
    return [(title, line) for title, content in titled for line in sorted(flat_lines(content))]


Content = TypeVar("Content", str, bytes)
Writer = Callable[[Sequence[Result]], Mapping[str, Content]]


def cached(write: Writer[Content]) -> Writer[Content]:
    """Return a writer that writes the same results only once."""
    written: dict[tuple[int, ...], tuple[Sequence[Result], Mapping[str, Content]]] = {}

    def once(results: Sequence[Result]) -> Mapping[str, Content]:
        key = tuple(map(id, results))
        if key not in written:
            written[key] = results, write(results)  # the results are kept, so that no other has their id
        return written[key][1]

    return once


class _Loader(yaml.SafeLoader):
    """Takes for a number only what every reader of YAML takes for the same one, and no key twice."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        whole = partial(self.construct_object, deep=True)
        return unique_keys([(whole(key), whole(value)) for key, value in node.value])


_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+][0-9]+)?)?\Z")
_TAG = "tag:yaml.org,2002:"
_Loader.add_implicit_resolver(f"{_TAG}float", _NUMBER, list("-0123456789"))
_Loader.add_implicit_resolver(f"{_TAG}bool", re.compile(r"(?:true|false)\Z"), list("tf"))
_Loader.add_implicit_resolver(f"{_TAG}null", re.compile(r"(?:~|null|)\Z"), ["~", "n", ""])
_Loader.add_constructor(f"{_TAG}map", _Loader.construct_mapping)
for _name in ("float", "int"):  # also where a tag calls other text a number
    _Loader.add_constructor(
        f"{_TAG}{_name}",
        lambda loader, node: float(node.value) if _NUMBER.match(str(node.value)) else str(node.value),
    )


def strict_yaml(text: str, key: str = "") -> Any:
    """Read YAML, or what stands under one of its keys, ``None`` where that is not there.

    Raises:
        DataError: a key stands there twice, an alias repeats a part, or it is no YAML that can be read.

    Examples:
        >>> strict_yaml("a: {value: 1.5, other: 062}", "a")
        {'value': 1.5, 'other': '062'}
    """
    try:
        node = yaml.compose(text, Loader=_Loader)
        if key and node is not None:
            values = [value for name, value in node.value if name.value == key]
            if len(values) > 1:
                raise DataError(f"the key '{key}' is given twice")
            node = values[0] if values else None
        if node is not None and shares_nodes(node):
            raise DataError("an alias repeats a part of it")
        return None if node is None else _Loader("").construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"it is no YAML that can be read: {' '.join(str(error).split())[:200]}") from error


Verdict = Literal["true", "stale", "false", "not verifiable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
LINK = "a link out of the folder, which is not followed"


@dataclass(frozen=True, slots=True)
class Check:
    """One line, entry, value or picture that is written somewhere.

    Attributes:
        file: where: the name of a file, with its part.
        place: the line, the value in it, or the name of the score.
        verdict: ``"true"``: it follows from the recorded scores; ``"stale"``: it is that of an earlier result;
            ``"false"``: it is neither; ``"not verifiable"``: what it is made of was not recorded.
        actual: what stands there.
        expected: what would stand there, written from the recorded scores; empty where that is not known.
        reason: why, where the verdict alone does not say it.
    """

    file: str
    place: str
    verdict: Verdict
    actual: str = ""
    expected: str = ""
    reason: str = ""

    def diff(self) -> list[str]:
        """Where, with verdict and reason; then what stands there and what would stand there."""
        where = f"{self.file}, {self.place}" if self.place else self.file
        head = f"@@ {where}: {self.verdict}{f', {self.reason}' if self.reason else ''}"
        signed = (("-", self.actual), ("+", self.expected))
        return [head, *(f"{sign} {text}" for sign, text in signed if text)]


@dataclass(frozen=True, slots=True, repr=False)
class Verification:
    """All verdicts on a folder.

    Attributes:
        checks: one for each line, entry, value or picture.
        notes: what a person should know beside them, one sentence each.
    """

    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Check, ...]:
        """What is not true."""
        return tuple(c for c in self.checks if c.verdict != "true")

    @property
    def verdict(self) -> Verdict:
        """The worst of all verdicts: false, then stale, then not verifiable, then true."""
        verdicts = {c.verdict for c in self.checks}
        order: tuple[Verdict, ...] = ("false", "stale", "not verifiable", "true")
        return next((v for v in order if v in verdicts), "not verifiable")

    def counts(self) -> dict[str, Counter[str]]:
        """How often each verdict was given, by file."""
        counters: dict[str, Counter[str]] = {}
        for check in self.checks:
            counters.setdefault(check.file, Counter())[check.verdict] += 1
        return counters

    @property
    def table(self) -> Table[Sequence[Cell]]:
        """The counts, a row for each file."""
        rows: list[Sequence[Cell]] = [(file, *(c[v] for v in VERDICTS)) for file, c in self.counts().items()]
        return table_of(
            ("file", *VERDICTS), rows, numbers=range(1, len(VERDICTS) + 1), title=f"Verified: {self.verdict}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The verdict, the counts, and everything that is not true, as JSON holds them."""
        counts = {file: dict(c) for file, c in self.counts().items()}
        problems = [asdict(c) for c in self.problems]
        return {"verdict": self.verdict, "counts": counts, "problems": problems, "notes": list(self.notes)}

    def to_markdown(self) -> str:
        """A summary for people: the counts, then every difference, and the notes."""
        out = [f"**Verified: {self.verdict}.**", "", self.table.to_markdown()]
        if lines := [line for check in self.problems for line in check.diff()]:
            longest = max(map(len, re.findall("`+", "".join(lines))), default=0)
            fence = "`" * max(3, longest + 1)
            out += ["", f"{fence}diff", *map(one_line, lines), fence]
        out += [line for note in self.notes for line in ("", markdown(note))]
        return "\n".join(out) + "\n"

    def __repr__(self) -> str:
        total = sum((c for c in self.counts().values()), Counter[str]())
        return f"<Verification {self.verdict}: {', '.join(f'{n} {v}' for v, n in total.items())}>"
