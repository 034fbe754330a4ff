"""What the server of a model behind an address can do."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import BiasError
from ..models.base import can
from ..models.endpoint import load_endpoint
from ..models.endpoint.address import shown
from ..registry import METHODS
from .doctor import Diagnosis


def check_model(spec: str) -> Iterator[Diagnosis]:
    """Ask the server of a model behind an address what it can do, and name the methods that this allows."""
    try:
        model = load_endpoint(spec)
    except BiasError as error:
        yield Diagnosis("model", shown(spec), "problem", str(error))
        return
    found, systems = model.abilities, ", ".join(map(repr, model.client.fingerprints))
    called = f"answers as {found.served!r}, {f'system {systems}' if systems else 'and names no system'}"
    yield Diagnosis("model", model.name, "ok", called)
    chats = "no" if found.chat is None else "yes"
    if found.alternatives:
        chats += f", with the log-probabilities of the {found.alternatives} likeliest tokens"
    elif found.chat is not None:
        chats += ", without log-probabilities: answers are read as text"
    for subject, answer in (
        ("chats", chats),
        ("completes texts", "yes" if found.completes else "no"),
        ("scores prompts", "no" if found.echo is None else f"yes, by {next(iter(found.echo))}"),
    ):
        yield Diagnosis("model", subject, "note" if answer == "no" else "ok", answer)
    fit = sorted(name for name, r in METHODS.items() if any(can(type(model), need) for need in r.needs))
    text = ", ".join(fit) or "none"
    yield Diagnosis("model", "methods", "ok" if fit else "note", text)
