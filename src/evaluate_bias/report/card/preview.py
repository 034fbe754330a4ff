"""A model card as one HTML page that can be opened anywhere: no scripts, no outside files, nothing executed."""

from __future__ import annotations

import base64
import html
import re
from typing import TYPE_CHECKING, Any

from .front_matter import split_front_matter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

__all__ = ["preview_html"]

_HTML_PART = re.compile(r"<!--.*?(?:-->|\Z)|</?[a-zA-Z][^<>]*>|<", re.DOTALL)
_ALLOWED = re.compile(
    r"</?(?:details|summary|sub|sup|kbd|b|i|em|strong)>|<br ?/?>|<details open>", re.IGNORECASE
)

_STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --soft: #f6f8fa; --link: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #1b2028; --link: #6cb0ff; } }
body { margin: 0; font: 16px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: break-word; }
@media (prefers-color-scheme: dark) { body { background: #0f1318; color: #e4e8ee; } }
main { max-width: 54rem; margin: 0 auto; padding: 1rem 1rem 3rem; }
a { color: var(--link); }
h1, h2 { border-bottom: 1px solid var(--line); padding-bottom: .2em; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.4em 0 .5em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; margin: .5rem 0; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; vertical-align: top; text-align: left; }
td:first-child { min-width: 9rem; }
td:nth-child(2):not([style]) { min-width: 11rem; }
td[style] { white-space: nowrap; }
th { background: var(--soft); }
img { max-width: 100%; }
pre { background: var(--soft); border: 1px solid var(--line); padding: .7rem; overflow-x: auto; line-height: 1.3; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .85rem; }
details { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .8rem; margin: .8rem 0; }
summary { cursor: pointer; font-weight: 600; }
blockquote { border-left: 4px solid var(--line); margin-left: 0; padding-left: 1rem; }
"""


def preview_html(
    card_text: str, title: str = "Model card preview", *, pictures: Mapping[str, str] | None = None
) -> str:
    """Return a card as a standalone HTML page, light and dark as the reader's system asks.

    HTML in the card is shown as text, except a few tags without attributes, such as ``<details>``; comments are left
    out. Pictures are replaced by their description, so that opening the page loads nothing, except those given.

    Args:
        card_text: the whole card, front matter included.
        title: title of the page.
        pictures: the SVG files beside the card that this library wrote, by name; they become part of the page.

    Examples:
        >>> page = preview_html("# A\\n\\n<script>alert(1)</script>\\n")
        >>> "<h1>A</h1>" in page, "<script>" in page
        (True, False)
    """
    parts = split_front_matter(card_text.removeprefix("\ufeff"))
    metadata, body = "", card_text
    if parts is not None:
        metadata = (
            f"<details><summary>Metadata</summary><pre><code>{html.escape(parts[1])}</code></pre></details>\n"
        )
        body = parts[3]
    return (
        '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{metadata}{_rendered(body, pictures or {})}</main>\n</body>\n</html>\n"
    )


def _rendered(body: str, pictures: Mapping[str, str]) -> str:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for name, rule in (
        ("html_block", _safe_html),
        ("html_inline", _safe_html),
        ("image", _description),
        ("table_open", _table_open),
        ("table_close", _table_close),
    ):
        parser.add_render_rule(name, rule)
    return str(parser.render(body, {"pictures": pictures}))


def _safe_html(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: Any) -> str:
    return _sanitised(tokens[i].content)


def _sanitised(text: str) -> str:
    """Allowed tags as they are, comments gone, everything else as text."""
    out, position = [], 0
    for match in _HTML_PART.finditer(text):
        out.append(html.escape(text[position : match.start()], quote=False))
        part = match[0]
        if not part.startswith("<!--"):
            out.append(part if _ALLOWED.fullmatch(part) else html.escape(part))
        position = match.end()
    out.append(html.escape(text[position:], quote=False))
    return "".join(out)


def _description(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: Any) -> str:
    picture = env["pictures"].get(tokens[i].attrGet("src"))
    if picture is not None:
        data = base64.b64encode(picture.encode("utf-8")).decode("ascii")
        return f'<img alt="{html.escape(tokens[i].content)}" src="data:image/svg+xml;base64,{data}">'
    return f"<em>[{html.escape(tokens[i].content or 'picture')}]</em>"


def _table_open(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: Any) -> str:
    return '<div class="scroll"><table>\n'


def _table_close(self: RendererHTML, tokens: Sequence[Token], i: int, options: OptionsDict, env: Any) -> str:
    return "</table></div>\n"
