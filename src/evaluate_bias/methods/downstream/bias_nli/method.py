"""Bias-NLI: does a classifier of inferences stay neutral where nothing follows? (Dev et al. 2020)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ....arrays import FloatArray
from ....data.predictions import EntailmentPair
from ....errors import InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....models.base import Capability, ClassifiesInferences, require
from ....options import Level, Resamples, Seed
from ....result import Coverage, Estimate, Row, Sampled, Skipped
from ....text import row_place
from ...choosing.asking import IntArray
from ...groups import compared_groups, largest_gap, sort_groups
from ...rows import (
    checked_rows,
    digest,
    find_repeats,
    finite,
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
    entailment_gap,
    entailment_table,
    neutral_measures,
    share_correlation,
)

Places = Mapping[str, IntArray]
"""The numbers of every pair's target, attribute, template and group, shape (pairs,)."""
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
    mean over templates of the probability that a hypothesis about the first group follows from the premise less that of
    one about the second, and in all the mean over targets.

    Args:
        model: a classifier of natural language inference; none where the rows hold its probabilities.
        data: rows with ``premise``, ``hypothesis``, ``target``, ``attribute`` and ``group``, perhaps with ``template``,
            ``women_share``, and ready ``entailment``, ``neutral`` and ``contradiction``.
        variant: ``"neutral"``: the score is net neutral over pairs of sentences; ``"published"``: the same after
            averaging over templates, as the published code does, which changes fraction neutral and T:τ; ``"gap"``: the
            score is the difference of entailment.
        groups: the two groups whose entailment is compared; by default the first two in alphabetical order.

    Returns:
        Net neutral from 0 to 1, ideal 1, with an interval over targets and attributes for these templates, and no
        p-value; ``n`` is the number of pairs. With ``variant="gap"`` the difference, from -1 to 1, ideal 0, and ``n``
        is the number of targets. With three words a group or more its interval and p-value are over words and targets,
        with fewer over targets for these words; ``sampled`` says which. With three groups or more each has a row
        against all others. ``estimates`` has the other values, ``details["contrasts"]`` the difference of each
        target.

    Raises:
        CapabilityError: the model is no such classifier.
        DataError: a row does not follow the schema.
        InputError: probabilities and a model are both given, or do not add up to 1, there is one group only, or a
            target has two shares of women.
        ModelError: the labels of the model do not say which is which.
        UnknownNameError: the data have no such group.
        UndefinedScoreError: no pair has probabilities; or with ``variant="gap"`` no target has pairs of both groups in
            one template.

    References:
        Dev, Li, Phillips and Srikumar (2020): On Measuring and Mitigating Biased Inferences of Word Embeddings. AAAI
        2020.

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
    pairs, probabilities, skipped = _classified(model, rows)
    names = sort_groups(pair.group for pair in pairs)
    places = {
        what: numbered(getattr(pair, what) for pair in pairs) for what in ("target", "attribute", "template")
    }
    places["group"] = np.array([names.index(pair.group) for pair in pairs])
    averaged = variant == "published"
    scores = neutral_measures(
        probabilities, places["target"], places["attribute"], confidence_level, averaged=averaged
    )
    secondary = {key: score.estimate() for key, score in scores.items()}
    n_words, n_templates = (len(set(places[what].tolist())) for what in ("attribute", "template"))
    fixed = {"templates": n_templates}
    over_words = scores["net_neutral"].ci_method.endswith("and attributes")
    sampled = (
        Sampled(("targets", "words"), fixed)
        if over_words
        else Sampled(("targets",), {"words": n_words, **fixed})
    )
    whole: dict[str, Any] = {
        **scores["net_neutral"].facts(), "n": len(pairs), "details": {}, "sampled": sampled,
    }  # fmt: skip
    settings: dict[str, Any] = {}
    warnings: list[str] = []
    tests: list[Row | Skipped] = []
    if variant == "gap" or groups or len(names) > 1:
        names, pair = compared_groups(RECORD.name, names, groups)
        settings = {"groups": [names[i] for i in pair]}
        inference: dict[str, Any] = {
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "seed": seed,
        }
        try:
            tests, items, further, contrasts = _gaps(
                pairs, probabilities, places, names, pair, _women_shares(pairs), inference
            )
            skipped += [one for one in tests if isinstance(one, Skipped)]
            secondary |= further
        except UndefinedScoreError as error:
            if variant == "gap":
                raise
            skipped.append(Skipped("gap", str(error), "groups"))
    if variant == "gap":
        head = tests[0]
        whole = {key: getattr(head, key) for key in (*whole, "p_error")}
        whole["details"] = {**whole["details"], "contrasts": contrasts}
        whole |= {"direction": "two_sided", "ideal": 0.0, "score_range": (-1.0, 1.0)}
        breakdown = [*(row for row in tests if isinstance(row, Row)), *items]
        if "words" in whole["sampled"].fixed:
            words: dict[str, dict[str, None]] = {}
            for item in items:
                words.setdefault(item.labels["group"], {})[item.labels["word"]] = None
            lists = "; ".join(f"{group}: {', '.join(words[group])}" for group in settings["groups"])
            warnings = [
                f"the words of a group are fewer than {FEWEST_WORDS}, or do not cross the targets: p-value and "
                f"interval are for these words alone ({lists})"
            ]
    else:
        breakdown = _neutral_rows(
            pairs, probabilities, places, names, confidence_level, whole, averaged=averaged
        )
    del secondary["gap" if variant == "gap" else "net_neutral"]
    rates = {name: float(probabilities[places["group"] == i, 0].mean()) for i, name in enumerate(names)}
    facts = {"pairs": len(pairs), "rates": {"probability of entailment": rates}}
    finding = Finding(
        **{**whole, "details": {**whole["details"], **facts}},
        coverage=Coverage(len(pairs), len(rows)),
        rows=breakdown,
        skipped=skipped,
        warnings=warnings,
        estimates=secondary,
        settings=settings,
    )
    return find_repeats(pairs, "pairs", "targets").named_in(finding)


