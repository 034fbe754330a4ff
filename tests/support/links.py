"""The links of a page in Markdown that lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Collection

__all__ = ["dead_links", "links"]

_LINK = re.compile(r"""\]\(<?([^)\s>]+)|^\[[^]]+\]:\s*(\S+)|(?:href|src)=["']([^"']+)""", re.MULTILINE)


def links(text: str) -> list[str]:
    """Where a page leads, as it says so itself; code does not count."""
    shown = re.sub(r"```.*?```|`[^`\n]*`(?!\]\()", "", text, flags=re.DOTALL)
    return ["".join(found) for found in _LINK.findall(shown)]


def dead_links(text: str, there: Collection[str]) -> list[str]:
    """Those that are neither an address, nor one of the files beside the page, nor a heading of it."""
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    dead = []
    for link in links(text):
        file, _, anchor = link.partition("#")
        if not (file.startswith(("https://", "mailto:")) or (file in there if file else anchor in anchors)):
            dead.append(link)
    return dead
