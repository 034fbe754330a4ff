"""Statistics on numbers alone: permutation tests, bootstrap intervals, proportions, multiple testing."""

from .between_groups import LargestEffect, largest_effect_test
from .bootstrap import NO_WIDTH, Interval, bootstrap_ci, bootstrap_mean_ci, has_width
from .crossed import FEWEST_COLUMNS, CrossedError, column_variance, crossed_error
from .detectable import (
    SIZES,
    Scale,
    detectable_correlation,
    detectable_effect,
    detectable_share,
    size_in_words,
)
from .excess import excess_interval
from .exchange import crossed_p, crossed_reach, paired_totals
from .kappa import Kappa, cohen_kappa
from .mcnemar import mcnemar_power, tango_statistic, units_needed
from .meta_analysis import RandomEffects, effect_size_variance, random_effects, random_effects_mean
from .multiple_testing import benjamini_hochberg, holm
from .paired import (
    Difference,
    detectable_of,
    distance_change,
    paired_means,
    paired_shares,
    unpaired_interval,
)
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
    ProportionMethod,
    ProportionTest,
    binomial_test,
    mcnemar_test,
    mean_proportion_interval,
    named_proportion_test,
    proportion_z_test,
    two_proportions_z_test,
    wilson_interval,
)
from .rank_correlation import (
    RankCorrelationTest,
    rank_correlation,
    rank_correlation_interval,
    rank_correlation_test,
)
from .sign_flips import SignFlipTest, sign_flip_test

__all__ = [
    "FEWEST_COLUMNS",
    "NO_WIDTH",
    "SIZES",
    "TIE_TOLERANCE",
    "CrossedError",
    "Difference",
    "Interval",
    "Kappa",
    "LargestEffect",
    "PermutationTest",
    "ProportionInterval",
    "ProportionMethod",
    "ProportionTest",
    "RandomEffects",
    "RankCorrelationTest",
    "Scale",
    "SignFlipTest",
    "benjamini_hochberg",
    "binomial_test",
    "bootstrap_ci",
    "bootstrap_mean_ci",
    "cohen_kappa",
    "column_variance",
    "crossed_error",
    "crossed_p",
    "crossed_reach",
    "detectable_of",
    "detectable_correlation",
    "detectable_effect",
    "detectable_share",
    "distance_change",
    "effect_size",
    "effect_size_variance",
    "excess_interval",
    "has_width",
    "holm",
    "largest_effect_test",
    "mcnemar_power",
    "mcnemar_test",
    "mean_proportion_interval",
    "n_partitions",
    "named_proportion_test",
    "paired_means",
    "paired_shares",
    "paired_totals",
    "permutation_test",
    "proportion_z_test",
    "rank_correlation",
    "rank_correlation_interval",
    "rank_correlation_test",
    "random_effects",
    "random_effects_mean",
    "sign_flip_test",
    "sampled_p",
    "size_in_words",
    "tango_statistic",
    "two_proportions_z_test",
    "units_needed",
    "unpaired_interval",
    "wilson_interval",
]
