"""The position of the marked block in a model card. This module knows Markdown and no results.

A Markdown parser tells headings from look-alikes in fenced code, comments, quotes and lists. The text itself
is never re-rendered, only cut and joined at line ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import CardError

if TYPE_CHECKING:
    from markdown_it.token import Token

BEGIN = "<!-- evaluate-bias:begin -->"
END = "<!-- evaluate-bias:end -->"
_MARKER = re.compile(r"<!--\s*evaluate-bias:(?P<kind>begin|end)\b[^>]*-->")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LITERAL_HTML = ("<pre", "<script", "<style", "<textarea")
_FULL_TITLE = {"bias", "risks", "limitations"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside code, comments, quotes and lists: its level, its text and the lines it covers."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of a text.

    Attributes:
        text: the text.
        lines: its lines with their line ends.
        headings: its headings.
        block: number of the marked block's first line and of the line after its last, ``None`` without a
            block.
        starts: first lines of everything that is not inside something else.
    """

    text: str
    lines: tuple[str, ...]
    headings: tuple[Heading, ...]
    block: tuple[int, int] | None
    starts: tuple[int, ...]

    @property
    def block_text(self) -> str:
        """The marked block, empty if the card does not have one."""
        return "" if self.block is None else "".join(self.lines[slice(*self.block)])


def enclosed(section: str) -> str:
    """Return the block of a section: its text between the markers."""
    return f"{BEGIN}\n\n{section}\n\n{END}"


def newline_of(text: str) -> str:
    """Return the line end that the text uses most, ``"\\n"`` for a text of one line.

    Examples:
        >>> newline_of("a\\r\\nb\\r\\nc\\n")
        '\\r\\n'
    """
    windows, unix = text.count("\r\n"), text.count("\n")
    counts = {"\n": unix - windows, "\r\n": windows, "\r": text.count("\r") - windows}
    return max(counts, key=lambda end: counts[end])


def outline(text: str) -> Outline:
    """Read the structure of a text.

    Raises:
        CardError: the markers of the block are doubled, unbalanced, misspelt or out of place.

    Examples:
        >>> card = outline("# A\\n```\\n# no\\n```\\n" + BEGIN + "\\nx\\n" + END + "\\n")
        >>> [h.title for h in card.headings], card.block
        (['A'], (4, 7))
    """
    from markdown_it import MarkdownIt

    lines = tuple(_LINE.findall(text))
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(text)
    headings, markers = [], []
    for i, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map
        if token.type == "heading_open" and token.level == 0:
            headings.append(Heading(int(token.tag[1]), tokens[i + 1].content, start, end))
        elif token.type == "html_block":
            markers += _markers(lines, token, start, end)
        elif token.type == "inline" and _MARKER.search(token.content):
            # In running text it is refused, unless it is quoted as code.
            for inner in MarkdownIt("commonmark").parseInline(token.content)[0].children or ():
                if inner.type == "html_inline" and _MARKER.search(inner.content):
                    raise CardError(
                        f"the marker {inner.content} must stand alone on its line", hint="move it there"
                    )
    starts = tuple(t.map[0] for t in tokens if t.level == 0 and t.map is not None)
    return Outline(text, lines, tuple(headings), _balanced(markers), starts)


def heading_level(card: Outline) -> int:
    """Return the level of a heading inside the block: one below the heading that the block is under."""
    if card.block is not None:
        above = [h for h in card.headings if h.end <= card.block[0]]
        return min(6, above[-1].level + 1) if above else 2
    section = _bias_section(card.headings)
    return 3 if section is None else min(6, section.level + 1)


