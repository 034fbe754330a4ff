"""Do preferences survive a paraphrase? (Kwon and Mihindukulasooriya 2022; Maddalozzo 2023, section 4.3)"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.pair_schemas import SentencePair
from ....errors import UndefinedScoreError, bad_option
from ....method import Finding, method
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....stats import distributions as dist
from ...pair_scoring import SHARED_TOKENS, PairScores, Scoring, score_pairs
from ...rows import as_fields, checked_rows
from ...ties import all_tied, outcome_or_reason, tie_warnings, z_tests
from ...word_lists.inference import Inference
from .record import RECORD

_VERSIONS = {
    "paraphrase": ("sent_more_par", "sent_less_par"),
    "paraphrase_2": ("sent_more_par2", "sent_less_par2"),
    "unrelated": ("sent_more_ran", "sent_less_ran"),
}


def band(delta: FloatArray, low: float, high: float) -> NDArray[np.int_]:
    """-1 below ``low``, 1 above ``high``, 0 between (bounds included): a preference only where it is clear.

    Examples:
        >>> band(np.array([-2.0, -1.0, 0.3, 1.0, 4.0]), -1.0, 1.0).tolist()
        [-1, 0, 0, 0, 1]
    """
    return np.where(delta < low, -1, np.where(delta > high, 1, 0))


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[SentencePair | Mapping[str, Any]],
    *,
    scoring: Scoring = SHARED_TOKENS,
    lower: bool | Literal["auto"] = "auto",
    band_limits: tuple[float, float] = (-3.5, 3.5),
    share: float = 0.8,
    inference: Inference,
) -> Finding:
    """Cohen's kappa of the preferences of pairs with those of their paraphrases.

    With Δ the score of the more minus the score of the less stereotypical sentence, a pair and its paraphrase agree
    when both Δ are positive or both are not (a Δ of 0 counts as not positive). Where a model prefers the stereotypical
    sentence in a share p of the pairs and of the paraphrases, preferences that have nothing to do with each other
    agree in p² + (1 - p)²; kappa is the part of what is left above that which is reached. The agreement of a pair with
    an unrelated pair is a further yardstick: a measurement that is about the stereotype agrees with its paraphrase far
    more often than with something else.

    The defaults are those of Maddalozzo (2023): scores of the shared tokens, a band of ±3.5, agreement tested for being
    less than 0.8.

    Args:
        model: a language model that can do the scoring; ``None`` when the data hold scores.
        data: sentence pairs with ``sent_more_par`` and ``sent_less_par``, and where there are, a second paraphrase
            (``…_par2``) and an unrelated pair (``…_ran``); or mappings with numbers in these columns.
        scoring: how a sentence is scored, see :data:`evaluate_bias.methods.pair_scoring.SCORINGS`; by default by the
            tokens that both sentences share, as CrowS-Pairs does. A causal model needs ``"causal"``.
        band_limits: lower and upper limit of Δ between which a pair shows no clear preference, in nats; agreement by
            band compares -1, 0 and 1.
        share: share of agreeing pairs against which the agreement is tested, between 0 and 1.
        alternative: of these tests: ``"two-sided"``, ``"greater"`` or ``"less"``. The test of kappa is one-sided: less
            agreement than chance gives is no robustness.
        seed: recorded; nothing here is random.

    Returns:
        Kappa with the (first) paraphrase, between -1 and 1; 1 is ideal, 0 what independent preferences give.
        ``p_value`` is the exact one-sided p of the permutation test that shuffles the paraphrases among the pairs; see
        :func:`evaluate_bias.stats.cohen_kappa`. ``estimates`` has the agreement with the paraphrase by sign and by
        band, and that with the unrelated pairs by sign, with Wilson intervals. ``details`` has, for every version
        (paraphrase, second paraphrase, unrelated): kappa with interval and p-value, agreement by sign and by band with
        intervals, binomial, z and score tests against ``share``, the two-sample z test against the agreement with
        unrelated pairs (which takes the two as independent, as the thesis does) and McNemar's exact test of the same
        (which does not, and is the one to rely on), the two-sample Kolmogorov-Smirnov test of Δ against the original's
        Δ, and the z test that their differences have mean 0. The rows are kappa and agreement of every bias type, and
        every pair.

    Raises:
        CapabilityError: the model cannot do this scoring.
        InputError: limits, share or alternative out of range, or scores that are not finite.
        UndefinedScoreError: no pair has a paraphrase that can be scored, in none the model prefers one sentence, both
            of the pair and of its paraphrase, or the preferences are the same in all pairs and all paraphrases, which
            leaves nothing to tell agreement from chance.

    References:
        Kwon and Mihindukulasooriya (2022): An Empirical Study on Pseudo-log-likelihood Bias Measures for Masked
        Language Models Using Paraphrased Sentences. TrustNLP 2022. Maddalozzo (2023), section 4.3.

    Examples:
        >>> pairs = [{"sent_more": m, "sent_less": 0.0, "sent_more_par": p, "sent_less_par": 0.0}
        ...          for m, p in [(2.0, 1.0), (-1.0, -3.0), (1.5, -0.5), (0.5, 0.1)]]
        >>> result = evaluate(None, pairs, band_limits=(-1, 1))
        >>> result.score, *(result.estimates[f"paraphrase_{by}_agreement"].value for by in ("sign", "band"))
        (0.5, 0.75, 0.25)
    """
    low, high = band_limits
    if low > high:
        raise bad_option("band_limits", band_limits, "two finite numbers, the lower one first")
    if not 0 < share < 1:
        raise bad_option("share", share, "a number between 0 and 1, the agreement to test against")
    rows = checked_rows(data, RECORD.name)
    original = score_pairs(model, rows, scoring, method=RECORD.name, lower=lower)
    versions, skipped, warnings = _versions(model, rows, original, scoring, lower, (low, high))
    paraphrase = versions["paraphrase"]
    compared = {name: _compare(version, share, inference) for name, version in versions.items()}
    decided = (paraphrase.first != 0) & (paraphrase.scored.delta != 0)
    if not decided.any():
        detail = ", of the pair or of its paraphrase"
        raise UndefinedScoreError(all_tied(len(decided), "pairs", detail, original.warnings))
    neither = (
        "the model prefers neither sentence of the pair or of its paraphrase, and two ties agree without any "
        "preference"
    )
    warnings += tie_warnings(int((~decided).sum()), len(decided), "pairs", neither)
    if unrelated := versions.get("unrelated"):
        for name in compared.keys() - {"unrelated"}:
            compared[name]["against_unrelated"] = {
                kind: _against_unrelated(versions[name].agrees(kind), unrelated.agrees(kind))
                for kind in ("sign", "band")
            }
    groups, undecided = _groups(paraphrase, decided, share, inference)
    main = _kappa(*paraphrase.prefers, inference.confidence_level)
    n = len(decided)
    return Finding(
        sampled=Sampled(("pairs",)),
        score=main.kappa,
        n=n,
        ci_low=main.low,
        ci_high=main.high,
        ci_method="Wilson interval of (1 + kappa) / 2 with the large-sample variance of kappa",
        p_value=main.p_value,
        p_method="exact permutation test of the paraphrases among the pairs, one-sided",
        coverage=Coverage(n, original.n_requested),
        rows=(*groups, *original.items(_facts(original, versions, (low, high)))),
        skipped=(*skipped, *undecided),
        warnings=warnings,
        estimates={
            f"{version}_{by}_agreement": _estimate(compared[version][by])
            for version, by in (("paraphrase", "sign"), ("unrelated", "sign"), ("paraphrase", "band"))
            if version in compared
        },
        details={**compared, **_smallest_p(n)},
        settings=original.settings(scoring),
    )


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of the pairs.

    Attributes:
        scored: its scores.
        first: Δ of the pairs themselves, shape (pairs,).
        bands: of the pairs and of the version, see :func:`band`.
    """

    scored: PairScores
    first: FloatArray
    bands: tuple[NDArray[np.int_], NDArray[np.int_]]

    @property
    def prefers(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether the model prefers the more stereotypical sentence, in the pairs and in the version."""
        return self.first > 0, self.scored.delta > 0

    def agrees(self, kind: str) -> dict[int, bool]:
        """Whether it agrees with each pair, by the position of the pair, by ``"sign"`` or by ``"band"``."""
        first, second = self.prefers if kind == "sign" else self.bands
        return dict(zip(self.scored.index, (first == second).tolist(), strict=True))


def _versions(
    model: Any,
    rows: Sequence[Any],
    original: PairScores,
    scoring: Scoring,
    lower: bool | Literal["auto"],
    limits: tuple[float, float],
) -> tuple[dict[str, _Version], list[Skipped], list[str]]:
    """Every version of the pairs that the rows have, what was left out, and warnings.

    Raises:
        UndefinedScoreError: the rows have no paraphrase, or none can be scored.
    """
    skipped = list(original.skipped)
    warnings = []
    versions: dict[str, _Version] = {}
    delta = dict(zip(original.index, original.delta, strict=True))
    for version, columns in _VERSIONS.items():
        if all(as_fields(rows[i], "").get(c) is None for i in original.index for c in columns):
            continue
        try:
            scored = score_pairs(
                model, rows, scoring, method=RECORD.name, lower=lower, columns=columns, only=original.index
            )
        except UndefinedScoreError as error:
            if version == "paraphrase":
                raise
            warnings.append(f"nothing to compare with the {version} pairs: {error}")
            continue
        skipped += [Skipped(s.item, s.reason, s.where or columns[0]) for s in scored.skipped]
        first = np.array([delta[i] for i in scored.index])
        versions[version] = _Version(scored, first, (band(first, *limits), band(scored.delta, *limits)))
    if "paraphrase" not in versions:
        raise UndefinedScoreError(
            "no pair has a paraphrase: robustness needs the columns sent_more_par and sent_less_par"
        )
    return versions, skipped, warnings


def _kappa(first: NDArray[np.bool_], second: NDArray[np.bool_], confidence_level: float) -> stats.Kappa:
    """Kappa = (agreement - chance) / (1 - chance) of two preferences of the same pairs, both of shape (pairs,)."""
    try:
        return stats.cohen_kappa(
            both=int((first & second).sum()),
            only_first=int((first & ~second).sum()),
            only_second=int((~first & second).sum()),
            neither=int((~first & ~second).sum()),
            confidence_level=confidence_level,
        )
    except UndefinedScoreError:
        which = "more" if first[0] else "less"
        raise UndefinedScoreError(
            f"kappa is undefined: in all pairs and paraphrases ({len(first)} of each) the {which} stereotypical "
            "sentence is preferred, so agreement cannot be told from chance"
        ) from None


def _compare(version: _Version, share: float, inference: Inference) -> dict[str, Any]:
    first, second = version.first, version.scored.delta
    kappa = outcome_or_reason(
        lambda: _kappa(*version.prefers, inference.confidence_level),
        "kappa",
        "low",
        "high",
        "p_value",
        "chance",
    )
    names = {"low": "ci_low", "high": "ci_high", "chance": "chance_agreement"}
    return {
        "kappa": {names.get(name, name): value for name, value in kappa.items()},
        "sign": _agreement(version.agrees("sign").values(), share, inference),
        "band": _agreement(version.agrees("band").values(), share, inference),
        "delta_ks": outcome_or_reason(lambda: dist.kolmogorov_smirnov(first, second)),
        "delta_z": outcome_or_reason(lambda: dist.mean_z_test(first - second)),
    }


def _agreement(agree: Collection[bool], share: float, inference: Inference) -> dict[str, Any]:
    k, n = sum(agree), len(agree)
    interval = stats.wilson_interval(k, n, inference.confidence_level)
    return {
        "n": n,
        "agreeing": k,
        "agreement": k / n,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p_value": stats.binomial_test(k, n, share, inference.alternative).p_value,
        **z_tests(k, n, share, inference.alternative),
    }


def _smallest_p(n: int) -> dict[str, float]:
    """One-sided, where half of n pairs prefer the one sentence and half the other: the best that so many allow."""
    return {"smallest_p": stats.smallest_split_p(n // 2, n - n // 2, alternative="greater")}


def _estimate(agreement: Mapping[str, Any]) -> Estimate:
    return Estimate(agreement["agreement"], agreement["ci_low"], agreement["ci_high"])


def _against_unrelated(paraphrase: Mapping[int, bool], unrelated: Mapping[int, bool]) -> dict[str, Any]:
    """Does agreement with the paraphrase differ from that with unrelated pairs?

    The z test of the thesis takes the two agreements as independent. They are of the same pairs, so McNemar's exact
    test stands beside it, on the pairs that have both.
    """
    (k, n), (other_k, other_n) = ((sum(agrees.values()), len(agrees)) for agrees in (paraphrase, unrelated))
    z = outcome_or_reason(lambda: stats.two_proportions_z_test(k, n, other_k, other_n), "z", "p_value")
    both = [(paraphrase[i], unrelated[i]) for i in paraphrase if i in unrelated]
    only, other = both.count((True, False)), both.count((False, True))
    p = outcome_or_reason(lambda: stats.mcnemar_test(only, other), "p_value")
    return {**z, "mcnemar": {"n": len(both), "paraphrase_only": only, "unrelated_only": other, **p}}


def _facts(
    original: PairScores, versions: Mapping[str, _Version], limits: tuple[float, float]
) -> list[dict[str, Any]]:
    """The band of Δ for every pair, Δ of the other versions, and whether they agree with it."""
    columns: dict[str, Mapping[int, Any]] = {}
    for name, version in versions.items():
        columns[f"delta_{name}"] = dict(zip(version.scored.index, version.scored.delta.tolist(), strict=True))
        columns[f"agrees_{name}"] = version.agrees("sign")
        columns[f"band_agrees_{name}"] = version.agrees("band")
    return [
        {"band": int(pair_band), **{key: values.get(i) for key, values in columns.items()}}
        for i, pair_band in zip(original.index, band(original.delta, *limits), strict=True)
    ]


def _groups(
    paraphrase: _Version, decided: NDArray[np.bool_], share: float, inference: Inference
) -> tuple[list[Row], list[Skipped]]:
    """Kappa and agreement with the paraphrase of every bias type, and the types that have no kappa, with the reason."""
    first, second = paraphrase.prefers
    groups, undecided = [], []
    for name, members in paraphrase.scored.named_bias_types().items():
        try:
            if not decided[members].any():
                raise UndefinedScoreError(all_tied(len(members), "pairs"))
            kappa = _kappa(first[members], second[members], inference.confidence_level)
        except UndefinedScoreError as error:
            undecided.append(Skipped(name, str(error), "groups"))
            continue
        by_sign = _agreement((first[members] == second[members]).tolist(), share, inference)
        groups.append(
            Row(
                name=name,
                kind="group",
                score=kappa.kappa,
                ci_low=kappa.low,
                ci_high=kappa.high,
                p_value=kappa.p_value,
                n=len(members),
                estimates={"paraphrase_sign_agreement": _estimate(by_sign)},
                details={"paraphrase": {"sign": by_sign}, **_smallest_p(len(members))},
            )
        )
    return groups, undecided
