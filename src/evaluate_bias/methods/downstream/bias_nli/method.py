"""Bias-NLI: does a classifier of inferences stay neutral where nothing follows? (Dev et al. 2020)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ....arrays import FloatArray
from ....data.entailment_pairs import EntailmentPair
from ....data.schemas import parse_row
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import ClassifiesInferences, require
from ....result import Coverage, Estimate, Row, Skipped
from ....stats import FEWEST_COLUMNS
from ...choosing.asking import IntArray
from ...groups import compared_groups, largest_gap
from ...rows import (
    as_fields,
    checked_rows,
    digest,
    finite,
    nothing_left,
    places_of,
    refuse_model,
    with_text_id,
    without_repeated,
)
from .record import RECORD
from .statistics import (
    contrast_cells,
    entailment_gap,
    entailment_table,
    mean_over_pairs,
    neutral_measures,
    share_correlation,
)

Variant = Literal["neutral", "published", "gap"]
_SUM_TOLERANCE = 0.01


@method(RECORD)
def evaluate(
    model: ClassifiesInferences | None,
    data: Sequence[EntailmentPair | Mapping[str, Any]],
    *,
    variant: Variant = "neutral",
    groups: tuple[str, str] | None = None,
    n_resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
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
        groups: the two groups whose entailment is compared; by default the first two of the data.

    Returns:
        Net neutral from 0 to 1, ideal 1, with an interval over targets and attributes for these templates, and no
        p-value; ``n`` is the number of pairs. With ``variant="gap"`` the difference, from -1 to 1, ideal 0; its
        interval is over targets and templates, its p-value flips the signs of targets, ``n`` is their number, and with
        three groups or more each has a row against all others. ``estimates`` has the other values.

    Raises:
        CapabilityError: the model is no such classifier.
        DataError: a row does not follow the schema.
        InputError: probabilities and a model are both given, or do not add up to 1, or there is one group only.
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
        (0.6, 0.2, 0.5)
    """
    rows = [_parsed(row, f"row {i}", str(i)) for i, row in enumerate(checked_rows(data, RECORD.name))]
    pairs, skipped = _classified(model, rows)
    inference: dict[str, Any] = {"level": level, "n_resamples": n_resamples, "seed": seed}
    gaps = None
    if variant == "gap" or groups or pairs.n_groups > 1:
        try:
            gaps = _Gaps.of(pairs, groups, inference)
        except UndefinedScoreError as error:
            if variant == "gap":
                raise
            skipped.append(Skipped("gap", str(error), "groups"))
    measures = _measures(pairs, level, averaged=variant == "published")
    secondary = {key: score.estimate() for key, score in measures.items()}
    whole: dict[str, Any]
    if variant == "gap":
        assert gaps is not None
        whole = {**gaps.tests[0], "direction": "two_sided", "ideal": 0.0, "score_range": (-1.0, 1.0)}
        broken_down = gaps.rows(pairs)
    else:
        whole = measures["net_neutral"].facts() | {"n": pairs.n, "details": {}}
        broken_down = _neutral_rows(pairs, level, whole, averaged=variant == "published")
        if gaps is not None:
            one = gaps.tests[0]
            secondary["gap"] = Estimate(one["score"], one["ci_low"], one["ci_high"], one["p_value"])
        del secondary["net_neutral"]
    numbers = {"pairs": pairs.n, **{what: len(names) for what, names in pairs.names.items()}}
    return Finding(
        **whole | {"details": {**whole["details"], **numbers, "rates": pairs.rates()}},
        coverage=Coverage(pairs.n, len(rows)),
        rows=broken_down,
        skipped=[*skipped, *(gaps.skipped if gaps is not None else ())],
        estimates={**secondary, **(gaps.further(pairs) if gaps is not None else {})},
        settings={"groups": [pairs.names["groups"][i] for i in gaps.pair]} if gaps is not None else {},
    )


