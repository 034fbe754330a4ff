"""KLDivS, JSDivS and JSS: stereotypical and anti-stereotypical scores as normal distributions (Liu and Hou 2023)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....data.sentence_pairs import SentencePair
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....options import Lower
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....stats import distributions as dist
from ....stats.items import Swaps
from ...pair_scoring import Scoring, score_pairs
from ...rows import tail_facts
from ...ties import outcome_or_reason, tie_warnings
from ...word_lists.inference import Inference
from .items import SWAPPED, columns, divergence_score, type_scores
from .record import RECORD


def kldivs(more: FloatArray, less: FloatArray) -> float:
    """Kullback-Leibler divergence score of two samples of sentence scores.

    With P and Q the normal distributions of the two samples (means and sample standard deviations), the score is
    100 · max(KL(P‖Q), KL(Q‖P)) / (KL(P‖Q) + KL(Q‖P)).

    Args:
        more: scores of the stereotypical sentences, shape (n,), n >= 2.
        less: scores of the anti-stereotypical sentences, shape (m,), m >= 2.

    Returns:
        Between 50 and 100. 50 is ideal. It compares the two directions of the divergence, not its size:
        samples of equal spread score 50 however far apart their means are.

    Raises:
        InputError: values that are not finite.
        UndefinedScoreError: a sample has fewer than two values or does not vary, or both samples have the same mean
            and standard deviation (0 divided by 0).

    References:
        Liu and Hou (2023): Constructing Holistic Measures for Social Biases in Masked Language Models.
        arXiv:2305.07795.

    Examples:
        >>> round(kldivs([0.0, 2.0, 4.0], [1.0, 2.0, 3.0]), 4)
        71.7203
    """
    score = float(divergence_score(*dist.moments(more, "sent_more"), *dist.moments(less, "sent_less")))
    if np.isnan(score):
        raise UndefinedScoreError(
            "both samples have the same mean and standard deviation, so the two divergences are 0 and "
            "their ratio is undefined: KLDivS sees no difference between these sentences"
        )
    return score


def jsdivs(more: FloatArray, less: FloatArray) -> float:
    """Jensen-Shannon divergence score of two samples of sentence scores, as in Liu and Hou's code.

    With M the normal distribution of the mean of the two means and the mean of the two standard deviations, and
    J = (KL(P‖M) + KL(Q‖M)) / 2, the score is 100 · (1 - J). M is not the mixture of P and Q, so J is not their
    Jensen-Shannon divergence, which could not exceed ln 2: J has no upper bound.

    Args:
        more: scores of the stereotypical sentences, shape (n,), n >= 2.
        less: scores of the anti-stereotypical sentences, shape (m,), m >= 2.

    Returns:
        At most 100, which is ideal and means equal distributions. No lower bound: samples far apart score
        below 0.

    Raises:
        InputError: values that are not finite.
        UndefinedScoreError: a sample has fewer than two values or does not vary.

    References:
        Liu and Hou (2023): Constructing Holistic Measures for Social Biases in Masked Language Models.
        arXiv:2305.07795. The code: github.com/nlply/evaluate_bias_by_gaussian.

    Examples:
        >>> round(jsdivs([0.0, 2.0, 4.0], [1.0, 2.0, 3.0]), 4)
        88.5553
        >>> jsdivs([0.0, 1.0, 2.0], [10.0, 11.0, 12.0])
        -1150.0
    """
    (mean_p, sd_p), (mean_q, sd_q) = dist.moments(more, "sent_more"), dist.moments(less, "sent_less")
    return 100.0 * (1 - _divergence_from_middle(mean_p, sd_p, mean_q, sd_q, (sd_p + sd_q) / 2))


def jss(more: FloatArray, less: FloatArray) -> float:
    """Jensen-Shannon score of two samples of sentence scores (Liu 2024), as in its published code.

    With M the normal distribution of the mean of the two means and of the two variances, J = (KL(P‖M) + KL(Q‖M)) / 2
    and C = \\|sd_P - sd_Q\\|, each replaced by its reciprocal when it exceeds 1, the score is 100 · (1 - J) / (1 + C).
    Because of the reciprocals a very large difference scores like none. C has the unit of the scores.

    Args:
        more: scores of the stereotypical sentences, shape (n,), n >= 2.
        less: scores of the anti-stereotypical sentences, shape (m,), m >= 2.

    Returns:
        Between 0 and 100. 100 is ideal.

    Raises:
        InputError: values that are not finite.
        UndefinedScoreError: a sample has fewer than two values or does not vary.

    References:
        Liu (2024): Robust Evaluation Measures for Evaluating Social Biases in Masked Language Models. Proceedings of
        the AAAI Conference on Artificial Intelligence 38(17), 18707-18715. doi:10.1609/aaai.v38i17.29834.

    Examples:
        >>> round(jss([0.0, 2.0, 4.0], [1.0, 2.0, 3.0]), 4)
        44.4214
    """
    (mean_p, sd_p), (mean_q, sd_q) = dist.moments(more, "sent_more"), dist.moments(less, "sent_less")
    sd_m = float(np.sqrt((sd_p**2 + sd_q**2) / 2))
    divergence, difference = _divergence_from_middle(mean_p, sd_p, mean_q, sd_q, sd_m), abs(sd_p - sd_q)
    j, c = (min(v, 1.0) / max(v, 1.0) for v in (divergence, difference))
    return 100.0 * (1 - j) / (1 + c)


def _divergence_from_middle(mean_p: float, sd_p: float, mean_q: float, sd_q: float, sd_m: float) -> float:
    """Mean divergence of both distributions from the normal one between their means with this deviation.

    J = (KL(P‖M) + KL(Q‖M)) / 2, M = N((mean_p + mean_q) / 2, sd_m²).
    """
    return float(dist.gaussian_kl([mean_p, mean_q], [sd_p, sd_q], (mean_p + mean_q) / 2, sd_m).mean())


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[SentencePair | Mapping[str, Any]],
    *,
    scoring: Scoring = "aul",
    lower: Lower = "auto",
    gev: bool = True,
    distributions: Sequence[str] = (),
    inference: Inference,
) -> Finding:
    """KLDivS of the scores of stereotypical and anti-stereotypical sentences, by bias type and overall.

    The overall score is the mean over bias types, weighted by their number of pairs. Bias types whose score is
    undefined (a single pair, scores that do not vary) are listed in ``skipped`` and excluded. Pairs without a
    bias type form one group of their own.

    Args:
        model: a language model that can do the scoring, ``None`` when the data contain scores.
        data: sentence pairs, or mappings with numbers as ``sent_more`` and ``sent_less``.
        scoring: how a sentence is scored, see :data:`evaluate_bias.methods.pair_scoring.SCORINGS`. ``"aul"``
            as in the reference code.
        gev: fit the generalised extreme value distributions, which takes longer than everything else.
        distributions: further distributions of ``scipy.stats`` to fit to both samples, such as ``["norm", "skewnorm",
            "gamma"]``. The details have each as ``fit_NAME_more`` and ``fit_NAME_less``.
        n_resamples: random swaps of the two sentences of pairs, for the p-value. All swaps if these are
            fewer.
        ci_resamples: bootstrap samples of pairs, drawn within each bias type, 0 for no interval.

    Returns:
        Score between 50 and 100, higher is more biased. Noise alone moves it above 50: ``expected_by_chance``
        (and the estimate ``null_mean``) is its mean when the two sentences of every pair are swapped at random,
        and ``p_value`` the share of such swaps whose score is at least the observed one. The interval is one of
        the score that such samples have on average, to be compared with ``expected_by_chance``. The row of a
        bias type has KLDivS with its own ``null_mean`` and p-value. Its estimates are JSDivS, JSS, the mean
        difference and the p-value of the two-sample Kolmogorov-Smirnov test. Its details are the moments, both
        divergences, that test, Shapiro-Wilk tests of both samples, of the differences and of the differences between
        their 1% and 99% quantiles, the fitted generalised extreme value distributions with their fit, and the z test
        that the differences of the pairs have mean 0: with all pairs (``z_test``), without outliers by the
        interquartile rule (``z_test_without_outliers``) and between the 1% and 99% quantiles
        (``z_test_within_quantiles``). The result has the same tests over all pairs, whatever their bias type,
        and the estimate ``kldivs_all_pairs``: KLDivS of all pairs as one type.

    Raises:
        CapabilityError: the model cannot do this scoring.
        InputError: an unknown scoring, or scores that are not finite.
        UndefinedScoreError: no bias type has a defined score.

    References:
        Liu and Hou (2023): Constructing Holistic Measures for Social Biases in Masked Language Models.
        arXiv:2305.07795. The tests: Maddalozzo (2023), chapter 4.

    Examples:
        >>> pairs = [{"sent_more": m, "sent_less": l, "bias_type": "age"} for m, l in [(0, 1), (2, 2), (4, 3)]]
        >>> round(evaluate(None, pairs).score, 4)
        71.7203
    """
    scores = score_pairs(model, data, scoring, method=RECORD.name, lower=lower)
    skipped, facts, members = list(scores.skipped), dict[str, dict[str, Any]](), dict[str, list[int]]()
    for name, places in scores.bias_types().items():
        try:
            facts[name] = _describe(scores.more[places], scores.less[places], gev, distributions)
            members[name] = places
        except UndefinedScoreError as error:
            skipped.append(Skipped(name, str(error), "groups"))
    if not facts:
        raise UndefinedScoreError(
            f"no bias type has a defined score: {skipped[-1].item}: {skipped[-1].reason}"
        )
    types, repeats, lines = sorted(members), scores.repeats, scores.items()
    both = [i for name in members for i in members[name]]
    type_of = [name for name in members for _ in members[name]]
    # Pairs are in an order that does not depend on which of their two sentences is the more stereotypical one.
    sides = np.sort(np.stack([scores.more, scores.less], axis=1), axis=1)[repeats.first]
    clusters = np.argsort(np.lexsort((repeats.weights, *sides.T[::-1])))[repeats.kinds]
    table = stats.Items.of(
        columns([{**lines[i].details, "bias_type": name} for i, name in zip(both, type_of, strict=True)], {}),
        clusters[both], type_of,
    )  # fmt: skip
    weights = np.array([len(members[name]) / len(both) for name in types])
    swaps, type_swaps = table.swap_test(type_scores, SWAPPED, types, inference.n_resamples, inference.seed)
    ends = table.interval(
        lambda totals: np.asarray(type_scores(totals) @ weights),
        inference.of_items("debiased", "sign_flips", "pairs", strata="bias type"), (50.0, 100.0),
        [[f"{name} {i:06}" for i in range(len({*clusters[members[name]].tolist()}))] for name in types],
    )  # fmt: skip
    estimates, details = _tests(scores.more[both], scores.less[both], gev, distributions)
    for key in ("jsdivs", "jss"):
        estimates[key] = Estimate(float(weights @ [facts[name]["estimates"][key].value for name in types]))
    with suppress(UndefinedScoreError):
        estimates["kldivs_all_pairs"] = Estimate(kldivs(scores.more, scores.less))
    tested = dict(zip(types, type_swaps, strict=True))
    groups = [
        Row(name=name, kind="group", **{**part, **_test_swaps(tested[name], part["estimates"])})
        for name, part in facts.items()
    ]
    so = "both sentences score the same, so only the other pairs show a difference"
    n_ties = int((scores.delta == 0).sum())
    return Finding(
        sampled=Sampled(("pairs",)),
        score=float(weights @ [facts[name]["score"] for name in types]),
        n=len(both),
        **ends._asdict(),
        **_test_swaps(swaps, estimates),
        p_method=f"{'all' if swaps.exact else 'random'} swaps of the two sentences of pairs, {swaps.n_swaps}",
        coverage=Coverage(len(both), scores.n_requested),
        rows=(*groups, *lines),
        skipped=skipped,
        warnings=[
            *tie_warnings(n_ties, len(scores.pairs), "pairs", so),
            *repeats.warnings,
            *(f"no interval: {why}" for _, _, why in [ends.ci_method.partition("none: ")] if why),
        ],
        details={**details, **repeats.details},
        settings=scores.settings(),
    )


def _test_swaps(swaps: Swaps, estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Return what the swaps say, and the estimates with the mean over them: parts of a finding or a row."""
    return {
        "expected_by_chance": swaps.null_mean,
        **tail_facts(swaps),
        "estimates": {"null_mean": Estimate(swaps.null_mean), **estimates},
    }


