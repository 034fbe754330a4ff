"""Statistics on numbers alone: permutation tests, bootstrap intervals, proportions, multiple testing."""

from ._checks import batches
from .between_groups import largest_effect_test, split_test, welch_interval
from .bootstrap import NO_WIDTH, Interval, bootstrap_ci, bootstrap_mean_ci, has_width
from .crossed import (
    FEWEST_COLUMNS,
    CrossedError,
    column_variance,
    crossed_error,
    crossed_table,
    satterthwaite,
)
from .detectable import (
    SIZES,
    Scale,
    detectable_correlation,
    detectable_effect,
    detectable_share,
    size_in_words,
)
from .draws import Names, count_items, item_streams, lean
from .exchange import paired_totals
from .items import FISHER_Z, LOG_ODDS, ItemInference, Items, change, two_way_interval
from .meta_analysis import RandomEffects, effect_size_variance, random_effects, random_effects_mean
from .orders import Orders
from .p_values import (
    FEWEST_FLIPS,
    FEWEST_UNITS,
    benjamini_hochberg,
    holm,
    smallest_flip_p,
    smallest_gap_p,
    smallest_order_p,
    smallest_rank_p,
    smallest_split_p,
)
from .paired import Difference, distance_change, paired_means, paired_shares, unpaired_interval
from .permutation import (
    DRAWS,
    ERRORS_APART,
    TIE_TOLERANCE,
    PermutationTest,
    RandomisationTest,
    draw_on,
    effect_size,
    permutation_test,
    sampled_p,
)
from .proportions import (
    ProportionMethod,
    binomial_test,
    clopper_pearson_interval,
    mcnemar_test,
    mean_proportion_interval,
    named_proportion_test,
    proportion_z_test,
    two_proportions_z_test,
    wilson_interval,
    wilson_of_share,
)
from .rank_correlation import rank_correlation, rank_correlation_interval, rank_correlation_test
from .sign_flips import sign_flip_test, without_rounding
from .two_by_two import Kappa, cohen_kappa, mcnemar_power, tango_statistic
