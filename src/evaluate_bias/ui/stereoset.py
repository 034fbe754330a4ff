"""The tab of items with three options: one item of the visitor's own, or the packaged items of one domain."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ..api import measure
from ..data import kinds
from ..data.pair_schemas import BLANK, LABELS, StereoSetItem, fill_span
from ..data.schemas import parse_row
from ..data.stereoset import StereoSet, load_stereoset
from ..report.lines import model_name
from ..result import Result
from .handlers import on_choice, on_click
from .limits import sentence
from .outcome import result_page
from .parts import Note, ScrollTable, number, show
from .session import Session
from .tab import Tab, answer, choice, methods_on, model_box, outputs, text_box

__all__ = ["ALL_DOMAINS", "chosen_items", "item_html", "items_tab", "options_of", "typed_item"]

ALL_DOMAINS = "all domains"


def chosen_items(domain: str = ALL_DOMAINS) -> StereoSet:
    """The packaged items of one domain, or of all.

    Raises:
        UnknownNameError: there is no such domain.
    """
    return load_stereoset(bias_types=None if domain == ALL_DOMAINS else domain)


def typed_item(context: str, *options: str) -> StereoSetItem:
    """An item from what was typed: a context and what fills its BLANK, or, without BLANK, what follows it.

    Args:
        context: the context sentence.
        options: the stereotypical, the anti-stereotypical and the unrelated option.

    Raises:
        InputError: a text is empty or too long.

    Examples:
        >>> typed_item("The nurse was BLANK.", "kind", "strict", "oval").option("unrelated")
        'The nurse was oval.'
        >>> typed_item("He is a nurse.", "He is kind.", "He is strict.", "It rains.").task
        'intersentence'
    """
    context = sentence(context, "context")
    texts = [sentence(o, f"{label} option") for o, label in zip(options, LABELS, strict=True)]
    blank = BLANK in context
    return parse_row(
        StereoSetItem,
        {
            "task": "intrasentence" if blank else "intersentence",
            "target": "your target",
            "context": context,
            "sentences": [
                {"gold_label": label, "sentence": context.replace(BLANK, text) if blank else text}
                for label, text in zip(LABELS, texts, strict=True)
            ],
        },
        "your item",
    )


def options_of(item: StereoSetItem) -> list[str]:
    """The context of an item and its three options, as :func:`typed_item` takes them.

    Examples:
        >>> options_of(typed_item("The nurse was BLANK.", "kind", "strict", "oval"))
        ['The nurse was BLANK.', 'kind', 'strict', 'oval']
    """
    sentences = [item.option(label) for label in LABELS]
    if item.task == "intersentence":
        return [item.context, *sentences]
    return [item.context, *(s[slice(*(fill_span(item.context, s) or (0, None)))] for s in sentences)]


_VERDICTS = {
    "stereotype": "The model prefers the <strong>stereotypical</strong> to the anti-stereotypical option.",
    "anti-stereotype": "The model prefers the <strong>anti-stereotypical</strong> to the stereotypical option.",
    "tie": "The model prefers neither the stereotypical nor the anti-stereotypical option.",
}


def item_html(item: StereoSetItem, result: Result) -> str:
    """The options of one item from the likeliest to the least likely."""
    (row,) = result.rows_of("item")
    scores = {label: float(row.details[label.replace("-", "_")]) for label in LABELS}
    ordered = sorted(scores, key=lambda label: -scores[label])
    odd = "It does not find the unrelated option the least likely: it may not understand the sentence."
    return show(
        Note(Markup(_VERDICTS[row.details["verdict"]]), "finding"),
        Note("" if ordered[-1] == LABELS[-1] else odd, "warning"),
        ScrollTable(
            "Scores from log-probabilities: higher is likelier",
            [
                {"option": label, "text": item.option(label), "score": number(scores[label], 4)}
                for label in ordered
            ],
        ),
        Note(f"Scored with {model_name(result)}."),
        Note("One item shows how the method works; it says nothing about the model."),
        *(Note(w, "warning") for w in result.warnings),
    )


def items_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    method = tab.method or methods_on(kinds.STEREOSET.name)[0]

    def examples(domain: str) -> list[tuple[str, str]]:
        return [(f"{item.target}: {item.context}", item.id) for item in chosen_items(domain)]

    def offer(domain: str) -> Any:
        return gr.Dropdown(choices=examples(domain), value=None)

    def fill(key: str | None) -> list[Any]:
        item = next((i for i in chosen_items() if i.id == key), None)
        return [gr.skip()] * 4 if item is None else options_of(item)

    def measure_item(
        session: Session,
        model: str,
        context: str,
        first: str,
        second: str,
        third: str,
        progress: Any = gr.Progress(),
    ) -> tuple[str, dict[str, Any]]:
        item = typed_item(context, first, second, third)
        with tab.lent(model, progress) as lent:
            result = measure(method.name, lent, data=[item])
        return item_html(item, result), {"results": [result.to_dict()]}

    def measure_items(
        session: Session, model: str, domain: str = ALL_DOMAINS, progress: Any = gr.Progress()
    ) -> tuple[str, dict[str, Any]]:
        items = chosen_items(domain)
        with tab.lent(model, progress) as lent:
            result = measure(method.name, lent, data=items)
        return answer(session, [result], result_page(result))

    everything = chosen_items()
    start = options_of(everything[0])
    gr.Markdown(
        "A context with three options: which one does a language model find more likely?",
        elem_id="items-help",
    )
    with gr.Row():
        model = model_box(tab, (), "items")
        domains = [ALL_DOMAINS, *everything.bias_types]
        domain = choice("Domain of the packaged items", "items-domain", domains, ALL_DOMAINS)
    gr.Markdown("## One item", elem_id="item-title")
    example = choice("Fill in a packaged item", "item-example", examples(ALL_DOMAINS), None)
    context = text_box(
        "Context: with BLANK for the missing word, or a sentence that the options follow",
        "item-context",
        start[0],
    )
    with gr.Row():
        boxes = [
            text_box(f"{label.capitalize()} option", f"item-{label}", text)
            for label, text in zip(LABELS, start[1:], strict=True)
        ]
    one = gr.Button("Which does the model prefer?", variant="primary", elem_id="item-run")
    answered = outputs("item-output")
    gr.Markdown("## The packaged items of the domain", elem_id="items-title")
    many = gr.Button("Measure these items", variant="primary", elem_id="items-run")
    output = outputs("items-output")

    on_choice(domain, offer, domain, example)
    on_choice(example, fill, example, [context, *boxes])
    on_click(
        one,
        measure_item,
        [tab.session, model, context, *boxes],
        answered,
        api_name="measure_item",
        about=(
            "Which of three options does a language model find most likely in a context? Returns HTML and the result "
            "as data."
        ),
    )
    on_click(
        many,
        measure_items,
        [tab.session, model, domain],
        output,
        api_name="measure_items",
        about="Measure the packaged items of a domain, or of all. Returns HTML and the result as data.",
    )
