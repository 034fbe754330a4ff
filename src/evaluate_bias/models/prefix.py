"""Sequences that begin alike, run through a causal model as one: the common beginning is computed once.

A group is packed as its common prefix followed by every member's own rest (a *branch*). Position numbers and an
attention mask make each branch see the prefix and itself only, so a token's score is that of a sequence of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

MIN_PREFIX = 4
MIN_SHARE = 0.25
"""A prefix is shared from this length, and this share of its longest member, on: below, the mask costs more."""
MAX_MEMBERS = 8
"""Attention grows with the square of a packed sequence's length, so groups stay small."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Sequences packed behind their common prefix, of length ``prefix``; the branches begin at ``starts``.

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
        """Where position ``position`` of sequence ``member`` went."""
        return position if position < self.prefix else self.starts[member] + position - self.prefix


def common_prefix(a: Sequence[int], b: Sequence[int]) -> int:
    """Length of the common beginning."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((length for length, (x, y) in pairs if x != y), min(len(a), len(b)))


def group_by_prefix(sequences: Sequence[tuple[int, ...]]) -> list[list[int]]:
    """Partition distinct sequences into groups that are worth packing; most groups have one member.

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
    """Pack sequences behind their longest common prefix; every member keeps at least one token of its own."""
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
    """Token ids, position numbers and who may see whom (True) for a batch: arrays, padded on the right."""
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
