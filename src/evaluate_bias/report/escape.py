"""Text from outside (labels, model names, words) made safe to publish: in Markdown and spreadsheets."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["file_name", "markdown", "one_line", "public_name", "shorten", "spreadsheet"]

_MARKDOWN = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


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


def markdown(text: str) -> str:
    """Return the text so that Markdown shows it as it is, in a paragraph or a table cell.

    Examples:
        >>> print(markdown("a|b <!-- x --> `c` snake_case _d_"))
        a\\|b &lt;!-- x --&gt; \\`c\\` snake_case \\_d\\_
    """
    entities = "".join(_ENTITIES.get(c, c) for c in one_line(text))
    return _MARKDOWN.sub(lambda match: "\\" + match[0], entities)


def spreadsheet(text: str) -> str:
    """Return the text so that no spreadsheet takes it for a formula.

    Examples:
        >>> spreadsheet("=1+1"), spreadsheet("a\\r＝1+1"), spreadsheet("weat6")
        ("'=1+1", 'a ＝1+1', 'weat6')
    """
    shown = one_line(text)
    # Full-width signs are read as plain ones where a spreadsheet's language is Chinese, Japanese or Korean.
    return f"'{shown}" if unicodedata.normalize("NFKC", shown[:1]) in ("=", "+", "-", "@", "−") else shown


def public_name(source: str) -> str:
    """Return a source as it may be published, on one line: Hub ids and addresses as they are, paths without folders.

    Examples:
        >>> public_name("bias/crows-pairs"), public_name("/home/someone/de.jsonl"), public_name("C:\\\\x\\\\y.vec")
        ('bias/crows-pairs', 'de.jsonl', 'y.vec')
    """
    source = one_line(source)
    if "://" in source:
        return source
    parts = [p for p in source.replace("\\", "/").split("/") if p]
    is_path = source.startswith(("/", ".", "~")) or "\\" in source or len(parts) > 2
    return parts[-1] if is_path and parts else source


def file_name(name: str) -> str:
    """Make a name, which may come from anyone's word lists or results, into a plain file name.

    Examples:
        >>> file_name("../../weat 7"), file_name("..")
        ('weat_7', 'unnamed')
    """
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
    return kept.strip("._")[:80] or "unnamed"


def shorten(text: str, most: int) -> str:
    """Cut the middle out of a long name: models of one organisation differ at the end.

    Examples:
        >>> shorten("organisation/multilingual-cased-v2", 21)
        'organisation/…ased-v2'
    """
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"
