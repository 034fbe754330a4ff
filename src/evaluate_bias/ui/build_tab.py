"""The one builder of tabs: fields, what follows a choice, and buttons, of a :class:`~.kind_page.KindPage`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from .fields import Fields, Values, outputs
from .handlers import named_inputs, on_click
from .kind_page import Answer, Click, KindPage, PageMeasurement, PageSection, Tab
from .session import Session


def build_tab(tab: Tab, page: KindPage) -> None:
    """Build a tab inside the page that is being built."""
    import gradio as gr

    fields = Fields()
    sections = [_draw(section, fields) for section in page.sections]
    if "own" in fields:
        fields.on_choice(
            "own", lambda values: {"upload": gr.update(value=None, visible=values["own"])}, (), ["upload"]
        )
    for name in page.leads or page.cascade:
        _bind_choice(name, page, fields)
    for section, (buttons, output) in zip(page.sections, sections, strict=True):
        for measurement in section.measurements:
            _bind_measurement(measurement, tab, fields, buttons[measurement.elem_id], output)
        for filler in (*section.examples, *section.fillers):
            names = [name for name in filler.fills if name in fields]
            filled = fields.on_button(buttons[filler.elem_id], filler.values, names)
            if filler.measures:  # an example is measured then
                _bind_measurement(section.measurements[0], tab, fields, filled, output, endpoint=False)


def _draw(section: PageSection, fields: Fields) -> tuple[dict[str, Any], list[Any]]:
    """Draw a section; return its buttons by id, and where its results go."""
    import gradio as gr

    for (text, elem_id), sign in ((section.heading, "## "), (section.text, "")):
        if text:
            gr.Markdown(f"{sign}{text}", elem_id=elem_id)
    buttons = {}
    with _row(section.examples):
        for example in section.examples:
            buttons[example.elem_id] = gr.Button(example.button, size="sm", elem_id=example.elem_id)
    for row in section.rows:
        with _row(row):
            for field in row:
                fields.add(field.name, field.draw())
    below = (*section.measurements, *section.fillers)
    with _row(below):
        for button in below:
            variant = "primary" if button.primary else "secondary"
            buttons[button.elem_id] = gr.Button(button.button, variant=variant, elem_id=button.elem_id)
    return buttons, outputs(section.output) if section.output else []


def _row(parts: Sequence[Any]) -> AbstractContextManager[Any]:
    """Where parts stand side by side; a single one stands by itself."""
    import gradio as gr

    return gr.Row() if len(parts) > 1 else nullcontext()


def _bind_choice(name: str, page: KindPage, fields: Fields) -> None:
    """Let what comes after a drop-down in the cascade follow what is chosen in it."""
    import gradio as gr

    follow = {field.name: field.follow for s in page.sections for row in s.rows for field in row}
    later = {n: follow[n] for n in page.cascade[page.cascade.index(name) + 1 :]}

    def fill(values: Values) -> Values:
        chosen, updates = dict(values), {}
        for follower, choose in later.items():
            if choose is not None:
                choices, value = choose(chosen)
                chosen[follower] = value
                updates[follower] = value if choices is None else gr.update(choices=choices, value=value)
        return {**updates, **page.fill(chosen)}

    fields.on_choice(name, fill, page.cascade, [*later, *page.fills])


def _bind_measurement(
    measurement: PageMeasurement,
    tab: Tab,
    fields: Fields,
    button: Any,
    output: list[Any],
    endpoint: bool = True,
) -> None:
    """Bind a button, or what follows one, to what it measures."""
    names = [name for name in measurement.reads if name in fields]

    def measure(session: Session, values: Values, progress: Any) -> Answer:
        return measurement.measure(Click(tab, session, values, progress))

    on_click(
        button,
        named_inputs(measure, names),
        [tab.session, *map(fields.__getitem__, names)],
        output,
        api_name=measurement.endpoint if endpoint else "",
        about=measurement.about,
        at_once=measurement.at_once,
    )