def _parsed(row: Any, where: str, name: str) -> EntailmentPair:
    fields = {k: v for k, v in with_text_id(as_fields(row, where), where).items() if v is not None}
    pair = parse_row(EntailmentPair, fields, where)
    return pair if pair.id else pair.model_copy(update={"id": name})


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs that have probabilities, each with the numbers of its target, attribute, template and group.

    Attributes:
        rows: the pairs.
        probabilities: shape (pairs, 3).
        names: of all targets, attributes and templates, sorted, and of all groups, in their order.
        places: numbers by the same keys, shape (pairs,).
    """

    rows: Sequence[EntailmentPair]
    probabilities: FloatArray
    names: Mapping[str, Sequence[str]]
    places: Mapping[str, IntArray]

    @classmethod
    def of(cls, rows: Sequence[EntailmentPair], probabilities: FloatArray) -> _Pairs:
        values = {
            "targets": [row.target for row in rows],
            "attributes": [row.attribute for row in rows],
            "templates": [row.template for row in rows],
            "groups": [row.group for row in rows],
        }
        names = {what: sorted(set(own)) for what, own in values.items()} | {
            "groups": list(dict.fromkeys(values["groups"]))
        }
        number = {what: {name: i for i, name in enumerate(own)} for what, own in names.items()}
        places = {what: np.array([number[what][v] for v in own]) for what, own in values.items()}
        return cls(rows, probabilities, names, places)

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def n_groups(self) -> int:
        return len(self.names["groups"])

    def of_group(self, number: int) -> _Pairs:
        """The pairs of one group."""
        chosen = np.flatnonzero(self.places["groups"] == number).tolist()
        places = {what: own[chosen] for what, own in self.places.items()}
        return _Pairs([self.rows[i] for i in chosen], self.probabilities[chosen], self.names, places)

    def table(self) -> FloatArray:
        """Mean entailment, shape (targets, templates, groups)."""
        places = self.places
        return entailment_table(
            self.probabilities[:, 0], places["targets"], places["templates"], places["groups"]
        )

    def rates(self) -> dict[str, dict[str, float]]:
        """Mean probability of entailment of every group."""
        groups = ((name, self.of_group(i)) for i, name in enumerate(self.names["groups"]))
        return {
            "probability of entailment": {name: float(g.probabilities[:, 0].mean()) for name, g in groups}
        }

    def by_words(self) -> dict[tuple[str, str], list[int]]:
        """The places of every pair of a target and an attribute."""
        found = places_of((row.target, row.attribute) for row in self.rows)
        return {words: found[words] for words in sorted(found)}

    def shares(self) -> FloatArray:
        """Share of women of every target; NaN where it is not known."""
        known = {row.target: row.women_share for row in self.rows if row.women_share is not None}
        return np.array([known.get(name, np.nan) for name in self.names["targets"]], dtype=np.float64)


def _classified(model: Any, rows: Sequence[EntailmentPair]) -> tuple[_Pairs, list[Skipped]]:
    """The pairs with their probabilities, by a model or ready, and those that have none."""
    if any(p is not None for row in rows for p in row.probabilities):
        refuse_model(model, RECORD.name, "probabilities")
        found: Sequence[Any] = [_ready(row) for row in rows]
    else:
        require(model, ClassifiesInferences, RECORD.name)
        found = model.inference_probabilities([(row.premise, row.hypothesis) for row in rows])
    skipped = [
        Skipped(row.id, one.reason) for row, one in zip(rows, found, strict=True) if isinstance(one, Skipped)
    ]
    used = [i for i, one in enumerate(found) if not isinstance(one, Skipped)]
    if not used:
        raise nothing_left("no pair has probabilities", skipped)
    probabilities = finite(model, np.stack([np.asarray(found[i], np.float64) for i in used]))
    return _Pairs.of([rows[i] for i in used], probabilities), skipped


def _ready(row: EntailmentPair) -> FloatArray | Skipped:
    values = row.probabilities
    if None in values:
        return Skipped(row.id, "lacks a probability of entailment, neutral or contradiction")
    found = np.array(values, dtype=np.float64)
    if abs(found.sum() - 1) > _SUM_TOLERANCE:
        raise InputError(
            f"{RECORD.name}: the probabilities of entailment, neutral and contradiction of {row.id} add up to "
            f"{found.sum():.4g} and not to 1"
        )
    return found


def _measures(pairs: _Pairs, level: float, *, averaged: bool) -> dict[str, Any]:
    """Net neutral, fraction neutral and T:τ, each with its interval."""
    probabilities, targets, attributes = (
        pairs.probabilities, pairs.places["targets"], pairs.places["attributes"],
    )  # fmt: skip
    if averaged:
        own = list(pairs.by_words().values())
        probabilities = np.stack([probabilities[i].mean(axis=0) for i in own])
        targets, attributes = (part[[i[0] for i in own]] for part in (targets, attributes))
    return {
        key: mean_over_pairs(values, targets, attributes, level)
        for key, values in neutral_measures(probabilities).items()
    }


def _neutral_rows(pairs: _Pairs, level: float, whole: Mapping[str, Any], *, averaged: bool) -> list[Row]:
    """The measures of every group, where there are several, and net neutral of every pair of words."""
    rows = []
    for number, name in enumerate(pairs.names["groups"]) if pairs.n_groups > 1 else ():
        own = pairs.of_group(number)
        head, *further = _measures(own, level, averaged=averaged).items()
        estimates = {key: score.estimate() for key, score in further}
        rows.append(
            Row(
                name=name,
                kind="group",
                n=own.n,
                estimates=estimates,
                **without_repeated(head[1].facts(), whole),
            )
        )
    for (target, attribute), places in pairs.by_words().items():
        values = [float(v) for v in pairs.probabilities[places, 1]]
        group = pairs.rows[places[0]].group
        labels = {"target": target, "attribute": attribute, "group": group, "pairs": _digest(pairs, places)}
        details = {"neutral": sum(values), "weight": len(values)}
        score = sum(values) / len(values)
        rows.append(
            Row(name=f"{target} / {attribute}", kind="item", score=score, labels=labels, details=details)
        )
    return rows


def _digest(pairs: _Pairs, places: Sequence[int]) -> str:
    return digest(f"{pairs.rows[i].premise}\n{pairs.rows[i].hypothesis}" for i in places)


@dataclass(frozen=True, slots=True)
class _Gaps:
    """Differences of entailment.

    Attributes:
        pair: numbers of the two groups that are compared.
        tests: what is found of these, then of every group against all others, where there are three or more.
        titles: the names of the two sides of each.
        cells: contrasts of the first, shape (targets, templates).
        contrasts: their means, shape (targets,).
        skipped: groups that share no template with another.
        inference: level, number of resamples and seed.
    """

    pair: tuple[int, int]
    tests: Sequence[dict[str, Any]]
    titles: Sequence[tuple[str, str]]
    cells: FloatArray
    contrasts: FloatArray
    skipped: Sequence[Skipped]
    inference: Mapping[str, Any]

    @classmethod
    def of(cls, pairs: _Pairs, groups: tuple[str, str] | None, inference: Mapping[str, Any]) -> _Gaps:
        names, pair = compared_groups(RECORD.name, pairs.names["groups"], groups)
        table = pairs.table()
        cells = contrast_cells(table, *pair)
        facts, contrasts = entailment_gap(cells, **inference)
        tests, titles, skipped = [facts], [(names[pair[0]], names[pair[1]])], []
        for number, name in enumerate(names) if len(names) > 2 else ():
            try:
                tests.append(entailment_gap(contrast_cells(table, number, None), **inference)[0])
                titles.append((name, "the other groups"))
            except UndefinedScoreError as error:
                skipped.append(Skipped(name, str(error), "groups"))
        return cls(pair, tests, titles, cells, contrasts, skipped, inference)

    def further(self, pairs: _Pairs) -> dict[str, Estimate]:
        """Correlation with the shares of women, and p over all groups."""
        estimates = {}
        if (found := share_correlation(self.contrasts, pairs.shares(), **self.inference)) is not None:
            estimates["correlation_women_share"] = found
        if len(self.tests) > 1:
            more = {key: self.inference[key] for key in ("n_resamples", "seed")}
            gap = largest_gap(_mean(pairs.table()), **more)
            estimates |= {} if gap is None else {"p_groups": Estimate(gap[1])}
        return estimates

    def rows(self, pairs: _Pairs) -> list[Row]:
        """A row for every difference, and the targets of the first."""
        first = " / ".join(self.titles[0])
        rows = [
            Row(name=" / ".join(both) if number == 0 else both[0], kind="test", labels={"x": both[0], "y": both[1]},
                **facts)
            for number, (both, facts) in enumerate(zip(self.titles, self.tests, strict=True))
        ]  # fmt: skip
        of_target = places_of(row.target if row.group in self.titles[0] else None for row in pairs.rows)
        for name, contrast, cells in zip(pairs.names["targets"], self.contrasts, self.cells, strict=True):
            if np.isfinite(contrast):
                labels = {"test": first, "pairs": _digest(pairs, of_target[name])}
                rows.append(Row(name=name, kind="item", score=float(contrast), labels=labels,
                                details=_by_template(cells)))  # fmt: skip
        return rows


def _mean(table: FloatArray) -> FloatArray:
    """Mean over templates of the numbers that are there, shape (targets, groups)."""
    known = np.isfinite(table)
    n = known.sum(axis=1)
    return np.where(n > 0, np.where(known, table, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


def _by_template(cells: FloatArray) -> dict[str, Any]:
    """What each template adds to a target's contrast, shape (templates,), and to its weight; nothing of few."""
    if len(cells) < FEWEST_COLUMNS:
        return {}
    known = np.isfinite(cells)
    parts = {"score": np.where(known, cells, 0.0), "weight": known.astype(float)}
    return {"wordings": {key: (part / known.sum()).tolist() for key, part in parts.items()}}
