"""Accuracy of a coreference system on pro- less that on anti-stereotypical sentences, from its predictions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....data.pronoun_pairs import PronounPair
from ....errors import UndefinedScoreError, quoted
from ....method import Finding
from ....result import Coverage, Estimate, Row, Skipped

Ints = NDArray[np.int64]


def coreference(
    pairs: Sequence[PronounPair], level: float, n_resamples: int, ci_resamples: int, seed: int
) -> Finding:
    """Measure predictions of a coreference system.

    Raises:
        UndefinedScoreError: no pair has all that is needed.
    """
    reasons = [_lacking(pair) for pair in pairs]
    skipped = [
        Skipped(p.id, reason, where) for p, (reason, where) in zip(pairs, reasons, strict=True) if reason
    ]
    kept = [p for p, (reason, _) in zip(pairs, reasons, strict=True) if not reason]
    if not kept:
        raise UndefinedScoreError(
            f"none of the {len(pairs)} pairs has predictions; the first, {quoted(skipped[0].item)}: {skipped[0].reason}"
        )
    correct = np.array([_correct(pair) for pair in kept], dtype=np.int64)  # shape (pairs, 2): pro, anti
    units: dict[str, list[int]] = {}
    for i, pair in enumerate(kept):
        units.setdefault(_bare(pair.profession), []).append(i)
    whole = _facts(correct, list(units.values()), level, n_resamples, ci_resamples, seed)
    types = list(dict.fromkeys(pair.type for pair in kept))
    rows = []
    for name in types if len(types) > 1 else ():
        members = {i for i, pair in enumerate(kept) if pair.type == name}
        chosen = [[i for i in places if i in members] for places in units.values()]
        facts = _facts(correct, [c for c in chosen if c], level, n_resamples, ci_resamples, seed)
        rows.append(Row(name=name or "without type", kind="group", **facts | {"ci_method": ""}))
    return Finding(
        **whole,
        p_method="the two sentences exchanged in all pairs of a profession (sign flips)",
        coverage=Coverage(len(kept), len(pairs)),
        rows=(
            *rows,
            *(_profession(kept, correct, places, level) for places in units.values()),
            *_items(kept, correct),
        ),
        skipped=skipped,
        settings={"scoring": "predictions given by the caller"},
    )


def _lacking(pair: PronounPair) -> tuple[str, str]:
    """Why a pair has no score, and in which column that lies."""
    for column, value in (
        ("stereotype", pair.stereotype),
        ("profession", _bare(pair.profession)),
        ("prediction_female", pair.prediction_female),
        ("prediction_male", pair.prediction_male),
    ):
        if not value:
            return f"has no {column}", column
    return "", ""


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
    correct: Ints,
    units: Sequence[Sequence[int]],
    level: float,
    n_resamples: int,
    ci_resamples: int,
    seed: int,
) -> dict[str, Any]:
    # gap = 100 · Σ (pro − anti) / n; a unit is the pairs of a profession
    sums = np.array(sorted((int((correct[u, 0] - correct[u, 1]).sum()), len(u)) for u in map(list, units)))
    test = stats.sign_flip_test(sums[:, 0], n_resamples=n_resamples, seed=seed)
    low, high, how = None, None, ""
    if len(sums) > 1 and ci_resamples:
        interval = stats.bootstrap_ci(
            [len(sums)],
            lambda drawn: 100 * sums[drawn[0], 0].sum(axis=1) / sums[drawn[0], 1].sum(axis=1),
            n_resamples=ci_resamples,
            level=level,
            method="percentile",
            seed=seed,
        )
        low, high, how = interval.low, interval.high, "bootstrap over professions"
        if not stats.has_width(low, high, 100 * stats.TIE_TOLERANCE):
            low, high, how = None, None, f"none: {stats.NO_WIDTH}"
    members = [i for unit in units for i in unit]
    return {
        "score": 100 * float(sums[:, 0].sum() / sums[:, 1].sum()),
        "n": len(members),
        "ties": int((correct[members, 0] == correct[members, 1]).sum()),
        "ci_low": low,
        "ci_high": high,
        "ci_method": how,
        "p_value": test.p_value,
        "p_low": test.p_low,
        "p_high": test.p_high,
        "estimates": {
            **_accuracies(correct[members], level),
            "p_items": Estimate(_mcnemar(correct[members])),
        },
    }


def _accuracies(correct: Ints, level: float) -> dict[str, Estimate]:
    found = {}
    for k, side in enumerate(("pro", "anti")):
        share = stats.wilson_interval(int(correct[:, k].sum()), len(correct), level)
        found[f"accuracy_{side}"] = Estimate(100 * share.estimate, 100 * share.low, 100 * share.high)
    return found


def _mcnemar(correct: Ints) -> float:
    """McNemar's exact p-value; 1 where both sentences of every pair have one outcome."""
    pro, anti = (int(((correct[:, 0] - correct[:, 1]) == sign).sum()) for sign in (1, -1))
    return stats.mcnemar_test(pro, anti).p_value if pro + anti else 1.0


def _profession(pairs: Sequence[PronounPair], correct: Ints, places: Sequence[int], level: float) -> Row:
    own = correct[list(places)]
    first = pairs[places[0]]
    return Row(
        name=_bare(first.profession),
        kind="item",
        score=100 * float((own[:, 0] - own[:, 1]).mean()),
        n=len(own),
        labels={"title": "profession", "stereotype": str(first.stereotype)},
        estimates={**_accuracies(own, level), "p_items": Estimate(_mcnemar(own))},
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
