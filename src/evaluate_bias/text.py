"""Words in a text, in any script, names as people type them, numbers as people read them, and text from outside on one
harmless line.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence

from .errors import InputError

_SMALL_P = 1e-3
_LEVEL = 0.05
_DOTTED = frozenset({"tr", "az"})
_LOWER, _UPPER = str.maketrans("Iİ", "ıi"), str.maketrans("ıi", "Iİ")
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def counted(n: int, noun: str) -> str:
    """Return a number and the noun that it counts.

    Examples:
        >>> counted(1, "unit"), counted(2000, "unit")
        ('1 unit', '2,000 units')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def row_place(position: int, n: int, called: str = "row") -> str:
    """Return what an error calls the row at a position: people count from 1, and not the header line of a file.

    Examples:
        >>> row_place(0, 1508), row_place(2, 8, "pair")
        ('row 1 of 1,508 (counted from 1)', 'pair 3 of 8 (counted from 1)')
    """
    return f"{called} {position + 1:,} of {n:,} (counted from 1)"


def joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Examples:
        >>> joined(["she", "he"]), joined(["a", "b", "c"]), joined(["a"]), joined([])
        ('she and he', 'a, b and c', 'a', '')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def singular(plural: str) -> str:
    """Return one of what a plural names.

    Examples:
        >>> singular("templates"), singular("categories"), singular("prompt variants")
        ('template', 'category', 'prompt variant')
        >>> singular("pairs of texts")
        'pair of texts'
    """
    head, of, rest = plural.partition(" of ")
    return (f"{head[:-3]}y" if head.endswith("ies") else head.removesuffix("s")) + of + rest


def name_list(names: Iterable[str], most: int) -> str:
    """Return the first names, each once, and how many more there are.

    Examples:
        >>> name_list(["weat6", "weat7", "weat6"], 2), name_list(["weat6", "weat7", "weat8"], 2)
        ('weat6, weat7', 'weat6, weat7, and 1 more')
    """
    different = list(dict.fromkeys(names))
    more = len(different) - most
    return ", ".join([*different[:most], *([f"and {more} more"] if more > 0 else [])])


def plain_p(p: float | None) -> str:
    """Return a p-value as papers write it, a dash for ``None``.

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
    """Return a range of scores in words. ``None`` is an open end.

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
    printable = "".join(
        c for c in spaced if unicodedata.category(c) not in ("Cc", "Cf", "Cs") or c in "\u200c\u200d"
    )
    return " ".join(printable.split())


def spreadsheet(text: str) -> str:
    """Return the text so that no spreadsheet reads it as a formula.

    Examples:
        >>> spreadsheet("=1+1"), spreadsheet("a\\r＝1+1"), spreadsheet("weat6")
        ("'=1+1", 'a ＝1+1', 'weat6')
    """
    line = one_line(text)
    # Full-width signs are read as plain ones if a spreadsheet's language is Chinese, Japanese or Korean.
    return f"'{line}" if unicodedata.normalize("NFKC", line[:1]) in ("=", "+", "-", "@", "−") else line


def name_key(name: object) -> str:
    """Return a name without capitals, blanks, hyphens and underscores, so that spellings of it are equal.

    Examples:
        >>> name_key("WEAT 7"), name_key("race_color") == name_key("Race-Color")
        ('weat7', True)
    """
    return "".join(c for c in str(name).casefold() if c.isalnum())


def has_dotless_i(language: str) -> bool:
    """True if I and i are different letters, as in Turkish and Azeri, where they pair with ı and İ."""
    return language.lower().partition("-")[0] in _DOTTED


def lower_case(text: str, language: str = "") -> str:
    """Return a text in small letters, as its language has them.

    Examples:
        >>> lower_case("ILIK İs"), lower_case("ILIK", "tr")
        ('ilik i̇s', 'ılık')
    """
    return (unicodedata.normalize("NFC", text).translate(_LOWER) if has_dotless_i(language) else text).lower()


def upper_case(text: str, language: str = "") -> str:
    """Return a text in capitals, as its language has them.

    Examples:
        >>> upper_case("ilik"), upper_case("ilik", "tr")
        ('ILIK', 'İLİK')
    """
    return (text.translate(_UPPER) if has_dotless_i(language) else text).upper()


