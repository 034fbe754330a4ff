"""Do preferences survive a paraphrase? (Kwon and Mihindukulasooriya 2022, Maddalozzo 2023, section 4.3)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.sentence_pairs import SentencePair
from ....errors import UndefinedScoreError, bad_option
from ....method import Finding, method
from ....options import Lower, Share
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....stats import distributions as dist
from ...pair_scoring import SHARED_TOKENS, PairScores, Scoring, score_pairs
from ...rows import Repeats, as_fields, checked_rows, find_repeats
from ...ties import all_tied, outcome_or_reason, tie_warnings, z_tests
from ...word_lists.inference import Inference
from .items import score
from .record import RECORD

_VERSIONS = {
    "paraphrase": ("sent_more_par", "sent_less_par"),
    "paraphrase_2": ("sent_more_par2", "sent_less_par2"),
    "unrelated": ("sent_more_ran", "sent_less_ran"),
}
_SHUFFLES = 9_999


def band(delta: FloatArray, low: float, high: float) -> NDArray[np.int_]:
    """-1 below ``low``, 1 above ``high``, 0 between (bounds included): a preference only if it is clear.

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
    lower: Lower = "auto",
    band_limits: tuple[float, float] = (-3.5, 3.5),
    share: Share = 0.8,
    inference: Inference,
) -> Finding:
    """Cohen's kappa of the preferences of pairs and their paraphrases.

    With Δ the score of the more minus the score of the less stereotypical sentence, a pair and its paraphrase agree
    when both Δ are positive or both are not (a Δ of 0 counts as not positive). If a model prefers the
    stereotypical sentence in a share p of the pairs and of the paraphrases, preferences that have nothing to
    do with each other agree in c = p² + (1 - p)². Kappa is (agreement - c) / (1 - c).
    The agreement of a pair with an unrelated pair is a further yardstick: a measurement that is about the
    stereotype agrees with its paraphrase far more often than with something else.

    The defaults are from Maddalozzo (2023): scores of the shared tokens, a band of ±3.5, agreement tested for being
    less than 0.8.

    Args:
        model: a language model that can do the scoring, ``None`` when the data contain scores.
        data: sentence pairs with ``sent_more_par`` and ``sent_less_par``, and, if available, a second paraphrase
            (``…_par2``) and an unrelated pair (``…_ran``), or dicts with numbers in these columns.
        scoring: how a sentence is scored, see :data:`evaluate_bias.methods.pair_scoring.SCORINGS`, by default
            by the tokens that both sentences share, as CrowS-Pairs does. A causal model needs ``"causal"``.
        band_limits: lower and upper limit of Δ between which a pair shows no clear preference, in nats.
            Agreement by band compares -1, 0 and 1.
        share: share of agreeing pairs against which the agreement is tested, between 0 and 1.
        alternative: of these tests: ``"two-sided"``, ``"greater"`` or ``"less"``. The test of kappa is one-sided: less
            agreement than chance gives is not robustness.
        seed: of the shuffles that are drawn if different pairs are repeated unequally often. Nothing else is random.

    Returns:
        Kappa with the (first) paraphrase, between -1 and 1. 1 is ideal, 0 is what independent preferences give.
        ``p_value`` is the exact one-sided p of the permutation test that shuffles the paraphrases among the pairs, see
        :func:`evaluate_bias.stats.cohen_kappa`. ``estimates`` has the agreement with the paraphrase by sign and by
        band, and with the unrelated pairs by sign, with Wilson intervals. ``details`` has, for every version
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
    rows = checked_rows(data, RECORD.name)
    original = score_pairs(model, rows, scoring, method=RECORD.name, lower=lower)
    repeats = _repeats(rows, original)
    skipped, warnings = list(original.skipped), list[str]()
    versions: dict[str, _Version] = {}
    delta, kind = (dict(zip(original.index, of, strict=True)) for of in (original.delta, repeats.kinds))
    for name, columns in _VERSIONS.items():
        if all(as_fields(rows[i], "").get(c) is None for i in original.index for c in columns):
            continue
        try:
            scored = score_pairs(
                model, rows, scoring, method=RECORD.name, lower=lower, columns=columns, only=original.index
            )
        except UndefinedScoreError as error:
            if name == "paraphrase":
                raise
            warnings.append(f"nothing to compare with the {name} pairs: {error}")
            continue
        skipped += [Skipped(s.item, s.reason, s.where or columns[0]) for s in scored.skipped]
        first = np.array([delta[i] for i in scored.index])
        bands = band(first, low, high), band(scored.delta, low, high)
        versions[name] = _Version(scored, first, bands, np.array([kind[i] for i in scored.index]))
    if "paraphrase" not in versions:
        raise UndefinedScoreError(
            "no pair has a paraphrase: robustness needs the columns sent_more_par and sent_less_par"
        )
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
                kind: _against_unrelated(
                    versions[name].agrees(kind, different=True), unrelated.agrees(kind, different=True)
                )
                for kind in ("sign", "band")
            }
    groups, (pair, again) = list[Row](), paraphrase.prefers
    for name, members in paraphrase.scored.named_bias_types().items():
        try:
            if not decided[members].any():
                raise UndefinedScoreError(all_tied(len(members), "pairs"))
            kinds = paraphrase.kinds[members]
            scored_type = _scored(pair[members], again[members], kinds, inference)
        except UndefinedScoreError as error:
            skipped.append(Skipped(name, str(error), "groups"))
            continue
        by_sign = _agreement((pair[members] == again[members]).tolist(), kinds, share, inference)
        groups.append(
            Row(
                name=name,
                kind="group",
                **scored_type,
                estimates={"paraphrase_sign_agreement": _estimate(by_sign)},
                details={"paraphrase": {"sign": by_sign}, **_smallest_p(scored_type)},
            )
        )
    by_column: dict[str, Mapping[int, Any]] = {}
    for name, version in versions.items():
        by_column[f"delta_{name}"] = dict(
            zip(version.scored.index, version.scored.delta.tolist(), strict=True)
        )
        by_column[f"agrees_{name}"] = version.agrees("sign")
        by_column[f"band_agrees_{name}"] = version.agrees("band")
    facts = [
        {"band": int(pair_band), **{key: values.get(i) for key, values in by_column.items()}}
        for i, pair_band in zip(original.index, band(original.delta, low, high).tolist(), strict=True)
    ]
    n, main = len(decided), _scored(pair, again, paraphrase.kinds, inference)
    shuffles = f"{_SHUFFLES} random permutations" if main["p_error"] else "exact permutation test"
    among = "the pairs" if main["n_tested"] is None else "the different pairs"
    return Finding(
        sampled=Sampled(("pairs",)),
        **main,
        ci_method="Wilson interval of (1 + kappa) / 2 with the large-sample variance of kappa",
        p_method=f"{shuffles} of the paraphrases among {among}, one-sided",
        coverage=Coverage(n, original.n_requested),
        rows=(*groups, *original.items(facts)),
        skipped=skipped,
        warnings=[*warnings, *repeats.warnings],
        estimates={
            f"{version}_{by}_agreement": _estimate(compared[version][by])
            for version, by in (("paraphrase", "sign"), ("unrelated", "sign"), ("paraphrase", "band"))
            if version in compared
        },
        details={**compared, **_smallest_p(main), **repeats.details},
        settings=original.settings(),
    )


@dataclass(frozen=True, slots=True)
class _Version:
    """A version of the pairs.

    Attributes:
        scored: its scores.
        first: Δ of the pairs themselves, shape (pairs,).
        bands: of the pairs and of the version, see :func:`band`.
        kinds: number of each pair's kind, the same if rows are identical.
    """

    scored: PairScores
    first: FloatArray
    bands: tuple[NDArray[np.int_], NDArray[np.int_]]
    kinds: NDArray[np.int64]

    @property
    def different(self) -> NDArray[np.intp]:
        """The place of the first pair of each kind."""
        return np.sort(np.unique(self.kinds, return_index=True)[1])

    @property
    def prefers(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether the model prefers the more stereotypical sentence, in the pairs and in the version."""
        return self.first > 0, self.scored.delta > 0

    def agrees(self, kind: str, *, different: bool = False) -> dict[int, bool]:
        """Return by position whether each pair, or each different one, agrees by ``"sign"`` or by ``"band"``."""
        first, second = self.prefers if kind == "sign" else self.bands
        places = self.different if different else range(len(first))
        return {self.scored.index[i]: bool(first[i] == second[i]) for i in places}


