"""Statistics on numbers alone: permutation tests, bootstrap intervals, proportions, multiple testing."""

from .bootstrap import Interval, bootstrap_ci, bootstrap_mean_ci
from .meta_analysis import RandomEffects, effect_size_variance, random_effects
from .multiple_testing import benjamini_hochberg, holm
from .permutation import (
    TIE_TOLERANCE,
    PermutationTest,
    effect_size,
    n_partitions,
    permutation_test,
    sampled_p,
)
from .proportions import (
    ProportionInterval,
    ProportionTest,
    binomial_test,
    mcnemar_test,
    mean_proportion_interval,
    proportion_z_test,
    two_proportions_z_test,
    wilson_interval,
)

__all__ = [
    "TIE_TOLERANCE",
    "Interval",
    "PermutationTest",
    "ProportionInterval",
    "ProportionTest",
    "RandomEffects",
    "benjamini_hochberg",
    "binomial_test",
    "bootstrap_ci",
    "bootstrap_mean_ci",
    "effect_size",
    "effect_size_variance",
    "holm",
    "mcnemar_test",
    "mean_proportion_interval",
    "n_partitions",
    "permutation_test",
    "proportion_z_test",
    "random_effects",
    "sampled_p",
    "two_proportions_z_test",
    "wilson_interval",
]
