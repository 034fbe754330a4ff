"""Words in a text, in any script, names as people type them, numbers as people read them, and text from outside on one
harmless line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from .errors import InputError

_SMALL_P = 1e-3
_LEVEL = 0.05
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def counted(n: int, noun: str) -> str:
    """A number of things.

    Examples:
        >>> counted(1, "unit"), counted(2000, "unit")
        ('1 unit', '2,000 units')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def plain_p(p: float | None) -> str:
    """Write a p-value as papers do; a dash when there is none.

    Examples:
        >>> [plain_p(p) for p in (0.0123, 0.00004, 0.04996, 0.5, 0.9999, 1, None)]
        ['.012', '< .001', '.04996', '.500', '> .999', '1', '—']
    """
    if p is None or p == 1:
        return "—" if p is None else "1"
    if p < _SMALL_P:
        return "< .001"
    # No rounding crosses the level.
    text = next(t for t in (f"{p:.{d}f}" for d in range(3, 18)) if (float(t) < _LEVEL) == (p < _LEVEL))
    return "> .999" if float(text) == 1 else text.lstrip("0")


def p_phrase(p: float) -> str:
    """Write a p-value in a sentence.

    Examples:
        >>> p_phrase(0.0123), p_phrase(0.00004)
        ('p = .012', 'p < .001')
    """
    text = plain_p(p)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def range_text(bounds: tuple[float | None, float | None]) -> str:
    """A range of scores; ``None`` is an end without a bound.

    Examples:
        >>> range_text((-2, 2)), range_text((None, None))
        ('-2 to 2', '−∞ to ∞')
    """
    low, high = bounds
    return f"{'−∞' if low is None else f'{low:.4g}'} to {'∞' if high is None else f'{high:.4g}'}"


def one_line(text: str) -> str:
    """Return the text on one line, without control characters.

    Bidirectional overrides go too: they could make a table read differently from what it says.

    Examples:
        >>> one_line("a\\nb\\x00 c")
        'a b c'
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    spaced = "".join(" " if c in "\t\n\r\x0b\x0c\x85\u2028\u2029" else c for c in text)
    kept = "".join(
        c for c in spaced if unicodedata.category(c) not in ("Cc", "Cf", "Cs") or c in "\u200c\u200d"
    )
    return " ".join(kept.split())


def spreadsheet(text: str) -> str:
    """Return the text so that no spreadsheet takes it for a formula.

    Examples:
        >>> spreadsheet("=1+1"), spreadsheet("a\\r＝1+1"), spreadsheet("weat6")
        ("'=1+1", 'a ＝1+1', 'weat6')
    """
    shown = one_line(text)
    # Full-width signs are read as plain ones where a spreadsheet's language is Chinese, Japanese or Korean.
    return f"'{shown}" if unicodedata.normalize("NFKC", shown[:1]) in ("=", "+", "-", "@", "−") else shown


def name_key(name: object) -> str:
    """Return a name without what does not matter in it: capitals, blanks, hyphens, underscores.

    Examples:
        >>> name_key("WEAT 7"), name_key("race_color") == name_key("Race-Color")
        ('weat7', True)
    """
    return "".join(c for c in str(name).casefold() if c.isalnum())


def stable_order(names: Sequence[str]) -> list[int]:
    """Positions of names in the order of their text; equal ones stay in the order they are given in.

    Whatever is drawn at random is drawn from words in this order, so that rows and words given in another order have
    the same interval and p-value.

    Examples:
        >>> stable_order(["rose", "ant", "poppy"])
        [1, 2, 0]
    """
    return sorted(range(len(names)), key=names.__getitem__)


def word_spans(text: str, word: str, *, cased: bool = True) -> list[tuple[int, int]]:
    """Find the places where ``word`` stands in ``text`` as a word of its own.

    In scripts that put no space between words (Chinese, Japanese, Thai …) every occurrence counts.

    Args:
        text: the text.
        word: a word, or several with spaces between.
        cased: whether capitals must agree.

    Returns:
        Character spans in order, not overlapping.

    Raises:
        InputError: the word is empty.

    Examples:
        >>> word_spans("The cat saw a catfish, not a Cat.", "cat")
        [(4, 7)]
        >>> word_spans("The cat saw a catfish, not a Cat.", "cat", cased=False)
        [(4, 7), (29, 32)]
        >>> word_spans("护士说她很忙", "护士")
        [(0, 2)]
    """
    if not word.strip():
        raise InputError("the word to look for is empty")
    hay, needle = (text, word) if cased else (_folded(text), _folded(word))
    spans, start = [], hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not (_joined(hay, start) or _joined(hay, end)):
            spans.append((start, end))
            start = hay.find(needle, end)
        else:
            start = hay.find(needle, start + 1)
    return spans


def is_unspaced(word: str) -> bool:
    """Whether a word is written in a script that puts no space between words.

    Examples:
        >>> is_unspaced("护士"), is_unspaced("nurse")
        (True, False)
    """
    return any(unicodedata.name(character, "").startswith(_UNSPACED) for character in word)


def _folded(text: str) -> str:
    """Lower case, character by character, so that positions stay what they are."""
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of ``at`` belong to one word."""
    return 0 < at < len(text) and _in_word(text[at - 1]) and _in_word(text[at])


def _in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not is_unspaced(character)
