"""Random streams that follow the items they are drawn from: not the order of rows, nor which group is named first."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray

Names: TypeAlias = Sequence[str] | int
"""The names of some items, or how many they are, if the caller has put them in an order that rows cannot
change.
"""

_TIES = 1e-12


def count_items(items: Names) -> int:
    """Return how many items there are.

    Examples:
        >>> count_items(["rose", "ant"]), count_items(2)
        (2, 2)
    """
    return len(items) if isinstance(items, Sequence) else int(items)


def item_streams(
    strata: Sequence[Names], seed: int, purpose: str = ""
) -> list[tuple[npt.NDArray[np.intp], np.random.Generator]]:
    """Return an order and a random stream for each stratum.

    The order sorts the items by name. The stream is seeded by ``seed`` and a digest of the sorted names. Strata in
    another order, and items in another order, therefore draw the same items. Two strata of equal names get different
    streams, and so do two strata given as numbers.

    Args:
        strata: the items of each stratum. Their names differ: what tells two items apart, such as their groups and
            text, is part of the name.
        seed: of the result.
        purpose: what is drawn, so that several draws of one result do not share their streams.

    Returns:
        For each stratum the positions of its items in sorted order, and its stream.

    Examples:
        >>> (order, rng), _ = item_streams([["rose", "ant"], ["bee"]], 0)
        >>> _, (_, same) = item_streams([["bee"], ["ant", "rose"]], 0)
        >>> order.tolist(), float(rng.random() - same.random())
        ([1, 0], 0.0)
    """
    seen: Counter[bytes] = Counter()
    streams = []
    for items in strata:
        names = list(items) if isinstance(items, Sequence) else [""] * items
        order = sorted(range(len(names)), key=names.__getitem__)
        text = "\0".join([purpose, *(names[i] for i in order)]).encode(errors="surrogatepass")
        digest = hashlib.blake2b(text, digest_size=16).digest()
        key = [seed, int.from_bytes(digest, "big"), seen[digest]]
        seen[digest] += 1
        streams.append((np.array(order, dtype=np.intp), np.random.default_rng(key)))
    return streams


def lean(values: FloatArray) -> int:
    """Return 1 or -1 for values whose negatives are to be drawn as their mirror image, 0 if both have the same shape.

    What is drawn for ``lean * values`` is the same for values and their negatives. A constant added changes nothing.

    Examples:
        >>> lean(np.array([1.0, 2.0, 4.0])), lean(np.array([-4.0, -2.0, -1.0])), lean(np.array([2.0, -2.0]))
        (1, -1, 0)
    """
    ordered = np.sort(values)
    ordered -= ordered.mean()
    differences = ordered + ordered[::-1]
    clear = np.abs(differences) > _TIES * np.abs(ordered).max(initial=0.0)
    return int(np.sign(differences[clear.argmax()])) if clear.any() else 0
