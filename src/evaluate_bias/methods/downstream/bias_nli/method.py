"""Bias-NLI: does a classifier of inferences stay neutral if nothing follows? (Dev et al. 2020)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ....arrays import FloatArray
from ....data.predictions import EntailmentPair
from ....errors import InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....models.base import Capability, ClassifiesInferences, require
from ....options import Level, Resamples, Seed
from ....result import NOTHING_TO_TEST, Coverage, Estimate, Row, Sampled, Skipped
from ....text import row_place
from ...groups import compared_groups, largest_gap, sort_groups
from ...rows import (
    checked_rows,
    digest,
    find_repeats,
    finite,
    none_of,
    nothing_left,
    numbered,
    parsed_row,
    places_of,
    refuse_model,
    without_repeated,
)
from .record import RECORD
from .statistics import (
    FEWEST_WORDS,
    Gap,
    entailment_gap,
    entailment_table,
    neutral_measures,
    share_correlation,
)

_SUM_TOLERANCE = 0.01


@method(RECORD)
def evaluate(
    model: ClassifiesInferences | None,
    data: Sequence[EntailmentPair | Mapping[str, Any]],
    *,
    variant: Literal["neutral", "published", "gap"] = "neutral",
    groups: tuple[str, str] | None = None,
    n_resamples: Resamples = 9_999,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Measure how far a classifier stays neutral on pairs of sentences of which neither follows from the other.

    Net neutral is the mean probability of neutral over pairs, fraction neutral the share of pairs that are labelled
    neutral, T:τ the share whose probability of neutral is above τ. The difference of entailment is, for a target, the
    mean over templates of the probability that a hypothesis about the first group follows from the premise less the
    same probability for the second, and in all the mean over targets.

    Args:
        model: a classifier of natural language inference, none if the rows contain its probabilities.
        data: rows with ``premise``, ``hypothesis``, ``target``, ``attribute`` and ``group``, perhaps with
            ``template``, ``women_share``, and ready ``entailment``, ``neutral`` and ``contradiction``.
        variant: ``"neutral"``: the score is net neutral over pairs of sentences. ``"published"``: the same
            after averaging over templates, as the published code does, which changes fraction neutral and
            T:τ. ``"gap"``: the score is the difference of entailment.
        groups: the two groups whose entailment is compared, by default the first two in alphabetical order.

    Returns:
        Net neutral from 0 to 1, ideal 1, with an interval over targets and attributes for these templates, and no
        p-value. ``n`` is the number of pairs. With ``variant="gap"`` the difference, from -1 to 1, ideal 0,
        and ``n`` is the number of targets. With three words a group or more its interval and p-value are over
        words and targets, with fewer over targets for these words. ``sampled`` says which. With three groups
        or more each has a row against all others. ``estimates`` has the other values,
        ``details["contrasts"]`` the difference of each target.

    Raises:
        CapabilityError: the model is not such a classifier.
        DataError: a row does not follow the schema.
        InputError: probabilities and a model are both given, or do not add up to 1, there is one group only, or a
            target has two shares of women.
        ModelError: the labels of the model do not say which is which.
        UnknownNameError: the data have no such group.
        UndefinedScoreError: no pair has probabilities, or with ``variant="gap"`` no target has pairs of both
            groups in one template.

    References:
        Dev, Li, Phillips and Srikumar (2020): On Measuring and Mitigating Biased Inferences of Word Embeddings.
        AAAI 2020.

    Examples:
        >>> row = {"premise": "A nurse ate.", "target": "nurse", "contradiction": 0.1}
        >>> rows = [{**row, "hypothesis": "A woman ate.", "attribute": "woman", "group": "women",
        ...          "entailment": 0.4, "neutral": 0.5},
        ...         {**row, "hypothesis": "A man ate.", "attribute": "man", "group": "men",
        ...          "entailment": 0.2, "neutral": 0.7}]
        >>> result = evaluate(None, rows)
        >>> round(result.score, 6), round(result.estimates["gap"].value, 6), result.estimates["above_50"].value
        (0.6, -0.2, 0.5)
    """
    data_rows = checked_rows(data, RECORD.name)
    n = len(data_rows)
    rows = [parsed_row(EntailmentPair, row, i, row_place(i, n)) for i, row in enumerate(data_rows)]
    pairs, probabilities, skipped = _classify_pairs(model, rows)
    entailment = probabilities[:, 0]
    names = sort_groups(pair.group for pair in pairs)
    target, attribute, template = (
        numbered(getattr(pair, what) for pair in pairs) for what in ("target", "attribute", "template")
    )
    group = np.array([names.index(pair.group) for pair in pairs])
    averaged = variant == "published"
    scores = neutral_measures(probabilities, target, attribute, confidence_level, averaged=averaged)
    estimates = {key: score.estimate() for key, score in scores.items()}
    gap: Gap | None = None
    settings: dict[str, Any] = {}
    warnings: list[str] = []
    inference: dict[str, Any] = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    if variant == "gap" or groups or len(names) > 1:
        names, both = compared_groups(RECORD.name, names, groups)
        x, y = (names[i] for i in both)
        settings = {"groups": [x, y]}
        shares = _women_shares(pairs)
        keys = target, numbered((pair.group, pair.attribute) for pair in pairs), template, group
        try:
            gap = entailment_gap(entailment, *keys, *both, **inference)
        except UndefinedScoreError as error:
            if variant == "gap":
                raise
            skipped.append(Skipped("gap", str(error), "groups"))
    contrasts: dict[str, float] = {}
    if gap is not None:
        estimates["gap"] = Estimate(*(gap.facts[key] for key in ("score", "ci_low", "ci_high", "p_value")))
        correlation = share_correlation(gap.contrasts, np.array(list(shares.values())), **inference)
        if correlation is not None:
            estimates["correlation_women_share"] = correlation
        table = entailment_table(entailment, target, template, group)
        if len(names) > 2 and (largest := largest_gap(table, n_resamples=n_resamples, seed=seed)) is not None:
            estimates["p_groups"] = Estimate(largest[1])
        contrasts = dict(zip(shares, gap.contrasts.tolist(), strict=True))
        without = f"has no pairs about {x} and {y} in one template"
        skipped += [
            Skipped(name, without, "targets") for name, contrast in contrasts.items() if np.isnan(contrast)
        ]
    rows_of_groups: list[Row] = []
    if variant == "gap" and gap is not None:
        known = {name: contrast for name, contrast in contrasts.items() if np.isfinite(contrast)}
        whole: dict[str, Any] = {
            **gap.facts, "details": {**gap.facts["details"], "contrasts": known},
            "direction": "two_sided", "ideal": 0.0, "score_range": (-1.0, 1.0),
        }  # fmt: skip
        rows_of_groups = [Row(name=f"{x} / {y}", kind="test", labels={"x": x, "y": y}, **gap.facts)]
        for number, name in enumerate(names) if len(names) > 2 else ():
            labels = {"x": name, "y": "the other groups"}
            try:
                facts = entailment_gap(entailment, *keys, number, None, **inference).facts
            except UndefinedScoreError as error:
                skipped.append(Skipped(name, str(error), "groups"))
            else:
                rows_of_groups.append(Row(name=name, kind="test", labels=labels, **facts))
        items = _cells(pairs, "entailment", entailment, np.abs(gap.weights), {"test": f"{x} / {y}"})
        if "words" in whole["sampled"].fixed:
            words = places_of((item.labels["group"], item.labels["word"]) for item in items)
            lists = "; ".join(f"{name}: {', '.join(w for g, w in words if g == name)}" for name in (x, y))
            warnings = [
                f"the words of a group are fewer than {FEWEST_WORDS}, or do not cross the targets: p-value and "
                f"interval are for these words alone ({lists})"
            ]
        del estimates["gap"]
    else:
        n_words, n_templates = (len(set(numbers.tolist())) for numbers in (attribute, template))
        over_words = scores["net_neutral"].ci_method.endswith("and attributes")
        clusters, fixed = (("targets", "words"), {}) if over_words else (("targets",), {"words": n_words})
        whole = {
            **scores["net_neutral"].facts(), "n": len(pairs),
            "details": _all_neutral(probabilities[:, 1], len(set(target.tolist()))),
            "sampled": Sampled(clusters, {**fixed, "templates": n_templates}),
        }  # fmt: skip
        for number, name in enumerate(names) if len(names) > 1 else ():
            members = group == number
            head, *others = neutral_measures(
                probabilities[members],
                target[members],
                attribute[members],
                confidence_level,
                averaged=averaged,
            ).items()
            rows_of_groups.append(
                Row(
                    name=name, kind="group", n=int(members.sum()),
                    estimates={key: score.estimate() for key, score in others},
                    **without_repeated(head[1].facts(), whole),
                )
            )  # fmt: skip
        items = _cells(pairs, "neutral", probabilities[:, 1], np.ones(len(pairs)), {})
        del estimates["net_neutral"]
    rates = {name: float(entailment[group == i].mean()) for i, name in enumerate(names)}
    details = {"pairs": len(pairs), "rates": {"probability of entailment": rates}}
    finding = Finding(
        **{**whole, "details": {**whole["details"], **details}},
        coverage=Coverage(len(pairs), len(rows)),
        rows=[*rows_of_groups, *items],
        skipped=skipped,
        warnings=warnings,
        estimates=estimates,
        settings=settings,
    )
    return find_repeats(pairs, "pairs", "targets").named_in(finding)


