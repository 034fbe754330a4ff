"""Running text into sentences: for corpora of contexts, where a lost sentence costs less than a broken one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

FEWEST_WORDS, MOST_WORDS = 3, 80

_NO_LETTER = re.compile(r"[A-Z\d]|[^\w\s]")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": " - ", "—": " - ", "`": "'", "_": " "})
_PARAGRAPH = re.compile(r"\n\s*\n|(?<=\S)\n(?= {2,}\S)")
_WHOLE = re.compile(r"""[.!?]["')\]]*$""")
_END = re.compile(r"""([.!?]["')\]]*)\s+(?=["'(\[]*[A-Z])""")
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Messrs|Prof|Rev|Hon|Gen|Col|Capt|Lt|No|Vol|Esq|viz|i\.e|e\.g)|\b[A-Z])\.$"
)


def prose_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a book or an address.

    Headings, verse (paragraphs of indented lines), notes in brackets, and what is mostly capitals or figures are
    left out, and so are sentences of fewer than 3 or more than 80 words.

    Examples:
        >>> list(prose_sentences("CHAPTER I\\n\\nMr. Brown said no. He was\\nright.\\n\\n  A line of verse."))
        ['Mr. Brown said no.', 'He was right.']
    """
    for paragraph in _PARAGRAPH.split(text.replace("\r", "").translate(_PLAIN)):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if not lines or paragraph.lstrip().startswith("[") or all(line.startswith("  ") for line in lines):
            continue
        joined = " ".join(re.sub(r"-{2,}", " - ", paragraph).split())
        if _WHOLE.search(joined):
            yield from filter(_is_usable, _split(joined))


def line_sentences(lines: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of a text with one a line and no punctuation; a full stop is added.

    Examples:
        >>> list(line_sentences(["the cat sat down", "hm"]))
        ['the cat sat down.']
    """
    for line in lines:
        sentence = " ".join(line.translate(_PLAIN).split()) + "."
        if _is_usable(sentence):
            yield sentence


def _split(paragraph: str) -> Iterator[str]:
    """Split after a full stop and its like before a capital, but not after an abbreviation or an initial."""
    start = 0
    for match in _END.finditer(paragraph):
        if not _ABBREVIATED.search(paragraph[start : match.end(1)]):
            yield paragraph[start : match.end(1)]
            start = match.end()
    yield paragraph[start:]


def _is_usable(sentence: str) -> bool:
    if not FEWEST_WORDS <= sentence.count(" ") + 1 <= MOST_WORDS:
        return False
    return len(_NO_LETTER.findall(sentence)) <= 0.4 * len(sentence)