def _repeats(rows: Sequence[Any], original: PairScores) -> Repeats:
    """Return the rows that are identical in all their sentences, or in their id and scores."""
    columns = ("sent_more", "sent_less", *(c for pair in _VERSIONS.values() for c in pair))
    ready = original.lowered is None
    keys = []
    for i, pair in zip(original.index, original.pairs, strict=True):
        fields = as_fields(rows[i], "") if ready else dict(pair)
        keys.append((pair.bias_type, pair.id if ready else "", *(fields.get(c) for c in columns)))
    return find_repeats(keys, "pairs")


def _kappa(
    first: NDArray[np.bool_], second: NDArray[np.bool_], kinds: NDArray[np.int64], inference: Inference
) -> stats.Kappa:
    """Kappa = (agreement - chance) / (1 - chance) of two preferences of the same pairs, all of shape (pairs,).

    If pairs repeat others, interval and test are over the different ones, weighted by how often each occurs.
    """
    _, places, weights = np.unique(kinds, return_index=True, return_counts=True)

    def kappa(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> stats.Kappa:
        both, only_first, only_second, neither = (int(c.sum()) for c in (a & b, a & ~b, ~a & b, ~a & ~b))
        return stats.cohen_kappa(
            both,
            only_first,
            only_second,
            neither,
            inference.confidence_level,
            independent=_independent(kinds),
        )

    try:
        whole = kappa(first, second)
    except UndefinedScoreError:
        which = "more" if first[0] else "less"
        raise UndefinedScoreError(
            f"kappa is undefined: in all pairs and paraphrases ({len(first)} of each) the {which} stereotypical "
            "sentence is preferred, so agreement cannot be told from chance"
        ) from None
    a, b = first[places], second[places]
    if (weights != weights[0]).any():
        in_order = np.lexsort((weights, a))
        a, weights, b = a[in_order], weights[in_order], np.sort(b)
        shuffled = np.random.default_rng(inference.seed).permuted(np.tile(b, (_SHUFFLES, 1)), axis=1)
        fixed = (np.full(_SHUFFLES, total) for total in (weights.sum(), weights @ a))
        kappas = score(np.stack([*fixed, shuffled @ weights, shuffled @ (weights * a)], axis=1), {})
        n_extreme = int(np.count_nonzero(kappas >= whole.kappa - stats.TIE_TOLERANCE))
        p_value, p_error = stats.sampled_p(n_extreme, _SHUFFLES)
        return replace(whole, p_value=p_value, p_error=p_error)
    return whole if len(places) == len(kinds) else replace(whole, p_value=kappa(a, b).p_value)


def _independent(kinds: NDArray[np.int64]) -> float:
    """(Σ n)² / Σ n², with n the number of pairs of each kind: independent pairs that vary as much."""
    times = np.unique(kinds, return_counts=True)[1]
    return float(times.sum() ** 2 / (times**2).sum())


def _compare(version: _Version, share: float, inference: Inference) -> dict[str, Any]:
    first, second = (values[version.different] for values in (version.first, version.scored.delta))
    kappa = outcome_or_reason(
        lambda: _kappa(*version.prefers, version.kinds, inference),
        "kappa",
        "low",
        "high",
        "p_value",
        "chance",
    )
    names = {"low": "ci_low", "high": "ci_high", "chance": "chance_agreement"}
    return {
        "kappa": {names.get(name, name): value for name, value in kappa.items()},
        **{
            kind: _agreement(list(version.agrees(kind).values()), version.kinds, share, inference)
            for kind in ("sign", "band")
        },
        "delta_ks": outcome_or_reason(lambda: dist.kolmogorov_smirnov(first, second)),
        "delta_z": outcome_or_reason(lambda: dist.mean_z_test(first - second)),
    }


def _agreement(
    agree: Sequence[bool], kinds: NDArray[np.int64], share: float, inference: Inference
) -> dict[str, Any]:
    """Return the share of pairs that agree with their paraphrase, and tests of the different pairs, each once."""
    agreement = float(np.mean(agree))
    interval = stats.wilson_of_share(agreement, _independent(kinds), inference.confidence_level)
    different = np.unique(kinds, return_index=True)[1]
    k, n = int(np.asarray(agree)[different].sum()), len(different)
    return {
        "n": len(agree),
        "agreeing": sum(agree),
        "agreement": agreement,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p_value": stats.binomial_test(k, n, share, inference.alternative).p_value,
        **z_tests(k, n, share, inference.alternative),
    }


def _scored(
    first: NDArray[np.bool_], second: NDArray[np.bool_], kinds: NDArray[np.int64], inference: Inference
) -> dict[str, Any]:
    """Kappa of pairs with interval and p-value, as fields of a row or a finding, see :func:`_kappa`."""
    kappa, n_different = _kappa(first, second, kinds, inference), len(np.unique(kinds))
    return {
        "score": kappa.kappa,
        "n": len(first),
        "n_tested": n_different if n_different < len(first) else None,
        "ci_low": kappa.low,
        "ci_high": kappa.high,
        "p_value": kappa.p_value,
        "p_error": kappa.p_error,
    }


def _smallest_p(scored: Mapping[str, Any]) -> dict[str, float]:
    """One-sided, when half of n pairs prefer the one sentence and half the other: the best that so many allow."""
    n = scored["n_tested"] or scored["n"]
    return {"smallest_p": stats.smallest_split_p(n // 2, n - n // 2, alternative="greater")}


def _estimate(agreement: Mapping[str, Any]) -> Estimate:
    return Estimate(agreement["agreement"], agreement["ci_low"], agreement["ci_high"])


def _against_unrelated(paraphrase: Mapping[int, bool], unrelated: Mapping[int, bool]) -> dict[str, Any]:
    """Does agreement with the paraphrase differ from agreement with unrelated pairs?

    The z test of the thesis takes the two agreements as independent. They are of the same pairs, so McNemar's exact
    test is reported next to it, on the pairs that have both.
    """
    (k, n), (other_k, other_n) = ((sum(agrees.values()), len(agrees)) for agrees in (paraphrase, unrelated))
    z = outcome_or_reason(lambda: stats.two_proportions_z_test(k, n, other_k, other_n), "z", "p_value")
    both = [(paraphrase[i], unrelated[i]) for i in paraphrase if i in unrelated]
    only, other = both.count((True, False)), both.count((False, True))
    p = outcome_or_reason(lambda: stats.mcnemar_test(only, other), "p_value")
    return {**z, "mcnemar": {"n": len(both), "paraphrase_only": only, "unrelated_only": other, **p}}
