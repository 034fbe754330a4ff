"""The last layer of BERT-like encoders, computed only at the positions that are read.

In it, all positions are needed for keys and values only. Queries, the output projection and the feed-forward block of
the others would be thrown away, and with one mask per sequence that is most of the layer.
"""

from __future__ import annotations

import copy
from typing import Any


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
