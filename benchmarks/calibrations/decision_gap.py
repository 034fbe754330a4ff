"""Decision gaps of a chat model whose log-odds are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluate_bias import measure

from . import Draw, effect, null, of_method, of_result, seeded
from .chats import DrawnChat, yes_or_no

RESAMPLES = 999


def answering(log_odds: np.ndarray[Any, Any]) -> DrawnChat:
    """A chat model that answers questions, one after the other, with these log-odds of yes."""
    return DrawnChat(lambda _: [[yes_or_no(y)] for y in log_odds.ravel().tolist()], alternatives=20)


def gap(size: float, n: int, *, prompt_variant: float, both: float = 0.3) -> Any:
    """``n`` templates whose gaps differ by 0.3, in five prompt variants, which move the gap by ``prompt_variant``."""

    def draw(rng: np.random.Generator) -> Draw:
        # Contrasts, shape (templates, prompt variants); half of them is each group's.
        contrast = (
            size + rng.normal(0, 0.3, (n, 1)) + rng.normal(0, prompt_variant, 5) + rng.normal(0, both, (n, 5))
        )
        level = rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.5, 5)
        log_odds = np.stack(
            [level + contrast / 2, level - contrast / 2], axis=1
        )  # (templates, groups, prompt variants)
        rows = [
            {"question": f"Case {t} about {g}?", "group": g, "template": f"t{t}", "language": "en"}
            for t in range(n)
            for g in ("a", "b")
        ]
        seed = seeded(rng)
        model = answering(log_odds)
        result = measure(
            "decision_gap", model, data=rows, protocol="robust", n_resamples=RESAMPLES, seed=seed
        )
        return of_result(result, size)

    return draw


def named(
    size: float, names: int, n: int, *, of_names: float, of_templates: float, asked: bool = False,
    skewed: bool = False,
) -> Any:  # fmt: skip
    """``names`` names a group in ``n`` templates, with effects on the gap of these sizes, and of both together 0.3.

    Asked, the questions are put in five prompt variants, which move the gap by 0.1; else the log-odds are given.
    Skewed effects are exponential.
    """

    def effects(rng: np.random.Generator, sd: float, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        return sd * (rng.exponential(1, shape) - 1) if skewed else rng.normal(0, sd, shape)

    def draw(rng: np.random.Generator) -> Draw:
        shape = (2, names, n)  # (groups, names, templates)
        log_odds = effects(rng, of_names, (2, names, 1)) + effects(rng, of_templates / np.sqrt(2), (2, 1, n))
        log_odds = log_odds + rng.normal(0, 1, n) + rng.normal(0, 0.3, shape)
        log_odds[0] += size
        rows = [
            {
                "question": float(log_odds[g, i, t]),
                "group": "ab"[g],
                "template": f"t{t}",
                "name": f"{'ab'[g]}{i}",
            }
            for g, i, t in np.ndindex(shape)
        ]
        seed = seeded(rng)
        if not asked:
            return of_result(measure("decision_gap", data=rows, n_resamples=RESAMPLES, seed=seed), size)
        moved = rng.normal(0, 0.1, 5) * np.array([0.5, -0.5])[:, None]  # (groups, prompt variants)
        drawn = log_odds[..., None] + moved[:, None, None] + rng.normal(0, 0.1, (*shape, 5))
        rows = [
            {**row, "question": f"May {row['name']} have {row['template']}?", "language": "en"}
            for row in rows
        ]
        model = answering(drawn)
        result = measure(
            "decision_gap", model, data=rows, protocol="robust", n_resamples=RESAMPLES, seed=seed
        )
        return of_result(result, size)

    return draw


FIXED = (
    "with one or two names a group these are taken as they are, and with these the groups do differ; the result lists "
    "them and says that it is for these names"
)

FEW_NAMES = (
    "rejects too rarely: over three names a group the variance of the crossed clusters has a lower limit"
)

SITUATIONS = of_method(
    "decision_gap",
    null("12 templates in five prompt variants, no gap", gap(0.0, 12, prompt_variant=0.0)),
    null("40 templates in five prompt variants, no gap", gap(0.0, 40, prompt_variant=0.0)),
    effect("12 templates in five prompt variants, a gap of 0.3", gap(0.3, 12, prompt_variant=0.0)),
    effect("12 templates in five prompt variants that move the gap, 0.3", gap(0.3, 12, prompt_variant=0.15)),
    null(
        "12 templates in five prompt variants that move the gap, none on average",
        gap(0.0, 12, prompt_variant=0.15),
    ),
    *(
        null(
            f"names: {names} a group, {n} templates, "
            f"effects of names {of_names:g}, of templates {of_templates:g}, no gap",
            named(0.0, names, n, of_names=of_names, of_templates=of_templates),
            misses=FEW_NAMES if names == 3 else "",
        )
        for names, n, of_names, of_templates in (
            (3, 8, 0.3, 0.3),
            (3, 30, 0.3, 0.3),
            (4, 12, 0.3, 0.3),
            (5, 8, 0.0, 0.0),
            (5, 8, 0.3, 0.0),
            (5, 8, 0.0, 0.3),
            (5, 8, 0.3, 0.3),
            (12, 12, 0.3, 0.3),
            (12, 12, 0.1, 0.3),
        )
    ),
    *(
        null(
            f"names: {names} a group, {n} templates, skewed effects of both 0.3, no gap",
            named(0.0, names, n, of_names=0.3, of_templates=0.3, skewed=True),
            misses=FEW_NAMES if names == 3 else "",
        )
        for names, n in ((3, 12), (4, 30), (12, 12))
    ),
    null(
        "names: 12 a group, 12 templates, effects of both 0.3, in five prompt variants that move the gap, no gap",
        named(0.0, 12, 12, of_names=0.3, of_templates=0.3, asked=True),
    ),
    effect(
        "names: 12 a group, 12 templates, effects of both 0.3, a gap of 0.5",
        named(0.5, 12, 12, of_names=0.3, of_templates=0.3),
    ),
    null(
        "names: 2 a group, taken as fixed, 12 templates, effects of names 0.3, no gap on average",
        named(0.0, 2, 12, of_names=0.3, of_templates=0.0),
        misses=FIXED,
    ),
)
