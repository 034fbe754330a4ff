"""Accuracy of a coreference system on pro- less that on anti-stereotypical sentences, from its predictions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....data.pronoun_pairs import PronounPair
from ....method import Finding
from ....result import Coverage, Estimate, Row, Skipped
from ...rows import nothing_left, percent, places_of, tail_facts
from ...word_lists.inference import Inference, percentile_interval, sign_flips

Ints = NDArray[np.int64]


def coreference(pairs: Sequence[PronounPair], inference: Inference) -> Finding:
    """Measure predictions of a coreference system.

    Raises:
        UndefinedScoreError: no pair has all that is needed.
    """
    lacking = [_lacking(pair) for pair in pairs]
    skipped = [Skipped(p.id, f"has no {c}", c) for p, c in zip(pairs, lacking, strict=True) if c]
    complete_pairs = [p for p, column in zip(pairs, lacking, strict=True) if not column]
    if not complete_pairs:
        raise nothing_left(f"none of the {len(pairs)} pairs has predictions", skipped)
    correct = np.array(
        [_correct(pair) for pair in complete_pairs], dtype=np.int64
    )  # shape (pairs, 2): pro, anti
    units = places_of(_bare(pair.profession) for pair in complete_pairs)
    types = places_of(pair.type for pair in complete_pairs)
    rows = []
    for name, members in types.items() if len(types) > 1 else ():
        chosen = [[i for i in places if complete_pairs[i].type == name] for places in units.values()]
        facts = _facts(correct, [c for c in chosen if c], members, inference)
        rows.append(Row(name=name or "without type", kind="group", **facts | {"ci_method": ""}))
    return Finding(
        **_facts(correct, list(units.values()), range(len(complete_pairs)), inference),
        p_method="the two sentences exchanged in all pairs of a profession (sign flips)",
        coverage=Coverage(len(complete_pairs), len(pairs)),
        rows=(
            *rows,
            *(_profession(complete_pairs, correct, places, inference.level) for places in units.values()),
            *_items(complete_pairs, correct),
        ),
        skipped=skipped,
        settings={"scoring": "predictions given by the caller"},
    )


def _lacking(pair: PronounPair) -> str:
    """The column without which a pair has no score, if there is one."""
    needed = {
        "stereotype": pair.stereotype,
        "profession": _bare(pair.profession),
        "prediction_female": pair.prediction_female,
        "prediction_male": pair.prediction_male,
    }
    return next((column for column, value in needed.items() if not value), "")


def _bare(text: str) -> str:
    """A phrase without article, capitals and superfluous spaces."""
    return re.sub(r"^(the|an?) ", "", " ".join(text.split()).lower())


def _correct(pair: PronounPair) -> tuple[bool, bool]:
    """Whether the pro- and the anti-stereotypical sentence were resolved to the right person."""
    female, male = (
        _bare(str(p)) == _bare(pair.profession) for p in (pair.prediction_female, pair.prediction_male)
    )
    return (female, male) if pair.stereotype == "female" else (male, female)


def _facts(
    correct: Ints, units: Sequence[Sequence[int]], members: Sequence[int], inference: Inference
) -> dict[str, Any]:
    """What is found of some pairs, the members of these units."""
    # gap = 100 · Σ (pro − anti) / n; a unit is the pairs of a profession
    sums = np.array(sorted((int((correct[u, 0] - correct[u, 1]).sum()), len(u)) for u in map(list, units)))
    test = sign_flips(sums[:, 0], inference)
    low, high, how = None, None, ""
    if len(sums) > 1 and inference.ci_resamples:
        interval = percentile_interval(
            [len(sums)],
            lambda places: 100 * sums[places[0], 0].sum(axis=1) / sums[places[0], 1].sum(axis=1),
            inference,
        )
        low, high, how = interval.low, interval.high, "bootstrap over professions"
        if not stats.has_width(low, high, 100 * stats.TIE_TOLERANCE):
            low, high, how = None, None, f"none: {stats.NO_WIDTH}"
    outcomes = correct[list(members)]
    return {
        "score": 100 * float(sums[:, 0].sum() / sums[:, 1].sum()),
        "n": len(outcomes),
        "ties": int((outcomes[:, 0] == outcomes[:, 1]).sum()),
        "ci_low": low,
        "ci_high": high,
        "ci_method": how,
        **tail_facts(test),
        "n_tested": test.n,
        "estimates": _estimates(outcomes, inference.level),
    }


def _estimates(correct: Ints, level: float) -> dict[str, Estimate]:
    """Both accuracies, and McNemar's exact p-value; 1 where both sentences of every pair have one outcome."""
    estimates = {}
    for k, side in enumerate(("pro", "anti")):
        estimates[f"accuracy_{side}"] = percent(
            stats.wilson_interval(int(correct[:, k].sum()), len(correct), level)
        )
    pro, anti = (int(((correct[:, 0] - correct[:, 1]) == sign).sum()) for sign in (1, -1))
    estimates["p_items"] = Estimate(stats.mcnemar_test(pro, anti).p_value if pro + anti else 1.0)
    return estimates


def _profession(pairs: Sequence[PronounPair], correct: Ints, places: Sequence[int], level: float) -> Row:
    outcomes = correct[list(places)]
    first = pairs[places[0]]
    return Row(
        name=_bare(first.profession),
        kind="item",
        score=100 * float((outcomes[:, 0] - outcomes[:, 1]).mean()),
        n=len(outcomes),
        labels={"title": "profession", "stereotype": str(first.stereotype)},
        estimates=_estimates(outcomes, level),
        details={"women_share": first.women_share},
    )


def _items(pairs: Sequence[PronounPair], correct: Ints) -> list[Row]:
    return [
        Row(
            name=pair.id,
            kind="item",
            labels={"type": pair.type},
            details={
                "profession": pair.profession,
                "stereotype": pair.stereotype,
                "pro_correct": bool(pro),
                "anti_correct": bool(anti),
            },
        )
        for pair, (pro, anti) in zip(pairs, correct.tolist(), strict=True)
    ]
