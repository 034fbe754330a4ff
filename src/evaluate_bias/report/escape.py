"""Text from outside (labels, model names, words) made safe to publish: in Markdown and spreadsheets."""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..text import one_line

if TYPE_CHECKING:
    from jinja2 import Environment

_MARKDOWN = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_PATH = re.compile(r"[/~.]|file:|[A-Za-z]:/", re.IGNORECASE)
_UNREADABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def readable(page: str) -> str:
    """Return a page without control characters and changes of the writing direction. Line breaks stay.

    Examples:
        >>> readable("a\\n" + chr(0x202E) + "b")
        'a\\nb'
    """
    return _UNREADABLE.sub("", page)


def markdown(text: str) -> str:
    """Return the text so that Markdown shows it as it is, in a paragraph or a table cell.

    Examples:
        >>> print(markdown("a|b <!-- x --> `c` snake_case _d_"))
        a\\|b &lt;!-- x --&gt; \\`c\\` snake_case \\_d\\_
    """
    entities = "".join(_ENTITIES.get(c, c) for c in one_line(text))
    return _MARKDOWN.sub(lambda match: "\\" + match[0], entities)


class Markdown(str):
    """Text that is Markdown already: a template writes it as it is and escapes every other text."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)  # what Jinja asks of text that needs no escaping


def templates(*, autoescape: bool = True, **options: Any) -> Environment:
    """Return the environment that renders templates. An unknown name in a template is an error."""
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=autoescape, undefined=StrictUndefined, **options)


def html_list(texts: Iterable[str]) -> str:
    """Return texts as an HTML list, or an empty string if nothing is given."""
    points = "".join(f"<li>{html.escape(text)}</li>" for text in texts)
    return f"<ul>{points}</ul>" if points else ""


@lru_cache(maxsize=10_000)
def public_name(source: str) -> str:
    """Return a source as it may be published, on one line: Hub ids and addresses as they are, paths without folders.

    Examples:
        >>> public_name("bias/crows-pairs"), public_name("/home/someone/de.jsonl"), public_name("C:\\\\x\\\\y.vec")
        ('bias/crows-pairs', 'de.jsonl', 'y.vec')
        >>> public_name("https://a.org/b/c"), public_name("file:///home/someone/de.jsonl")
        ('https://a.org/b/c', 'de.jsonl')
    """
    source = one_line(source)
    is_path = looks_like_path(source)
    if "://" in source and not is_path:
        return source
    parts = [p for p in source.replace("\\", "/").split("/") if p]
    is_path = is_path or len(parts) > 2
    return parts[-1] if is_path and parts else source


def looks_like_path(text: str) -> bool:
    """True if a text can only be a path on someone's machine."""
    return "\\" in text or _PATH.match(text) is not None


def file_names(names: Iterable[str]) -> list[str]:
    """Return a plain file name for each, none twice.

    Examples:
        >>> file_names(["a/b", "a:b", "A_B", "c"])
        ['a_b', 'a_b-2', 'A_B-3', 'c']
    """
    out: list[str] = []
    for made in map(file_name, names):
        used = {name.lower() for name in out}  # some file systems know no capitals
        free = (made if k == 1 else f"{made}-{k}" for k in itertools.count(1))
        out.append(next(name for name in free if name.lower() not in used))
    return out


def file_name(name: str) -> str:
    """Make a name, which may come from anyone's word lists or results, into a plain file name.

    Examples:
        >>> file_name("../../weat 7"), file_name("..")
        ('weat_7', 'unnamed')
    """
    safe_name = "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
    # A file system counts bytes, 255 for all parts of a name together.
    return safe_name.strip("._")[:80].encode()[:100].decode(errors="ignore") or "unnamed"


def shorten(text: str, most: int) -> str:
    """Return a long name without its middle, since models of one organisation differ at the end.

    Examples:
        >>> shorten("organisation/multilingual-cased-v2", 21)
        'organisation/…ased-v2'
    """
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"
