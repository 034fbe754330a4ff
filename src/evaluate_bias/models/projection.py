"""The two halves of a language model: the body, and the projection of chosen states on the vocabulary.

transformers models compute the logits of every position. Only few are needed here, so the head is split off, for any
architecture, by a shallow copy of the model whose body is replaced by a pass-through: the head's own forward code,
soft caps and scalings included, runs unchanged on the states it is given.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from .source import device_of
from .trials import UNFIT

MAX_LAST_LAYER_ROWS = 2
"""Rows read per sequence, on average, up to which computing the last layer for them alone is worth it."""


class VocabularyProjection:
    """Splits a model with a language-model head; ``width`` is the size of its vocabulary, ``tokens`` some of it."""

    def __init__(self, model: Any, tokens: Sequence[int]) -> None:
        self._model = model
        self._head: Any = None
        self._last: LastLayer | None = None
        self._split(tokens)

    def _split(self, tokens: Sequence[int]) -> None:
        """Split the model and keep the halves only where they prove to give the whole model's logits."""
        import torch

        ids = torch.tensor(tokens, device=device_of(self._model)).reshape(2, 3)
        inputs = {"input_ids": ids}
        rows = [(0, 0), (1, 2)]
        with torch.inference_mode():
            whole = self._model(**inputs).logits[[0, 1], [0, 2]]
            self.width = whole.shape[-1]
            self._head = _head_only(self._model)
            if not self._agrees(whole, inputs, rows):
                self._head = None
                return
            self._last = LastLayer.of(self._model)
            if self._last is not None and not self._agrees(whole, inputs, rows):
                self._last = None

    def _agrees(self, whole: Any, inputs: dict[str, Any], rows: Sequence[tuple[int, int]]) -> bool:
        import torch

        try:
            split = self.logits(self.states(inputs, rows))
        except UNFIT:
            return False
        if split.shape != whole.shape:
            return False
        # Half the digits of the dtype: rounding stays far below, a wrong split lands far above.
        tolerance = torch.finfo(whole.dtype).eps ** 0.5
        return bool((split - whole).abs().max() <= tolerance * (1 + whole.abs().max()))

    def states(self, inputs: dict[str, Any], rows: Sequence[tuple[int, int]]) -> Any:
        """What the head reads, at ``rows`` (sequence, position): a tensor with one row each."""
        import torch

        sequence, position = torch.tensor(list(rows), device=device_of(self._model)).T
        if self._head is None:
            return self._model(**inputs).logits[sequence, position]
        if self._last is not None and len(rows) <= MAX_LAST_LAYER_ROWS * len(inputs["input_ids"]):
            return self._last.states(inputs, sequence, position)
        return self._model.base_model(**inputs)[0][sequence, position]

    def states_and_attention(
        self, inputs: dict[str, Any], rows: Sequence[tuple[int, int]]
    ) -> tuple[Any, Sequence[Any]]:
        """As :meth:`states`, and the attention weights of each layer, of shape (sequence, head, query, key)."""
        import torch

        sequence, position = torch.tensor(list(rows), device=device_of(self._model)).T
        body = self._model if self._head is None else self._model.base_model
        out = body(**inputs, output_attentions=True)
        return out[0][sequence, position], out.attentions

    def logits(self, states: Any) -> Any:
        """Logits over the vocabulary of each row of :meth:`states`."""
        if self._head is None:
            return states
        return self._head(input_ids=states.unsqueeze(0)).logits.squeeze(0)


def _head_only(model: Any) -> Any:
    """A copy of the model, weights shared, whose forward takes hidden states in place of token ids."""
    head = copy.copy(model)
    head._modules = dict(model._modules)
    head._modules[model.base_model_prefix] = _PassThrough(model.base_model)
    return head


class _PassThrough:
    """Gives back what it is given as the last hidden state; everything else is asked of the real body."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __call__(self, input_ids: Any, **_: Any) -> Any:
        from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

        return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=input_ids)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._body, name)


class LastLayer:
    """Runs a BERT-like encoder up to its last layer, and that layer for chosen positions only."""

    def __init__(self, body: Any, layer: Any) -> None:
        self._body = body
        self._layer = layer

    @classmethod
    def of(cls, model: Any) -> LastLayer | None:
        """The split of ``model``, ``None`` where it is not built like BERT; its numbers are for the caller to check."""
        base = model.base_model
        layers = getattr(getattr(base, "encoder", None), "layer", None)
        if layers is None or len(layers) < 1 or getattr(model.config, "is_decoder", False):
            return None
        last = layers[-1]
        attention = getattr(getattr(last, "attention", None), "self", None)
        needed = ("query", "key", "value", "attention_head_size", "scaling")
        if not all(hasattr(attention, part) for part in needed) or not hasattr(last, "feed_forward_chunk"):
            return None
        body = copy.copy(base)
        body._modules = dict(base._modules)
        body._modules["encoder"] = encoder = copy.copy(base.encoder)
        encoder._modules = dict(encoder._modules)
        encoder._modules["layer"] = layers[:-1]
        if "pooler" in body._modules:
            body._modules["pooler"] = None
        return cls(body, last)

    def states(self, inputs: dict[str, Any], sequence: Any, position: Any) -> Any:
        """Final states at ``(sequence[i], position[i])``: a tensor of shape (rows, hidden size)."""
        import torch

        hidden = self._body(**inputs)[0]
        attention = self._layer.attention.self
        size = attention.attention_head_size
        rows = hidden[sequence, position]
        query = attention.query(rows).view(len(rows), -1, size)
        keys, values = (
            part(hidden).view(*hidden.shape[:2], -1, size) for part in (attention.key, attention.value)
        )
        if not torch.equal(sequence, torch.arange(len(hidden), device=hidden.device)):
            keys, values = keys[sequence], values[sequence]
        weights = torch.einsum("nhd,nkhd->nhk", query, keys) * attention.scaling
        mask = inputs.get("attention_mask")
        if mask is not None:
            weights = weights.masked_fill(mask[sequence, None] == 0, -torch.inf)
        context = torch.einsum("nhk,nkhd->nhd", weights.softmax(-1), values)
        attended = self._layer.attention.output(context.reshape(len(rows), -1), rows)
        return self._layer.feed_forward_chunk(attended)
