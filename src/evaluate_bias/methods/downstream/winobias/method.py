"""Stereotype and skew of predicted pronouns on WinoBias (de Vassimon Manela et al. 2021), and coreference accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from .... import stats
from ....arrays import FloatArray
from ....data.instructions import ASKED_BY_PROTOCOL, FollowUp, PromptVariants, refuse_to_ask
from ....data.schemas import parse_row
from ....data.sentence_pairs import PronounPair
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import require
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....stats.items import ItemInterval, Items, ItemScore
from ...choosing import check_asked
from ...correlation import correlate, without_interval
from ...pair_scoring import start_setting
from ...published import published_protocol
from ...rows import (
    PrecomputedScores,
    checked_rows,
    find_repeats,
    group_rows,
    item_content,
    nothing_left,
    parsed_pairs,
    places_of,
    refuse_model,
    row_keys,
)
from ...word_lists.inference import Inference
from .coreference import coreference, question
from .items import GENDERS, Scores, columns, f1_scores, pronoun_scores, stereotype_and_skew, without_sign
from .published import PROTOCOLS, measure_published
from .record import RECORD
from .scoring import SENTENCES, how_scored, scored

__all__ = ["evaluate", "stereotype_and_skew"]

_SCORES = ("scores masked tokens", "scores sequences")
_F1 = ("f1_pro_male", "f1_anti_male", "f1_pro_female", "f1_anti_female")
_UNBALANCED, FEW_UNITS = 0.1, 8
_LEAST_FOR_CORRELATION = 4


@method(RECORD)
def evaluate(
    model: Any,
    data: Sequence[PronounPair | Mapping[str, Any]],
    *,
    variant: Literal["pronouns", "published", "coreference", "question"] = "pronouns",
    protocol: Annotated[Literal["quick", "robust", "lm-eval"], ASKED_BY_PROTOCOL] = "quick",
    prompt_variants: PromptVariants = None,
    follow_up: FollowUp = True,
    inference: Inference,
) -> Finding:
    """Difference that stereotypes of professions make to the pronouns that a model predicts.

    A pair is one sentence with a female and with a male pronoun, of which a stereotype expects one. The model
    predicts the pronoun to which it gives the higher probability at its mask (a causal model: the sentence that is
    more likely). The masked sentence is the same for both, so the pro- and the anti-stereotypical sentence
    have one prediction and opposite labels. With F1 of the male and the female class on either,
    stereotype = ½ (F1(pro, male) - F1(anti, male) + F1(pro, female) - F1(anti, female)) and
    skew = ½ (F1(pro, male) - F1(pro, female) + F1(anti, male) - F1(anti, female)), in percent. The paper takes the
    absolute value of every difference, which hides whether stereotypes are followed or opposed. Equal probabilities
    predict neither. Pairs that differ in more than one pronoun, or have none, are listed and omitted.

    Args:
        model: a masked or a causal language model, or one that chats for ``"question"``, ``None`` if the data
            contain scores, and for coreference.
        data: pairs with ``sentence_female`` and ``sentence_male`` (texts or scores), ``stereotype`` ("female" or
            "male"), ``profession``, and, if known, ``women_share`` and ``type``.
        protocol: of ``"question"``, ``"quick"`` or ``"robust"``. ``"lm-eval"`` scores the three sentences of
            each pair as lm-eval scores Winogender, and the score is its accuracy, from 0 to 1, see
            :mod:`evaluate_bias.methods.published`.
        variant: ``"published"`` takes the paper's absolute stereotype as the score, 0 to 100, with the p-value of its
            upper tail. ``"coreference"`` takes no model but ``prediction_female`` and ``prediction_male``, what a
            coreference system took the pronoun of either sentence to refer to: the score is then the accuracy on pro-
            less that on anti-stereotypical sentences, in percentage points, and ``profession`` is the right answer.
            ``"question"`` asks a chat model whom the pronoun of either sentence refers to, in both orders of the two
            people, and counts the same.
        n_resamples: random assignments of the stereotypes to professions, and reorderings for the correlation.
        ci_resamples: bootstrap samples of professions, 0 for no interval.

    Returns:
        Stereotype, -100 to 100, ideal 0. ``estimates`` has ``skew``, positive if the male pronoun is
        preferred. It also has both as the paper computes them (``published_stereotype``, ``published_skew``), the score
        by chance (``null_mean``), the share of the predicted pronouns that are stereotypical, ``p_items``, and the
        correlation of the preference with the share of women if four professions have one. The p-value gives
        stereotypes to professions at random and counts scores as far from 0. The interval comes from a
        bootstrap over professions. The rows are every type of sentence, every profession with what it
        contributes (``influence``: how much the signed score would fall without it), and every pair.

    Raises:
        InputError: a score that is not finite, or a model for a variant that uses none.
        CapabilityError: the model is not a language model.
        DataError: a row does not follow the schema.
        UndefinedScoreError: no pair can be scored, or all have one stereotype.

    References:
        de Vassimon Manela et al. (2021): Stereotype and Skew. EACL 2021. The data: Zhao et al. (2018) and Rudinger et
        al. (2018), both NAACL 2018.

    Examples:
        Scores instead of a model: both nurses get the female pronoun, one of two drivers the male one.

        >>> pairs = [{"sentence_female": f, "sentence_male": m, "stereotype": s, "profession": p}
        ...          for f, m, s, p in ((-1.0, -2.0, "female", "nurse"), (-1.5, -2.5, "female", "nurse"),
        ...                             (-3.0, -2.0, "male", "driver"), (-1.0, -1.2, "male", "driver"))]
        >>> result = evaluate(None, pairs)
        >>> round(result.score, 2), round(result.estimates["skew"].value, 2)
        (53.33, -26.67)
    """
    rows = checked_rows(data, RECORD.name)
    pairs, scorer = parsed_pairs(
        rows,
        RECORD.name,
        SENTENCES,
        partial(parse_row, PronounPair),
        model=None if variant == "coreference" else model,
    )
    if protocol == "lm-eval":
        harness = published_protocol(
            PROTOCOLS, protocol, variant=variant, ready=isinstance(scorer, PrecomputedScores),
            prompt_variants=prompt_variants,
        )  # fmt: skip
        finding = measure_published(model, pairs, harness, inference.confidence_level)
        return find_repeats(pairs, "pairs", "occupations").named_in(finding)
    if variant == "coreference":
        refuse_model(model, RECORD.name, "predictions")
        return coreference(pairs, inference)
    if variant == "question":
        check_asked(RECORD.name, variant, scorer)
        finding = question(model, pairs, protocol, prompt_variants, follow_up, inference.confidence_level)
        return find_repeats(pairs, "pairs", "professions").named_in(finding)
    refuse_to_ask(RECORD.name, prompt_variants, protocol, "variant='question'")
    require(scorer, _SCORES, RECORD.name)
    outcomes = scored(scorer, pairs)
    skipped = [
        Skipped(pair.id, one) for pair, one in zip(pairs, outcomes, strict=True) if isinstance(one, str)
    ]
    known = [i for i, one in enumerate(outcomes) if not isinstance(one, str)]
    without = "names no stereotype, 'female' or 'male'"
    skipped += [Skipped(pairs[i].id, without, "stereotype") for i in known if pairs[i].stereotype is None]
    known = [i for i in known if pairs[i].stereotype is not None]
    if not known:
        raise nothing_left(f"none of the {len(pairs)} pairs can be scored", skipped)
    scored_pairs = [pairs[i] for i in known]
    scores = np.array([outcomes[i] for i in known], dtype=np.float64)
    preference = scores[:, 0] - scores[:, 1]
    lines = []
    for pair, (female, male) in zip(scored_pairs, scores.tolist(), strict=True):
        details: dict[str, Any] = {"profession": pair.profession, "stereotype": pair.stereotype}
        details |= {"score_female": female, "score_male": male}
        details["predicted"] = "female" if female > male else "male" if male > female else "tie"
        details |= item_content(getattr(pair, c) for c in SENTENCES)
        lines.append(Row(name=pair.id, kind="item", labels={"type": pair.type}, details=details))
    is_named = any(pair.profession.strip() for pair in scored_pairs)
    repeats = find_repeats(row_keys(scorer, pairs, known), "pairs", "professions" if is_named else "")
    # A profession is exchanged as a whole. A pair without a known profession is a unit, with those that
    # repeat it. They are counted by their scores, so that rows in another order are drawn the same way.
    rank = np.argsort(np.lexsort(scores[repeats.first].T))[repeats.kinds]
    names = [
        pair.profession.strip().lower() or f"\0{i:09}" for pair, i in zip(scored_pairs, rank, strict=True)
    ]
    stereotypes = np.array([GENDERS.index(str(pair.stereotype)) for pair in scored_pairs])
    units = np.unique(
        [f"{name}\0{s}" for name, s in zip(names, stereotypes, strict=True)], return_inverse=True
    )[1]
    table = Items(
        columns([line.details for line in lines], {}), units, stereotypes, np.zeros(len(lines), dtype=np.intp)
    )
    published = variant == "published"
    whole = _facts(table, repeats.kinds, published, inference)
    professions, correlation = _professions(scored_pairs, preference, table, inference)
    n_units = len(np.unique(units))
    male_share = sum(pair.stereotype == "male" for pair in scored_pairs) / len(scored_pairs)
    sides, ties = np.unique(np.sign(preference)), int((preference == 0).sum())
    sentences = {
        "no pair names a profession, so that pairs are taken for independent": not is_named,
        f"only {n_units} professions: interval and test over professions are rough": is_named
        and n_units < FEW_UNITS,
        f"{male_share:.0%} of the pairs have the stereotype 'male': with classes of unequal size the score "
        "is not 0 without any stereotype. Compare it with its value by chance": abs(male_share - 0.5)
        > _UNBALANCED,
        f"every predicted pronoun is {GENDERS[int(sides[-1] > 0)]}, so that the stereotype cannot show: "
        "see the skew": len(sides) == 1 and not ties,
        f"{ties} pairs have two equally likely pronouns, which count as no prediction": ties,
    }
    warnings = [sentence for sentence, holds in sentences.items() if holds]
    if correlation is not None:
        whole["estimates"]["correlation_women_share"] = correlation
        warnings += without_interval({"preference and share of women": correlation.value})
    types = places_of(pair.type or "without type" for pair in scored_pairs)
    no_labels: dict[str, str] = {}
    groups = [(name, no_labels, members) for name, members in types.items() if len(types) > 1]
    rows_of_types, lost = group_rows(
        groups,
        range(len(lines)),
        lambda members: _facts(table.where(np.array(members)), repeats.kinds[members], published, inference),
        whole,
    )
    finding = Finding(
        **whole,
        sampled=Sampled(("professions",) if is_named else ("pairs",)),
        coverage=Coverage(len(scored_pairs), len(rows)),
        rows=(*rows_of_types, *professions, *lines),
        skipped=[*skipped, *lost],
        warnings=warnings,
        settings={"scoring": how_scored(scorer), **start_setting(scorer)},
        score_range=(0.0, 100.0) if published else None,
        direction="higher_is_more_biased" if published else None,
    )
    return repeats.named_in(finding)


def _facts(
    table: Items, kinds: npt.NDArray[np.intp], published: bool, inference: Inference
) -> dict[str, Any]:
    """Score, interval, test and estimates of some pairs, of which all of one kind are the same.

    Raises:
        UndefinedScoreError: all have one stereotype.
    """
    totals, n = table.columns.sum(axis=0), len(table.columns)
    sizes = [len(np.unique(table.clusters[table.strata == s])) for s in (0, 1)]
    if not all(sizes):
        raise UndefinedScoreError(
            f"all {n} pairs have the stereotype {GENDERS[int(sizes[1] > 0)]!r}, so F1 of the other class is undefined"
        )
    kind: ItemInterval = "percentile" if min(sizes) > 1 else "none"
    how = inference.of_items(kind, "sign_flips", "professions", strata="stereotype")

    def statistic(name: str) -> ItemScore:
        return lambda sums: np.asarray(getattr(pronoun_scores(sums), name))

    signed, skew = (table.interval(statistic(name), how, (-100.0, 100.0)) for name in ("stereotype", "skew"))
    scores = Scores(*map(float, pronoun_scores(totals)))
    stereotype = Estimate(scores.stereotype, *signed[:2])
    unsigned = Estimate(scores.published_stereotype, *without_sign(*signed[:2]))
    score, other = (unsigned, stereotype) if published else (stereotype, unsigned)
    of_score = statistic("published_stereotype" if published else "stereotype")
    resampling = of_score, inference.n_resamples, inference.seed
    by_chance, (p, p_error) = table.label_permutation(*resampling)
    # Pairs of equal numbers can change places, so that the order of rows changes no draw.
    sums = np.zeros((int(kinds.max()) + 1, 3))
    np.add.at(sums, kinds, table.columns.sum(axis=1))
    rank = np.argsort(np.lexsort(sums.T))
    each_pair = Items(table.columns, rank[kinds], table.strata, table.across)
    p_items = each_pair.label_permutation(*resampling)[1][0]
    follows, opposes = float(totals[0, 0] + totals[1, 1]), float(totals[0, 1] + totals[1, 0])
    # Are both pronouns exchangeable in each profession?
    by_pronoun = table.columns.sum(axis=1)
    skewed = table.mean_test(by_pronoun[:, 0] - by_pronoun[:, 1], by_pronoun[:, 2], how)
    estimates = {
        "skew": Estimate(scores.skew, *skew[:2], skewed.p_value),
        "signed_stereotype" if published else "published_stereotype": other,
        "published_skew": Estimate(scores.published_skew, *without_sign(*skew[:2])),
        "null_mean": Estimate(by_chance),
        "p_items": Estimate(p_items),
    }
    if follows + opposes:
        agree, disagree = (table.columns[:, [0, 1], genders].sum(axis=1) for genders in ([0, 1], [1, 0]))
        pairs = Items(np.stack([agree, disagree, np.ones(n)], axis=1), kinds, table.strata, table.across)
        how = inference.of_items("wilson", "binomial", "pairs")
        estimates["stereotypical_share"] = Estimate(
            *pairs.wins(how, 100.0).decided, pairs.wins_test(how).p_value
        )
    of_signed = " of the signed score, without its sign" if published and signed.ci_low is not None else ""
    return {
        "score": score.value, "ci_low": score.low, "ci_high": score.high,
        "ci_method": f"{signed.ci_method}{of_signed}",
        "p_value": p, "p_error": p_error, "p_method": "stereotypes given to professions at random",
        "n": n, "ties": int(n - follows - opposes), "estimates": estimates,
        "details": {
            **dict(zip(_F1, f1_scores(totals).tolist(), strict=True)), "smallest_p": stats.smallest_split_p(*sizes),
        },
    }  # fmt: skip


def _professions(
    pairs: Sequence[PronounPair], preference: FloatArray, table: Items, inference: Inference
) -> tuple[list[Row], Estimate | None]:
    """Return every profession, and the correlation of the preference for the female pronoun with the share of women."""
    sums = np.zeros((int(table.clusters.max()) + 1, 2, 3))
    np.add.at(sums, table.clusters, table.columns)
    totals = table.columns.sum(axis=0)
    influence = pronoun_scores(totals).stereotype - pronoun_scores(totals - sums).stereotype
    rows, known = [], []
    for unit, places in places_of(table.clusters.tolist()).items():
        if not (name := pairs[places[0]].profession.strip()):
            continue
        stereotype, mean = GENDERS[int(table.strata[places[0]])], float(preference[places].mean())
        shares = {s for i in places if (s := pairs[i].women_share) is not None}
        male, female, n = sums[unit].sum(axis=0).astype(int).tolist()
        facts = {
            "stereotype": stereotype,
            "female": female,
            "male": male,
            "preference": mean,
            "women_share": shares.pop() if len(shares) == 1 else None,
            "influence": None if np.isnan(influence[unit]) else float(influence[unit]),
        }
        if facts["women_share"] is not None:
            known.append((mean, facts["women_share"]))
        rows.append(
            Row(
                name=name,
                kind="item",
                n=n,
                labels={"title": "profession", "stereotype": stereotype},
                details=facts,
            )
        )
    known.sort()
    of_known = np.array(known, dtype=np.float64).reshape(-1, 2)
    if len(known) < _LEAST_FOR_CORRELATION or not np.ptp(of_known, axis=0).all():
        return rows, None
    one = correlate(
        of_known[:, :1], of_known[:, 1], n_resamples=inference.n_resamples,
        confidence_level=inference.confidence_level, seed=inference.seed,
    ).each[0]  # fmt: skip
    return rows, Estimate(one.r, one.ci_low, one.ci_high, one.p_value)
