"""Co-occurrences of seed words with other words, counted over token ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .tokens import MARK

__all__ = ["Cooccurrences", "Counter"]

IntArray = NDArray[np.int64]

_OTHER = 0
"""Id of a word that is not counted by itself."""
_BETWEEN = -1
"""Id of what stands between two texts."""


@dataclass(frozen=True, slots=True)
class Cooccurrences:
    """What a pass over texts counted.

    Attributes:
        groups: names of the groups of seed words.
        words: the words whose neighbourhood with them was counted.
        joint: how often each word stands in the context of a seed of each group, shape (groups, words).
        context: number of words in the contexts of the seeds of each group, shape (groups,).
        seeds: number of seeds of each group found, shape (groups,).
        frequency: how often each of ``words`` and each seed word was found.
        n_words: number of words of the texts.
        n_texts: number of texts.
        n_invalid: number of characters that were no valid UTF-8.
    """

    groups: tuple[str, ...]
    words: tuple[str, ...]
    joint: IntArray
    context: IntArray
    seeds: IntArray
    frequency: Mapping[str, int]
    n_words: int
    n_texts: int
    n_invalid: int = 0


@dataclass
class Counter:
    """Counts the words in the context of seed words, text by text, in memory that does not grow with them.

    A context is the ``window`` words before and after a seed, within its text; with ``window=None`` all other words of
    the text, which then is a sentence. Every seed has a context of its own: where the contexts of two seeds overlap, a
    word counts for both.

    Args:
        groups: seed words by group; a word may be in one group only.
        words: the words to count; a seed may be one of them and is counted in the contexts of other seeds.
        window: number of words on either side.
        split: gives the words of a text, as strings or as UTF-8.
        normalize: gives the form under which a seed or word is counted.
        split_all: gives the words of several texts with ``MARK`` between texts, in place of ``split``.
    """

    groups: Mapping[str, Sequence[str]]
    words: Sequence[str]
    window: int | None
    split: Callable[[str], Sequence[Any]]
    normalize: Callable[[str], Sequence[Any]]
    split_all: Callable[[Sequence[str]], Sequence[Any]] | None = None
    _ids: dict[Any, int] = field(init=False)
    _phrases: list[tuple[tuple[Any, ...], int]] = field(init=False)
    _items: list[str] = field(init=False)
    _own: dict[str, int] = field(init=False)
    _group_of: IntArray = field(init=False)
    joint: IntArray = field(init=False)
    context: IntArray = field(init=False)
    frequency: IntArray = field(init=False)
    n_words: int = field(init=False, default=0)
    n_texts: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._ids, self._phrases, self._items = {MARK: _BETWEEN}, [], [""]
        own = self._own = {}
        for item in [w for words in self.groups.values() for w in words] + list(self.words):
            if item in own:
                continue
            parts = tuple(self.normalize(item))
            if not parts:
                raise InputError(f"{item!r} holds no word to look for; remove it from its list")
            known = self._ids.get(parts[0]) if len(parts) == 1 else dict(self._phrases).get(parts)
            if known is None:
                known = len(self._items)
                self._items.append(item)
                if len(parts) == 1:
                    self._ids[parts[0]] = known
                else:
                    self._phrases.append((parts, known))
            own[item] = known
        self._phrases.sort(key=lambda p: -len(p[0]))
        group_of = np.full(len(self._items) + 1, -1, dtype=np.int64)
        for k, (name, seeds) in enumerate(self.groups.items()):
            for seed in seeds:
                if group_of[own[seed]] not in (-1, k):
                    other = list(self.groups)[int(group_of[own[seed]])]
                    raise InputError(
                        f"{seed!r} is a seed of both {other} and {name}; remove it from one of them"
                    )
                group_of[own[seed]] = k
        self._group_of = group_of
        self.joint = np.zeros((len(self.groups), len(self._items)), dtype=np.int64)
        self.context = np.zeros(len(self.groups), dtype=np.int64)
        self.frequency = np.zeros(len(self._items), dtype=np.int64)

    def add(self, texts: Iterable[str]) -> None:
        """Count the words of some texts; contexts do not reach from one to the next."""
        some = list(texts)
        self.n_texts += len(some)
        tokens = self._tokens(some)
        ids = np.fromiter(map(self._ids.get, tokens, repeat(_OTHER)), dtype=np.int64, count=len(tokens))
        word = ids != _BETWEEN
        text_of = np.cumsum(~word)[word]
        ids = ids[word]
        if self._phrases:
            ids, text_of = self._with_phrases([t for t in tokens if t != MARK], ids, text_of)
        self.n_words += len(ids)
        self.frequency += np.bincount(ids, minlength=len(self._items))
        if self.window is None:
            self._count_texts(ids, text_of)
        else:
            self._count_windows(ids, text_of)

    def _tokens(self, texts: Sequence[str]) -> Sequence[Any]:
        if self.split_all is not None:
            return self.split_all(texts)
        tokens: list[Any] = []
        for text in texts:
            tokens.extend(self.split(text))
            tokens.append(MARK)
        return tokens

    def merge(self, other: Counter) -> None:
        """Add what another counter of the same words found."""
        self.joint += other.joint
        self.context += other.context
        self.frequency += other.frequency
        self.n_words += other.n_words
        self.n_texts += other.n_texts

    def result(self, n_invalid: int = 0) -> Cooccurrences:
        """What was counted so far."""
        columns = [self._own[word] for word in self.words]
        seeds = [[self._own[s] for s in dict.fromkeys(own)] for own in self.groups.values()]
        return Cooccurrences(
            groups=tuple(self.groups),
            words=tuple(self.words),
            joint=self.joint[:, columns].copy(),
            context=self.context.copy(),
            seeds=np.array([self.frequency[sorted(set(own))].sum() for own in seeds]),
            frequency={item: int(self.frequency[k]) for item, k in self._own.items()},
            n_words=self.n_words,
            n_texts=self.n_texts,
            n_invalid=n_invalid,
        )

    def _with_phrases(self, tokens: list[Any], ids: IntArray, text_of: IntArray) -> tuple[IntArray, IntArray]:
        """Items of several words as one, the longest first; their other words are gone from the sequence."""
        starts: dict[Any, list[tuple[tuple[Any, ...], int]]] = {}
        for parts, known in self._phrases:
            starts.setdefault(parts[0], []).append((parts, known))
        candidates = np.flatnonzero(
            np.fromiter(map(starts.__contains__, tokens), dtype=bool, count=len(tokens))
        )
        keep, at = np.ones(len(ids), dtype=bool), 0
        for place in candidates.tolist():
            if place < at:
                continue
            for parts, known in starts[tokens[place]]:
                end = place + len(parts)
                if tuple(tokens[place:end]) == parts and text_of[end - 1] == text_of[place]:
                    ids[place], at = known, end
                    keep[place + 1 : end] = False
                    break
        return ids[keep], text_of[keep]

    def _count_windows(self, ids: IntArray, text_of: IntArray) -> None:
        n, window = len(ids), int(self.window or 0)
        offsets = np.concatenate([np.arange(-window, 0), np.arange(1, window + 1)])
        places = np.flatnonzero(self._group_of[ids] >= 0)
        step = max(1, (1 << 20) // len(offsets))
        for start in range(0, len(places), step):
            own = places[start : start + step]
            cells = own[:, None] + offsets
            inside = (cells >= 0) & (cells < n)
            cells = cells.clip(0, n - 1)
            inside &= text_of[cells] == text_of[own][:, None]
            group = np.broadcast_to(self._group_of[ids[own]][:, None], cells.shape)
            self.context += np.bincount(group[inside], minlength=len(self.context))
            counted = inside & (ids[cells] != _OTHER)
            flat = group[counted] * len(self._items) + ids[cells][counted]
            self.joint += np.bincount(flat, minlength=self.joint.size).reshape(self.joint.shape)

    def _count_texts(self, ids: IntArray, text_of: IntArray) -> None:
        if not len(ids):
            return
        group, n_groups, n_texts = self._group_of[ids], len(self.groups), int(text_of[-1]) + 1
        seed = group >= 0
        # Seeds of each group in each text, shape (texts, groups), and the length of each text.
        seeds = np.bincount(text_of[seed] * n_groups + group[seed], minlength=n_texts * n_groups)
        seeds = seeds.reshape(n_texts, n_groups)
        self.context += seeds.T @ (np.bincount(text_of, minlength=n_texts) - 1)
        counted = ids != _OTHER
        for k in range(n_groups):
            times = seeds[text_of[counted], k]
            joint = np.bincount(ids[counted], weights=times, minlength=len(self._items))
            self.joint[k] += np.rint(joint).astype(np.int64)
            # A seed is no neighbour of itself.
            self.joint[k] -= np.bincount(ids[group == k], minlength=len(self._items))
