"""What the server of a model behind an address can do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..errors import BiasError
from ..method_record import MethodRecord
from ..models.base import can
from ..models.endpoint.address import SERVED, printable_spec
from ..models.endpoint.model import ChattingModel, ServedModel
from ..models.endpoint.probe import WHOLE_DISTRIBUTION
from ..models.load import load_model
from ..registry import METHODS
from .doctor import Diagnosis


def check_model(spec: str, **options: Any) -> Iterator[Diagnosis]:
    """Probe the server of a model, loaded with these options, and name the methods that its abilities allow."""
    if not spec.startswith(SERVED):
        text = (
            "is no address: write endpoint:URL#NAME or inspect:PROVIDER/NAME; what fits a model that is loaded here "
            "says 'evaluate-bias methods --model …'"
        )
        yield Diagnosis("model", printable_spec(spec), "problem", text)
        return
    try:
        model = load_model(spec, **options)
    except BiasError as error:
        yield Diagnosis("model", printable_spec(spec), "problem", str(error))
        return
    assert isinstance(model, ServedModel)
    abilities, systems = model.abilities, ", ".join(map(repr, model.client.fingerprints))
    called = f"answers as {abilities.served!r}, {f'system {systems}' if systems else 'and names no system'}"
    yield Diagnosis("model", model.name, "ok", called)
    for subject, answer in (
        ("chats", _chats(model)),
        ("completes texts", "no" if abilities.completions is None else "yes"),
        ("scores prompts", "no" if abilities.echo is None else f"yes, by {next(iter(abilities.echo))}"),
    ):
        yield Diagnosis("model", subject, "note" if answer == "no" else "ok", answer)
    forms = [form for form in (abilities.chat, abilities.completions) if form is not None]
    if cuts := [name for name in WHOLE_DISTRIBUTION if name in forms[0].refused_options]:
        text = f"cut as the server does by itself: it takes no {', '.join(cuts)}"
        yield Diagnosis("model", "draws", "note", text)
    fit = sorted(record.name for record in METHODS.values() if _can_measure(model, record))
    text = ", ".join(fit) or "none"
    yield Diagnosis("model", "methods", "ok" if fit else "note", text)


def _chats(model: ServedModel) -> str:
    """Whether a model is asked in chats, and how its answers are read."""
    if not isinstance(model, ChattingModel):
        return "no"
    answers = "without log-probabilities: answers are read as text"
    if model.alternatives:
        answers = f"with the log-probabilities of the {model.alternatives} likeliest tokens"
    thoughts = f"; it thinks first, so replies get {model.reply_tokens:,} tokens" * model.abilities.thinks
    return f"yes, {answers}{thoughts}; servers also do so with models that were not tuned for it"


def _can_measure(model: ServedModel, record: MethodRecord) -> bool:
    """Whether a method can measure a model with some of its options."""
    needs = [need for need in record.needs if can(type(model), need)]
    if record.reads_log_probabilities and not getattr(model, "alternatives", 0):
        needs = [need for need in needs if need != "chats"]
    return bool(needs)
