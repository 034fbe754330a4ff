"""From the states of a text's tokens to one vector: the representations that the papers use.

A :class:`Representation` says which tokens and which layers are averaged. Tokens of a word are found by the
tokenizer's character offsets, never by comparing strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import CapabilityError, InputError, bad_option, quoted
from .alignment import Encoded

Pooling = Literal["cls", "target_first", "target_mean", "sentence_mean", "first4_mean", "last_token", "own"]
Layer = int | tuple[int, ...] | Literal["mean"]
Span = tuple[int, int]
"""Characters ``start`` to ``end`` (exclusive) of a text."""

_FIRST_FOUR = (1, 2, 3, 4)
_OF_TARGET = ("target_first", "target_mean", "first4_mean")


@dataclass(frozen=True, slots=True)
class Representation:
    """Which tokens and layers make up the vector of a text, or of a word in it.

    Args:
        pooling: ``"cls"``: the special token that opens the text ([CLS], <s>). ``"target_first"``: the first
            subword token of the word (Tan & Celis 2019). ``"target_mean"``: the mean of its subword tokens
            (Delobelle et al. 2022). ``"sentence_mean"``: the mean of all real tokens. ``"first4_mean"``: the mean
            of the word's subword tokens over layers 1 to 4 (Vulić et al. 2020, Lauscher et al. 2021).
            ``"last_token"``: the last real token, which in a causal model is the only one that has seen the whole
            text. ``"own"``: what a ``SentenceTransformer`` returns for the text, with its pooling, further layers
            and prompt.
        layer: 0 is the embedding layer's output, 1 to L are the layers, negative numbers count from the end. A
            tuple means the average of several layers, and ``"mean"`` the average of 1 to L. ``"first4_mean"`` has
            layers of its own.

    Raises:
        InputError: no such pooling, or a layer that is not a number.

    Examples:
        >>> Representation("target_mean", layer=-2)
        Representation(pooling='target_mean', layer=-2)
        >>> str(Representation("cls")), str(Representation("target_mean", layer=(1, 2)))
        ('cls', 'target_mean@1+2')
        >>> Representation("first4_mean").layers(12)
        (1, 2, 3, 4)
    """

    pooling: Pooling
    layer: Layer = -1

    def __post_init__(self) -> None:
        if self.pooling not in get_args(Pooling):
            names = ", ".join(map(repr, get_args(Pooling)))
            raise InputError(
                f"no representation {quoted(self.pooling)}",
                option="representation",
                hint=f"use one of {names}",
            )
        layers = self.layer if isinstance(self.layer, tuple) else (self.layer,)
        if self.layer != "mean" and not (layers and all(type(layer) is int for layer in layers)):
            raise bad_option("layer", self.layer, "an integer, a tuple of integers, or 'mean'")
        if self.pooling == "own" and self.layer != -1:
            raise InputError(
                "'own' is what the model returns for a text and has no layer to choose",
                option="layer",
                hint="omit `layer`",
            )
        if self.pooling == "first4_mean":
            if self.layer not in (-1, _FIRST_FOUR):
                raise InputError(
                    f"first4_mean is the mean of layers 1 to 4, got layer {self.layer!r}",
                    option="layer",
                    hint="use target_mean with these layers",
                )
            object.__setattr__(self, "layer", _FIRST_FOUR)

    @classmethod
    def parse(cls, text: str | Representation) -> Representation:
        """Read ``"target_mean"``, ``"target_mean@8"``, ``"cls@1+2"`` or ``"sentence_mean@mean"``.

        Raises:
            InputError: it is not written like this.

        Examples:
            >>> Representation.parse("target_mean@-2").layer
            -2
            >>> Representation.parse("cls@1+2").layer
            (1, 2)
        """
        if isinstance(text, Representation):
            return text
        if not isinstance(text, str):
            raise InputError(
                f"a representation is written like 'target_mean' or 'cls@-2', got {quoted(text)}",
                option="representation",
            )
        pooling, at, layer = text.partition("@")
        if not at:
            return cls(pooling)  # type: ignore[arg-type]
        if layer == "mean":
            return cls(pooling, "mean")  # type: ignore[arg-type]
        try:
            numbers = tuple(int(part) for part in layer.split("+"))
        except ValueError:
            raise InputError(
                f"{quoted(text)}: '@' must be followed by a layer such as 8, -2, 1+2 or mean, got "
                f"{quoted(layer)}",
                option="layer",
            ) from None
        return cls(pooling, numbers if len(numbers) > 1 else numbers[0])  # type: ignore[arg-type]

    def __str__(self) -> str:
        if self.layer == -1 or self.pooling == "first4_mean":
            return self.pooling
        layer_text = "+".join(map(str, self.layer)) if isinstance(self.layer, tuple) else str(self.layer)
        return f"{self.pooling}@{layer_text}"

    @property
    def needs_span(self) -> bool:
        """True if it is the representation of a word, so that the word's place in the text must be known."""
        return self.pooling in _OF_TARGET

    def layers(self, count: int) -> tuple[int, ...]:
        """Return the layers to average, counted from 0 (the embedding layer), in a model of ``count`` layers.

        Raises:
            InputError: the model has no such layer.
        """
        if self.layer == "mean":
            return tuple(range(1, count + 1))
        chosen_layers = self.layer if isinstance(self.layer, tuple) else (self.layer,)
        for layer in chosen_layers:
            if not -count - 1 <= layer <= count:
                raise InputError(
                    f"{self}: no layer {layer} (this model has layers 1 to {count}, and 0 for its embeddings)",
                    option="layer",
                )
        return tuple(layer if layer >= 0 else layer + count + 1 for layer in chosen_layers)


def parse_representations(representations: Sequence[Representation | str]) -> list[Representation]:
    """Parse the requested representations, of which there must be at least one."""
    parsed_representations = [Representation.parse(r) for r in representations]
    if not parsed_representations:
        raise InputError(
            "`representation` is empty",
            option="representation",
            hint="name at least one, such as 'sentence_mean'",
        )
    return parsed_representations


def token_positions(pooling: Pooling, encoded: Encoded, span: Span | None) -> tuple[int, ...]:
    """Return the positions of the tokens to average, or none if the text has none of them."""
    if pooling == "own":
        raise CapabilityError(
            "'own' is what a SentenceTransformer returns for a text, and this model is not one",
            hint="use 'sentence_mean' or 'cls', name the folder or Hub id of one, or pass the SentenceTransformer "
            "itself",
        )
    if pooling == "cls":
        return (0,) if 0 not in encoded.positions else ()
    if pooling == "sentence_mean":
        return encoded.positions
    if pooling == "last_token":
        return encoded.positions[-1:]
    if span is None:
        raise InputError(
            f"{pooling} is the vector of a word", hint=f"give its span in {quoted(encoded.text)}"
        )
    pieces = encoded.span_positions(*span)
    return pieces[:1] if pooling == "target_first" else pieces


def check_spans(texts: Sequence[str], spans: Sequence[Span | None] | None) -> list[Span | None]:
    """Return one span or ``None`` per text, after a check that each is within its text and not empty."""
    if spans is None:
        return [None] * len(texts)
    if len(spans) != len(texts):
        raise InputError(f"there are {len(spans)} spans for {len(texts)} texts")
    for text, span in zip(texts, spans, strict=True):
        if span is not None and not 0 <= span[0] < span[1] <= len(text):
            raise InputError(
                f"the span {tuple(span)} does not lie in the {len(text)} characters of {quoted(text)}"
            )
    return [None if span is None else (int(span[0]), int(span[1])) for span in spans]
