"""The planner of all scoring work: which sequences share a forward pass, in which order, in what batches.

Batches contain sequences of similar length, up to a budget of tokens. The longest come first, so that the most
expensive batch meets the memory limit at once. When a batch does not fit, the budget is halved and the work goes
on. This module handles no tensors.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ..errors import ModelError
from ..progress import track

Item = TypeVar("Item")

MAX_PADDING = 0.125
"""Largest share of padding a batch may contain once it is at least half full."""


def plan_batches(lengths: Sequence[int], budget: int, *, padding: bool = True) -> list[list[int]]:
    """Partition sequences, given by their lengths, into batches of similar length and at most ``budget`` tokens.

    Padding counts, and a longer sequence gets a batch of its own. The batches contain positions in
    ``lengths``, longest first. They depend only on the lengths, so the same work always makes the same batches.
    Without ``padding``, all sequences of a batch have the same length.

    Examples:
        >>> plan_batches([3, 8, 8, 3, 3], budget=16)
        [[1, 2], [0, 3, 4]]
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    batches: list[list[int]] = []
    longest = tokens = 0
    for position in order.tolist():
        length = lengths[position]
        needs_equal_length = length != longest and not padding
        if not batches or needs_equal_length or _closes(len(batches[-1]), longest, tokens, length, budget):
            batches.append([])
            longest, tokens = length, 0
        batches[-1].append(position)
        tokens += length
    return batches


def _closes(size: int, longest: int, tokens: int, length: int, budget: int) -> bool:
    """True if a batch of ``size`` sequences must end before one more of ``length`` tokens."""
    padded = (size + 1) * longest
    if padded > budget:
        return True
    wasteful = padded - tokens - length > MAX_PADDING * padded
    return wasteful and 2 * size * longest >= budget


