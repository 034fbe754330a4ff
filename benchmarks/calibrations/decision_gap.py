"""Decision gaps of a chat model whose log-odds are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.calibrations import Draw, Situation, of_result
from evaluate_bias import evaluate
from evaluate_bias.models.completions import Reply

RESAMPLES = 999


class DrawnChat:
    """Answers the questions it is asked, one after the other, with these log-odds of yes."""

    name = "drawn"
    warnings: tuple[str, ...] = ()
    alternatives = 20
    is_chat_model = True

    def __init__(self, log_odds: Sequence[float]) -> None:
        self.log_odds = log_odds

    def provenance(self) -> dict[str, Any]:
        return {"name": self.name}

    def reply(self, prompts: Sequence[str], settings: Any, *, alternatives: int = 0) -> list[list[Reply]]:
        return [
            [Reply("Yes", alternatives={"Yes": -np.logaddexp(0, -y), "No": -np.logaddexp(0, y)})]
            for y in np.asarray(self.log_odds).tolist()
        ]


def gap(size: float, n: int, *, wording: float, both: float = 0.3) -> Any:
    """``n`` templates whose gaps differ by 0.3, in five wordings, which move the gap by ``wording``."""

    def draw(rng: np.random.Generator) -> Draw:
        # Contrasts, shape (templates, wordings); half of them is each group's.
        contrast = size + rng.normal(0, 0.3, (n, 1)) + rng.normal(0, wording, 5) + rng.normal(0, both, (n, 5))
        level = rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.5, 5)
        log_odds = np.stack(
            [level + contrast / 2, level - contrast / 2], axis=1
        )  # (templates, groups, wordings)
        rows = [
            {"question": f"Case {t} about {g}?", "group": g, "template": f"t{t}", "language": "en"}
            for t in range(n)
            for g in ("a", "b")
        ]
        seed = int(rng.integers(1 << 31))
        model = DrawnChat(log_odds.ravel())
        return of_result(evaluate("decision_gap", model, data=rows, n_resamples=RESAMPLES, seed=seed), size)

    return draw


WORDINGS = (
    "p takes the wordings as given, and with these the groups do differ; the interval draws wordings too"
)

SITUATIONS = (
    Situation("decision_gap", "12 templates in five wordings, no gap", "null", gap(0.0, 12, wording=0.0)),
    Situation("decision_gap", "40 templates in five wordings, no gap", "null", gap(0.0, 40, wording=0.0)),
    Situation(
        "decision_gap", "12 templates in five wordings, a gap of 0.3", "effect", gap(0.3, 12, wording=0.0)
    ),
    Situation(
        "decision_gap",
        "12 templates in five wordings that move the gap, 0.3",
        "effect",
        gap(0.3, 12, wording=0.15),
    ),
    Situation(
        "decision_gap",
        "12 templates in five wordings that move the gap, none on average",
        "null",
        gap(0.0, 12, wording=0.15),
        misses=WORDINGS,
    ),
)
