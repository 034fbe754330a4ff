"""Vectors of words in filled templates, and the representation that is taken of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.templates import Template
from ..errors import CapabilityError, InputError
from ..models.base import ContextEmbedder
from ..models.pooling import Layer, Representation
from ..result import Skipped
from .template_filling import fill

_OF_A_SENTENCE = ("cls", "last_token", "sentence_mean")
"""Representations of a sentence, in the order in which ``"auto"`` tries them."""


def with_layer(representation: Representation | str, layer: Layer | None) -> str:
    """Write a representation with the layer that another option names.

    Examples:
        >>> with_layer("target_mean", (1, 2)), with_layer("cls@-2", None)
        ('target_mean@1+2', 'cls@-2')
    """
    written = str(representation)
    if layer is None:
        return written
    if "@" in written:
        raise InputError(f"the representation {written!r} names a layer already; leave layer={layer!r} out")
    shown = "+".join(map(str, layer)) if isinstance(layer, (tuple, list)) else str(layer)
    return f"{written}@{shown}"


def resolve_representation(model: ContextEmbedder, asked: Representation | str) -> Representation:
    """Read a representation; ``"auto"`` (with a layer or without) is that of a sentence that the model has."""
    pooling, at, layer = str(asked).partition("@")
    if pooling != "auto":
        return Representation.parse(asked)
    for name in _OF_A_SENTENCE:
        candidate = Representation.parse(f"{name}{at}{layer}")
        try:
            model.embed_in_context(["a"], [None], [candidate])
        except CapabilityError:
            continue
        return candidate
    raise CapabilityError(f"{model.name} has none of the representations {', '.join(_OF_A_SENTENCE)}")


def embed_in_templates(
    model: ContextEmbedder,
    templates: Sequence[Template],
    words: Sequence[Any],
    representations: Sequence[Representation],
    *,
    mask: str = "",
) -> tuple[NDArray[np.float64], list[int], list[Skipped]]:
    """Embed every word in every template.

    Args:
        model: a model that embeds words in context.
        templates: templates with the slot ``{target}``, and no other but ``{mask}``.
        words: words, as text or as :class:`~evaluate_bias.data.grammar.Word`.
        representations: what to take from each sentence.
        mask: the model's mask token, for templates with the slot ``{mask}``.

    Returns:
        ``(vectors, kept, skipped)``: an array of shape (templates, kept words, representations, dimension); the
        positions in ``words`` of the words that every template and the model can take; and the others, each with
        the first reason. A word is left out everywhere or nowhere, so that settings compare the same words.
    """
    fillings = [[fill(template, target=word, mask=mask) for template in templates] for word in words]
    requests = [f for in_templates in fillings for f in in_templates if not isinstance(f, str)]
    found = iter(
        model.embed_in_context(
            [f.text for f in requests], [f.spans["target"] for f in requests], list(representations)
        )
    )
    kept: list[int] = []
    vectors: list[NDArray[np.float64]] = []
    skipped: list[Skipped] = []
    for i, in_templates in enumerate(fillings):
        # One array of shape (representations, dimension) per template, or why there is none.
        embedded = [f if isinstance(f, str) else next(found) for f in in_templates]
        reasons = [
            Skipped(
                str(getattr(words[i], "text", words[i])), e if isinstance(e, str) else e.reason, template.id
            )
            for e, template in zip(embedded, templates, strict=True)
            if isinstance(e, (str, Skipped))
        ]
        if reasons:
            skipped.append(reasons[0])
        else:
            kept.append(i)
            vectors.append(np.stack([np.asarray(e, dtype=np.float64) for e in embedded]))
    if not vectors:
        return np.empty((len(templates), 0, len(representations), 0)), kept, skipped
    return np.stack(vectors, axis=1), kept, skipped
