"""Reorderings of numbers within their lists: all of them if there are few, else random ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice, permutations

import numpy as np
import numpy.typing as npt

from ._checks import batches
from .draws import Names, count_items, item_streams
from .permutation import sampled_p

MOST_COUNTED = 50_000
"""Up to this many orders are counted."""

IndexArray = npt.NDArray[np.intp]


class Orders:
    """Orders of several things at once, each a row of lists whose numbers change places within their list.

    Iterating gives batches: for each thing positions of shape (batch, numbers).

    Args:
        lists: for each thing its lists, as names of what changes places, see :func:`.draws.item_streams`, or as sizes.
        n_resamples: number of random orders, drawn if there are more than 50,000 orders.
        seed: of the random orders.
        relative: only the order of the things relative to each other matters. If all orders are counted, the first
            thing keeps its order.
        width, cells: what is made of an order takes ``width`` numbers, and a batch at most ``cells``.

    Attributes:
        exact: whether all orders are counted.
        total: number of orders.

    Examples:
        >>> orders = Orders([[3], [3]], relative=True)
        >>> orders.exact, orders.total, [[each.shape for each in batch] for batch in orders]
        (True, 6, [[(6, 3), (6, 3)]])
        >>> float(orders.p_value(3)), float(Orders([[9]], n_resamples=99).p_value(4))
        (0.5, 0.05)
    """

    def __init__(
        self,
        lists: Sequence[Sequence[Names]],
        *,
        n_resamples: int = 9_999,
        seed: int = 0,
        relative: bool = False,
        width: int = 1,
        cells: int = 1 << 21,
    ) -> None:
        self._lists, self._seed, self._relative = lists, seed, relative
        self._width, self._cells = width, cells
        self._sizes = sizes = [[count_items(items) for items in of_thing] for of_thing in lists]
        counted: int = math.prod(math.factorial(n) for lengths in sizes[relative:] for n in lengths)
        self.exact = counted <= MOST_COUNTED
        self._least = 1 / counted  # the observed order is one of them
        self.total = counted if self.exact else n_resamples

    def __iter__(self) -> Iterator[list[IndexArray]]:
        sizes = self._sizes
        if not self.exact:
            streams = iter(
                item_streams([items for of_thing in self._lists for items in of_thing], self._seed, "orders")
            )
            of_things = [list(islice(streams, len(of_thing))) for of_thing in self._lists]
            for count in batches(self.total, self._width, self._cells):
                yield [_draw_orders(of_lists, count) for of_lists in of_things]
            return
        each = [_list_orders(lengths) for lengths in sizes]
        if self._relative:
            each[0] = each[0][:1]  # only the given order
        start = 0
        for count in batches(self.total, self._width, self._cells):
            at = np.unravel_index(np.arange(start, start + count), [len(orders) for orders in each])
            yield [orders[i] for orders, i in zip(each, at, strict=True)]
            start += count

    def __str__(self) -> str:
        return f"all {self.total:,} orders" if self.exact else f"{self.total} times"

    def p_value(self, reached: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the p-value of so many orders that are as extreme as the observed one."""
        extreme = np.asarray(reached, dtype=np.float64)
        p = extreme / self.total if self.exact else (extreme + 1) / (self.total + 1)
        return np.asarray(np.maximum(p, self._least))[()]

    def p_and_error(self, reached: int) -> tuple[float, float]:
        """Return that p-value and its Monte Carlo error, see :func:`.permutation.sampled_p`."""
        return float(self.p_value(reached)), 0.0 if self.exact else sampled_p(reached, self.total)[1]


def _list_orders(sizes: Sequence[int]) -> IndexArray:
    """Return all orders, shape (orders, numbers)."""
    rows, start = np.zeros((1, 0), dtype=np.intp), 0
    for n in sizes:
        orders = np.array(list(permutations(range(start, start + n))), dtype=np.intp)
        rows = np.hstack([np.repeat(rows, len(orders), axis=0), np.tile(orders, (len(rows), 1))])
        start += n
    return rows


def _draw_orders(streams: Sequence[tuple[IndexArray, np.random.Generator]], count: int) -> IndexArray:
    """Return random orders of lists, whose elements are moved to each other's positions in the order of their names."""
    rows, start = [], 0
    for order, rng in streams:
        dealt = np.empty((count, len(order)), dtype=np.intp)
        dealt[:, order] = start + rng.permuted(np.broadcast_to(order, dealt.shape), axis=1)
        rows.append(dealt)
        start += len(order)
    return np.hstack(rows)
