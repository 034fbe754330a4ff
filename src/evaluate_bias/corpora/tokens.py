"""Simple Unicode words, the words of ``re.findall(r"\\w+", text)``, and where some of them appear in texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Case = Literal["lower", "as_is"]
Accents = Literal["keep", "strip"]
IntArray = NDArray[np.int64]

_NOT_ASCII_SEPARATORS = re.compile(r"[^\w\x00-\x7f]+")
"""Punctuation, white space and symbols beyond ASCII: all that is not a letter, digit or mark of ``\\w``."""

_ASCII_WORDS = bytes(i if i > 127 or chr(i).isalnum() or chr(i) == "_" else 32 for i in range(256))
"""Bytes that are part of a word stay, other ASCII ones become a blank. Bytes above 127 belong to letters by then."""

_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s+")
_CUT = re.compile(r"(?<=[.!?…。！？])[\"'”’»)\]]*\s+")

_MARK = "\x01"
"""The separator between two texts that are read together. No text contains it."""
_MARKED = bytes(1 if i == 1 else _ASCII_WORDS[i] for i in range(256))
_TABLES = {"as_is": _MARKED, "lower": _MARKED.lower()}


def fold(text: str, case: Case, accents: Accents) -> str:
    """Return the text as words are compared: in lower case and without accents, if asked for."""
    if case == "lower":
        text = text.lower()
    if accents == "strip" and not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    return text


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, cut after full stops, question and exclamation marks that white space follows."""
    return _CUT.split(text)


def simple_words(text: str, case: Case = "lower", accents: Accents = "keep") -> Sequence[bytes]:
    """Return the words of a text: runs of letters, digits and underscores.

    Splitting bytes is several times as fast as a regular expression over characters.

    Examples:
        >>> [w.decode() for w in simple_words("She said: “It’s Zoë’s 2nd–best!”")]
        ['she', 'said', 'it', 's', 'zoë', 's', '2nd', 'best']
    """
    text = fold(text, case, accents)
    if not text.isascii():
        text = _NOT_ASCII_SEPARATORS.sub(" ", text)
    return text.encode("utf-8", "surrogatepass").translate(_ASCII_WORDS).split()


class Places(NamedTuple):
    """Where words of a list appear in texts.

    Attributes:
        at: which word of all texts together it is, ascending, from 0.
        ids: which word of the list.
        ends: the number of words of each text and those before it.
    """

    at: IntArray
    ids: IntArray
    ends: IntArray


class TokenFinder:
    """Finds words that any tokenizer gives.

    Args:
        words: what is looked for, as the tokenizer gives it.
        split: gives the words of a text.
    """

    def __init__(self, words: Sequence[Any], split: Callable[[str], Sequence[Any]]) -> None:
        self._known = {word: k for k, word in enumerate(words)}
        self._split = split

    def find(self, texts: Sequence[str], by_sentence: bool = False) -> Places:
        """Places in texts, or in their sentences."""
        ids: list[int] = []
        ends: list[int] = []
        for text in texts:
            for part in sentences(text) if by_sentence else [text]:
                ids.extend(self._known.get(word, -1) for word in self._split(part))
                ends.append(len(ids))
        known = np.array(ids, dtype=np.int64)
        at = np.flatnonzero(known >= 0)
        return Places(at, known[at], np.array(ends, dtype=np.int64))


