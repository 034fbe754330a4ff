"""What ECT and RND are scores of: how attributes lie to the mean vectors of two lists of targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import FloatArray
from ...stats import Interval, PermutationTest
from ..word_lists.cosines import TOLERANCE, draw_weights
from ..word_lists.inference import Alternative, Inference, bootstrap_interval
from ..word_lists.splits import in_first_part, split_test


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanVectors:
    """Attributes beside the mean vectors of X and of Y.

    Attributes:
        x, y, a: vectors of the targets X and Y and of the attributes, each of shape (words, dimension).
        measure: of means (k, dimension), what lies between them and every attribute, (k, attributes).
        score: the scores (k,) of what was measured of k means of X and of k means of Y.
        rounding: how far scores that are equal may differ.
    """

    x: FloatArray
    y: FloatArray
    a: FloatArray
    measure: Callable[[FloatArray], FloatArray]
    score: Callable[[FloatArray, FloatArray], FloatArray]
    rounding: float = TOLERANCE

    @property
    def _cells(self) -> int:
        return len(self.x) + len(self.y) + 2 * len(self.a) + int(self.x.shape[1])

    def interval(self, inference: Inference) -> Interval | None:
        """Bootstrap interval over the words of all three lists."""

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            in_x, in_y, in_a = indices
            sides = (
                self.measure(draw_weights(i, len(own)) @ own) for i, own in ((in_x, self.x), (in_y, self.y))
            )
            return self.score(*(np.take_along_axis(side, in_a, axis=1) for side in sides))

        lists = [self.x, self.y, self.a]
        return bootstrap_interval(lists, resampled, inference, cells=self._cells, rounding=self.rounding)

    def permutation(
        self, alternative: Alternative, inference: Inference, undefined: str
    ) -> tuple[PermutationTest, float]:
        """Test whether the words of X and Y are exchangeable, and the mean score of the splits, see ``split_test``."""
        pool = np.concatenate([self.x, self.y])

        def split(first: NDArray[Any]) -> FloatArray:
            inside = in_first_part(first, len(pool))
            return self.score(
                self.measure(inside @ pool / len(self.x)), self.measure((1.0 - inside) @ pool / len(self.y))
            )

        return split_test(
            split,
            len(self.x),
            len(self.y),
            alternative=alternative,
            n_resamples=inference.n_resamples,
            seed=inference.seed,
            batch=max(1, (1 << 22) // self._cells),
            tolerance=self.rounding,
            undefined=undefined,
        )
