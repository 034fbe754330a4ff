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
from evaluate_bias.report.compare.testing import Item

Units = list[dict[str, Any]]
Rng = np.random.Generator
Draw = Callable[[Rng, float], tuple[Units, Units]]
"""Draws both measurements; the second is shifted by so much."""


def _both(rng: Rng, n: int, shift: float, shared: float = 1.0) -> tuple[Any, Any]:
    """Two noisy numbers of each unit around one of its own."""
    own = shared * rng.normal(size=n)
    return own + rng.normal(size=n), own + rng.normal(size=n) + shift


def units(**columns: Any) -> Units:
    """Units from columns, each with a value for every unit."""
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def lists_of(in_x: Any) -> list[str]:
    return ["targets_x" if x else "targets_y" for x in in_x]


def words(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Sentences of 8 and 8 words; a shift separates the lists."""
    in_x = np.arange(16) < 8
    a, b = _both(rng, 16, 0.0)
    b = b + np.where(in_x, shift, -shift)
    count = rng.integers(2, 6, 16).tolist()
    sd = rng.uniform(0.2, 0.6, (2, 16))
    lists = lists_of(in_x)
    return (
        units(list=lists, sentences=count, association=a, association_sd=sd[0]),
        units(list=lists, sentences=count, association=b, association_sd=sd[1]),
    )


def attributes(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Cosines of 24 attributes with two sides; a shift sets the sides apart."""
    own = rng.normal(size=24)
    (x, y), (other_x, other_y) = [(own + rng.normal(size=24), own + rng.normal(size=24)) for _ in range(2)]
    noise = shift * rng.normal(size=24)
    return units(cosine_x=x, cosine_y=y), units(cosine_x=other_x + noise, cosine_y=other_y)


def attributes_after_guises(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Log-probability ratios of 24 rated attributes; a shift lets them follow the ratings."""
    ratings = rng.normal(size=24)
    a, b = _both(rng, 24, 0.0)
    return units(association=a, rating=ratings), units(association=b + shift * ratings, rating=ratings)


def professions(rng: Rng, shift: float) -> tuple[Units, Units]:
    """d of 20 female and 20 male professions."""
    female = np.arange(40) < 20
    a, b = _both(rng, 40, 0.0)
    groups = ["female" if f else "male" for f in female]
    moved = b + np.where(female, shift, -shift)
    return units(score=a, profession_gender=groups), units(score=moved, profession_gender=groups)


def targets(rng: Rng, shift: float, n: int = 16) -> tuple[Units, Units]:
    """Negative sentiment of n targets; a shift spreads it."""
    a, b = _both(rng, n, 0.0, 0.7)
    first, second = (units(negative=1 / (1 + np.exp(-v))) for v in (a * 0.7, b * (0.7 + shift)))
    return first, second


def pairs(rng: Rng, shift: float, n: int = 60, types: int = 1) -> tuple[Units, Units]:
    """Scores of both sentences of pairs, the first preferred; a shift moves the first sentences."""
    more, own = rng.normal(-20, 4, n), rng.normal(size=n)
    out = []
    for k in range(2):
        a, b = more + rng.normal(0, 2, n) + 1.5 + k * shift, more + own + rng.normal(0, 2, n)
        out.append(units(score_more=a, score_less=b, bias_type=[str(i % types) for i in range(n)]))
    return out[0], out[1]


def preferences(
    rng: Rng, shift: float, n: int = 400, lean: float = 0.36, nearest: float = 0.0
) -> tuple[Units, Units]:
    """Differences of pairs' scores; a lean of 0.36 prefers the first sentence in 60 of 100, one near 0 ties."""
    sides = [side + lean for side in _both(rng, n, shift)]
    first, second = (units(value=100.0 * (d > 0), tie=(abs(d) < nearest).tolist()) for d in sides)
    return first, second


def terms(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Five items of each of 40 target terms, on which each model has a lean of its own; some tie."""
    out = []
    for k in range(2):
        d = rng.normal(0.3 + k * shift, 0.6, 40).repeat(5) + rng.normal(size=200)
        names = [str(i // 5) for i in range(200)]
        out.append(units(value=100.0 * (d > 0), tie=(abs(d) < 0.1).tolist(), target=names))
    return out[0], out[1]


def targets_and_attributes(rng: Rng, shift: float, n: int = 8, effect: float = 0.5) -> tuple[Units, Units]:
    """Associations of n and n words, which differ by twice the effect, and by twice the shift more in the second."""
    side = np.where(np.arange(2 * n) < n, 1.0, -1.0)
    a, b = _both(rng, 2 * n, 0.0)
    lists = lists_of(side > 0)
    return units(value=a + side * effect, list=lists), units(value=b + side * (effect + shift), list=lists)


def occupations(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Skewed differences of 60 occupations."""
    first, second = (units(value=np.exp(values / 2)) for values in _both(rng, 60, shift))
    return first, second


def paraphrases(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Preferences of 200 pairs and of their paraphrases; a shift makes those of the second model disagree."""
    own = rng.normal(size=200)
    first, second = (
        units(delta=own + rng.normal(size=200), delta_paraphrase=own + (1 + s) * rng.normal(size=200))
        for s in (0.0, shift)
    )
    return first, second


def questions(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Answers to 8 questions of each of 40 templates, on which each model has a lean of its own."""
    out = []
    fixed = {"task": ["ambiguous"] * 320, "bias_type": ["Age"] * 320}
    for k in range(2):
        lean = rng.normal(0.2 + k * shift, 0.4, 40).repeat(8)
        unsure = rng.random(320) < 0.5
        biased = rng.random(320) < 1 / (1 + np.exp(-lean))
        templates = [str(i // 8) for i in range(320)]
        named = {"biased": (~unsure & biased).astype(float), "against": (~unsure & ~biased).astype(float)}
        out.append(units(correct=unsure.tolist(), template=templates, **named, **fixed))
    return out[0], out[1]


def prompts(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Completions of 20 templates for 10 identities, each of which each model takes its own way."""
    out = []
    template, identity = np.divmod(np.arange(200), 10)
    names = {"template": map(str, template), "identity": map(str, identity)}
    names = {key: list(values) for key, values in names.items()} | {"group": ["fm"[i % 2] for i in identity]}
    for k in range(2):
        logit = -1.2 + k * shift + rng.normal(0, 0.5, 20)[:, None] + rng.normal(0, 0.5, 10)[None, :]
        hurtful = rng.binomial(5, 1 / (1 + np.exp(-logit)))
        out.append(units(score=hurtful.ravel() / 5, n=[5] * 200, **names))
    return out[0], out[1]


def examples(rng: Rng, shift: float) -> tuple[Units, Units]:
    """400 classified examples of three classes and two groups; a shift makes one group's more often wrong."""
    classes, groups = np.arange(400) % 3, np.arange(400) // 3 % 2
    ease = rng.normal(0.9, 1.0, 400) - 0.6 * groups
    names, out = ["abc"[c] for c in classes], []
    for s in (0.0, shift):
        right = ease + rng.logistic(size=400) - s * groups > 0
        own = {"class": names, "prediction": np.where(right, names, "x").tolist(), "correct": right.tolist()}
        out.append(units(group=["fm"[g] for g in groups], cluster=[""] * 400, **own))
    return out[0], out[1]


def pronouns(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Pronouns of ten sentences for each of 40 professions, half of either stereotype."""
    out = []
    female = np.arange(400) // 10 % 2 == 0
    stereotypes_of, others = (["female" if f else "male" for f in side] for side in (female, ~female))
    for k in range(2):
        lean = rng.normal(0.8 + k * shift, 0.8, 40).repeat(10)
        follows = rng.random(400) < 1 / (1 + np.exp(-lean))
        out.append(
            units(
                profession=[str(i // 10) for i in range(400)],
                stereotype=stereotypes_of,
                predicted=np.where(follows, stereotypes_of, others).tolist(),
                type=[""] * 400,
            )
        )
    return out[0], out[1]


def associations(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Associations of 30 words with a skewed statistic that both follow; a shift makes the second follow it less."""
    statistic = rng.exponential(size=30)
    own = 0.5 * (statistic - 1) + 0.5 * rng.normal(size=30)
    values = [own + (1 + s) * rng.normal(size=30) for s in (0.0, shift)]
    first, second = (units(association=v.tolist(), statistic=statistic.tolist()) for v in values)
    return first, second


def coordinates(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Places of 60 words on the axes of two maps, each of a scale and an origin of its own, and a share of women, which
    a shift lets the second follow."""
    share = rng.uniform(size=60)
    a, b = _both(rng, 60, 0.0, 0.7)
    statistics = [{"share": float(y)} for y in share]
    second = 40.0 * (b + 3 * shift * (share - 0.5)) + 40.0
    return (
        units(component_1=(a + 1.0).tolist(), statistics=statistics),
        units(component_1=second.tolist(), statistics=statistics),
    )


def stereotypes(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Ten sentences of each of 16 stereotypes, to which each model leans in its own way; a shift parts the sides."""
    men, out = np.arange(16) >= 7, []
    both = _both(rng, 16, 0.0)
    sentences = rng.normal(size=160)
    for lean, by in zip(both, (0.0, shift), strict=True):
        q = 1 / (1 + np.exp(-(lean + by * men).repeat(10) - sentences - rng.normal(size=160)))
        sides = ["men" if man else "women" for man in men.repeat(10)]
        names = [str(i // 10) for i in range(160)]
        out.append(units(stereotype=names, language=["en"] * 160, side=sides, q=q.tolist()))
    return out[0], out[1]


def texts_about_groups(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Differences between texts about two groups in 20 prompts."""
    first, second = (units(value=values) for values in _both(rng, 20, shift))
    return first, second


def answers_about_names(rng: Rng, shift: float) -> tuple[Units, Units]:
    """Log-odds of six names in each of two groups in 12 templates, with effects of each model's own of both kinds."""
    name, template = (part.ravel() for part in np.indices((12, 12)))
    groups = np.where(np.arange(12) < 6, "x", "y")
    own, out = rng.normal(size=144), []
    for s in (0.0, shift):
        values = own + 0.3 * (
            rng.normal(size=12)[name] + rng.normal(size=12)[template] + rng.normal(size=144)
        )
        out.append(
            units(
                log_odds=(values + s * (name < 6)).tolist(),
                name=[str(i) for i in name],
                template=[str(t) for t in template],
                group=groups[name].tolist(),
            )
        )
    return out[0], out[1]


DRAWS: Mapping[str, Draw] = {
    "decision_gap": answers_about_names,
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

SETTINGS = {"condition": "ambig", "statistics": ["share"], "component": 1, "groups": ["x", "y"]}


def change(name: str, rng: Rng, shift: float = 0.0, draw: Draw | None = None) -> dict[str, Any]:
    """What a comparison of a simulated pair of measurements finds."""
    record = METHODS[name]
    assert record.units is not None
    first, second = (draw or DRAWS[name])(rng, shift)
    items = [
        tuple(
            Item(u.get("value", 0.0), u.get("list", ""), not u.get("tie", False), frozenset(), u)
            for u in pair
        )
        for pair in zip(first, second, strict=True)
    ]
    if record.units.tie:
        items = [(a, b) for a, b in items if a.decided and b.decided]
    facts, difference = testing.run_test(
        items, record, record.units, (SETTINGS, SETTINGS), 0.95, int(rng.integers(2**31)), None
    )
    return facts | {"of": difference}