class WordFinder:
    """Finds simple words: what :class:`TokenFinder` finds with :func:`simple_words`, ten times as fast.

    No word becomes an object of Python: the edges of all words are found in the bytes at once, and a word is compared
    by its first eight bytes, read as one number.

    Args:
        words: what is looked for, as :func:`simple_words` gives it.
        case: ``"lower"`` or ``"as_is"``.
        accents: ``"keep"`` or ``"strip"``.

    Examples:
        >>> finder = WordFinder([b"she", b"nurse"])
        >>> places = finder.find(["She met", "a nurse. She?"])
        >>> places.at.tolist(), places.ids.tolist(), places.ends.tolist()
        ([0, 3, 4], [0, 1, 0], [2, 5])
    """

    def __init__(self, words: Sequence[bytes], case: Case = "lower", accents: Accents = "keep") -> None:
        self._known = {word: k for k, word in enumerate(words)}
        self._case, self._accents = case, accents
        ids: dict[int, int] = {}
        for word, k in self._known.items():
            key = int.from_bytes(word[:7] + b"\xff" if len(word) > 8 else word, "little")
            ids[key] = k if len(word) <= 8 else -1
        self._keys = np.array(sorted(ids), dtype=np.uint64)
        self._ids = np.array([ids[key] for key in sorted(ids)], dtype=np.int64)
        self._slots = np.zeros(1 << 16, dtype=np.bool_)
        self._slots[_slot(self._keys)] = True

    def find(self, texts: Sequence[str], by_sentence: bool = False) -> Places:
        """Places in texts, or in their sentences."""
        if not texts:
            return Places(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
        text = _MARK.join(texts)
        if text.count(_MARK) >= len(texts):
            text = _MARK.join(text.replace(_MARK, "\x02") for text in texts)
        if by_sentence:
            text = _SENTENCE_END.sub(_MARK, text)
        raw = self._bytes(text)
        data = np.frombuffer(raw, dtype=np.uint8)
        word = data > 32
        edges = np.flatnonzero(word[1:] != word[:-1]).reshape(-1, 2) + 1
        starts, sizes = np.ascontiguousarray(edges[:, 0]), edges[:, 1] - edges[:, 0]
        ends = np.append(np.searchsorted(starts, np.flatnonzero(data == 1)), len(starts)).astype(np.int64)
        if not len(self._keys):
            return Places(starts[:0], starts[:0], ends)
        # The eight bytes from each byte on, as one number. The last eight bytes are spaces.
        eight = np.ndarray((len(data) - 7,), dtype="<u8", buffer=raw, strides=(1,))
        keys = eight[starts] & _MASKS[np.minimum(sizes, 9)] | _LONG[np.minimum(sizes, 9)]
        at = np.flatnonzero(self._slots[_slot(keys)])
        places = np.searchsorted(self._keys, keys[at]).clip(max=len(self._keys) - 1)
        same = self._keys[places] == keys[at]
        at, ids = at[same], self._ids[places[same]]
        long = np.flatnonzero(ids < 0)
        if len(long):
            ids = ids.copy()
            for place in long.tolist():
                start, size = int(starts[at[place]]), int(sizes[at[place]])
                ids[place] = self._known.get(bytes(raw[start : start + size]), -1)
            at, ids = at[ids >= 0], ids[ids >= 0]
        return Places(at, ids, ends)

    def _bytes(self, text: str) -> bytearray:
        """Return UTF-8 in which all that is between words, and nothing else, is spaces, with a space at both ends."""
        if self._accents == "strip":
            text = fold(text, self._case, self._accents)
        plain = text.isascii()
        raw = _padded(text, self._case)
        if plain:
            return raw
        leads, kinds = _kinds(raw)
        if self._case == "lower" and (kinds & _CHANGES).any():
            raw = _padded(text.lower(), "as_is")
            leads, kinds = _kinds(raw)
        data = np.frombuffer(raw, dtype=np.uint8)
        between = leads[kinds & _BETWEEN != 0]
        sizes = _SIZES[data[between]]
        for k in range(4):
            data[between[sizes > k] + k] = 32
        return raw


_MASKS = np.array([(1 << 8 * i) - 1 for i in range(9)] + [(1 << 56) - 1], dtype=np.uint64)
_LONG = np.array([0] * 9 + [0xFF << 56], dtype=np.uint64)
"""A word of more than eight bytes: its first seven, and a byte that UTF-8 does not have."""


def _slot(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (keys * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(48)


_BETWEEN, _IN_WORD, _CHANGES = 1, 2, 4
_KINDS = np.zeros(0x110000, dtype=np.uint8)
"""What is known of characters beyond ASCII: 0 for nothing yet, else flags. Filled as they are met."""
_SIZES = np.array([1] * 0xC0 + [2] * 0x20 + [3] * 0x10 + [4] * 0x10, dtype=np.int64)
"""Number of bytes of a character, by its first byte."""


def _padded(text: str, case: Case) -> bytearray:
    return bytearray(b" " + text.encode("utf-8", "surrogatepass").translate(_TABLES[case]) + b" " * 8)


def _kinds(raw: bytearray) -> tuple[IntArray, NDArray[np.uint8]]:
    """Return the first bytes of all characters beyond ASCII, and the kinds of these characters."""
    data = np.frombuffer(raw, dtype=np.uint8)
    leads = np.flatnonzero(data >= 0xC0)
    sizes = _SIZES[data[leads]]
    codes = data[leads] & (0xFF >> (sizes + 1))
    for k in range(1, 4):
        more = sizes > k
        codes[more] = codes[more] << 6 | data[leads[more] + k] & 0x3F
    kinds = _KINDS[codes]
    if not kinds.all():
        for code in np.unique(codes[kinds == 0]).tolist():
            char = chr(code)
            _KINDS[code] = (_IN_WORD if char.isalnum() else _BETWEEN) | (
                _CHANGES if char.lower() != char else 0
            )
        kinds = _KINDS[codes]
    return leads, kinds
