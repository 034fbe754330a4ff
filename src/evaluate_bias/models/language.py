"""Reading a transformer with a language-model head: log-probabilities and distributions over its vocabulary.

A *read* is a pair ``(row, token id)``: the log-probability that the model's output at position ``row`` of a sequence
gives to a token. Equal sequences are computed once, only the rows that are read go through the vocabulary projection,
and no tensor of all logits of a batch is ever made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from .batching import deduplicate
from .encoder import ContextualModel
from .engine import SequenceInput
from .projection import VocabularyProjection
from .source import device_of
from .trials import trial_ids

Reads = Sequence[tuple[int, int]]

CPU_LOGITS = 2**22
ACCELERATOR_LOGITS = 2**28
"""Most logits (rows times vocabulary) that exist at one time."""


class LanguageModel(ContextualModel):
    """A transformer that gives every token of its vocabulary a probability; the subclasses say where."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._max_logits = CPU_LOGITS if device_of(self.model).type == "cpu" else ACCELERATOR_LOGITS

    @cached_property
    def _projection(self) -> VocabularyProjection:
        return VocabularyProjection(self.model, trial_ids(self, 6))

    def _logprobs(
        self, units: Sequence[SequenceInput], reads: Sequence[Reads], label: str
    ) -> list[FloatArray]:
        """Log-probabilities of each unit's reads, in the order given, those read before from the memo."""
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
        """What :meth:`_logprobs` gives; with ``attention`` a second row: what the position of a read receives."""
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
                received = _received(layers, [len(unit.ids) for unit in units])
                at = [(i, position) for i, unit_reads in enumerate(reads) for position, _ in unit_reads]
                values[1] = self._finite(np.array([received[i][position] for i, position in at]))
        arrays = np.split(
            values if attention else values[0], np.cumsum([len(r) for r in reads])[:-1], axis=-1
        )
        return list(arrays)

    def _distributions(
        self, units: Sequence[SequenceInput], rows: Sequence[Sequence[int]], label: str
    ) -> list[NDArray[np.float32]]:
        """Log-softmax over the vocabulary at the rows of each unit."""
        import torch

        def columns(logits: Any, first: int) -> NDArray[np.float32]:
            array: NDArray[np.float32] = torch.log_softmax(logits.float(), dim=-1).cpu().numpy()
            # A NaN or +inf logit makes its whole row NaN; -inf is the model's own word for a token it rules out.
            self._finite(np.maximum(array[:, 0], np.finfo(np.float32).min))
            return array

        first, inverse = deduplicate([(unit, tuple(r)) for unit, r in zip(units, rows, strict=True)])

        def score(batch: list[int]) -> list[NDArray[np.float32]]:
            chosen = [first[i] for i in batch]
            flat = [(i, row) for i, k in enumerate(chosen) for row in rows[k]]
            if not flat:
                return [np.empty((0, self._projection.width), dtype=np.float32) for _ in batch]
            states, _ = self._states_at([units[k] for k in chosen], flat)
            logprobs = np.concatenate(self._per_chunk(states, columns))
            return np.split(logprobs, np.cumsum([len(rows[k]) for k in chosen])[:-1])

        order = sorted(range(len(first)), key=lambda i: (units[first[i]].place, tuple(rows[first[i]])))
        first = [first[i] for i in order]
        scored = dict(zip(order, self._run([len(units[k].ids) for k in first], score, label), strict=True))
        return [scored[i] for i in inverse]

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


def _received(layers: Sequence[Any], lengths: Sequence[int]) -> list[NDArray[np.float32]]:
    """Attention each position receives, the mean over layers, heads and a text's queries: one array a text."""
    mean = sum(layer.float().mean(dim=1) for layer in layers) / len(layers)  # (text, query, key)
    return [mean[i, :length].mean(dim=0).cpu().numpy() for i, length in enumerate(lengths)]


def _log_softmax_at(logits: Any, rows: NDArray[np.int64], ids: NDArray[np.int64]) -> FloatArray:
    import torch

    logits = logits.float()
    row, column = (torch.from_numpy(a).to(logits.device) for a in (rows, ids))
    values = logits[row, column] - torch.logsumexp(logits, dim=-1)[row]
    return np.asarray(values.cpu().numpy(), dtype=np.float64)
