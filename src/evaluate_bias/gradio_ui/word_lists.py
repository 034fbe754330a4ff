"""The page of a method on word lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..registry import MethodRecord
from ..result import Result
from .common import (
    headline,
    measured_page,
    model_box,
    notes,
    on_click,
    opened_model,
    parse_words,
    shown_errors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import gradio as gr
    import pandas as pd

    from ..data.schemas import WordListTest

__all__ = ["page", "run_lists", "words_frame"]


def run_lists(
    method: str, model: Any, x: str, y: str, a: str, b: str, published: Iterable[WordListTest] = ()
) -> Result:
    """Run a word-list method on four typed lists; where they are those of a published test, on that.

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
    own = (t for t in published if all(list(getattr(t, name)) == words for name, words in lists.items()))
    return evaluate(method, model, data=[next(own, {"name": "your lists", **lists})])


def words_frame(result: Result) -> pd.DataFrame:
    """Every target word with its list, association and influence, the strongest association first."""
    import pandas as pd

    frame = pd.DataFrame(result.items[0]["words"])
    frame["list"] = frame["list"].map({"targets_x": "X", "targets_y": "Y"})
    return frame.sort_values("association", ascending=False, ignore_index=True).round(4)


def page(record: MethodRecord) -> gr.Blocks:
    """Build the page: a published test or four lists of one's own, the score, and every word's part in it."""
    import gradio as gr

    published = record.load_data(tests=None)
    tests = {f"{t.name}: {t.title}": t for t in published}

    def fill(choice: str) -> list[str]:
        t = tests[choice]
        return [", ".join(words) for words in (t.targets_x, t.targets_y, t.attributes_a, t.attributes_b)]

    def run(model: str, x: str, y: str, a: str, b: str) -> tuple[Any, ...]:
        with shown_errors():
            result = run_lists(record.name, opened_model(model), x, y, a, b, published)
        frame = words_frame(result)
        return headline(record, result), frame, frame, notes(result)

    first = next(iter(tests))
    with measured_page(record) as built:
        with gr.Row():
            test = gr.Dropdown(list(tests), value=first, label="Published test", elem_id="test")
            model = model_box(record)
        start = fill(first)
        with gr.Row():
            x = gr.Textbox(start[0], label="First targets X", lines=3, elem_id="targets-x")
            y = gr.Textbox(start[1], label="Second targets Y", lines=3, elem_id="targets-y")
        with gr.Row():
            a = gr.Textbox(start[2], label="First attributes A", lines=3, elem_id="attributes-a")
            b = gr.Textbox(start[3], label="Second attributes B", lines=3, elem_id="attributes-b")
        button = gr.Button("Measure", variant="primary", elem_id="measure")
        score = gr.Markdown(elem_id="score")
        chart = gr.BarPlot(
            x="word",
            y="association",
            color="list",
            sort="-y",
            x_label_angle=-60,
            elem_id="chart",
            title="Association of every word: above 0 with A, below 0 with B",
        )
        table = gr.Dataframe(label="Influence: by how much the score falls without the word", elem_id="words")
        left_out = gr.HTML(elem_id="notes")
        test.change(fill, test, [x, y, a, b], api_visibility="private")
        on_click(button, run, [model, x, y, a, b], [score, chart, table, left_out], "measure")
    return built
