"""Vectors of words in filled templates, and the representation that is taken of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..data.templates import Template, TemplateSet
from ..errors import CapabilityError, InputError, quoted
from ..models.base import Capability, ContextEmbedder, WrappedModel
from ..models.pooling import Layer, Representation
from ..result import Skipped
from .template_filling import fill

_OF_A_SENTENCE = ("cls", "last_token", "sentence_mean")
"""Representations of a sentence, in the order in which ``"auto"`` tries them."""
_VOCABULARY = 1_000
"""So many words of a tokenizer's vocabulary represent the words of a model in context."""


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
        raise InputError(
            f"the representation {written!r} names a layer already",
            option="layer",
            hint=f"omit `layer` ({layer!r})",
        )
    layer_text = "+".join(map(str, layer)) if isinstance(layer, (tuple, list)) else str(layer)
    return f"{written}@{layer_text}"


def resolve_representation(model: ContextEmbedder, representation: Representation | str) -> Representation:
    """Read a representation. ``"auto"`` (with a layer or without) is the sentence vector that the model has."""
    pooling, at, layer = str(representation).partition("@")
    if pooling != "auto":
        return Representation.parse(representation)
    reason = ""
    for name in _OF_A_SENTENCE:
        candidate = Representation.parse(f"{name}{at}{layer}")
        try:
            model.embed_in_context(["This is a text."], [None], [candidate])
        except CapabilityError as error:
            reason = str(error)
            continue
        return candidate
    raise CapabilityError(
        f"{model.name} has none of the representations {', '.join(_OF_A_SENTENCE)}: {reason}"
    )


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
        representations: what to read from each sentence.
        mask: the model's mask token, for templates with the slot ``{mask}``.

    Returns:
        ``(vectors, kept, skipped)``: an array of shape (templates, kept words, representations, dimension), the
        positions in ``words`` of the words that every template and the model can use, and the others, each with the
        first reason. A word is omitted everywhere or nowhere, so that settings compare the same words.
    """
    fillings = [[fill(template, target=word, mask=mask) for template in templates] for word in words]
    requests = [f for in_templates in fillings for f in in_templates if not isinstance(f, str)]
    embeddings = iter(
        model.embed_in_context(
            [f.text for f in requests], [f.spans["target"] for f in requests], list(representations)
        )
    )
    places: list[int] = []
    vectors: list[NDArray[np.float64]] = []
    skipped: list[Skipped] = []
    for i, in_templates in enumerate(fillings):
        # One array of shape (representations, dimension) per template, or why it is missing.
        embedded = [f if isinstance(f, str) else next(embeddings) for f in in_templates]
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
            places.append(i)
            vectors.append(np.stack([np.asarray(e, dtype=np.float64) for e in embedded]))
    if not vectors:
        return np.empty((len(templates), 0, len(representations), 0)), places, skipped
    return np.stack(vectors, axis=1), places, skipped


class WordsInTemplates(WrappedModel):
    """A model as one that embeds words: by the mean of a representation over the templates that accept a word."""

    capabilities = frozenset({Capability.EMBEDS_WORDS})

    def __init__(
        self, model: ContextEmbedder, templates: Sequence[Template], representation: Representation
    ) -> None:
        super().__init__(model)
        self._templates, self._representation = TemplateSet(tuple(templates)), representation

    def embed_words(self, words: Sequence[str]) -> tuple[FloatArray, list[int]]:
        """Vectors of all words, shape (words, dimension). None is missing.

        Raises:
            InputError: no template accepts a word, or the model cannot embed it.
        """
        made = [self._templates.expand([word]) for word in words]
        sentences = [s for expansion in made for s in expansion.sentences]
        embeddings = iter(
            self._model.embed_in_context(
                [s.text for s in sentences], [s.spans["target"] for s in sentences], [self._representation]
            )
            if sentences
            else ()
        )
        vectors = []
        for word, expansion in zip(words, made, strict=True):
            embedded = [next(embeddings) for _ in expansion.sentences]
            known = [np.asarray(v[0], dtype=np.float64) for v in embedded if not isinstance(v, Skipped)]
            if not known:
                reason = (*expansion.skipped, *embedded)[0].reason
                raise InputError(
                    f"{quoted(word)} cannot be embedded in these templates: {reason}",
                    hint="use templates that fit any word, such as ['This is {target}.']",
                )
            vectors.append(np.mean(known, axis=0))
        return np.asarray(vectors), []

    def words(self) -> Iterator[str]:
        """The first words of the tokenizer's vocabulary that are one token and that the templates take."""
        tokenizer: Any = getattr(self._model, "tokenizer", None)
        texts = (tokenizer.decode([i]).strip() for i in range(len(tokenizer) if tokenizer else 0))
        single = (t for t in texts if t.isalpha() and len(tokenizer.tokenize(t)) == 1)
        return islice(
            (t for t in dict.fromkeys(single) if self._templates.expand([t]).sentences), _VOCABULARY
        )