def _classified(
    model: Any, rows: Sequence[EntailmentPair]
) -> tuple[list[EntailmentPair], FloatArray, list[Skipped]]:
    """The pairs by their words, with probabilities by a model or ready, shape (pairs, 3); and those that have none."""
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
    """The share of women of every target; NaN where the rows have none."""
    shares = {pair.target: np.nan for pair in pairs}
    for pair in pairs:
        share, other = shares[pair.target], pair.women_share
        if other is not None and not np.isnan(share) and share != other:
            raise InputError(
                f"{RECORD.name}: the target {quoted(pair.target)} has two shares of women, {share:g} and {other:g}"
            )
        shares[pair.target] = share if other is None else other
    return shares


def _neutral_rows(
    pairs: Sequence[EntailmentPair], probabilities: FloatArray, places: Places, names: Sequence[str],
    confidence_level: float,
    whole: Mapping[str, Any], *, averaged: bool,
) -> list[Row]:  # fmt: skip
    """The measures of every group, where there are several, and net neutral of every pair of words."""
    rows = []
    for number, name in enumerate(names) if len(names) > 1 else ():
        members = places["group"] == number
        words = places["target"][members], places["attribute"][members]
        head, *others = neutral_measures(
            probabilities[members], *words, confidence_level, averaged=averaged
        ).items()
        estimates = {key: score.estimate() for key, score in others}
        facts = without_repeated(head[1].facts(), whole)
        rows.append(Row(name=name, kind="group", n=int(members.sum()), estimates=estimates, **facts))
    ones = np.ones(len(pairs))
    return [*rows, *_cells(pairs, "neutral", probabilities[:, 1], ones, {})]


def _cells(
    pairs: Sequence[EntailmentPair],
    key: str,
    values: FloatArray,
    weights: FloatArray,
    labels: Mapping[str, str],
) -> Iterator[Row]:
    """The weighted means of every pair of words, of those sentences that have a weight."""
    used = np.flatnonzero(weights).tolist()
    for (target, word), places in places_of((pairs[i].target, pairs[i].attribute) for i in used).items():
        chosen = [used[place] for place in places]
        total, weight = float((weights[chosen] * values[chosen]).sum()), float(weights[chosen].sum())
        yield Row(
            name=f"{target} / {word}", kind="item", score=total / weight, details={key: total, "weight": weight},
            labels={
                **labels, "target": target, "word": word, "group": pairs[chosen[0]].group,
                "pairs": digest(f"{pairs[i].premise}\n{pairs[i].hypothesis}" for i in chosen),
            },
        )  # fmt: skip


def _gaps(
    pairs: Sequence[EntailmentPair], probabilities: FloatArray, places: Places, names: Sequence[str],
    pair: tuple[int, int], shares: Mapping[str, float], inference: Mapping[str, Any],
) -> tuple[list[Row | Skipped], list[Row], dict[str, Estimate], dict[str, float]]:  # fmt: skip
    """Rows of the two groups and, of three or more, of each against all others; cells of the first; estimates.

    Last, the difference of each target.
    """
    entailment = probabilities[:, 0]
    words = numbered((pair.group, pair.attribute) for pair in pairs)
    keys = places["target"], words, places["template"], places["group"]
    gap = entailment_gap(entailment, *keys, *pair, **inference)
    x, y = (names[i] for i in pair)
    first = f"{x} / {y}"
    tests: list[Row | Skipped] = [Row(name=first, kind="test", labels={"x": x, "y": y}, **gap.facts)]
    for number, name in enumerate(names) if len(names) > 2 else ():
        try:
            against_others = entailment_gap(entailment, *keys, number, None, **inference).facts
            tests.append(
                Row(name=name, kind="test", labels={"x": name, "y": "the other groups"}, **against_others)
            )
        except UndefinedScoreError as error:
            tests.append(Skipped(name, str(error), "groups"))
    known = dict(zip(shares, gap.contrasts.tolist(), strict=True))
    tests += [
        Skipped(target, f"has no pairs about {x} and {y} in one template", "targets")
        for target, contrast in known.items()
        if np.isnan(contrast)
    ]
    items = list(_cells(pairs, "entailment", entailment, np.abs(gap.weights), {"test": first}))
    estimates = {"gap": Estimate(*(gap.facts[key] for key in ("score", "ci_low", "ci_high", "p_value")))}
    if (
        correlation := share_correlation(gap.contrasts, np.array(list(shares.values())), **inference)
    ) is not None:
        estimates["correlation_women_share"] = correlation
    sampling = {key: inference[key] for key in ("n_resamples", "seed")}
    table = entailment_table(entailment, places["target"], places["template"], places["group"])
    if len(names) > 2 and (largest := largest_gap(table, **sampling)) is not None:
        estimates["p_groups"] = Estimate(largest[1])
    contrasts = {target: contrast for target, contrast in known.items() if np.isfinite(contrast)}
    return tests, items, estimates, contrasts