def place_block(card: Outline, block: str, title: str) -> str:
    """Return the text with the block, which replaces the old one or goes into the section on bias, an old or a new one.

    Every character outside the block stays as it is. A new block gets blank lines around it.

    Args:
        card: structure of the Markdown without front matter.
        block: the block, markers included, with ``"\\n"`` line ends and none at the end.
        title: title of the section to add if the card has no section on bias.

    Raises:
        CardError: the block would not be read as one at any place.

    Examples:
        >>> card = outline("# M\\n\\n## Bias\\n\\nText.\\n\\n### More\\n")
        >>> print(place_block(card, BEGIN + "\\nx\\n" + END, "Bias"))
        # M
        <BLANKLINE>
        ## Bias
        <BLANKLINE>
        Text.
        <BLANKLINE>
        <!-- evaluate-bias:begin -->
        x
        <!-- evaluate-bias:end -->
        <BLANKLINE>
        ### More
        <BLANKLINE>
    """
    newline = newline_of(card.text)
    block = block.replace("\n", newline)
    if card.block is not None:
        start, end = card.block
        # The line end after the last marker is the author's: at the end of a file it may be missing.
        last = card.lines[end - 1]
        tail = last[len(last.rstrip("\r\n")) :]
        return "".join((*card.lines[:start], block, tail, *card.lines[end:]))
    section = _bias_section(card.headings)
    addition = block if section is not None else f"## {title}{newline}{newline}{block}"
    for at in _places(card, section):
        above, below = "".join(card.lines[:at]), card.lines[at:]
        lead = "" if not above else newline if above.endswith(("\n", "\r")) else 2 * newline
        trail = newline if not below or not below[0].strip() else 2 * newline
        candidate = "".join((above, lead, addition, trail, *below))
        if _reads_back(candidate, card, block, title if section is None else None):
            return candidate
    raise CardError(
        "the card has no place for the section", hint="close open code fences, comments and HTML tags"
    )


def _markers(lines: Sequence[str], token: Token, start: int, end: int) -> list[tuple[str, int]]:
    """Return the markers in a block of HTML, with their lines."""
    if token.content.lstrip().lower().startswith(_LITERAL_HTML):
        return []
    in_comment = _MARKER.match(token.content.lstrip()) is None and token.content.lstrip().startswith("<!--")
    markers = []
    for number in range(start, min(end, len(lines))):
        match = _MARKER.search(lines[number])
        if match is None:
            continue
        marker, kind = match[0], match["kind"]
        if lines[number].strip() != marker or token.level != 0:
            place = "outside lists and quotes: move it there"
            raise CardError(f"the marker {marker} must stand alone on its line, {place}")
        if in_comment:
            raise CardError(f"the marker {marker} is inside another comment", hint="close that before it")
        if marker not in (BEGIN, END):
            hint = f"write {BEGIN if kind == 'begin' else END}"
            raise CardError(f"the marker {marker} is not one of evaluate-bias", hint=hint)
        markers.append((kind, number))
    return markers


def _balanced(markers: Sequence[tuple[str, int]]) -> tuple[int, int] | None:
    if not markers:
        return None
    kinds = [kind for kind, _ in markers]
    if kinds == ["begin", "end"]:
        return markers[0][1], markers[1][1] + 1
    begins, ends = kinds.count("begin"), kinds.count("end")
    if begins > 1 or ends > 1:
        advice = "of evaluate-bias: keep one section, remove the others"
        raise CardError(f"the card has {begins} begin and {ends} end markers {advice}")
    missing = "end" if ends == 0 else "begin" if begins == 0 else "begin before the end"
    advice = "restore it, or remove the other marker"
    raise CardError(f"the card's bias section lacks its {missing} marker: {advice}")


def _bias_section(headings: Sequence[Heading]) -> Heading | None:
    """Return the heading of the section on bias: the first among those whose title fits best."""

    def fit(heading: Heading) -> int:
        words = {*re.findall(r"[^\W\d_]+", heading.title.casefold())} - {"and"}
        if words >= _FULL_TITLE:
            return 3
        if not words & {"bias", "biases"}:
            return 0
        return 2 if any(w.startswith(("risk", "limitation")) for w in words) else int(len(words) <= 3)

    best = max(headings, key=fit, default=None)
    return best if best is not None and fit(best) > 0 else None


def _places(card: Outline, section: Heading | None) -> list[int]:
    """Return line numbers to try: the end of the section's own text and, if that is in code or a comment, before it."""
    first, last = 0, len(card.lines)
    if section is not None:
        first = section.end
        last = next((h.start for h in card.headings if h.start >= first), last)
    while last > first and not card.lines[last - 1].strip():
        last -= 1
    blocks = [start for start in card.starts if first <= start < last]
    return [last, *blocks[-1:], first]


def _reads_back(candidate: str, before: Outline, block: str, title: str | None) -> bool:
    """True if the block is read as the block, under its new title if any, and every other heading as before."""
    try:
        after = outline(candidate)
    except CardError:
        return False
    if after.block is None or after.block_text.rstrip("\r\n") != block:
        return False
    start, end = after.block
    outside = [(h.level, h.title) for h in after.headings if h.end <= start or h.start >= end]
    if title is not None:
        place = sum(h.end <= start for h in after.headings) - 1
        if place < 0 or outside.pop(place) != (2, title):
            return False
    return outside == [(h.level, h.title) for h in before.headings]
