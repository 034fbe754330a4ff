"""The tab that asks a chat model: a few items of a method's own data, and one prompt about two groups."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any

from ..api import measure
from ..data.kinds import GROUP_PROMPTS
from ..errors import CapabilityError, bad_option
from ..models.endpoint.address import parse_address
from ..models.load import check_loading
from ..registry import METHODS, MethodRecord
from ..report.lines import model_name
from ..result import OWN_PART, RAW, Result, Row
from .form import Answer, Click, Form, Tab, methods_on, offered, outputs
from .guard import MAX_SENTENCE, MAX_WORD_LENGTH, bounded
from .parts import join, note, number, page_defaults, scroll_table
from .pool import MAX_REPLY_TOKENS, kinds_for

MAX_ASKED = 20
MAX_PROMPT_VARIANTS = 5
MAX_DRAWS = 5
MAX_DRAWN_TOKENS = 60

ENDPOINT = "EVALUATE_BIAS_SPACE_ENDPOINT"
"""The environment variable with which whoever runs the page offers a served model, ``endpoint:URL#NAME``."""
OPTIONS = "EVALUATE_BIAS_SPACE_ENDPOINT_OPTIONS"
"""The variable with the options for loading it, as JSON: ``{"reasoning_effort": "low"}``."""
_SERVED = "the model behind an address"
"""Its entry in the drop-down: not a name that could be loaded."""


def chat_methods() -> list[MethodRecord]:
    """Return the methods that can ask a chat model."""
    return [record for record in METHODS.values() if record.asks]


def run_chat(method: str | None, model: Any, items: float | None, prompt_variants: float | None) -> Result:
    """Ask a model about a few items of a method's data.

    Raises:
        InputError: no such method on this page.
        BiasError: whatever the method raises.
    """
    record = offered(chat_methods(), method)
    several = {"prompt_variants": int(prompt_variants or 1)} if "prompt_variants" in record.options() else {}
    return measure(record.name, model, limit=int(items or 1), **several, **record.asks)


def write_about_both(model: Any, prompt: str, forms: Sequence[str], texts: float | None) -> Result:
    """Let a model write to one prompt about two groups, and score what it writes.

    Raises:
        InputError: the prompt has no ``{group}``, a text is too long or empty, or the two groups are the same.
        BiasError: whatever the method raises.
    """
    prompt = bounded(prompt, MAX_SENTENCE, "prompt")
    first, second = (bounded(form, MAX_WORD_LENGTH, "group").strip() for form in forms)
    rows = [{"prompt": prompt, "group": group} for group in (first, second)]
    (record,) = methods_on(GROUP_PROMPTS.name)
    options = {
        "groups": (first, second),
        "k": int(texts or 1),
        "max_new_tokens": MAX_DRAWN_TOKENS,
        **record.asks,
    }
    measured = partial(measure, record.name, model, data=rows, **options)
    try:
        return measured(scorers=["vader", *record.options()["scorers"].default])
    except CapabilityError:  # without the package for sentiment
        return measured()


def both_html(result: Result) -> str:
    """Return the texts about two groups side by side, each pair with its differences."""
    items, (first, second) = result.rows_of("item"), result.settings["groups"]
    units = {row.name: row.labels["unit"] for row in result.rows_of("test")}
    scores = {units[item.labels["test"]]: item.details["scores"] for item in items}
    pairs = zip_longest(*items[0].details["completions"].values(), fillvalue="")
    table = [
        {first: one, second: other}
        | {f"difference, {u}": _difference(group_scores, i) for u, group_scores in scores.items()}
        for i, (one, other) in enumerate(pairs)
    ]
    return join(
        note("One prompt shows how the method works. It says nothing about the model.", "finding"),
        scroll_table(f"What {model_name(result)} wrote, and the first less the second", table),
        *(note(_own_part(row)) for row in result.rows_of("test")),
        *(note(f"{lost.item}: {lost.reason}", "warning") for lost in result.skipped),
    )


def _own_part(test: Row) -> str:
    """Return a scorer's difference, and the part of it that comes from the groups' words in the same texts."""
    raw, own_part = (number(test.estimates[key].value) for key in (RAW, OWN_PART))
    unit = test.labels["unit"]
    return f"{unit}: raw difference {raw}, scorer's own part {own_part}, score {number(test.score)}"


def _difference(scores: Mapping[str, Sequence[float | None]], place: int) -> str:
    """Return the difference of a pair of texts, or an empty string if either score is missing."""
    both = [values[place] if place < len(values) else None for values in scores.values()]
    return "" if None in both else number(both[0] - both[1])  # type: ignore[operator]


def endpoint_options() -> dict[str, Any]:
    """Return the options for loading the served model of whoever runs the page.

    Raises:
        InputError: they are not a JSON object, or not options for loading a model.
    """
    text = os.environ.get(OPTIONS, "").strip() or "{}"
    try:
        options = json.loads(text)
    except ValueError:
        options = None
    if not isinstance(options, dict):
        raise bad_option(OPTIONS, text, "options in JSON, such as {'reply_tokens': 512}")
    return check_loading(options, OPTIONS)


def chat_tab(tab: Tab) -> None:
    """Draw the tab of questions to a chat model."""
    import gradio as gr

    start, address = page_defaults()["chat"], os.environ.get(ENDPOINT, "").strip()
    options = endpoint_options()

    def borrowed(click: Click) -> Any:
        is_served = address and click.values["model"] == _SERVED
        return tab.pool.borrow_served(address, options, click.deadline) if is_served else click.model()

    def measure_chat(click: Click) -> Answer:
        v = click.values
        with borrowed(click) as model:
            return click.answer(run_chat(v["method"], model, v["items"], v["prompt_variants"]))

    def write_both(click: Click) -> Answer:
        v = click.values
        with borrowed(click) as model:
            result = write_about_both(
                model, v["prompt"] or "", (v["first"] or "", v["second"] or ""), v["texts"]
            )
        return both_html(result), {"results": [result.to_dict()]}

    form = Form(
        tab,
        "chat",
        methods=chat_methods(),
        items=MAX_ASKED,
        prompt_variants=MAX_PROMPT_VARIANTS,
        texts=MAX_DRAWS,
        tokens=MAX_REPLY_TOKENS,
    )

    def count(name: str, most: int) -> None:
        form.field(name, "Number", value=start[name], precision=0, minimum=1, maximum=most)

    form.help()
    with gr.Row():
        form.method()
        form.model(kinds_for(["chats"]), more=[(parse_address(address).name, _SERVED)] if address else ())
    with gr.Row():
        count("items", MAX_ASKED)
        count("prompt_variants", MAX_PROMPT_VARIANTS)
    form.on_measure(form.button("measure_chat"), "measure_chat", measure_chat, outputs("chat-output"))

    gr.Markdown("## One prompt about two groups", elem_id="chat-both-title")
    form.field("prompt", "Textbox", value=start["prompt"])
    with gr.Row():
        form.field("first", "Textbox", value=start["first"])
        form.field("second", "Textbox", value=start["second"])
        count("texts", MAX_DRAWS)
    form.on_measure(
        form.button("write_about_both"), "write_about_both", write_both, outputs("chat-both-output")
    )
