"""A model card as one HTML page that can be opened anywhere: no scripts, no outside files, nothing executed."""

from __future__ import annotations

import base64
import html
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ..escape import templates
from .front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

_HTML_PART = re.compile(r"(<!--.*?(?:-->|\Z)|</?[a-zA-Z][^<>]*>)", re.DOTALL)
_ALLOWED = re.compile(
    r"</?(?:details|summary|sub|sup|kbd|b|i|em|strong)>|<br ?/?>|<details open>", re.IGNORECASE
)


def preview_html(card_text: str, *, pictures: Mapping[str, str] | None = None) -> str:
    """Return a card as a standalone HTML page, light and dark as the reader's system asks.

    HTML in the card is shown as text, except a few tags without attributes, such as ``<details>``. Comments are
    omitted. Pictures are replaced by their descriptions, except those in ``pictures``, so that opening the page loads
    nothing.

    Args:
        card_text: the whole card, front matter included.
        pictures: the SVG files next to the card that this library wrote, by name. They become part of the
            page. Other files are ignored.

    Examples:
        >>> page = preview_html("# A\\n\\n<script>alert(1)</script>\\n")
        >>> "<h1>A</h1>" in page, "<script>" in page
        (True, False)
    """
    from markupsafe import Markup

    parts = split_front_matter(card_text.removeprefix("\ufeff"))
    metadata, body = ("", card_text) if parts is None else (parts[1], parts[3])
    template = (files(__package__) / "preview.html.jinja").read_text(encoding="utf-8")
    page = templates(keep_trailing_newline=True).from_string(template)
    return page.render(metadata=metadata, body=Markup(_rendered(body, pictures or {})))


def _rendered(body: str, pictures: Mapping[str, str]) -> str:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name, rule in (("html_block", _safe_html), ("html_inline", _safe_html), ("image", _description)):
        parser.add_render_rule(name, rule)
    return str(parser.render(body, {"pictures": pictures}))


def _safe_html(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: Any) -> str:
    """Return HTML with allowed tags, without comments, and with everything else as text."""
    parts = [part for part in _HTML_PART.split(tokens[i].content) if not part.startswith("<!--")]
    return "".join(part if _ALLOWED.fullmatch(part) else html.escape(part) for part in parts)


def _description(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: Any) -> str:
    name = str(tokens[i].attrGet("src"))
    picture = env["pictures"].get(name)
    if picture is not None and name.endswith(".svg"):
        data = base64.b64encode(picture.encode("utf-8")).decode("ascii")
        return f'<img alt="{html.escape(tokens[i].content)}" src="data:image/svg+xml;base64,{data}">'
    return f"<em>[{html.escape(tokens[i].content or 'picture')}]</em>"