def _describe(more: FloatArray, less: FloatArray, gev: bool, distributions: Sequence[str]) -> dict[str, Any]:
    """Everything reported of one bias type but its inference: parts of a row."""
    (mean_p, sd_p), (mean_q, sd_q) = dist.moments(more, "sent_more"), dist.moments(less, "sent_less")
    score = kldivs(more, less)
    estimates, details = _tests(more, less, gev, distributions)
    return {
        "n": len(more),
        "score": score,
        "estimates": {"jsdivs": Estimate(jsdivs(more, less)), "jss": Estimate(jss(more, less)), **estimates},
        "details": {
            "mean_more": mean_p,
            "sd_more": sd_p,
            "mean_less": mean_q,
            "sd_less": sd_q,
            "kl_more_less": float(dist.gaussian_kl(mean_p, sd_p, mean_q, sd_q)),
            "kl_less_more": float(dist.gaussian_kl(mean_q, sd_q, mean_p, sd_p)),
            **details,
        },
    }


def _tests(
    more: FloatArray, less: FloatArray, gev: bool, distributions: Sequence[str]
) -> tuple[dict[str, Estimate], dict[str, Any]]:
    """Secondary values, and tests by name. One that does not exist for these numbers has the reason."""
    delta = more - less
    tests: dict[str, Callable[[], Any]] = {
        "shapiro_more": lambda: dist.shapiro_wilk(more, "sent_more"),
        "shapiro_less": lambda: dist.shapiro_wilk(less, "sent_less"),
        "shapiro_delta": lambda: dist.shapiro_wilk(delta, "the differences"),
        "shapiro_delta_within_quantiles": lambda: dist.shapiro_wilk(
            dist.within_quantiles(delta), "the differences"
        ),
        "ks": lambda: dist.kolmogorov_smirnov(more, less),
        "z_test": lambda: dist.mean_z_test(delta),
        "z_test_without_outliers": lambda: dist.mean_z_test(dist.without_outliers(delta)),
        "z_test_within_quantiles": lambda: dist.mean_z_test(dist.within_quantiles(delta)),
    }
    if gev:
        tests["gev_more"] = lambda: dist.fit_gev(more, "sent_more")
        tests["gev_less"] = lambda: dist.fit_gev(less, "sent_less")
    for family in distributions:
        tests[f"fit_{family}_more"] = partial(dist.fit_distribution, more, family, "sent_more")
        tests[f"fit_{family}_less"] = partial(dist.fit_distribution, less, family, "sent_less")
    outcomes = {name: outcome_or_reason(test) for name, test in tests.items()}
    estimates = {"mean_delta": Estimate(float(delta.mean()))}
    if "p_value" in outcomes["ks"]:
        estimates["ks_p_value"] = Estimate(outcomes["ks"]["p_value"])
    return estimates, outcomes