def is_out_of_memory(error: BaseException) -> bool:
    """True if an error is a lack of memory: Python's, the CPU allocator's or a GPU's."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


class BatchRunner:
    """Runs batches under a token budget that shrinks when memory runs out, after ``free_memory`` was called."""

    def __init__(
        self, budget: int, *, free_memory: Callable[[], None] | None = None, progress: bool = True
    ) -> None:
        self.budget = int(budget)
        self.progress = progress
        self._free_memory = free_memory

    def run(
        self,
        lengths: Sequence[int],
        score: Callable[[list[int]], Sequence[Item]],
        *,
        label: str = "scoring",
        budget: int | None = None,
        padding: bool = True,
    ) -> list[Item]:
        """Score every sequence, in the order of ``lengths``.

        Args:
            lengths: tokens of each sequence.
            score: takes positions in ``lengths`` (one batch) and returns one result for each.
            label: what the progress bar says.
            budget: for this run only, if this kind of work needs more memory per token. It is at most the runner's
                own.
            padding: whether sequences of different lengths may share a batch.
        """
        results: dict[int, Item] = {}
        limit = self.budget if budget is None else max(1, min(budget, self.budget))
        waiting = list(range(len(lengths)))
        with track(label, sum(lengths), enabled=self.progress) as advance:
            while waiting:
                planned = plan_batches([lengths[position] for position in waiting], limit, padding=padding)
                for batch in [[waiting[i] for i in places] for places in planned]:
                    try:
                        scored = score(batch)
                    except (MemoryError, RuntimeError) as error:
                        if not is_out_of_memory(error):
                            raise
                        if len(batch) == 1:
                            raise ModelError(
                                f"a sequence of {lengths[batch[0]]} tokens does not fit into memory even on its own",
                                hint="use a smaller model, a smaller dtype such as 'bfloat16', or shorter texts",
                            ) from error
                        tokens = len(batch) * lengths[batch[0]]
                    else:
                        results.update(zip(batch, scored, strict=True))
                        advance(sum(lengths[position] for position in batch))
                        continue
                    # Outside the handler: the traceback no longer keeps the batch's tensors alive.
                    gc.collect()
                    if self._free_memory is not None:
                        self._free_memory()
                    limit = max(1, min(limit, tokens) // 2)
                    self.budget = min(self.budget, limit)
                    break
                waiting = [position for position in waiting if position not in results]
        return [results[position] for position in range(len(lengths))]


MIN_PREFIX = 4
MIN_SHARE = 0.25
"""A prefix is shared from this length, and this share of its longest member, on: below, the mask costs more."""
MAX_MEMBERS = 8
"""Attention grows with the square of a packed sequence's length, so groups stay small."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Sequences packed behind their common prefix, of length ``prefix``. The branches begin at ``starts``.

    Examples:
        >>> packed = pack([(1, 2, 3, 4), (1, 2, 5)])
        >>> packed.ids, packed.prefix, packed.starts
        ((1, 2, 3, 4, 5), 2, (2, 4))
        >>> [packed.position(1, p) for p in range(3)]
        [0, 1, 4]
    """

    ids: tuple[int, ...]
    prefix: int
    starts: tuple[int, ...]

    def position(self, member: int, position: int) -> int:
        """Return where position ``position`` of sequence ``member`` is in the packed sequence."""
        return position if position < self.prefix else self.starts[member] + position - self.prefix


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the length of the common beginning."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((length for length, (x, y) in pairs if x != y), min(len(a), len(b)))


def group_by_prefix(sequences: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Partition distinct sequences into groups that are worth packing. Most groups have one member.

    Examples:
        >>> group_by_prefix([(1, 2, 3, 4, 9, 9), (5, 6), (1, 2, 3, 4, 8)])
        [[2, 0], [1]]
    """
    groups: list[list[int]] = []
    shared = longest = 0
    for i in sorted(range(len(sequences)), key=sequences.__getitem__):
        sequence = sequences[i]
        if groups:
            group = groups[-1]
            length = min(common_prefix(sequences[group[-1]], sequence), shared)
            enough = length >= max(MIN_PREFIX, MIN_SHARE * max(longest, len(sequence)))
            saves = len(group) * length >= (len(group) - 1) * shared
            if enough and saves and len(group) < MAX_MEMBERS:
                group.append(i)
                shared, longest = length, max(longest, len(sequence))
                continue
        groups.append([i])
        shared = longest = len(sequence)
    return groups


def pack(members: Sequence[tuple[int, ...]]) -> Packed:
    """Pack sequences behind their longest common prefix. Every member keeps at least one token of its own."""
    prefix = min(
        min(common_prefix(members[0], other) for other in members), min(len(member) for member in members) - 1
    )
    ids = list(members[0][:prefix])
    starts = []
    for member in members:
        starts.append(len(ids))
        ids += member[prefix:]
    return Packed(tuple(ids), prefix, tuple(starts))


def packed_inputs(batch: Sequence[Packed], pad: int) -> dict[str, Any]:
    """Return token ids, position numbers and who may see whom (True) for a batch, in arrays padded on the right."""
    longest = max(len(packed.ids) for packed in batch)
    ids = np.full((len(batch), longest), pad, dtype=np.int64)
    positions = np.zeros((len(batch), longest), dtype=np.int64)
    branch = np.full((len(batch), longest), -1, dtype=np.int64)
    for i, packed in enumerate(batch):
        ids[i, : len(packed.ids)] = packed.ids
        positions[i, : packed.prefix] = np.arange(packed.prefix)
        for k, (start, end) in enumerate(zip(packed.starts, (*packed.starts[1:], longest), strict=True)):
            branch[i, start:end] = k
            positions[i, start:end] = packed.prefix + np.arange(end - start)
        positions[i, len(packed.ids) :] = 0
    causal = np.tril(np.ones((longest, longest), dtype=bool))
    sees = causal & ((branch[:, None, :] == -1) | (branch[:, None, :] == branch[:, :, None]))
    return {"input_ids": ids, "position_ids": positions, "attention_mask": sees[:, None]}