def stable_order(names: Sequence[str]) -> list[int]:
    """Return the positions of names in alphabetical order. Equal names keep the order they are given in.

    Whatever is drawn at random is drawn from words in this order, so that rows and words given in another order have
    the same interval and p-value.

    Examples:
        >>> stable_order(["rose", "ant", "poppy"])
        [1, 2, 0]
    """
    return sorted(range(len(names)), key=names.__getitem__)


def word_spans(text: str, word: str, *, cased: bool = True, language: str = "") -> list[tuple[int, int]]:
    """Return the places where ``word`` appears in ``text`` as a word of its own.

    In scripts that put no space between words (Chinese, Japanese, Thai …) every occurrence counts.

    Args:
        text: the text.
        word: a word, or several with spaces between.
        cased: whether capitals must agree.
        language: language of both, which says what letters agree.

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
    hay, needle = (text, word) if cased else (_fold_case(text, language), _fold_case(word, language))
    spans, start = [], hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        if not (_is_inside_word(hay, start) or _is_inside_word(hay, end)):
            spans.append((start, end))
            start = hay.find(needle, end)
        else:
            start = hay.find(needle, start + 1)
    return spans


def is_unspaced(word: str) -> bool:
    """True if a word is written in a script that puts no space between words.

    Examples:
        >>> is_unspaced("护士"), is_unspaced("nurse")
        (True, False)
    """
    return any(unicodedata.name(character, "").startswith(_UNSPACED) for character in word)


def _fold_case(text: str, language: str) -> str:
    """Return the text in lower case, converted character by character so that positions stay the same."""
    if text.isascii():  # no letter of which becomes two
        return lower_case(text, language)
    return "".join(low if len(low := lower_case(c, language)) == 1 else c for c in text)


def _is_inside_word(text: str, at: int) -> bool:
    """True if the characters on both sides of ``at`` belong to one word."""
    return 0 < at < len(text) and _in_word(text[at - 1]) and _in_word(text[at])


def _in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not is_unspaced(character)


@functools.cache
def is_same_language(tag: str, other: str) -> bool:
    """True if two language tags name one language: CLDR's distance between them is at most 5.

    A name that is not a tag, such as a configuration's, counts as the language that it begins with.

    Examples:
        >>> [is_same_language(*tags) for tags in (("no", "nb"), ("iw", "he"), ("fr-FR", "fr"), ("zh-TW", "zh"))]
        [True, True, True, False]
        >>> is_same_language("de-cocreated", "de"), is_same_language("und", "en"), is_same_language("gender", "en")
        (True, False, False)
    """
    import langcodes

    first, second = (text.strip().replace("_", "-").lower() for text in (tag, other))
    if first == second:
        return True
    try:
        return langcodes.tag_distance(first, second) <= 5
    except ValueError:  # one of them is not a tag
        parts = first.partition("-")[0], second.partition("-")[0]
        return (first, second) != parts and is_same_language(*parts)


_ENTRY = re.compile(r"^    (?P<names>\w[\w-]*(?:, \w[\w-]*)*): (?P<text>.*)$")


def docstring_entries(doc: str, section: str) -> dict[str, str]:
    """Return the entries of a section of a docstring by name, as plain text, each up to the first blank line.

    Args:
        doc: the docstring, without its common indentation.
        section: heading of the section, such as ``"Args"``.

    Examples:
        >>> docstring_entries("A pair.\\n\\nAttributes:\\n    a, b: the ``two``\\n        parts.\\n", "Attributes")
        {'a': 'the two parts.', 'b': 'the two parts.'}
    """
    texts: dict[str, str] = {}
    open_names: list[str] = []
    for line in doc.partition(f"\n{section}:\n")[2].splitlines():
        entry = _ENTRY.match(line)
        if entry:
            open_names = entry["names"].split(", ")
            texts |= dict.fromkeys(open_names, _without_markup(entry["text"]))
        elif line.startswith("        ") and open_names:
            texts |= {name: f"{texts[name]} {_without_markup(line.strip())}" for name in open_names}
        elif line and not line.startswith(" "):
            break
        else:
            open_names = []
    return texts


def _without_markup(text: str) -> str:
    return re.sub(r":\w+:`~?([^`]+)`", r"\1", text).replace("``", "")
