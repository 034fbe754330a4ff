"""How the p-value and the interval of a test on word lists are made: options that methods share, as one object.

A method's record says which of them it has, by :func:`inference_options`. Its entry accepts them as
``inference``.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ...errors import check_whole
from ...options import BootstrapSamples, LargestMissing, Level, Resamples, Seed, SharedOptions

if TYPE_CHECKING:
    import numpy.typing as npt
    from numpy.typing import NDArray

    from ...arrays import FloatArray
    from ...stats import Interval, ItemInference, Names, PermutationTest, RandomisationTest
    from ...stats.items import ItemInterval, ItemTestKind

Alternative = Annotated[Literal["greater", "less", "two-sided"], "the side of the test."]
PValueMethod = Annotated[
    Literal["auto", "exact", "monte_carlo", "normal"],
    "how it is computed, see evaluate_bias.stats.permutation_test. The p-value of several tests together "
    "is always sampled.",
]
IntervalKind = Annotated[Literal["bca", "percentile", "none"], "kind of bootstrap interval."]
SameVector = Annotated[
    Literal["merge", "keep"],
    '"merge": of words of a list that have the same vector, as in pruned vectors, the first counts, and a '
    'vector that both target lists have is removed from both. "keep": every word counts.',
]

_OF_EVERY_METHOD = ("ci", "ci_resamples", "confidence_level", "max_missing", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How p-value and interval are made, how many words may be missing, and what words of one vector count as.

    The fields are the options of these names.
    """

    alternative: Alternative = "two-sided"
    p_method: PValueMethod = "auto"
    strict: Annotated[
        bool, "count only rearrangements above the observed one. The default also counts equal ones."
    ] = False
    n_resamples: Resamples = 99_999
    ci: IntervalKind = "bca"
    ci_resamples: BootstrapSamples = 9_999
    confidence_level: Level = 0.95
    max_missing: LargestMissing = 0.2
    same_vector: SameVector = "merge"
    seed: Seed = 0

    def of_items(
        self, interval: ItemInterval, test: ItemTestKind, clusters: str, *, strata: str = "", across: str = ""
    ) -> ItemInference:
        """Return the inference of a table of items, see :class:`~evaluate_bias.stats.ItemInference`."""
        from ...stats import ItemInference

        return ItemInference(
            interval=interval if self.ci_resamples else "none", test=test, clusters=clusters, strata=strata,
            across=across or "prompt variants", confidence_level=self.confidence_level,
            ci_resamples=self.ci_resamples, n_resamples=self.n_resamples, seed=self.seed,
        )  # fmt: skip

    def of_test(self, name: str) -> Inference:
        """Return the inference of one test, with a seed of its own."""
        return dataclasses.replace(self, seed=derive_seed(name, self.seed))


def inference_options(*further: str, **defaults: Any) -> SharedOptions:
    """The options of a method: those that all methods on word lists have, after ``further`` ones, with its defaults.

    Examples:
        >>> inference_options("n_resamples", ci="percentile").names
        ('n_resamples', 'ci', 'ci_resamples', 'confidence_level', 'max_missing', 'seed')
    """
    return SharedOptions(Inference(**defaults), (*further, *_OF_EVERY_METHOD))


def resampling_options(*further: str, **defaults: Any) -> SharedOptions:
    """The options of a method that rearranges at random: number, level, seed and ``further`` ones, with its defaults.

    Examples:
        >>> resampling_options("ci_resamples").names
        ('n_resamples', 'ci_resamples', 'confidence_level', 'seed')
    """
    return SharedOptions(
        Inference(**{"n_resamples": 9_999, **defaults}), ("n_resamples", *further, "confidence_level", "seed")
    )


def difference_test(
    first: FloatArray, second: FloatArray, tolerance: float | None, inference: Inference
) -> PermutationTest:
    """Permutation test of the difference of the means of two groups of numbers."""
    from ... import stats

    return stats.permutation_test(
        first,
        second,
        alternative=inference.alternative,
        method=inference.p_method,
        strict=inference.strict,
        n_resamples=inference.n_resamples,
        seed=inference.seed,
        tolerance=tolerance,
    )


def means_test(
    values: Sequence[FloatArray], inference: Inference, tolerance: float | None = None
) -> PermutationTest | RandomisationTest:
    """Return :func:`difference_test` of two groups of numbers. For one group, test its mean by flipping signs."""
    if len(values) == 2:
        return difference_test(values[0], values[1], tolerance, inference)
    return sign_flips(values[0], inference)


def bootstrap_interval(
    sets: Sequence[Names],
    statistic: Callable[[list[NDArray[Any]]], FloatArray],
    inference: Inference,
    *,
    cells: int = 0,
    rounding: float = 1e-12,
    left_out: Sequence[FloatArray] | None = None,
) -> Interval | None:
    """Interval of a score over the words of its sets. ``None`` if not asked for, without width, or if nothing varies.

    Args:
        sets: names of what is resampled, see :func:`.stats.bootstrap_ci`. A set of a single element stays fixed.
        statistic: the score of bootstrap samples, given the elements drawn of every set.
        inference: kind, number of samples, level and seed.
        cells: numbers that one sample needs, if that is more than its elements. As many samples are computed
            at once as fit into an array of 4 million.
        rounding: how far scores that are equal may differ.
        left_out: of every set the scores without each of its elements, if they are known, NaN if none exists.

    Raises:
        InputError: fewer than two bootstrap samples are asked for.
    """
    from ... import stats

    sizes = [stats.count_items(items) for items in sets]
    if inference.ci == "none" or max(sizes) < 2:
        return None
    check_whole("ci_resamples", inference.ci_resamples, 2)
    interval = stats.bootstrap_ci(
        sets,
        statistic,
        method=inference.ci,
        n_resamples=inference.ci_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
        batch=max(1, (1 << 22) // max(cells, sum(sizes))),
        left_out=left_out,
    )
    return interval if stats.has_width(interval.low, interval.high, rounding) else None


def pair_names(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Names of pairs of words, the same whichever of the two comes first.

    Examples:
        >>> pair_names(["she", "her"], ["he", "him"]) == pair_names(["he", "him"], ["she", "her"])
        True
    """
    return [" / ".join(sorted(pair)) for pair in zip(first, second, strict=True)]


def studentised_mean(values: npt.ArrayLike, inference: Inference) -> Interval:
    """Studentised bootstrap interval of a mean, with ``n_resamples`` samples."""
    from ... import stats

    return stats.bootstrap_mean_ci(
        values,
        n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level,
        seed=inference.seed,
    )


def sign_flips(values: npt.ArrayLike, inference: Inference) -> RandomisationTest:
    """Sign-flip test of a mean of 0."""
    from ... import stats

    return stats.sign_flip_test(values, n_resamples=inference.n_resamples, seed=inference.seed)


def derive_seed(name: str, seed: int) -> int:
    """Return a seed of the test's own, so that tests draw independently of each other and of which others run."""
    import numpy as np

    sequence = np.random.SeedSequence((seed, zlib.crc32(name.encode(errors="surrogatepass"))))
    return int(sequence.generate_state(1, np.uint64)[0])
