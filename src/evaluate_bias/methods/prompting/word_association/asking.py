"""What is asked about a test, and what came back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ....data.instructions import Instructions
from ....data.prompted_tests import WordAssociationTest
from ....models.completions import GenerationSettings, Prompt, Reply
from ....result import Skipped
from ....stats import FEWEST_COLUMNS
from ....text import stable_order
from ...replies import room_for, thought_facts
from ...word_lists.inference import derive_seed
from ...word_lists.inputs import LISTS, check_lists, each_once
from .answers import Assignment, key_of, read_assignment
from .statistics import ScoredAnswers

_LETTERS = re.compile("[A-Za-z' ]+")
_TOKENS_PER_WORD = 24
"""New tokens that a reply may have for each word: a line with both words, and some for what is said around it."""


@dataclass(frozen=True, slots=True)
class WordRequest:
    """One question, or the place of a ready answer.

    Attributes:
        pair: the words for the two groups; of a ready answer those that stand in it.
        column: the wording or the pair that its answer is a draw of, or a number of its own.
        names: keys of the group words with their sides.
        prompt: the question; empty for a ready answer.
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
        first: which of them are of the first list; shape (words,).
        requests: what was asked.
        readings: what was read, of each request.
        thoughts: number of tokens of all thoughts, where anybody counted them.
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

        With an offset, as published: all of them; one with a word or name of no list, or without hyphens, has no words,
        and lines with a word or name of other than Latin letters are not read.
        """
        places = [i for i, reading in enumerate(self.readings) if offset or not reading.reason]
        sides = np.zeros((len(places), len(self.words)), dtype=np.int64)
        for row, i in enumerate(places):
            reading = self.readings[i]
            is_strict = reading.marked and not {"unknown name", "unknown word"} & reading.faults.keys()
            if is_strict or not offset:
                sides[row] = reading.sides
        if offset:
            self._drop_odd(places, sides)
        return places, ScoredAnswers(
            self.keys, self.first, sides, [self.requests[i].column for i in places], offset
        )

    def completed(self, side: int) -> ScoredAnswers:
        """All answers, those that were not read as wholly for the stereotype, 1, or against it, -1."""
        whole = side * np.where(self.first, 1, -1)
        sides = np.array([whole if one.reason else one.sides for one in self.readings])
        return ScoredAnswers(self.keys, self.first, sides, [request.column for request in self.requests])

    def _drop_odd(self, places: Sequence[int], sides: npt.NDArray[np.int64]) -> None:
        """Set to 0 what the published code does not read."""
        names = (*self.test.targets_x, *self.test.targets_y)
        odd = {key_of(name) for name in names if not _LETTERS.fullmatch(name)}
        sides[:, [not _LETTERS.fullmatch(word) for word in self.words]] = 0
        for row, i in enumerate(places):
            for name in odd.intersection(self.readings[i].names):
                sides[row, sides[row] == self.requests[i].names[name]] = 0


def _unasked(test: WordAssociationTest) -> AskedTest:
    """A test with its attribute words, of which nothing was asked yet.

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
    """Read the answers that a test holds; those that name the same group words are draws of one pair."""
    trial = _unasked(test)
    names = {
        key_of(w): side for side, targets in ((1, test.targets_x), (-1, test.targets_y)) for w in targets
    }
    # In the order of their text, so that another order changes no number.
    places = stable_order(test.answers)
    readings = [read_assignment(Reply(test.answers[i]), trial.keys, names) for i in places]
    requests = [
        WordRequest(", ".join(reading.names), None, names, place=i)
        for i, reading in zip(places, readings, strict=True)
    ]
    return replace(trial, requests=_in_columns(test.name, requests), readings=readings)


def _in_columns(name: str, requests: Sequence[WordRequest]) -> list[WordRequest]:
    """The requests with their pair as the column or, where there are few pairs, each as a column of its own."""
    by_pair = len({request.pair for request in requests}) >= FEWEST_COLUMNS
    return [
        replace(request, column=(name, request.pair if by_pair else i)) for i, request in enumerate(requests)
    ]


def ask(
    model: Any, tests: Sequence[WordAssociationTest], instructions: Instructions, n_pairs: int, seed: int
) -> list[AskedTest]:
    """Ask about every test, ``n_pairs`` times in each wording."""
    out = []
    for trial in list(map(_unasked, tests)):  # all are checked before the first is asked about
        requests = _requests(trial, instructions, n_pairs, derive_seed(trial.test.name, seed))
        tokens = room_for(model, _TOKENS_PER_WORD * max(len(trial.words), 4))
        settings = GenerationSettings(max_new_tokens=tokens)
        replies = model.reply([request.prompt for request in requests], settings)
        readings = [
            read_assignment(reply if isinstance(reply, Skipped) else reply[0], trial.keys, request.names)
            for reply, request in zip(replies, requests, strict=True)
        ]
        out.append(replace(trial, requests=requests, readings=readings, thoughts=thought_facts(replies)))
    return out


def _requests(trial: AskedTest, instructions: Instructions, n_pairs: int, seed: int) -> list[WordRequest]:
    """The questions: a random word for each group, either first in turn, and the attributes in a random order.

    The columns are the wordings; of fewer than five nothing can be said, and they are the pairs or the answers.
    """
    rng = np.random.default_rng(seed)
    test, words = trial.test, trial.words
    x, y = ([targets[i] for i in stable_order(targets)] for targets in (test.targets_x, test.targets_y))
    requests = []
    for wording, text in enumerate(instructions.texts["words"]):
        for i in range(n_pairs):
            one, other = x[rng.integers(len(x))], y[rng.integers(len(y))]
            first, second = (one, other) if i % 2 else (other, one)
            listed = ", ".join(words[i] for i in rng.permutation(len(words)))
            put = text.format(words=listed, first=first, second=second).strip()
            prompt = Prompt(put, item=test.name, wording=wording, pair=i)
            names = {key_of(one): 1, key_of(other): -1}
            requests.append(WordRequest(f"{one}, {other}", wording, names, prompt))
    return requests if instructions.count >= FEWEST_COLUMNS else _in_columns(test.name, requests)
