"""Reading a transformer with a language-model head: log-probabilities and distributions over its vocabulary.

A *read* is a pair ``(row, token id)``: the log-probability that the model's output at position ``row`` of a sequence
gives to a token. Equal sequences are computed once. Only the rows that are read go through the vocabulary projection,
and no tensor of all logits of a batch is ever made.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from .encoder import ContextualModel
from .engine import UNFIT, SequenceInput, trial_ids
from .source import device_of

Reads = Sequence[tuple[int, int]]

CPU_LOGITS = 2**22
ACCELERATOR_LOGITS = 2**28
"""Most logits (rows times vocabulary) that exist at one time."""
MAX_LAST_LAYER_ROWS = 2
"""Rows read per sequence, on average, up to which computing the last layer for them alone is worth it."""


class LanguageModel(ContextualModel):
    """A transformer that gives each token of its vocabulary a probability. Subclasses define at which positions."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._max_logits = CPU_LOGITS if device_of(self.model).type == "cpu" else ACCELERATOR_LOGITS

    @cached_property
    def _projection(self) -> VocabularyProjection:
        return VocabularyProjection(self.model, trial_ids(self, 6))

    def _logprobs(
        self, units: Sequence[SequenceInput], reads: Sequence[Reads], label: str
    ) -> list[FloatArray]:
        """Return log-probabilities of each unit's reads, in the given order. Earlier ones come from the memo."""
        return self._remembered(
            "log p",
            [(u.ids, u.type_ids, tuple(r)) for u, r in zip(units, reads, strict=True)],
            lambda chosen: self._fresh_logprobs(
                [units[i] for i in chosen], [reads[i] for i in chosen], label
            ),
        )

    def _fresh_logprobs(
        self,
        units: Sequence[SequenceInput],
        reads: Sequence[Reads],
        label: str,
        *,
        attention: bool = False,
        budget: int | None = None,
    ) -> list[FloatArray]:
        """Return what :meth:`_logprobs` gives. With ``attention``, a second row has what its position receives."""
        reads_of: dict[SequenceInput, set[tuple[int, int]]] = {}
        for unit, unit_reads in zip(units, reads, strict=True):
            reads_of.setdefault(unit, set()).update(unit_reads)
        sorted_reads = {unit: sorted(of_unit) for unit, of_unit in reads_of.items()}
        scored = self._run_units(
            units,
            lambda batch: self._read_batch(batch, [sorted_reads[unit] for unit in batch], attention),
            label,
            budget,
        )
        column = {
            unit: {one_read: i for i, one_read in enumerate(of_unit)}
            for unit, of_unit in sorted_reads.items()
        }
        return [
            values[..., [column[unit][one_read] for one_read in unit_reads]]
            for unit, values, unit_reads in zip(units, scored, reads, strict=True)
        ]

    def _read_batch(
        self, units: Sequence[SequenceInput], reads: Sequence[Reads], attention: bool
    ) -> list[FloatArray]:
        rows: dict[tuple[int, int], int] = {}
        read_rows, read_ids = [], []
        for i, unit_reads in enumerate(reads):
            for position, token in unit_reads:
                read_rows.append(rows.setdefault((i, position), len(rows)))
                read_ids.append(token)

        order = np.argsort(np.asarray(read_rows, dtype=np.int64), kind="stable")
        sorted_rows = np.asarray(read_rows, dtype=np.int64)[order]
        sorted_ids = np.asarray(read_ids, dtype=np.int64)[order]

        def pick(logits: Any, first: int) -> FloatArray:
            low, high = np.searchsorted(sorted_rows, (first, first + len(logits)))
            return _log_softmax_at(logits, sorted_rows[low:high] - first, sorted_ids[low:high])

        values = np.empty((1 + attention, len(read_rows)))
        if read_rows:
            states, layers = self._states_at(units, list(rows), attention)
            values[0, order] = self._finite(np.concatenate(self._per_chunk(states, pick)))
            if attention:
                received = _attention_received(layers, [len(unit.ids) for unit in units])
                at = [(i, position) for i, unit_reads in enumerate(reads) for position, _ in unit_reads]
                values[1] = self._finite(np.array([received[i][position] for i, position in at]))
        arrays = np.split(
            values if attention else values[0], np.cumsum([len(r) for r in reads])[:-1], axis=-1
        )
        return list(arrays)

    def _distributions(
        self, units: Sequence[SequenceInput], rows: Sequence[Sequence[int]], label: str
    ) -> list[NDArray[np.float32]]:
        """Return the log-softmax over the vocabulary at the rows of each unit."""
        import torch

        def columns(logits: Any, first: int) -> NDArray[np.float32]:
            array: NDArray[np.float32] = torch.log_softmax(logits.float(), dim=-1).cpu().numpy()
            # A NaN or +inf logit makes its whole row NaN. With -inf the model itself rules a token out.
            self._finite(np.maximum(array[:, 0], np.finfo(np.float32).min))
            return array

        def score(batch: list[int]) -> list[NDArray[np.float32]]:
            chosen = [distinct[k] for k in batch]
            flat = [(i, row) for i, (_, its_rows) in enumerate(chosen) for row in its_rows]
            if not flat:
                return [np.empty((0, self._projection.width), dtype=np.float32) for _ in batch]
            states, _ = self._states_at([unit for unit, _ in chosen], flat)
            logprobs = np.concatenate(self._per_chunk(states, columns))
            return np.split(logprobs, np.cumsum([len(its_rows) for _, its_rows in chosen])[:-1])

        requests = [(unit, tuple(its_rows)) for unit, its_rows in zip(units, rows, strict=True)]
        distinct = sorted(dict.fromkeys(requests), key=lambda request: (request[0].place, request[1]))
        scored = self._run([len(unit.ids) for unit, _ in distinct], score, label)
        by_request = dict(zip(distinct, scored, strict=True))
        return [by_request[request] for request in requests]

    def _states_at(
        self, units: Sequence[SequenceInput], rows: Sequence[tuple[int, int]], attention: bool = False
    ) -> tuple[Any, Sequence[Any]]:
        """Run the encoder over a batch: the states at its ``rows``, and the attention weights of its layers."""
        import torch

        with torch.inference_mode():
            inputs = self._inputs(units)
            if attention:
                return self._projection.states_and_attention(inputs, rows)
            return self._projection.states(inputs, rows), ()

    def _per_chunk(self, states: Any, use: Callable[[Any, int], Any]) -> list[Any]:
        """Run the projection over states in chunks of bounded size."""
        import torch

        size = max(1, self._max_logits // self._projection.width)
        with torch.inference_mode():
            return [
                use(self._projection.logits(states[first : first + size]), first)
                for first in range(0, len(states), size)
            ]


def _attention_received(layers: Sequence[Any], lengths: Sequence[int]) -> list[NDArray[np.float32]]:
    """Return the attention each position receives, averaged over layers, heads and a text's queries, per text."""
    mean = sum(layer.float().mean(dim=1) for layer in layers) / len(layers)  # (text, query, key)
    return [mean[i, :length].mean(dim=0).cpu().numpy() for i, length in enumerate(lengths)]


def _log_softmax_at(logits: Any, rows: NDArray[np.int64], ids: NDArray[np.int64]) -> FloatArray:
    import torch

    logits = logits.float()
    row, column = (torch.from_numpy(a).to(logits.device) for a in (rows, ids))
    values = logits[row, column] - torch.logsumexp(logits, dim=-1)[row]
    return np.asarray(values.cpu().numpy(), dtype=np.float64)


class VocabularyProjection:
    """Splits a model with a language-model head. ``width`` is its vocabulary size, ``tokens`` are ids for a trial."""

    def __init__(self, model: Any, tokens: Sequence[int]) -> None:
        self._model = model
        self._head: Any = None
        self._last: LastLayer | None = None
        self._split(tokens)

    def _split(self, tokens: Sequence[int]) -> None:
        """Split the model and keep the halves only if they prove to give the whole model's logits."""
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
        """Return what the head reads at ``rows`` of (sequence, position), as a tensor with one row for each."""
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
        """Return :meth:`states`, and the attention weights of each layer, of shape (sequence, head, query, key)."""
        import torch

        sequence, position = torch.tensor(list(rows), device=device_of(self._model)).T
        body = self._model if self._head is None else self._model.base_model
        out = body(**inputs, output_attentions=True)
        return out[0][sequence, position], out.attentions

    def logits(self, states: Any) -> Any:
        """Return logits over the vocabulary for each row of :meth:`states`."""
        if self._head is None:
            return states
        return self._head(input_ids=states.unsqueeze(0)).logits.squeeze(0)


def _head_only(model: Any) -> Any:
    """Return a copy of the model, weights shared, whose forward takes hidden states instead of token ids."""
    head = copy.copy(model)
    head._modules = dict(model._modules)
    head._modules[model.base_model_prefix] = _PassThrough(model.base_model)
    return head


class _PassThrough:
    """Returns its input as the last hidden state. Everything else is delegated to the real body."""

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
        """Split ``model``, or return ``None`` if it is not built like BERT. The caller has to check the numbers."""
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
        """Return final states at ``(sequence[i], position[i])``: a tensor of shape (rows, hidden size)."""
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
