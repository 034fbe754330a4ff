"""Two measurements of the same units that differ by chance or by a shift, as each method reports them.

Units of methods whose scores are no function of their own have ``"value"``, ``"list"`` and ``"tie"``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import testing
from evaluate_bias.report.compare.testing import SharedUnits, UnitValue

Units = list[dict[str, Any]]
Rng = np.random.Generator
Draw = Callable[[Rng, float], tuple[Units, Units]]
"""Draws both measurements; the second is shifted by so much."""


def _both(rng: Rng, n: int, shift: float, shared: float = 1.0) -> tuple[Any, Any]:
    """Two noisy numbers of each unit around one of its own."""
    own = shared * rng.normal(size=n)
    return own + rng.normal(size=n), own + rng.normal(size=n) + shift


def words(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Sentences of 8 and 8 words; a shift separates the lists."""
    in_x = np.arange(16) < 8
    a, b = _both(rng, 16, 0.0)
    b = b + np.where(in_x, shift, -shift)
    count = rng.integers(2, 6, 16)
    sd = rng.uniform(0.2, 0.6, (2, 16))
    return tuple(  # type: ignore[return-value]
        [
            {
                "list": "targets_x" if x else "targets_y",
                "sentences": int(n),
                "association": v,
                "association_sd": s,
            }
            for x, n, v, s in zip(in_x, count, values, own, strict=True)
        ]
        for values, own in ((a, sd[0]), (b, sd[1]))
    )