def _all_neutral(neutral: FloatArray, n_targets: int) -> dict[str, str]:
    """Return what a report says in place of an interval if no pair is anything but neutral."""
    clause = none_of(len(neutral), n_targets, "pairs are not neutral")
    return {NOTHING_TO_TEST: clause} if (neutral == 1).all() else {}


def _classify_pairs(
    model: Any, rows: Sequence[EntailmentPair]
) -> tuple[list[EntailmentPair], FloatArray, list[Skipped]]:
    """The pairs by their words, with probabilities by a model or ready, shape (pairs, 3), and those that have none."""
    if any(p is not None for row in rows for p in row.probabilities):
        refuse_model(model, RECORD.name, "probabilities")
        answers: Sequence[Any] = [_ready(row) for row in rows]
    else:
        require(model, (Capability.CLASSIFIES_INFERENCES,), RECORD.name)
        answers = model.inference_probabilities([(row.premise, row.hypothesis) for row in rows])
    both = list(zip(rows, answers, strict=True))
    skipped = [Skipped(row.id, answer.reason) for row, answer in both if isinstance(answer, Skipped)]
    # In one order, so that the order of rows changes no digit.
    used = sorted(
        (pair for pair in both if not isinstance(pair[1], Skipped)),
        key=lambda pair: (pair[0].target, pair[0].attribute, pair[0].template, pair[0].premise, pair[0].id),
    )
    if not used:
        raise nothing_left("no pair has probabilities", skipped)
    probabilities = finite(model, np.stack([np.asarray(answer, np.float64) for _, answer in used]))
    return [row for row, _ in used], probabilities, skipped


