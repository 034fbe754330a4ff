"""Co-occurrences of seed words with other words, counted over token ids."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from .tokens import IntArray, Places, TokenFinder, WordFinder

_PART = 0
"""Id of a word that is counted only together with others."""
_PAIRS = 1 << 20
"""Number of pairs of words that are counted at a time."""


_COUNTED = ("joint", "in_sets", "context", "frequency", "n_words", "n_texts", "n_invalid")
"""What a counter adds up, by the names of its attributes."""


@dataclass(frozen=True, slots=True)
class Cooccurrences:
    """What a pass over texts counted.

    Attributes:
        groups: names of the groups of seed words.
        words: the words whose neighbourhood with them was counted.
        joint: how often each word appears in the context of a seed of each group, shape (groups, words).
        context: number of words in the contexts of the seeds of each group, shape (groups,).
        seeds: number of seeds of each group found, shape (groups,).
        frequency: how often each of ``words`` and each seed word was found.
        n_words: number of words of the texts.
        n_texts: number of texts.
        n_invalid: number of characters that were no valid UTF-8.
        in_sets: if sentences were counted, the number of sentences with a seed of each group and a word of each set,
            shape (groups, sets + 1). The last column counts sentences with a word of every set.
    """

    groups: tuple[str, ...]
    words: tuple[str, ...]
    joint: IntArray
    context: IntArray
    seeds: IntArray
    frequency: Mapping[str, int]
    n_words: int
    n_texts: int
    in_sets: IntArray
    n_invalid: int = 0


class Counter:
    """Counts the words in the context of seed words, text by text, in memory that does not grow with them.

    A context is the ``window`` words before and after a seed, within its text. With ``window=None`` it is all other
    words of its sentence. Every seed has a context of its own: if the contexts of two seeds overlap, a word counts for
    both. With ``sets``, sentences are counted instead of words: a sentence with a seed of a group is one context of
    the group, and counts once for a word that occurs in it.

    Args:
        groups: seed words by group. A word may be in one group only.
        words: the words to count. A seed may be one of them and is counted in the contexts of other seeds.
        window: number of words on either side.
        split: gives the words of a text, or of an item of the lists.
        sets: sets of the words. Their sentences are counted too.
        finder: makes, from words as ``split`` gives them, what finds them in texts. By default every text is split.
    """

    n_words = n_texts = n_invalid = 0

    def __init__(
        self,
        groups: Mapping[str, Sequence[str]],
        words: Sequence[str],
        window: int | None,
        split: Callable[[str], Sequence[Any]],
        finder: Callable[[Sequence[Any]], TokenFinder | WordFinder] | None = None,
        sets: Sequence[Sequence[str]] | None = None,
    ) -> None:
        self.groups, self.words, self.window, self.sets = groups, words, window, sets
        self._items = [""]
        self._own: dict[str, int] = {}
        items: dict[tuple[Any, ...], int] = {}
        for item in [w for seeds in groups.values() for w in seeds] + list(words):
            if item in self._own:
                continue
            parts = tuple(split(item))
            if not parts:
                raise InputError(f"{item!r} contains no word to look for", hint="remove it from its list")
            if parts not in items:
                items[parts] = len(self._items)
                self._items.append(item)
            self._own[item] = items[parts]
        known = {word: k for k, word in enumerate(dict.fromkeys(w for parts in items for w in parts))}
        self._item_of = np.array([items.get((word,), _PART) for word in known], dtype=np.int64)
        longer = [(tuple(known[w] for w in parts), item) for parts, item in items.items() if len(parts) > 1]
        self._phrases = sorted(longer, key=lambda p: -len(p[0]))
        self._found = TokenFinder(list(known), split) if finder is None else finder(list(known))
        self._group_of = np.full(len(self._items) + 1, -1, dtype=np.int64)
        for k, (name, seeds) in enumerate(groups.items()):
            for seed in seeds:
                if (other := int(self._group_of[self._own[seed]])) not in (-1, k):
                    both = f"{list(groups)[other]} and {name}"
                    raise InputError(
                        f"{seed!r} is a seed of both {both}",
                        option="tests",
                        hint="remove it from one of them",
                    )
                self._group_of[self._own[seed]] = k
        self.joint = np.zeros((len(self.groups), len(self._items)), dtype=np.int64)
        self.in_sets = np.zeros((len(self.groups), len(sets or ()) + 1), dtype=np.int64)
        self.context = np.zeros(len(self.groups), dtype=np.int64)
        self.frequency = np.zeros(len(self._items), dtype=np.int64)

    def add(self, texts: Sequence[str]) -> None:
        """Count the words of some texts. Contexts do not reach from one to the next."""
        at, ids, ends = self._found.find(texts, self.window is None)
        if not len(ends):
            return
        if self._phrases:
            at, ids, ends = self._with_phrases(at, ids, ends)
        else:
            ids = self._item_of[ids]
        self.n_texts += len(ends)
        self.n_words += int(ends[-1])
        self.frequency += np.bincount(ids, minlength=len(self._items))
        if self.sets is not None:
            self._count_sentences(at, ids, ends)
        elif self.window is None:
            self._count_texts(at, ids, ends)
        else:
            self._count_windows(at, ids, ends)

    def emptied(self) -> Counter:
        """Return a counter of the same words that has counted nothing yet."""
        other = copy.copy(self)
        for name in _COUNTED:
            setattr(other, name, 0 * getattr(self, name))
        return other

    def merge(self, other: Counter) -> None:
        """Add what another counter of the same words found."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def state(self) -> dict[str, Any]:
        """Return what was counted so far, in a form for JSON."""
        return {name: np.asarray(getattr(self, name)).tolist() for name in _COUNTED}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from what :meth:`state` returned."""
        arrays = {name: np.array(state[name], dtype=np.int64) for name in _COUNTED}
        for name, array in arrays.items():
            setattr(self, name, array if array.ndim else int(array))

    def result(self) -> Cooccurrences:
        """Return what was counted so far."""
        columns = [self._own[word] for word in self.words]
        seeds = [[self._own[s] for s in dict.fromkeys(group_words)] for group_words in self.groups.values()]
        return Cooccurrences(
            groups=tuple(self.groups),
            words=tuple(self.words),
            joint=self.joint[:, columns].copy(),
            context=self.context.copy(),
            seeds=np.array([self.frequency[sorted(set(group_words))].sum() for group_words in seeds]),
            frequency={item: int(self.frequency[k]) for item, k in self._own.items()},
            n_words=self.n_words,
            n_texts=self.n_texts,
            in_sets=self.in_sets.copy(),
            n_invalid=self.n_invalid,
        )

    def _with_phrases(self, at: IntArray, ids: IntArray, ends: IntArray) -> Places:
        """Return places with items of several words as one, the longest first. Their other words are removed."""
        starts: dict[int, list[tuple[tuple[int, ...], int]]] = {}
        for parts, item in self._phrases:
            starts.setdefault(parts[0], []).append((parts, item))
        text_of = np.searchsorted(ends, at, side="right")
        items, is_part, free = self._item_of[ids], np.zeros(len(ids), dtype=bool), 0
        for first in np.flatnonzero(np.isin(ids, list(starts))).tolist():
            if first < free:
                continue
            for parts, item in starts[int(ids[first])]:
                last = first + len(parts) - 1
                if (
                    last < len(ids)
                    and at[last] - at[first] == last - first
                    and text_of[first] == text_of[last]
                    and tuple(ids[first : last + 1].tolist()) == parts
                ):
                    items[first], free = item, last + 1
                    is_part[first + 1 : free] = True
                    break
        is_kept, less = ~is_part & (items != _PART), at[is_part]
        return Places(
            at[is_kept] - np.searchsorted(less, at[is_kept]),
            items[is_kept],
            ends - np.searchsorted(less, ends),
        )

    def _count_windows(self, at: IntArray, ids: IntArray, ends: IntArray) -> None:
        seeds = np.flatnonzero(self._group_of[ids] >= 0)
        group, place = self._group_of[ids[seeds]], at[seeds]
        text = np.searchsorted(ends, place, side="right")
        window = min(int(self.window or 0), int(ends[-1]))
        low = np.maximum(np.append(0, ends)[text], place - window)
        high = np.minimum(ends[text], place + window + 1)
        # The counted words around a seed, and the seed itself, are those from `first` on and before `last`.
        first, last = np.searchsorted(at, low), np.searchsorted(at, high)
        sizes, n = last - first, len(self._items)
        for k in range(len(self.context)):
            self.context[k] += (high - low - 1)[group == k].sum()
        block = max(1, _PAIRS // int(sizes.max(initial=1)))
        for start in range(0, len(seeds), block):
            block_sizes = sizes[start : start + block]
            before = np.cumsum(block_sizes) - block_sizes
            near = np.arange(block_sizes.sum()) + np.repeat(
                first[start : start + block] - before, block_sizes
            )
            cells = np.repeat(group[start : start + block] * n, block_sizes) + ids[near]
            self.joint += np.bincount(cells, minlength=self.joint.size).reshape(self.joint.shape)
        self.joint -= np.bincount(group * n + ids[seeds], minlength=self.joint.size).reshape(self.joint.shape)

    def _count_sentences(self, at: IntArray, ids: IntArray, ends: IntArray) -> None:
        n_texts, n = len(ends), len(self._items)
        # Each item of a sentence once, however often it occurs there.
        text, item = np.divmod(np.unique(np.searchsorted(ends, at, side="right") * n + ids), n)
        has_seed = np.zeros((n_texts, len(self.groups)), dtype=bool)
        seed = self._group_of[item] >= 0
        has_seed[text[seed], self._group_of[item[seed]]] = True
        self.context += has_seed.sum(axis=0)
        for k in range(len(self.groups)):
            self.joint[k] += np.bincount(item[has_seed[text, k]], minlength=n)
        has_word = np.ones((n_texts, self.in_sets.shape[1]), dtype=bool)
        for column, of_set in enumerate(self.sets or ()):
            has_word[:, column] = False
            has_word[text[np.isin(item, [self._own[word] for word in of_set])], column] = True
        has_word[:, -1] = has_word[:, :-1].all(axis=1)
        self.in_sets += has_seed.T.astype(np.int64) @ has_word

    def _count_texts(self, at: IntArray, ids: IntArray, ends: IntArray) -> None:
        group, n_groups, n_texts = self._group_of[ids], len(self.groups), len(ends)
        text_of, seed = np.searchsorted(ends, at, side="right"), group >= 0
        # Seeds of each group in each text, shape (texts, groups), and the length of each text.
        seeds = np.bincount(text_of[seed] * n_groups + group[seed], minlength=n_texts * n_groups)
        seeds = seeds.reshape(n_texts, n_groups)
        self.context += seeds.T @ (np.diff(ends, prepend=0) - 1)
        for k in range(n_groups):
            joint = np.bincount(ids, weights=seeds[text_of, k], minlength=len(self._items))
            self.joint[k] += np.rint(joint).astype(np.int64)
            # A seed is not its own neighbour.
            self.joint[k] -= np.bincount(ids[group == k], minlength=len(self._items))
