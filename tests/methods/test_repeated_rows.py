"""Rows that are given several times are no further evidence, and a result says how many they are."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.methods.rows import find_repeats
from evaluate_bias.registry import METHODS
from tests.support.chat import Chat

Rows = list[dict[str, Any]]
OPTIONS: dict[str, Any] = {"n_resamples": 199, "seed": 3}


def pronouns(profession: Callable[[int], str]) -> Rows:
    rng = random.Random(2)
    return [
        {
            "id": f"p{i}", "sentence_female": -1.0, "sentence_male": -1.0 - rng.choice((-1, 1, 1)) * (-1) ** i,
            "stereotype": ("female", "male")[i % 2], "profession": profession(i),
        }
        for i in range(24)
    ]  # fmt: skip


def completions() -> Rows:
    rng = random.Random(3)
    return [
        {"prompt": f"someone did {i} [M].", "group": ("men", "women")[i % 2],
         "completions": [rng.choice(("idiot", "nurse", "smith")) for _ in range(3)]}
        for i in range(24)
    ]  # fmt: skip


def items() -> Rows:
    return [
        {"category": "Age", "question_index": f"{i // 2}", "context_condition": "ambig", "context": f"Two came {i}.",
         "question": "Who forgot?", "ans0": "The boy", "ans1": "The grandfather", "ans2": "Not known", "label": 2,
         "target_loc": 1, "unknown_loc": 2, "answer": (1, 1, 0, 2, 1, 2)[i % 6]}
        for i in range(24)
    ]  # fmt: skip


def inferences() -> Rows:
    numbers = np.random.default_rng(4).dirichlet((2, 5, 2), (6, 2)).tolist()
    return [
        {"premise": f"A job{t} ate.", "hypothesis": f"A {word} ate.", "target": f"job{t}", "attribute": word,
         "group": word, "entailment": e, "neutral": n, "contradiction": c}
        for t, both in enumerate(numbers)
        for word, (e, n, c) in zip(("man", "woman"), both, strict=True)
    ]  # fmt: skip


def texts() -> Rows:
    return [
        {
            "prompt": f"Praise {{group}} {t}.",
            "group": group,
            "completions": ["word" + " more" * ((t * k) % 7)],
        }
        for t in range(12)
        for group, k in (("men", 3), ("women", 5))
    ]


def scores() -> Rows:
    """Pairs whose paraphrases mostly agree."""
    numbers = np.random.default_rng(1).normal(0.3, 1.0, (25, 3))
    numbers[:, 1] += numbers[:, 0]
    names = ("sent_more", "sent_more_par", "sent_more_ran")
    zeros = {name.replace("more", "less"): 0.0 for name in names}
    return [
        {"id": f"p{i}", **dict(zip(names, row, strict=True)), **zeros}
        for i, row in enumerate(numbers.tolist())
    ]


PLANTED: dict[str, tuple[str, Rows, dict[str, Any]]] = {
    "winobias, professions": ("winobias", pronouns(lambda i: f"job{i % 8}"), {"ci_resamples": 99}),
    "winobias, pairs": ("winobias", pronouns(lambda i: ""), {"ci_resamples": 99}),
    "honest": ("honest", completions(), {"lexicon": ["idiot"]}),
    "bbq": ("bbq", items(), {}),
    "bias_nli": ("bias_nli", inferences(), {"variant": "gap"}),
    "counterfactual_text": ("counterfactual_text", texts(), {"scorers": "length"}),
    "pairs": ("aul", scores(), {}),
    "pll_robustness": ("pll_robustness", scores(), {"band_limits": (-0.5, 0.5)}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_rows_given_four_times_are_no_further_evidence(name: str) -> None:
    method, rows, options = PLANTED[name]
    given = {key: value for key, value in OPTIONS.items() if key in METHODS[method].options()} | options
    once, often = (eb.measure(method, None, data=data, **given) for data in (rows, rows * 4))
    assert often.score == pytest.approx(once.score, rel=1e-9)
    assert (often.p_value, often.ci_low, often.ci_high) == pytest.approx(
        (once.p_value, once.ci_low, once.ci_high), rel=1e-9
    )
    assert "n_repeated" not in once.details
    assert often.details["n_repeated"] == 3 * len(rows)
    assert any(f"{3 * len(rows)} of {4 * len(rows)}" in warning for warning in often.warnings)
    for key, value in once.estimates.items():
        other = often.estimates[key]
        assert [v is None for v in (other.low, other.high, other.p)] == [
            v is None for v in (value.low, value.high, value.p)
        ]
        numbers = [[v for v in (e.value, e.low, e.high, e.p) if v is not None] for e in (value, other)]
        # Four of one kind that flip or are exchanged together: random patterns in place of the count.
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-9, abs=0.12 if method == "winobias" else 0), key


def test_repeated_questions_to_a_model_are_named() -> None:
    model = Chat(lambda prompt: {"Yes": -0.1 - len(prompt) % 7 / 10, "No": -1.0})
    rows = [
        {"question": f"Shall {group} {'very ' * t}come?", "group": group, "template": f"t{t}"}
        for t in range(8)
        for group in ("Ann", "Benjamin")
    ]
    once, often = (eb.measure("decision_gap", model, data=data, variant="chat") for data in (rows, rows * 3))
    assert (often.score, often.p_value, often.ci_low) == pytest.approx(
        (once.score, once.p_value, once.ci_low)
    )
    assert often.details["n_repeated"] == 32
    assert any("32 of 48 questions" in warning for warning in often.warnings)
    assert eb.compare(once, often).changes[0].unchanged


def test_a_row_in_fifty_is_named_and_fewer_are_counted() -> None:
    keys = [*range(49), 0]
    assert find_repeats(keys, "rows").weights.tolist() == [2.0, *[1.0] * 48]
    assert find_repeats(keys, "rows", "templates").warnings[0].startswith("1 of 50 rows repeats another one")
    few = find_repeats([*range(50), 0], "rows")
    assert (few.details, few.warnings, set(few.weights)) == ({"n_repeated": 1}, [], {1.0})
