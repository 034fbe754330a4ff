"""What is asked about a test, and the assignment of words to two groups that a reply writes down, read by rule."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ....data.instructions import Instructions
from ....data.word_lists import WordAssociationTest
from ....errors import quoted
from ....models.completions import GenerationSettings, Prompt, Reply
from ....result import Skipped
from ....stats import FEWEST_COLUMNS
from ....text import stable_order
from ...replies import REFUSED, TRUNCATED, answer_of, is_refusal, room_for, thought_facts
from ...word_lists.inference import derive_seed
from ...word_lists.inputs import LISTS, check_lists, each_once
from .statistics import ScoredAnswers

_APOSTROPHES = re.compile(r"['’‘`´]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"^\d+ ")
_CUT = re.compile("[-–—:：]")
_LONGEST_LINE = 200
"""Characters beyond which a line is prose."""
_LETTERS = re.compile("[A-Za-z' ]+")
_TOKENS_PER_WORD = 24
"""New tokens that a reply may have for each word: a line with both words, and some for what is said around it."""
_BY_HYPHEN = re.compile(r"(?!'[^']*'\s*-[^'\"]*$).*[-:]", re.DOTALL)
"""A line as the published code reads it: with a hyphen or colon, and no quotation marks around the word alone."""
_WORD_HYPHEN_WORD = re.compile(r"[\W\d]*[A-Za-z' ]+[*_]* - [*_]*[A-Za-z' ]+[.,;*_ ]*")
"""A line from which the published code reads word and name. A name or word of no list then voids the answer."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a reply assigns.

    Attributes:
        sides: for each attribute word 1 if it got the first group, -1 the second, else 0, shape (words,).
        faults: how many words were assigned ``"twice"`` (to both groups), to ``"neither"``, to an ``"unknown name"``,
            and how many lines assign an ``"unknown word"``.
        names: keys of the group words that appear in it, the first group first.
        marked: whether every line that assigns a word is of a form that the published code reads.
        voids: whether a line "word - name" has a word or name of no list, which voids the answer as published.
        reason: why nothing was read, empty if something was.
    """

    sides: npt.NDArray[np.int64]
    names: tuple[str, ...] = ()
    faults: Mapping[str, int] = field(default_factory=dict)
    marked: bool = True
    voids: bool = False
    reason: str = ""


def key_of(text: str) -> str:
    """Return the words of a text without capitals, marks and apostrophes, by which texts are the same.

    Examples:
        >>> key_of("**Ice-cream**:  'White',"), key_of("didn’t do it") == key_of("didnt do it")
        ('ice cream white', True)
    """
    plain = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_WORD.findall(plain))


def parse_assignment(reply: Reply | Skipped, words: Sequence[str], names: Mapping[str, int]) -> Assignment:
    """Parse a reply line by line: ``word - group`` or ``word: group``, in either order, or a JSON object of these.

    A line may be numbered and marked up. Other lines say nothing. A word that got both groups is not counted.

    Args:
        reply: what the model said.
        words: keys of the attribute words, see :func:`key_of`.
        names: keys of the group words, and 1 for the first group, -1 for the second.

    Examples:
        >>> answer = "Here you are:\\n1. **Office** - Ben\\n2) home: julia\\nsalary - Kim\\nWedding: Julia"
        >>> names = {"ben": 1, "julia": -1}
        >>> assignment = parse_assignment(Reply(answer), ["office", "home", "salary", "wedding", "family"], names)
        >>> assignment.sides.tolist(), dict(assignment.faults)
        ([1, -1, 0, -1, 0], {'unknown name': 1, 'neither': 1})
        >>> parse_assignment(Reply('{"office": "Ben", "home": "Julia"}'), ["office", "home"], names).sides.tolist()
        [1, -1]
        >>> parse_assignment(Reply("I cannot do that."), ["office"], names).reason
        "the model refuses: 'I cannot do that.'"
    """
    sides = np.zeros(len(words), dtype=np.int64)
    answer = answer_of(reply, fields=False)
    if answer.reason:
        return Assignment(sides, reason=answer.reason)
    if isinstance(reply, Reply) and not reply.ended:
        return Assignment(sides, reason=f"{TRUNCATED}: {quoted(answer.text)}")
    place_of = {word: i for i, word in enumerate(words)}
    most_words = max((word.count(" ") for word in words), default=0) + 1
    sides_of: dict[int, set[int]] = {}
    used: set[str] = set()
    unknown: set[int] = set()
    faults: Counter[str] = Counter()
    marked, voids = True, False
    for line in _lines(answer.text):
        cuts = [(_line_key(line[: cut.start()]), key_of(line[cut.end() :])) for cut in _CUT.finditer(line)]
        cuts += [(second, first) for first, second in cuts]
        if pair := next(((word, name) for word, name in cuts if word in place_of and name in names), None):
            sides_of.setdefault(place_of[pair[0]], set()).add(names[pair[1]])
            used.add(pair[1])
            marked &= _BY_HYPHEN.match(line) is not None
        elif place := next((place_of[word] + 1 for word, name in cuts if word in place_of and name), 0):
            unknown.add(place - 1)
            voids |= _WORD_HYPHEN_WORD.fullmatch(line) is not None
        elif any(word and word.count(" ") < most_words and name in names for word, name in cuts):
            faults["unknown word"] += 1
            voids |= _WORD_HYPHEN_WORD.fullmatch(line) is not None
    unknown -= set(sides_of)
    for i, both in sides_of.items():
        sides[i] = 0 if len(both) > 1 else next(iter(both))
    faults["twice"] = sum(len(both) > 1 for both in sides_of.values())
    faults["unknown name"] = len(unknown)
    faults["neither"] = len(words) - len(sides_of) - len(unknown)
    if sides.any():
        order = tuple(sorted(used, key=lambda name: (-names[name], name)))
        return Assignment(sides, order, {kind: n for kind, n in faults.items() if n}, marked, voids)
    why = REFUSED if is_refusal(answer.text) else "no word is assigned to a group"
    return Assignment(sides, reason=f"{why}: {quoted(answer.text)}")


def _lines(text: str) -> list[str]:
    """Return the lines of a text that are not longer than an assignment, or a line for each field of a JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    fields = value.items() if isinstance(value, dict) else ()
    lines = [f'"{key}": "{text}"' for key, text in fields if isinstance(text, str)] or text.splitlines()
    return [line for line in lines if len(line) <= _LONGEST_LINE]


