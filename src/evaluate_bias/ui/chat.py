"""The tab that asks a chat model: few items of a method's own data, in few wordings, and what was answered."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from ..api import measure
from ..errors import InputError
from ..models.endpoint.address import parse_address
from ..registry import METHODS, MethodRecord
from ..result import Result
from .kind_page import Answer, Click, KindPage, PageSection, PageWording
from .limits import MAX_ASKED, MAX_WORDINGS
from .parts import page_defaults
from .pool import kinds_for
from .tab import Tab, offered

ENDPOINT = "EVALUATE_BIAS_SPACE_ENDPOINT"
"""The environment variable by which whoever runs the page offers a model behind an address, ``endpoint:URL#NAME``."""
_SERVED = "the model behind an address"
"""What stands for it in the drop-down: no name that could be loaded."""
_CHATS = "chats"


def chat_methods() -> list[MethodRecord]:
    """The methods that can ask a chat model."""
    return [record for record in METHODS.values() if record.asks]


def run_chat(method: str | None, model: Any, items: float | None, wordings: float | None) -> Result:
    """Ask a model about the first items of a method's data.

    Raises:
        InputError: no such method on this page, or too many items or wordings.
        BiasError: whatever the method raises.
    """
    record = offered(chat_methods(), method)
    for what, given, most in (("items", items, MAX_ASKED), ("wordings", wordings, MAX_WORDINGS)):
        if given is None or not 1 <= given <= most:
            raise InputError(f"{what}: choose a number from 1 to {most}")
    return measure(record.name, model, limit=int(items or 0), wordings=int(wordings or 0), **record.asks)


def chat_page(tab: Tab) -> KindPage:
    """The tab of questions to a chat model."""
    records, start, address = chat_methods(), page_defaults()["chat"], os.environ.get(ENDPOINT, "").strip()

    def measure_chat(click: Click) -> Answer:
        v = click.values
        is_served = address and v["model"] == _SERVED
        with tab.pool.borrow_served(address, click.deadline) if is_served else click.model() as model:
            return click.answer(run_chat(v["method"], model, v["items"], v["wordings"]))

    methods = ", ".join(record.name for record in records)
    wording = PageWording("chat", methods=methods, items=MAX_ASKED, wordings=MAX_WORDINGS)
    model = wording.model(tab, kinds_for([_CHATS]))
    if address:
        served = (parse_address(address).name, _SERVED)
        model = replace(model, choices=[*(model.choices or ()), served])
    numbers = [
        wording.field(
            name, widget="number", value=start[name], more={"precision": 0, "minimum": 1, "maximum": most}
        )
        for name, most in (("items", MAX_ASKED), ("wordings", MAX_WORDINGS))
    ]
    choices = [(record.title, record.name) for record in records]
    section = PageSection(
        output="chat-output",
        text=wording.help,
        rows=[[wording.field("method", value=records[0].name, choices=choices), model], numbers],
        measurements=[wording.button("measure_chat", measure_chat)],
    )
    return KindPage(sections=[section])
