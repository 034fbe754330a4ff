"""What the functions on numbers refuse, by function."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np
from scipy.stats import genextreme

from evaluate_bias import stats
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.stats import distributions, permutation
from tests.support.refusals import refusals

STEEP = genextreme.rvs(2.0, size=300, random_state=0)
"""Below a shape of -1 the density grows without bound towards the upper end."""


def mean(indices):
    return indices[0].mean(axis=1)


def ratio(totals):
    return totals[:, 0] / totals[:, 1]


test_samples = refusals(
    None,
    *(
        (distributions.moments, values, "x", UndefinedScoreError, None, "x are all equal")
        for values in ([0.1] * 3, [0.1] * 7, [-3.3333] * 5, [0.0, 0.0], [1e9 + 0.1] * 11)
    ),
    (distributions.moments, [1.0, math.nan], "x", InputError, None, "`x` must be finite"),
    (distributions.shapiro_wilk, [], "x", UndefinedScoreError, None, "x has 0 values"),
    (distributions.shapiro_wilk, [1, 2], UndefinedScoreError, None, "at least 3"),
    (distributions.shapiro_wilk, [1, 1, 1], UndefinedScoreError, None, "all equal"),
    (distributions.shapiro_wilk, np.arange(5_001), UndefinedScoreError, None, "5000 at most"),
    (distributions.fit_gev, [1.0] * 9, "x", UndefinedScoreError, None, "at least 10"),
    (distributions.fit_gev, [1.0] * 20, "x", UndefinedScoreError, None, "all equal"),
    (distributions.fit_gev, [0.0] * 15 + [1.0], "x", UndefinedScoreError, None, "distribution fits x"),
    (distributions.fit_gev, STEEP, "x", UndefinedScoreError, None, "distribution fits x"),
)

test_two_groups = refusals(
    None,
    *(
        (function, *row)
        for function in (stats.effect_size, stats.permutation_test)
        for row in (
            ([], [1.0], UndefinedScoreError, None, "scores_x is empty"),
            ([1.0], [], UndefinedScoreError, None, "scores_y is empty"),
            ([math.nan, 1.0], [1.0], InputError, None, "`scores_x` must be finite"),
            ([1.0], [math.inf], InputError, None, "`scores_y` must be finite"),
            ([[1.0]], [1.0], InputError, None, "2 dimensions"),
            (["a"], [1.0], InputError, None, "list of numbers"),
        )
    ),
    (stats.effect_size, [0.1 + 0.2], [0.3], UndefinedScoreError, None, "all scores are equal"),
    *(
        (partial(stats.permutation_test, **options), [1.0, 2.0], [3.0], InputError, None, fact)
        for options, fact in (
            ({"alternative": "larger"}, "`alternative` must be .*got 'larger'"),
            ({"method": "bootstrap"}, "`method` must be .*got 'bootstrap'"),
            ({"tolerance": -1.0}, "tolerance"),
            ({"method": "monte_carlo", "n_resamples": 0}, "n_resamples"),
        )
    ),
    (partial(stats.permutation_test, method="exact"), [*range(40)], [*range(40)], InputError, None, "monte_carlo"),
    *((permutation.sampled_p, n + 1, n, InputError, None, "`extreme` must be at most") for n in (99, 999)),
)  # fmt: skip

test_several_groups = refusals(
    partial(stats.largest_effect_test, n_resamples=99),
    ([[1.0, 2.0]], InputError, "groups", ""),
    ([], InputError, "groups", ""),
    ("ab", InputError, "groups", ""),
    ([[1.0, 2.0], []], InputError, "groups", ""),
    ([[1.0, math.nan], [2.0, 1.0]], InputError, "groups[0]", ""),
    ([[1.0, 1.0], [1.0, 1.0]], UndefinedScoreError, None, ""),
    ([[1.0, 1.0], [1.0, 1.0], [2.0, 5.0]], UndefinedScoreError, None, ""),
)

test_bootstrap = refusals(
    lambda options: stats.bootstrap_ci(**{"strata": [3], "statistic": mean, **options}),
    ({"strata": []}, InputError, "strata", "at least one stratum"),
    ({"strata": [3, 0]}, InputError, "strata", "`strata` must be"),
    ({"n_resamples": 0}, InputError, "n_resamples", "n_resamples"),
    ({"confidence_level": 1.0}, InputError, "confidence_level", "confidence_level"),
    ({"method": "basic"}, InputError, "method", "`method` must be .*got 'basic'"),
    ({"statistic": lambda i: np.zeros((len(i[0]), 2))}, InputError, None, "returned shape"),
    ({"statistic": lambda i: np.full(len(i[0]), np.nan)}, UndefinedScoreError, None, "data themselves"),
)

test_means = refusals(
    None,
    (stats.bootstrap_mean_ci, [], UndefinedScoreError, None, "fewer than two values"),
    (stats.bootstrap_mean_ci, [1.0], UndefinedScoreError, None, "fewer than two values"),
    (stats.sign_flip_test, [], UndefinedScoreError, None, "empty"),
    (stats.sign_flip_test, [1.0, math.nan], InputError, "values", "finite"),
    (stats.random_effects, [1.0], [1.0], UndefinedScoreError, None, "1 effects cannot be combined: at least two"),
    (stats.random_effects, [], [], UndefinedScoreError, None, "0 effects cannot be combined"),
    (stats.random_effects, [1.0, 2.0], [1.0], InputError, None, "2 effects and 1 variances"),
    (stats.random_effects, [1.0, math.nan], [1.0, 1.0], InputError, "effects", "finite"),
    (stats.random_effects, [1.0, 2.0], [1.0, math.inf], InputError, "variances", "finite"),
    (stats.random_effects, [1.0, 2.0], [1.0, 0.0], InputError, None, "a variance is 0"),
    *(
        (partial(stats.random_effects, **{option: value}), [1.0, 2.0], [1.0, 1.0], InputError, None, f"`{option}`")
        for option, value in (("confidence_level", 1.0), ("alternative", "both"))
    ),
)  # fmt: skip

test_paired_measurements = refusals(
    None,
    (stats.paired_shares, [1], [1, 0], InputError, None, "1 and 2 items"),
    (stats.paired_shares, [0.5], [1], InputError, None, "booleans"),
    (stats.paired_means, [], [], UndefinedScoreError, None, "no item"),
    (stats.paired_means, [math.nan], [1.0], InputError, "first", "finite"),
    (stats.paired_totals, np.zeros((0, 2)), np.zeros((0, 2)), ratio, UndefinedScoreError, None, "no item"),
    (stats.paired_totals, [[1.0, 0.0]], [[1.0, 1.0]], ratio, UndefinedScoreError, None, "undefined on the items"),
    (stats.cohen_kappa, 0, 0, 0, 0, UndefinedScoreError, None, "no item"),
    (stats.cohen_kappa, 3, 0, 0, 0, UndefinedScoreError, None, "judged yes both"),
    (stats.cohen_kappa, 0, 0, 0, 2, UndefinedScoreError, None, "judged no both"),
)  # fmt: skip

OF_COUNTS = (stats.binomial_test, stats.proportion_z_test, stats.wilson_interval)
NO_COUNTS = ((-1, 5), (6, 5), (1.5, 5), (1, 2.5), (math.nan, 5), ("a", 2), (1, None), ([1], 2))

test_proportions = refusals(
    None,
    *((f, *kn, InputError, None, "integers") for f, kn in itertools.product(OF_COUNTS, NO_COUNTS)),
    *((stats.two_proportions_z_test, 1, 2, *kn, InputError, None, "integers") for kn in NO_COUNTS),
    *((f, 0, 0, UndefinedScoreError, None, "0 trials") for f in OF_COUNTS),
    *((stats.proportion_z_test, k, 10, UndefinedScoreError, None, "variance is 0") for k in (0, 10)),
    *((stats.two_proportions_z_test, k, 10, k, 10, UndefinedScoreError, None, "same outcome") for k in (0, 10)),
    (stats.proportion_z_test, 5, 10, 1.0, "score", UndefinedScoreError, None, "variance is 0"),
    (stats.proportion_z_test, 1, 2, 0.5, "wald", InputError, None, "method"),
    *((stats.binomial_test, 1, 2, p0, InputError, None, "p0") for p0 in (1.5, "half", math.nan)),
    (partial(stats.binomial_test, alternative="both"), 1, 2, InputError, None, "alternative"),
    *((stats.wilson_interval, 1, 2, level, InputError, None, "confidence_level") for level in (95, "high", None)),
    (stats.mean_proportion_interval, [], [], UndefinedScoreError, None, "the mean of no proportion"),
    (stats.mean_proportion_interval, [1, 2], [3], InputError, None, "2 numbers of successes for 1 of trials"),
    (stats.mcnemar_test, 0, 0, UndefinedScoreError, None, "every item has the same outcome"),
    *((stats.mcnemar_test, wrong, 2, InputError, None, "`only_first` must be") for wrong in (-1, 1.5, "a")),
)  # fmt: skip

test_adjustments_and_sizes = refusals(
    None,
    *(
        (adjust, bad, InputError, None, "p_values")
        for adjust in (stats.holm, stats.benjamini_hochberg)
        for bad in ([0.5, 1.1], [-0.1], [math.nan], [[0.1]], ["a"])
    ),
    (stats.detectable_share, 0, InputError, None, ""),
    (stats.detectable_share, 10, 0.0, InputError, None, ""),
    (stats.detectable_effect, 0, 4, InputError, None, ""),
    (stats.detectable_correlation, -1, InputError, None, ""),
    (stats.size_in_words, math.nan, "cohen_d", InputError, None, ""),
)
