"""The page of StereoSet: one context with three options, or the packaged items of one domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..methods.pairs.stereoset.scoring import LABELS, fill_span
from ..registry import MethodRecord
from ..result import Result
from .common import (
    FIELD_WIDTH,
    headline,
    measured_page,
    model_box,
    notes,
    on_click,
    one_line,
    opened_model,
    shown_errors,
    table,
)

if TYPE_CHECKING:
    import gradio as gr

    from ..data.pair_schemas import StereoSetItem
    from ..data.stereoset import StereoSet

__all__ = ["domain_text", "item_html", "options_of", "page", "run_domain", "run_item", "typed_item"]

_KEYS = ("stereotype", "anti_stereotype", "unrelated")
ALL_DOMAINS = "all domains"


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
    from ..data.pair_schemas import BLANK, as_stereoset_item

    context = one_line(context, "context")
    texts = [one_line(o, f"{label} option") for o, label in zip(options, LABELS, strict=True)]
    blank = BLANK in context
    return as_stereoset_item(
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


def run_item(model: Any, item: StereoSetItem) -> Result:
    """Score the three options of one item.

    Raises:
        BiasError: whatever the method raises.
    """
    from ..api import evaluate

    return evaluate("stereoset", model, data=[item])


def item_html(item: StereoSetItem, result: Result) -> str:
    """The options from the likeliest to the least likely, as HTML."""
    scores = {label: result.items[0][key] for label, key in zip(LABELS, _KEYS, strict=True)}
    ordered = sorted(scores, key=lambda label: -scores[label])
    rows = [(label, item.option(label), f"{scores[label]:.4f}") for label in ordered]
    verdict = {
        "stereotype": "The model prefers the stereotypical to the anti-stereotypical option.",
        "anti-stereotype": "The model prefers the anti-stereotypical to the stereotypical option.",
        "tie": "The model prefers neither the stereotypical nor the anti-stereotypical option.",
    }[result.items[0]["verdict"]]
    sense = (
        ""
        if ordered[-1] == "unrelated"
        else "<p>It does not find the unrelated option the least likely: it may not understand the sentence.</p>"
    )
    return (
        f"<p><strong>{verdict}</strong></p>{sense}"
        + table(rows, ("option", "text", "score"))
        + "<p>Scores come from log-probabilities: higher is more likely. One item shows how the method works; it says "
        "nothing about the model.</p>"
    )


def run_domain(model: Any, domain: str) -> Result:
    """Measure a model on the packaged items of one domain, or of all.

    Raises:
        UnknownNameError: there is no such domain.
        BiasError: whatever the method raises.
    """
    from ..api import evaluate

    return evaluate("stereoset", model, data=_packaged(domain))


def domain_text(record: MethodRecord, result: Result) -> str:
    """The scores in Markdown."""
    extra = result.extra
    decided = f" Without ties, ss = {extra['decided_score']:.2f} (50 is ideal)." if extra["ties"] else ""
    return (
        f"{headline(record, result, 'items')}\n\n"
        f"Language-model score lms = {extra['lms']:.2f} (0 to 100; 100 is ideal), combined score icat = "
        f"{extra['icat']:.2f} (0 to 100; 100 is ideal).{decided}"
    )


def page(record: MethodRecord) -> gr.Blocks:
    """Build the page."""
    import gradio as gr

    def examples(domain: str) -> list[tuple[str, str]]:
        return [(f"{item.target}: {item.context}", item.id) for item in _packaged(domain)]

    def offer(domain: str) -> Any:
        return gr.Dropdown(examples(domain), value=None)

    def fill(key: str | None) -> list[Any]:
        item = next((i for i in _packaged(ALL_DOMAINS) if i.id == key), None)
        return [gr.skip()] * 4 if item is None else options_of(item)

    def measure_item(model: str, context: str, *options: str) -> str:
        with shown_errors():
            item = typed_item(context, *options)
            return item_html(item, run_item(opened_model(model), item))

    def measure_domain(model: str, domain: str) -> tuple[str, str]:
        with shown_errors():
            result = run_domain(opened_model(model), domain)
        return domain_text(record, result), notes(result)

    everything = _packaged(ALL_DOMAINS)
    start = options_of(everything[0])
    with measured_page(record, "stereoset_style") as built:
        with gr.Row():
            model = model_box(record)
            domain = gr.Dropdown(
                [ALL_DOMAINS, *everything.bias_types],
                value=ALL_DOMAINS,
                label="Domain",
                elem_id="domain",
                min_width=FIELD_WIDTH,
            )
        with gr.Tab("One item"):
            example = gr.Dropdown(
                examples(ALL_DOMAINS), value=None, label="Fill in a packaged item", elem_id="example"
            )
            context = gr.Textbox(
                start[0],
                label="Context: with BLANK for the missing word, or a sentence that the options follow",
                elem_id="context",
            )
            with gr.Row():
                boxes = [
                    gr.Textbox(
                        text, label=f"{label.capitalize()} option", elem_id=label, min_width=FIELD_WIDTH
                    )
                    for label, text in zip(LABELS, start[1:], strict=True)
                ]
            one = gr.Button("Which does the model prefer?", variant="primary", elem_id="measure-item")
            verdict = gr.HTML(elem_id="verdict")
        with gr.Tab("Packaged items"):
            gr.Markdown(
                "Measures the model on the packaged items of the domain above: illustrative, not validated."
            )
            many = gr.Button("Measure", variant="primary", elem_id="measure-domain")
            score = gr.Markdown(elem_id="score")
            left_out = gr.HTML(elem_id="notes")
        domain.change(offer, domain, example, api_visibility="private")
        example.input(fill, example, [context, *boxes], api_visibility="private")
        on_click(one, measure_item, [model, context, *boxes], [verdict], "measure_item")
        on_click(many, measure_domain, [model, domain], [score, left_out], "measure_domain")
    return built


def _packaged(domain: str) -> StereoSet:
    from ..data.stereoset import load_stereoset

    return load_stereoset(bias_types=None if domain == ALL_DOMAINS else domain)
