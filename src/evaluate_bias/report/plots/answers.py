"""A picture of analogy questions: the words that a model puts first, and where the expected one stands."""

from __future__ import annotations

from typing import Any

from ..reading import Reading
from .canvas import ORANGE, add_legend, add_title, legend_entry, new_figure
from .fonts import LabelFitter

QUESTIONS, RANKS = 30, 5
"""Questions drawn, and answers of each."""
_ROW, _QUESTION, _ANSWER = 0.21, 2.9, 1.1
"""Inches: height of a row, width of a question and of an answer."""


def answers(reading: Reading, fitter: LabelFitter) -> Any:
    """A table of questions and their first answers; an expected one is bold and underlaid."""
    items = [row for row in reading.result.rows_of("item") if row.details.get("answers")]
    shown = items[:QUESTIONS]
    ranks = min(RANKS, max(len(row.details["answers"]) for row in shown))
    width = _QUESTION + _ANSWER * (ranks + 1)
    figure, (axis,) = new_figure(width, _ROW * (len(shown) + 1))
    axis.set_xlim(0.0, width)
    axis.set_ylim(len(shown) + 0.5, -0.5)
    axis.axis("off")
    heads = ["question", *(f"answer {i}" for i in range(1, ranks + 1)), "nothing ruled out"]
    starts = [0.0, *(_QUESTION + _ANSWER * i for i in range(ranks + 1))]
    for start, head in zip(starts, heads, strict=True):
        axis.text(start, 0.0, head, fontsize=8, color="#444444", va="center")
    axis.axhline(0.5, color="#bbbbbb", linewidth=0.6)
    for y, row in enumerate(shown, 1):
        expected = set(row.details.get("expected") or ())
        axis.text(0.0, y, _short(fitter.fit(row.name), 44), fontsize=8, va="center")
        found = [str(a["word"]) for a in row.details["answers"][:ranks]]
        free = [str(a["word"]) for a in (row.details.get("nothing_ruled_out") or ())[:1]]
        cells = [*zip(starts[1:], found, strict=False), *zip(starts[-1:], free, strict=False)]
        for start, word in cells:
            looked_for = word in expected
            axis.text(
                start,
                y,
                _short(fitter.fit(word), 15),
                fontsize=8,
                va="center",
                fontweight="bold" if looked_for else "normal",
                color=ORANGE if looked_for else "black",
            )
    add_title(axis, f"First answers to {_counted(len(shown), len(items))}", pad=10.0)
    entries = [
        legend_entry("bold: an expected answer", marker="s", color=ORANGE),
        legend_entry("nothing ruled out: the first answer when the question's own words may be answers too"),
    ]
    add_legend(axis, entries, fitter, columns=1, below=0.1)
    return figure


def _counted(shown: int, there_are: int) -> str:
    what = "question" if there_are == 1 else "questions"
    return f"{there_are} {what}" if shown == there_are else f"the first {shown} of {there_are} {what}"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
