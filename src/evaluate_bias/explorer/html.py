"""Pieces of the page as HTML: every text that is not ours is escaped here, every number says how to read it."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..method import MethodRecord
from ..report.escape import one_line
from ..result import Result, format_p

__all__ = [
    "Tile",
    "bars",
    "escaped",
    "folded",
    "framed",
    "histogram",
    "note",
    "number",
    "score_tiles",
    "split_bar",
    "table",
    "tiles",
]

_BINS = 15


def escaped(text: object) -> str:
    """Return a text on one line so that HTML shows it as it is, in text and in attributes.

    Examples:
        >>> escaped('<img src=x onerror="alert(1)">')
        '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;'
    """
    return html.escape(one_line(str(text)), quote=True)


def number(value: float | None, digits: int = 2) -> str:
    """Write a number with a true minus sign; infinity for an open end.

    Examples:
        >>> number(-1.5), number(None), number(50.0, 0)
        ('−1.50', '∞', '50')
    """
    return "∞" if value is None else f"{value:.{digits}f}".replace("-", "−")


def _short(value: float | None, sign: str = "") -> str:
    return f"{sign}∞" if value is None else f"{value:.3g}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Tile:
    """A number and how to read it.

    Attributes:
        label: what the number is.
        value: the number as text.
        scale: its range and ideal, always shown.
        tip: direction and meaning in full sentences, shown when the tile has the pointer or the focus.
    """

    label: str
    value: str
    scale: str
    tip: str


def tiles(items: Sequence[Tile]) -> str:
    """Numbers side by side, each with its range below and its meaning on hover, touch or focus.

    Examples:
        >>> "ideal 0" in tiles([Tile("effect size d", "1.50", "−2 to 2, ideal 0", "Above 0: …")])
        True
    """
    return (
        '<div class="eb-tiles">'
        + "".join(
            f'<div class="eb-tile" tabindex="0" role="group" '
            f'aria-label="{escaped(f"{t.label} {t.value}. {t.scale}. {t.tip}")}">'
            f'<span class="eb-label">{escaped(t.label)}</span><span class="eb-value">{escaped(t.value)}</span>'
            f'<span class="eb-scale">{escaped(t.scale)}</span>'
            f'<span class="eb-tip" aria-hidden="true">{escaped(t.tip)}</span></div>'
            for t in items
        )
        + "</div>"
    )


def score_tiles(record: MethodRecord, result: Result) -> str:
    """Score, interval, p-value, number of units and coverage of a result."""
    low, high = result.score_range
    scale = f"{_short(low, '−')} to {_short(high)}, ideal {_short(result.ideal)}"
    direction = f"{result.direction_text[:1].upper()}{result.direction_text[1:]}."
    label, reading = record.score_name, record.reading
    if result.direction != record.direction:  # several tests with signs, together by their absolute values
        label, reading = f"mean absolute {record.score_name}", record.combined
    shown = [Tile(label, number(result.score), f"range {scale}", f"{direction} {reading}")]
    if result.ci_low is not None and result.ci_high is not None:
        level = f"{100 * result.ci_level:g}%"
        shown.append(
            Tile(
                f"{level} interval",
                f"{number(result.ci_low)} to {number(result.ci_high)}",
                f"range {scale}",
                f"Narrow is more certain than wide. An interval that holds the ideal value {_short(result.ideal)} does "
                f"not rule out that there is nothing to see. By {result.ci_method}.",
            )
        )
    if result.p_value is not None:
        shown.append(
            Tile(
                "p-value",
                format_p(result.p_value, result.p_low, result.p_high).removeprefix("p ").removeprefix("= "),
                "range 0 to 1, no ideal value",
                "Lower means harder to explain by chance alone. It tells neither how large a bias is nor that there is "
                f"none. By {result.p_method}.",
            )
        )
    shown.append(
        Tile(
            "coverage",
            f"{result.coverage.found} of {result.coverage.asked}",
            "range 0 to all, ideal all",
            "How many of the words or sentences asked for the model could score. Higher is better: what is missing "
            "is not measured.",
        )
    )
    return tiles(shown)


def note(text: str, kind: Literal["plain", "warning"] = "plain") -> str:
    """A paragraph of plain text."""
    return f'<p class="eb-note eb-{kind}">{escaped(text)}</p>' if text else ""


def framed(page: str, title: str) -> str:
    """A whole HTML page inside this one, without scripts, forms or a way out."""
    return (
        f'<iframe class="eb-frame" sandbox="" title="{escaped(title)}" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


def bars(
    rows: Iterable[tuple[str, str, float]], *, left: str, right: str, what: str, series: Mapping[str, str]
) -> str:
    """Bars to both sides of 0, one row a word, the number beside each.

    Args:
        rows: word, series, value.
        left, right: what lies to either side.
        what: what the values are, for the caption.
        series: for each series ``"1"`` and ``"2"`` its name.
    """
    rows = list(rows)
    reach = max((abs(value) for _, _, value in rows), default=0.0) or 1.0
    legend = "".join(f'<span class="eb-key eb-s{key}">{escaped(name)}</span>' for key, name in series.items())
    lines = "".join(
        f'<tr class="eb-s{key}"><th scope="row">{escaped(word)}</th><td class="eb-track">'
        f'<span class="eb-bar {"eb-neg" if value < 0 else "eb-pos"}" style="width:{50 * abs(value) / reach:.1f}%">'
        f'</span></td><td class="eb-num">{number(value, 3)}</td></tr>'
        for word, key, value in rows
    )
    return (
        f'<figure class="eb-figure"><figcaption>{escaped(what)}<br>{legend}</figcaption>'
        f'<div class="eb-ends"><span>← {escaped(left)}</span><span>{escaped(right)} →</span></div>'
        f'<div class="eb-scroll eb-tall" tabindex="0" role="region" aria-label="{escaped(what)}">'
        f'<table class="eb-bars">{lines}</table></div></figure>'
    )


def split_bar(parts: Sequence[tuple[str, int, str]], *, what: str) -> str:
    """One bar that shows how a whole is divided.

    Args:
        parts: label, count and colour class (``"1"``, ``"2"`` or ``"0"``).
        what: the caption.

    Examples:
        >>> "75%" in split_bar([("more", 3, "2"), ("less", 1, "1")], what="Preferences")
        True
    """
    total = sum(count for _, count, _ in parts) or 1
    pieces = "".join(
        f'<span class="eb-part eb-fill{key}" style="width:{100 * count / total:.2f}%"></span>'
        for _, count, key in parts
    )
    legend = "".join(
        f'<span class="eb-key eb-s{key}">{escaped(label)}: {count} ({100 * count / total:.0f}%)</span>'
        for label, count, key in parts
    )
    return (
        f'<figure class="eb-figure"><figcaption>{escaped(what)}</figcaption>'
        f'<div class="eb-split"><span class="eb-half" aria-hidden="true"></span>{pieces}</div>'
        f"<div>{legend}</div></figure>"
    )


def histogram(values: Sequence[float], *, what: str, unit: str) -> str:
    """How values are distributed around 0, as columns of equal width.

    Examples:
        >>> histogram([-1.0, 0.5, 0.5], what="Differences", unit="nats").count("eb-column")
        15
    """
    reach = max((abs(v) for v in values), default=0.0) or 1.0
    width = 2 * reach / _BINS
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, math.floor((value + reach) / width))] += 1
    most = max(counts) or 1
    columns = "".join(
        f'<span class="eb-column {"eb-fill1" if i < _BINS // 2 else "eb-fill2" if i > _BINS // 2 else "eb-fill0"}" '
        f'style="height:{100 * count / most:.1f}%" '
        f'title="{number(-reach + i * width)} to {number(-reach + (i + 1) * width)} {escaped(unit)}: {count}"></span>'
        for i, count in enumerate(counts)
    )
    told = "; ".join(f"{number(-reach + i * width)}: {count}" for i, count in enumerate(counts) if count)
    return (
        f'<figure class="eb-figure"><figcaption>{escaped(what)}</figcaption>'
        f'<div class="eb-histogram" role="img" aria-label="{escaped(f"{what} {told}")}">{columns}</div>'
        f'<div class="eb-axis"><span>{number(-reach)}</span><span>0</span><span>{number(reach)} {escaped(unit)}</span>'
        "</div></figure>"
    )


def folded(title: str, content: str) -> str:
    """Content that shows when its title is clicked."""
    return (
        f'<details class="eb-fold"><summary>{escaped(title)}</summary>{content}</details>' if content else ""
    )


def table(rows: Sequence[Mapping[str, Any]], *, what: str) -> str:
    """A table that scrolls inside the page where it is wider."""
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{escaped(column)}</th>' for column in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row.values()) + "</tr>" for row in rows
    )
    return (
        f'<figure class="eb-figure"><figcaption>{escaped(what)}</figcaption>'
        f'<div class="eb-scroll" tabindex="0" role="region" aria-label="{escaped(what)}">'
        f'<table class="eb-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></figure>'
    )