def _ready(row: EntailmentPair) -> FloatArray | Skipped:
    if None in row.probabilities:
        return Skipped(row.id, "lacks a probability of entailment, neutral or contradiction")
    values = np.array(row.probabilities, dtype=np.float64)
    if abs(values.sum() - 1) > _SUM_TOLERANCE:
        raise InputError(
            f"{RECORD.name}: the probabilities of entailment, neutral and contradiction of {row.id} add up to "
            f"{values.sum():.4g} and not to 1"
        )
    return values


def _women_shares(pairs: Sequence[EntailmentPair]) -> dict[str, float]:
    """Return the share of women of every target, NaN if the rows have none."""
    shares = {pair.target: np.nan for pair in pairs}
    for pair in pairs:
        share, other = shares[pair.target], pair.women_share
        if other is not None and not np.isnan(share) and share != other:
            raise InputError(
                f"{RECORD.name}: the target {quoted(pair.target)} has two shares of women, {share:g} and {other:g}"
            )
        shares[pair.target] = share if other is None else other
    return shares


def _cells(
    pairs: Sequence[EntailmentPair],
    key: str,
    values: FloatArray,
    weights: FloatArray,
    labels: Mapping[str, str],
) -> list[Row]:
    """Return the weighted means of every pair of words, of those sentences that have a weight."""
    used, rows = np.flatnonzero(weights).tolist(), []
    for (target, word), places in places_of((pairs[i].target, pairs[i].attribute) for i in used).items():
        chosen = [used[place] for place in places]
        total, weight = float((weights[chosen] * values[chosen]).sum()), float(weights[chosen].sum())
        rows.append(Row(
            name=f"{target} / {word}", kind="item", score=total / weight, details={key: total, "weight": weight},
            labels={
                **labels, "target": target, "word": word, "group": pairs[chosen[0]].group,
                "pairs": digest({f"{pairs[i].premise}\n{pairs[i].hypothesis}" for i in chosen}),
            },
        ))  # fmt: skip
    return rows
