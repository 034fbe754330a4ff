"""Two files of results side by side: what changed from one to the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import BiasError, InputError, quoted
from ...report.lines import model_name
from ...result import Result
from ..fields import FIELD_WIDTH, choice
from ..handlers import on_click, sentence_of, wrap_errors
from ..limits import MAX_RESULT_BYTES, MAX_SCORES, MODELS_IN_MEMORY
from ..parts import Folded, Link, Links, Note, Part, ScrollTable, picture, show
from ..session import Session
from ..tab import Tab
from ..uploads import RESULT_TYPES, uploaded_results

if TYPE_CHECKING:
    from ...report.compare import Comparison

_SENTENCES = 6
"""Changes that are told in words; all are in the table."""
_DRAWN = 40
"""Changes in the picture; of more, the first that were found, or the first of all."""
_SIDES = ("first", "second")


def compare_saved(
    first: str | None, second: str | None, first_model: str | None = None, second_model: str | None = None
) -> Comparison:
    """Compare two uploaded files of results, of the named model each, by default of the first in the file.

    Raises:
        InputError: a file is missing, has no result of the model, or more scores than the page takes.
        DataError: a file is too large or holds no results, or the two are of different data.
    """
    from ...report.compare import compare_results

    return compare_results(
        *(
            _of_model(path, model, side)
            for path, model, side in zip((first, second), (first_model, second_model), _SIDES, strict=True)
        )
    )


def _of_model(path: str | None, model: str | None, side: str) -> list[Result]:
    if not path:
        raise InputError(f"{side} results: upload a file results.jsonl first")
    results = uploaded_results(path)
    names = _models(results)
    if model and model not in names:
        raise InputError(f"the {side} file has no result of {quoted(model, 60)}, only of {_listed(names)}")
    chosen = [r for r in results if model_name(r) == (model or names[0])]
    scores = sum(row.kind != "item" for r in chosen for row in r.rows)
    if scores > MAX_SCORES:
        raise InputError(
            f"the {side} file has {scores:,} scores of one model, and this page takes {MAX_SCORES}: compare them "
            "with 'evaluate-bias compare'"
        )
    return chosen


def _models(results: Sequence[Result]) -> list[str]:
    return list(dict.fromkeys(map(model_name, results)))


def _listed(names: Sequence[str]) -> str:
    first_names = ", ".join(name[:60] for name in names[:3])
    return f"{first_names} and {len(names) - 3} more" if len(names) > 3 else first_names


def changes(comparison: Comparison) -> list[Part]:
    """What changed in sentences, a table and a picture, and what to know of it."""
    from ...report.compare.comparison import difference_figure

    moved = [c for c in comparison.changes if c.difference]
    sentences = [c.sentence for c in (comparison.changed or moved)[:_SENTENCES]]
    rows = comparison.table("first", "second").records()
    subset = (
        comparison.changes
        if len(comparison.changes) <= _DRAWN
        else (comparison.changed or comparison.changes)[:_DRAWN]
    )
    part = dataclasses.replace(comparison, changes=subset)
    notes = [Note(text, "warning") for text in comparison.notes]
    parts: list[Part] = [Note(comparison.summary, "finding"), *map(Note, sentences)]
    if comparison.changes:
        all_drawn = len(subset) == len(comparison.changes)
        what = "changes" if all_drawn else f"{len(subset)} changes"
        parts.append(
            picture(
                difference_figure(part),
                f"The {what} from {comparison.first} to {comparison.second}, with intervals",
            )
        )
        title = f"All scores: {len(comparison.changes)}{'' if all_drawn else f', of which {len(subset)} are drawn'}"
        parts.append(Folded(title, [ScrollTable(f"{comparison.first} and {comparison.second}", rows)]))
    if len(notes) > _SENTENCES:
        return [*parts, Folded(f"{len(notes)} notes: what differs, and what is on one side only", notes)]
    return [*parts, *notes]


def saved_html(comparison: Comparison) -> str:
    """The changes, and files of them to save."""
    files = (
        Link("comparison.md", comparison.to_markdown(), "text/markdown", "Markdown of the comparison"),
        Link("comparison.json", comparison.to_json(indent=1), "application/json", "JSON of the comparison"),
    )
    return show(*changes(comparison), Links(files))


def saved_fields(tab: Tab) -> Callable[[Sequence[Any]], None]:
    """Build the fields of two files inside the page that is being built.

    Returns:
        What binds their button to the output that the comparison goes to.
    """
    import gradio as gr

    def look(path: str | None) -> tuple[str, Any]:
        """What a file holds, or why it cannot be taken, beside its field."""
        none = gr.Dropdown([], value=None, visible=False)
        if not path:
            return "", none
        try:
            results = uploaded_results(path)
        except BiasError as error:
            return show(Note(f"This file cannot be compared: {sentence_of(error)}", "warning")), none
        names = _models(results)
        sentence = f"{len(results)} result{'s' * (len(results) != 1)} of {_listed(names)}."
        return show(Note(sentence)), gr.Dropdown(names, value=names[0], visible=len(names) > 1)

    def compare_files(
        session: Session,
        first: str | None = None,
        second: str | None = None,
        first_model: str | None = None,
        second_model: str | None = None,
    ) -> tuple[str, dict[str, Any]]:
        comparison = compare_saved(first, second, first_model, second_model)
        return saved_html(comparison), comparison.to_dict()

    def side_of(side: str) -> tuple[Any, Any]:
        limit = f"a .jsonl file up to {MAX_RESULT_BYTES // 2**20} MB"
        file = gr.File(
            file_types=list(RESULT_TYPES),
            label=f"{side.title()} results: {limit}",
            height=140,
            elem_id=f"compare-{side}",
        )
        status = gr.HTML(elem_id=f"compare-{side}-said")
        label = f"Model in the {side} file"
        model = choice(label, f"compare-{side}-model", [], None, allow_custom_value=True, visible=False)
        file.change(wrap_errors(look), file, [status, model], api_visibility="private")
        return file, model

    sides = []
    title = "Or compare two files of saved results"
    with gr.Accordion(title, open=False, elem_id="compare-saved"):
        with gr.Row():
            for side in _SIDES:
                with gr.Column(min_width=FIELD_WIDTH):
                    sides.append(side_of(side))
        run = gr.Button("Compare the two files", elem_id="compare-saved-run")

    def bind(output: Sequence[Any]) -> None:
        on_click(
            run,
            compare_files,
            [tab.session, *(file for file, _ in sides), *(model for _, model in sides)],
            list(output),
            api_name="compare_saved",
            at_once=MODELS_IN_MEMORY,
            about=(
                "Compare two files results.jsonl on the pairs and words that both have, of the named model each, by "
                "default the first in the file. Returns HTML and the changes as data."
            ),
        )

    return bind