def _line_key(line: str) -> str:
    return _NUMBER.sub("", key_of(line))


@dataclass(frozen=True, slots=True)
class WordRequest:
    """One question, or the place of a ready answer.

    Attributes:
        pair: the words for the two groups. For a ready answer, the words that appear in it.
        column: the prompt variant or the pair that its answer is a draw of, or a number of its own.
        names: keys of the group words with their sides.
        prompt: the question, empty for a ready answer.
        place: of a ready answer its place in the data, from 0.
    """

    pair: str
    column: object
    names: Mapping[str, int]
    prompt: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTest:
    """A test, what was asked about it and what was read.

    Attributes:
        test: the test.
        words: its attribute words, in the order of their text, each once.
        first: which of them are of the first list, shape (words,).
        requests: what was asked.
        readings: what was read, of each request.
        thoughts: number of reasoning tokens, if they were counted.
        skipped: the other words, with the reason.
    """

    test: WordAssociationTest
    words: tuple[str, ...]
    first: npt.NDArray[np.bool_]
    skipped: Sequence[Skipped]
    requests: Sequence[WordRequest] = ()
    readings: Sequence[Assignment] = ()
    thoughts: Mapping[str, int] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The keys of the words."""
        return [key_of(word) for word in self.words]

    def scored(self, offset: float) -> tuple[list[int], ScoredAnswers]:
        """Places of the answers that are scored, and these.

        With an offset, as published: all of them. One without hyphens, or with a word or name of no list in a line
        "word - name", has no words, and lines with a word or name of other than Latin letters are not read.
        """
        places = [i for i, reading in enumerate(self.readings) if offset or not reading.reason]
        sides = np.array([self.readings[i].sides for i in places], dtype=np.int64)
        if offset:
            self._drop_unpublished(sides)
        columns = [self.requests[i].column for i in places]
        return places, ScoredAnswers(self.keys, self.first, sides, columns, offset)

    def count_pairs(self, places: Sequence[int]) -> int:
        """Return how many pairs of group words these answers are about.

        A ready answer may name one word of its pair, or none.
        """
        pairs = {frozenset(filter(None, self.requests[i].pair.split(", "))) for i in places}
        return max(1, sum(bool(pair) and not any(pair < other for other in pairs) for pair in pairs))

    def completed(self, side: int) -> ScoredAnswers:
        """Return all answers, those that were not read as wholly for the stereotype, 1, or against it, -1."""
        whole = side * np.where(self.first, 1, -1)
        sides = np.array([whole if one.reason else one.sides for one in self.readings])
        return ScoredAnswers(self.keys, self.first, sides, [request.column for request in self.requests])

    def _drop_unpublished(self, sides: npt.NDArray[np.int64]) -> None:
        """Set to 0 what the published code does not read. ``sides`` of shape (answers, words)."""
        sides[:, [not _LETTERS.fullmatch(word) for word in self.words]] = 0
        names = (*self.test.targets_x, *self.test.targets_y)
        odd = {key_of(name) for name in names if not _LETTERS.fullmatch(name)}
        for row, reading, request in zip(sides, self.readings, self.requests, strict=True):
            if not reading.marked or reading.voids:
                row[:] = 0
            for name in odd.intersection(reading.names):
                row[row == request.names[name]] = 0


def _unasked(test: WordAssociationTest) -> AskedTest:
    """Return a test with its attribute words, of which nothing was asked yet.

    Raises:
        InputError: a word is in both target lists, or in both attribute lists.
        UndefinedScoreError: a list is empty.
    """
    forms = {name: {word: key_of(word) or word for word in getattr(test, name)} for name in LISTS}
    check_lists(test, forms, pairs=(LISTS[:2], LISTS[2:]))
    words: list[str] = []
    skipped: list[Skipped] = []
    first: list[bool] = []
    for name in LISTS[2:]:
        distinct_words, lost = each_once(getattr(test, name), forms[name], f"{test.name}/{name}", "word")
        words += [distinct_words[i] for i in stable_order(distinct_words)]
        first += [name == LISTS[2]] * len(distinct_words)
        skipped += lost
    return AskedTest(test=test, words=tuple(words), first=np.array(first), skipped=skipped)


def read_ready(test: WordAssociationTest) -> AskedTest:
    """Read the answers of a test. Those that name the same group words are draws of one pair."""
    trial = _unasked(test)
    names = {
        key_of(w): side for side, targets in ((1, test.targets_x), (-1, test.targets_y)) for w in targets
    }
    # In the order of their text, so that another order changes no number.
    places = stable_order(test.answers)
    readings = [parse_assignment(Reply(test.answers[i]), trial.keys, names) for i in places]
    requests = [
        WordRequest(", ".join(reading.names), None, names, place=i)
        for i, reading in zip(places, readings, strict=True)
    ]
    return replace(trial, requests=_in_columns(test.name, requests), readings=readings)


def _in_columns(name: str, requests: Sequence[WordRequest]) -> list[WordRequest]:
    """Return the requests with their pair as the column or, if there are few pairs, each as a column of its own."""
    by_pair = len({request.pair for request in requests}) >= FEWEST_COLUMNS
    return [
        replace(request, column=(name, request.pair if by_pair else i)) for i, request in enumerate(requests)
    ]


def ask(
    model: Any, tests: Sequence[WordAssociationTest], instructions: Instructions, n_pairs: int, seed: int
) -> list[AskedTest]:
    """Ask about every test, ``n_pairs`` times in each prompt variant."""
    out = []
    for trial in list(map(_unasked, tests)):  # all are checked before the first is asked about
        requests = _requests(trial, instructions, n_pairs, derive_seed(trial.test.name, seed))
        tokens = room_for(model, _TOKENS_PER_WORD * max(len(trial.words), 4))
        settings = GenerationSettings(max_new_tokens=tokens)
        replies = model.reply([request.prompt for request in requests], settings)
        readings = [
            parse_assignment(reply if isinstance(reply, Skipped) else reply[0], trial.keys, request.names)
            for reply, request in zip(replies, requests, strict=True)
        ]
        out.append(replace(trial, requests=requests, readings=readings, thoughts=thought_facts(replies)))
    return out


def _requests(trial: AskedTest, instructions: Instructions, n_pairs: int, seed: int) -> list[WordRequest]:
    """Return the questions: a random word for each group, either first in turn, and the attributes in a random order.

    The columns are the prompt variants. Fewer than five say nothing, and then the columns are the pairs or the answers.
    """
    rng = np.random.default_rng(seed)
    test, words = trial.test, trial.words
    x, y = ([targets[i] for i in stable_order(targets)] for targets in (test.targets_x, test.targets_y))
    requests = []
    for prompt_variant, text in enumerate(instructions.texts["words"]):
        for i in range(n_pairs):
            one, other = x[rng.integers(len(x))], y[rng.integers(len(y))]
            first, second = (one, other) if i % 2 else (other, one)
            listed = ", ".join(words[i] for i in rng.permutation(len(words)))
            put = text.format(words=listed, first=first, second=second).strip()
            prompt = Prompt(put, item=test.name, prompt_variant=prompt_variant, pair=i)
            names = {key_of(one): 1, key_of(other): -1}
            requests.append(WordRequest(f"{one}, {other}", prompt_variant, names, prompt))
    return requests if instructions.count >= FEWEST_COLUMNS else _in_columns(test.name, requests)
