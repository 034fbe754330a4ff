"""Which methods fit a model, as far as its name or its files show, and why the others do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..models.base import can
from ..registry import METHODS
from .model_class import model_classes

_KINDS = {
    "StaticVectors": "word vectors",
    "MaskedLM": "a masked language model",
    "CausalLM": "a causal language model",
    "Encoder": "an encoder",
    "Corpus": "a text corpus",
    "ServedModel": "a served model",
    "TwoHalves": "an encoder-decoder model (its encoder is measured as the pair (model.get_encoder(), tokenizer))",
}
"""What a class of models is called, by the name of the class or of one that it is derived from."""


def fits(method: str, classes: tuple[type, ...]) -> bool:
    """Whether a method can measure models of one of these classes; where there are none, whether it needs no model."""
    record = METHODS[method]
    if not classes:
        return record.needs_no_model
    return any(
        can(model_class, need) and not any(can(model_class, what) for what in record.refuses)
        for model_class in classes
        for need in record.needs
    )


def needed_options(method: str, classes: tuple[type, ...]) -> Mapping[str, Any]:
    """The options without which a method refuses models of these classes, though it fits them.

    Examples:
        >>> from evaluate_bias.models.causal import CausalLM
        >>> needed_options("crows_pairs", (CausalLM,)), needed_options("gest", (CausalLM,))
        ({'variant': 'causal'}, {})
    """
    record = METHODS[method]
    abilities = [need for need in record.needs if any(can(c, need) for c in classes)]
    if "scores sequences" in abilities and "scores masked tokens" not in abilities:
        return record.causal
    return record.asks if abilities == ["chats"] else {}


def reasons_against(spec: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Why methods do not fit a model, by their names; methods that fit are not among them.

    Args:
        spec: what to load.
        options: options of loading.

    Examples:
        >>> reasons = reasons_against("glove-6b-50d", {})
        >>> reasons["aul"], "weat" in reasons
        ('needs a model that scores masked tokens, not word vectors', False)
    """
    classes = model_classes(spec, options)
    kinds = dict.fromkeys(
        _KINDS[base.__name__] for c in classes for base in c.__mro__ if base.__name__ in _KINDS
    )
    return {
        name: f"needs a model that {' or '.join(record.needs)}, not {' or '.join(kinds) or 'no model'}"
        if record.needs
        else "needs no model"
        for name, record in METHODS.items()
        if not fits(name, classes)
    }
