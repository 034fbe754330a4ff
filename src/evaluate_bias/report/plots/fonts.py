"""Which characters the installed fonts can draw, and what to do about the others."""

from __future__ import annotations

import functools

from ..escape import one_line, shorten

_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans SC",
    "Noto Sans KR",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Malgun Gothic",
    "PingFang SC",
    "Hiragino Sans GB",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
    "Unifont",
)


class LabelFitter:
    """Makes labels drawable and counts those that could not be.

    Matplotlib's own font covers Latin, Greek, Cyrillic and more, but no Chinese, Japanese or Korean. Fonts of
    the system are used where they are installed; a label that no font can draw becomes a number in brackets,
    and :attr:`footnote` says so.

    Args:
        needs_glyphs: ``False`` for formats that keep text as text and leave the fonts to their reader.

    Examples:
        >>> fitter = LabelFitter(needs_glyphs=True)
        >>> fitter.fit("Größe, şeker"), fitter.fit(chr(0xE000)), fitter.fit(chr(0xE000)), fitter.footnote[:30]
        ('Größe, şeker', '[1]', '[1]', '[n]: no installed font has all')
    """

    def __init__(self, *, needs_glyphs: bool) -> None:
        self._needs_glyphs = needs_glyphs
        self._numbers: dict[str, int] = {}

    def fit(self, label: str, most: int = 90) -> str:
        """Return the label on one line, or its number when the fonts lack one of its characters.

        Of more than ``most`` characters, which would widen the picture, the middle is left out.
        """
        label = shorten(one_line(label), most)
        if self._needs_glyphs and not all(ord(c) in _drawable() for c in label if not c.isspace()):
            return f"[{self._numbers.setdefault(label, len(self._numbers) + 1)}]"
        return label

    @property
    def footnote(self) -> str:
        """What to write below the picture, empty when every label could be drawn."""
        return "[n]: no installed font has all characters; the SVG has the text" if self._numbers else ""


def families() -> tuple[str, ...]:
    """Return the font families to draw with, in the order in which they are tried."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in installed))


@functools.cache
def _drawable() -> frozenset[int]:
    """Code points for which one of the fonts has a glyph."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(
        code
        for name in families()
        for code in get_font(findfont(FontProperties(family=[name]))).get_charmap()
    )