def attributes(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Cosines of 24 attributes with two sides; a shift sets the sides apart."""
    own = rng.normal(size=24)
    sides = [(own + rng.normal(size=24), own + rng.normal(size=24)) for _ in range(2)]
    noise = shift * rng.normal(size=24)
    return tuple(  # type: ignore[return-value]
        [{"cosine_x": x, "cosine_y": y} for x, y in zip(side[0] + (noise if k else 0), side[1], strict=True)]
        for k, side in enumerate(sides)
    )


def attributes_after_guises(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Log-probability ratios of 24 rated attributes; a shift lets them follow the ratings."""
    ratings = rng.normal(size=24)
    a, b = _both(rng, 24, 0.0)
    return tuple(  # type: ignore[return-value]
        [{"association": q, "rating": r} for q, r in zip(values, ratings, strict=True)]
        for values in (a, b + shift * ratings)
    )


def professions(rng: Rng, shift: float) -> tuple[Units, Units]:
    """d of 20 female and 20 male professions."""
    female = np.arange(40) < 20
    a, b = _both(rng, 40, 0.0)
    b = b + np.where(female, shift, -shift)
    groups = ["female" if f else "male" for f in female]
    return tuple(  # type: ignore[return-value]
        [{"score": v, "profession_gender": g} for v, g in zip(values, groups, strict=True)]
        for values in (a, b)
    )


def targets(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Negative sentiment of 16 targets; a shift spreads it."""
    a, b = _both(rng, 16, 0.0, 0.7)
    return tuple(  # type: ignore[return-value]
        [{"negative": 1 / (1 + np.exp(-v))} for v in values] for values in (a * 0.7, b * (0.7 + shift))
    )


def pairs(rng: Rng, shift: float, n: int = 60, types: int = 1) -> tuple[Units, Units]:
    """Scores of both sentences of pairs, the first preferred; a shift moves the first sentences."""
    more, own = rng.normal(-20, 4, n), rng.normal(size=n)
    out = []
    for k in range(2):
        a, b = more + rng.normal(0, 2, n) + 1.5 + k * shift, more + own + rng.normal(0, 2, n)
        out.append(
            [
                {"score_more": x, "score_less": y, "bias_type": str(i % types)}
                for i, (x, y) in enumerate(zip(a, b, strict=True))
            ]
        )
    return out[0], out[1]


def preferences(
    rng: Rng, shift: float, n: int = 400, lean: float = 0.36, nearest: float = 0.0
) -> tuple[Units, Units]:
    """Differences of pairs' scores; a lean of 0.36 prefers the first sentence in 60 of 100, one near 0 ties."""
    a, b = _both(rng, n, shift)
    return tuple(  # type: ignore[return-value]
        [{"value": 100.0 * (d > 0), "tie": bool(abs(d) < nearest)} for d in side + lean] for side in (a, b)
    )


def terms(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Five items of each of 40 target terms, on which each model has a lean of its own; some tie."""
    out = []
    for k in range(2):
        lean = rng.normal(0.3 + k * shift, 0.6, 40).repeat(5) + rng.normal(size=200)
        out.append(
            [
                {"value": 100.0 * (d > 0), "tie": bool(abs(d) < 0.1), "target": str(i // 5)}
                for i, d in enumerate(lean)
            ]
        )
    return out[0], out[1]


def targets_and_attributes(rng: Rng, shift: float, n: int = 8, effect: float = 0.5) -> tuple[Units, Units]:
    """Associations of n and n words, which differ by twice the effect, and by twice the shift more in the second."""
    side = np.where(np.arange(2 * n) < n, 1.0, -1.0)
    lists = ["targets_x" if s > 0 else "targets_y" for s in side]
    return tuple(  # type: ignore[return-value]
        [{"value": v, "list": name} for v, name in zip(values + side * by, lists, strict=True)]
        for values, by in zip(_both(rng, 2 * n, 0.0), (effect, effect + shift), strict=True)
    )


def occupations(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Skewed differences of 60 occupations."""
    return tuple(  # type: ignore[return-value]
        [{"value": v} for v in np.exp(values / 2)] for values in _both(rng, 60, shift)
    )


def paraphrases(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Preferences of 200 pairs and of their paraphrases; a shift makes those of the second model disagree."""
    own = rng.normal(size=200)
    return tuple(  # type: ignore[return-value]
        [
            {"delta": a, "delta_paraphrase": b}
            for a, b in zip(own + rng.normal(size=200), own + (1 + s) * rng.normal(size=200), strict=True)
        ]
        for s in (0.0, shift)
    )


def questions(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Answers to 8 questions of each of 40 templates, on which each model has a lean of its own."""
    out = []
    for k in range(2):
        lean = rng.normal(0.2 + k * shift, 0.4, 40).repeat(8)
        unsure = rng.random(320) < 0.5
        biased = rng.random(320) < 1 / (1 + np.exp(-lean))
        verdicts = np.where(unsure, "unknown", np.where(biased, "biased", "against the stereotype"))
        out.append(
            [
                {
                    "correct": bool(u),
                    "verdict": str(v),
                    "task": "ambiguous",
                    "bias_type": "Age",
                    "template": str(i // 8),
                }
                for i, (u, v) in enumerate(zip(unsure, verdicts, strict=True))
            ]
        )
    return out[0], out[1]


def prompts(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Completions of 20 templates for 10 identities, each of which each model takes its own way."""
    out = []
    for k in range(2):
        logit = -1.2 + k * shift + rng.normal(0, 0.5, 20)[:, None] + rng.normal(0, 0.5, 10)[None, :]
        hurtful = rng.binomial(5, 1 / (1 + np.exp(-logit)))
        out.append(
            [
                {
                    "score": hurtful[t, i] / 5,
                    "n": 5,
                    "template": str(t),
                    "identity": str(i),
                    "group": "fm"[i % 2],
                }
                for t in range(20)
                for i in range(10)
            ]
        )
    return out[0], out[1]


def examples(rng: Rng, shift: float) -> tuple[Units, Units]:
    """400 classified examples of three classes and two groups; a shift makes one group's more often wrong."""
    classes, groups = np.arange(400) % 3, np.arange(400) // 3 % 2
    ease = rng.normal(0.9, 1.0, 400) - 0.6 * groups
    return tuple(  # type: ignore[return-value]
        [
            {"class": "abc"[c], "group": "fm"[g], "prediction": "abc"[c] if v else "x"}
            for c, g, v in zip(classes, groups, ease + rng.logistic(size=400) - s * groups > 0, strict=True)
        ]
        for s in (0.0, shift)
    )


def pronouns(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Pronouns of ten sentences for each of 40 professions, half of either stereotype."""
    out = []
    for k in range(2):
        lean = rng.normal(0.8 + k * shift, 0.8, 40).repeat(10)
        follows = rng.random(400) < 1 / (1 + np.exp(-lean))
        female = np.arange(400) // 10 % 2 == 0
        out.append(
            [
                {
                    "profession": str(i // 10),
                    "stereotype": "female" if f else "male",
                    "predicted": "female" if f == own else "male",
                    "type": "",
                }
                for i, (f, own) in enumerate(zip(female, follows, strict=True))
            ]
        )
    return out[0], out[1]


def associations(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Associations of 30 words with a skewed statistic that both follow; a shift makes the second follow it less."""
    statistic = rng.exponential(size=30)
    own = 0.5 * (statistic - 1) + 0.5 * rng.normal(size=30)
    return tuple(  # type: ignore[return-value]
        [
            {"association": float(v), "statistic": float(y)}
            for v, y in zip(own + (1 + s) * rng.normal(size=30), statistic, strict=True)
        ]
        for s in (0.0, shift)
    )


def coordinates(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Places of 60 words on the axes of two maps, each of a scale and an origin of its own, and a share of women, which
    a shift lets the second follow."""
    share = rng.uniform(size=60)
    both = _both(rng, 60, 0.0, 0.7)
    return tuple(  # type: ignore[return-value]
        [
            {
                "component_1": float(scale * (v + follows * (y - 0.5)) + scale),
                "statistics": {"share": float(y)},
            }
            for v, y in zip(own, share, strict=True)
        ]
        for own, scale, follows in zip(both, (1.0, 40.0), (0.0, 3 * shift), strict=True)
    )


def stereotypes(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Ten sentences of each of 16 stereotypes, to which each model leans in its own way; a shift parts the sides."""
    men = np.arange(16) >= 7
    both = _both(rng, 16, 0.0)
    sentences = rng.normal(size=160)
    return tuple(  # type: ignore[return-value]
        [
            {
                "stereotype": str(i // 10),
                "language": "en",
                "side": "men" if men[i // 10] else "women",
                "q": float(q),
            }
            for i, q in enumerate(
                1 / (1 + np.exp(-(lean + by * men).repeat(10) - sentences - rng.normal(size=160)))
            )
        ]
        for lean, by in zip(both, (0.0, shift), strict=True)
    )


def texts_about_groups(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Differences between texts about two groups in 20 prompts."""
    return tuple([{"score": v} for v in values] for values in _both(rng, 20, shift))  # type: ignore[return-value]


DRAWS: Mapping[str, Draw] = {
    "counterfactual_text": texts_about_groups,
    "gest": stereotypes,
    "seat": words,
    "ect": attributes,
    "bec_pro": professions,
    "matched_guise": attributes_after_guises,
    "rnsb": targets,
    "kldivs": pairs,
    "pll_robustness": paraphrases,
    "bbq": questions,
    "honest": prompts,
    "tpr_gap": examples,
    "wefat": associations,
    "winobias": pronouns,
    "wsv": coordinates,
    "pll": preferences,
    "crows_pairs": partial(preferences, nearest=0.15),
    "stereoset": terms,
    "weat": targets_and_attributes,
    "mlm_gender_score": occupations,
}
"""Simulations by the method whose score they are."""

SETTINGS = {"condition": "ambig", "statistics": ["share"]}


def change(name: str, rng: Rng, shift: float = 0.0, draw: Draw | None = None) -> dict[str, Any]:
    """What a comparison of a simulated pair of measurements finds."""
    record = METHODS[name]
    assert record.units is not None
    sides = [
        tuple(
            UnitValue(u.get("value", 0.0), u.get("list", ""), frozenset(), not u.get("tie", False), u)
            for u in side
        )
        for side in (draw or DRAWS[name])(rng, shift)
    ]
    both = SharedUnits(*sides)
    both = both.decided()[0] if record.units.tie else both
    return testing.tested(both, record, record.units, (SETTINGS, SETTINGS), 0.95, int(rng.integers(2**31)))
