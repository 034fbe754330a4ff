"""How the p-value and the interval of a test on word lists are made: options that methods share, as one object.

A method's record says which of them it has, by :func:`inference_options`; its entry takes them as ``inference``.
"""

from __future__ import annotations

import dataclasses
import zlib
from dataclasses import dataclass
from typing import Any, Literal

from ...options import SharedOptions

__all__ = ["Alternative", "Inference", "IntervalKind", "PValueMethod", "derive_seed", "inference_options"]

Alternative = Literal["greater", "less", "two-sided"]
PValueMethod = Literal["auto", "exact", "lattice", "monte_carlo", "normal"]
IntervalKind = Literal["bca", "percentile", "none"]

_OF_EVERY_METHOD = ("ci", "ci_resamples", "level", "max_missing", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How p-value and interval are made, and how many words may be missing.

    The fields are the options of these names, see :mod:`evaluate_bias.options`.
    """

    alternative: Alternative = "two-sided"
    p_method: PValueMethod = "auto"
    strict: bool = False
    n_resamples: int = 99_999
    ci: IntervalKind = "bca"
    ci_resamples: int = 9_999
    level: float = 0.95
    max_missing: float = 0.2
    seed: int = 0

    def of_test(self, name: str) -> Inference:
        """That of one test, with a seed of its own."""
        return dataclasses.replace(self, seed=derive_seed(name, self.seed))


def inference_options(*further: str, **defaults: Any) -> SharedOptions:
    """The options of a method: those that all methods on word lists have, after ``further`` ones, with its defaults.

    Examples:
        >>> inference_options("n_resamples", ci="percentile").names
        ('n_resamples', 'ci', 'ci_resamples', 'level', 'max_missing', 'seed')
    """
    return SharedOptions(Inference(**defaults), (*further, *_OF_EVERY_METHOD))


def derive_seed(name: str, seed: int) -> int:
    """A seed of the test's own, so that tests draw independently of each other and of which others run."""
    import numpy as np

    drawn = np.random.SeedSequence((seed, zlib.crc32(name.encode(errors="surrogatepass"))))
    return int(drawn.generate_state(1, np.uint64)[0])
