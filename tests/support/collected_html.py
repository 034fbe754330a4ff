"""What a browser would make of a piece of HTML: its tags, their attributes, and its text."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "br", "img", "input", "hr", "wbr"})
CLOSED_BY_OTHERS = ("p", "li", "option", "dt", "dd")


class Collector(HTMLParser):
    """Tags with their attributes, all attributes together, and the text; ``open``: what is not closed at the end."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed("".join(page))  # a plain string: Markup would escape what it is added to

    @property
    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        while tag in self.open:
            closed = self.open.pop()
            if closed == tag or closed not in CLOSED_BY_OTHERS:
                return

    def handle_data(self, data: str) -> None:
        self.text += data
