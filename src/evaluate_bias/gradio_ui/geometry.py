"""Pages of the methods of geometry: the WSV map, and how far templates and representations agree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..registry import MethodRecord
from ..result import Result
from .common import (
    FIELD_WIDTH,
    headline,
    measured_page,
    model_box,
    notes,
    on_click,
    opened_model,
    parse_words,
    shown_errors,
    table,
)

if TYPE_CHECKING:
    import gradio as gr
    from PIL.Image import Image

__all__ = ["compatibility_page", "numbered_words", "picture", "run_compatibility", "run_wsv", "wsv_page"]


def numbered_words(text: str, name: str) -> dict[str, float]:
    """Read words with a number each, such as ``nurse 89.6``, separated by commas, semicolons or new lines.

    Raises:
        InputError: an entry has no number, or there are too many.

    Examples:
        >>> numbered_words("nurse 89.6, truck driver: 5", "occupations")
        {'nurse': 89.6, 'truck driver': 5.0}
    """
    found: dict[str, float] = {}
    for entry in parse_words(text, name):
        match = re.fullmatch(r"(.+?)[:=\s]\s*([-+]?\d+(?:\.\d+)?)", entry)
        if match is None:
            raise InputError(f"{name}: write a number after every word, as in 'nurse 89.6', not {entry!r}")
        found[match[1].rstrip(" :=")] = float(match[2])
    return found


def run_wsv(model: Any, first: str, second: str, words: str, n_features: float) -> Result:
    """Make the map of typed words.

    Raises:
        InputError: a list is empty or too long, or a word has no number.
        BiasError: whatever the method raises.
    """
    from ..api import evaluate

    rows: list[dict[str, Any]] = []
    for group, text in (("first", first), ("second", second)):
        rows += [{"word": word, "group": group} for word in parse_words(text, f"{group} protected words")]
    numbers = numbered_words(words, "words to evaluate")
    rows += [{"word": word, "statistic": number} for word, number in numbers.items()]
    return evaluate("wsv", model, data=rows, n_features=int(n_features), n_resamples=1_999)


def run_compatibility(
    record: MethodRecord, model: Any, x: str, y: str, a: str, b: str, subset_size: float
) -> Result:
    """Compare templates or representations on four typed lists.

    Raises:
        InputError: a list is empty or too long.
        BiasError: whatever the method raises.
    """
    from ..api import evaluate

    lists = {
        "targets_x": parse_words(x, "first targets"),
        "targets_y": parse_words(y, "second targets"),
        "attributes_a": parse_words(a, "first attributes"),
        "attributes_b": parse_words(b, "second attributes"),
    }
    return evaluate(
        record.name,
        model,
        data=[{"name": "your lists", "language": "en", **lists}],
        subset_size=int(subset_size),
        n_resamples=1_999,
        ci_resamples=499,
    )


def picture(result: Result, name: str) -> Image:
    """One of the pictures of a result's method, with the labels around its panels."""
    from io import BytesIO

    from PIL import Image

    from ..report.plots import method_figures

    raw = BytesIO()
    method_figures(result)[name].savefig(raw, format="png", dpi=130, bbox_inches="tight", facecolor="white")
    return Image.open(raw)


def wsv_page(record: MethodRecord) -> gr.Blocks:
    """Build the page: two lists that fit the map, words with a number, and the map."""
    import gradio as gr

    from ..data.wsv_words import load_wsv_words

    rows = load_wsv_words()
    start = {group: ", ".join(w.word for w in rows if w.group == group) for group in ("female", "male")}
    start[""] = ", ".join(f"{w.word} {w.statistic}" for w in rows if not w.group)

    def run(model: str, first: str, second: str, words: str, n_features: float) -> tuple[Any, ...]:
        with shown_errors():
            result = run_wsv(opened_model(model), first, second, words, n_features)
        listed = [
            (g["name"].partition(", ")[2], f"{g['r']:.3f}", f"{g['ci_low']:.3f} to {g['ci_high']:.3f}")
            for g in result.groups
        ]
        return (
            headline(record, result),
            picture(result, "map"),
            table(listed, ("", "r", "interval")),
            notes(result),
        )

    with measured_page(record) as built:
        with gr.Row():
            model = model_box(record)
            n_features = gr.Number(
                50, label="Features to keep", precision=0, elem_id="n-features", min_width=FIELD_WIDTH
            )
        with gr.Row():
            first = gr.Textbox(start["female"], label="First protected words", lines=4, elem_id="first")
            second = gr.Textbox(start["male"], label="Second protected words", lines=4, elem_id="second")
        words = gr.Textbox(
            start[""], label="Words to evaluate, each with its number", lines=5, elem_id="words"
        )
        button = gr.Button("Measure", variant="primary", elem_id="measure")
        score = gr.Markdown(elem_id="score")
        chart = gr.Image(label="Map", elem_id="chart", interactive=False)
        listed = gr.HTML(elem_id="axes")
        left_out = gr.HTML(elem_id="notes")
        on_click(
            button,
            run,
            [model, first, second, words, n_features],
            [score, chart, listed, left_out],
            "measure",
        )
    return built


def compatibility_page(record: MethodRecord) -> gr.Blocks:
    """Build the page: four word lists, and the matrix of correlations."""
    import gradio as gr

    from ..data.occupation_test import load_occupation_test

    test = load_occupation_test()[0]

    def run(model: str, x: str, y: str, a: str, b: str, subset_size: float) -> tuple[Any, ...]:
        with shown_errors():
            result = run_compatibility(record, opened_model(model), x, y, a, b, subset_size)
        return headline(record, result), picture(result, "correlations"), notes(result)

    with measured_page(record) as built:
        with gr.Row():
            model = model_box(record)
            size = gr.Number(
                10,
                label="Words of each list in a subset",
                precision=0,
                elem_id="subset-size",
                min_width=FIELD_WIDTH,
            )
        with gr.Row():
            x = gr.Textbox(", ".join(test.targets_x), label="First targets X", lines=3, elem_id="targets-x")
            y = gr.Textbox(", ".join(test.targets_y), label="Second targets Y", lines=3, elem_id="targets-y")
        with gr.Row():
            a = gr.Textbox(
                ", ".join(test.attributes_a), label="First attributes A", lines=3, elem_id="attributes-a"
            )
            b = gr.Textbox(
                ", ".join(test.attributes_b), label="Second attributes B", lines=3, elem_id="attributes-b"
            )
        button = gr.Button("Measure", variant="primary", elem_id="measure")
        score = gr.Markdown(elem_id="score")
        chart = gr.Image(label="Correlations", elem_id="chart", interactive=False)
        left_out = gr.HTML(elem_id="notes")
        on_click(button, run, [model, x, y, a, b, size], [score, chart, left_out], "measure")
    return built
