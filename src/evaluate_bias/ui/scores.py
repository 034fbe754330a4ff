"""The tab of scores of several models: typed lines, and the matrix of how far measures agree."""

from __future__ import annotations

from typing import Any

from ..api import measure
from ..errors import InputError
from .handlers import on_click
from .outcome import measured, pictures, remarks, score_tiles, verdict
from .parts import Part, Verdict, show
from .tab import Tab, text_box

__all__ = ["score_rows", "scores_tab"]

MAX_LINES = 400
_START = "\n".join(
    f"model {i}; {measure}; {score}"
    for measure, scores in {
        "first": (0.2, 0.9, 1.1, 1.6, 0.4, 0.7, 1.3, 0.8),
        "second": (52, 60, 55, 61, 50, 57, 59, 54),
        "third": (0.1, 0.5, 0.9, 0.8, 0.6, 0.2, 0.7, 0.3),
    }.items()
    for i, score in enumerate(scores, 1)
)


def score_rows(text: str) -> list[dict[str, Any]]:
    """Read lines of a model, a measure and a score, separated by semicolons.

    Raises:
        InputError: a line is something else, or there are too many.

    Examples:
        >>> score_rows("bert; weat; 0.5")
        [{'model_name': 'bert', 'measure': 'weat', 'score': 0.5}]
    """
    lines = [line for line in (text or "").splitlines() if line.strip()]
    if len(lines) > MAX_LINES:
        raise InputError(f"{len(lines)} lines are more than the {MAX_LINES} this page takes")
    rows = []
    for line in lines:
        parts = [part.strip() for part in line.split(";")]
        try:
            model, name, score = parts
            rows.append({"model_name": model, "measure": name, "score": float(score)})
        except ValueError:
            raise InputError(f"write 'model; measure; score' in every line, not {line[:60]!r}") from None
    return rows


def scores_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    assert tab.method is not None
    record = tab.method

    def measure_scores(session: Any, text: str) -> str:
        result = measure(record.name, None, data=score_rows(text), n_resamples=1_999)
        session.add([result])
        parts: list[Part] = [*measured(result), Verdict(verdict(result)), score_tiles(result)]
        return show(*parts, *pictures(result), *remarks(result))

    box = text_box("Scores: model; measure; score", "scores-0", _START, lines=12, max_lines=30)
    run = gr.Button("Measure", variant="primary", elem_id="scores-run")
    output = gr.HTML(elem_id="scores-output")
    on_click(run, measure_scores, [tab.session, box], output, api_name="measure")
