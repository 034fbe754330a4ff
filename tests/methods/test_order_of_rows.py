"""Rows and words in another order change no number: not the score, no interval, no p-value, no row of the breakdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from benchmarks.calibrations.templates import DrawnMLM
from evaluate_bias.data.words import load_gendered_words, load_occupations
from tests.support.tiny_models import tiny_masked
from tests.test_all_methods import every_number, shuffled

Rows = list[dict[str, Any]]
LABELS = ("stereotype", "anti-stereotype", "unrelated")


def pairs(rng: np.random.Generator, n: int = 90) -> Rows:
    numbers = rng.normal(size=(n, 6)).round(2).tolist()
    columns = [f"sent_{side}{end}" for end in ("", "_par", "_ran") for side in ("more", "less")]
    types = ["age", "gender", "race-color", "", "religion"]
    kinds = ["stereo", "antistereo", None]
    return [
        {**dict(zip(columns, row, strict=True)), "bias_type": types[i % 5], "stereo_antistereo": kinds[i % 3]}
        for i, row in enumerate(numbers)
    ]


def items(rng: np.random.Generator) -> Rows:
    """More target terms than the sign patterns of which are counted."""
    return [
        {
            "target": f"term{i % 40}",
            "bias_type": ["race", "gender"][i % 2],
            "context": ["BLANK", "Then."][i % 3 % 2],
            "sentences": [
                {"gold_label": label, "sentence": score}
                for label, score in zip(LABELS, rng.integers(0, 4, 3).tolist(), strict=True)
            ],
        }
        for i in range(160)
    ]


def sentences(rng: np.random.Generator, *, numbered: bool) -> tuple[Any, Rows]:
    """Words for persons and professions, and a model that reads them."""
    table, rows = {}, []
    for gender in ("female", "male"):
        for i in range(5):
            for k, group in enumerate(["female"] * 6 + ["male"] * 5 + ["balanced"] * 3):
                word, profession = f"{gender}{(7 * i) % 5}", f"job{(5 * k) % 14}"
                table[word, profession] = float(rng.normal())
                row = {"sentence": f"{word} {profession}", "person": word, "gender": gender}
                row |= {"profession": profession, "profession_gender": group}
                rows.append({**row, "pair": i} if numbered else row)
    return DrawnMLM(table), rows


def lists_of_words(rng: np.random.Generator) -> tuple[Any, Rows]:
    """Targets and attributes, and a model that reads them."""
    sizes = {"targets_x": 4, "targets_y": 5, "attributes_a": 6, "attributes_b": 7}
    lists = {key: [f"{key[-1]}{(3 * i) % 10}" for i in range(n)] for key, n in sizes.items()}
    table = {
        (target, attribute): float(rng.normal())
        for target in lists["targets_x"] + lists["targets_y"]
        for attribute in lists["attributes_a"] + lists["attributes_b"]
    }
    return DrawnMLM(table), [{"name": "drawn", **lists}]


def masked() -> Any:
    return eb.load_model(tiny_masked("bert"))


GENDER_TEMPLATES = [
    "{mask} is a {profession}.",
    "The {profession} said {mask} left.",
    "{mask} met the {profession}.",
]
PERSON_TEMPLATES = ["{person} likes {mask}.", "{person} is {mask}.", "{person} saw the {mask}."]
NAMES = [p.model_dump() for p in load_gendered_words("en") if p.kind in ("kinship", "person")]
JOBS = [o.model_dump() for o in load_occupations()][:14]
FEW = {"n_resamples": 199}

CASES: dict[str, tuple[str, Callable[[np.random.Generator], tuple[Any, Rows]], dict[str, Any]]] = {
    **{
        name: (name, lambda rng: (None, pairs(rng)), {})
        for name in ("crows_pairs", "pll", "aul", "aula", "pll_robustness")
    },
    "kldivs": ("kldivs", lambda rng: (None, pairs(rng)), {**FEW, "ci_resamples": 199, "gev": False}),
    "stereoset": ("stereoset", lambda rng: (None, items(rng)), FEW),
    "bec_pro": ("bec_pro", lambda rng: sentences(rng, numbered=True), FEW),
    "bec_pro, pairs not numbered": ("bec_pro", lambda rng: sentences(rng, numbered=False), FEW),
    "lpbs": ("lpbs", lists_of_words, {"ci_resamples": 199}),
    "mlm_gender_score": (
        "mlm_gender_score",
        lambda rng: (masked(), JOBS),
        {**FEW, "templates": GENDER_TEMPLATES},
    ),
    "disco": ("disco", lambda rng: (masked(), NAMES[:9]), {**FEW, "templates": PERSON_TEMPLATES}),
    "disco, lauscher": (
        "disco",
        lambda rng: (masked(), NAMES[:9]),
        {**FEW, "templates": PERSON_TEMPLATES, "variant": "lauscher", "threshold": 0.002},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_in_another_order_change_no_number(case: str) -> None:
    name, draw, options = CASES[case]
    model, rows = draw(np.random.default_rng(3))
    expected = every_number(eb.measure(name, model, data=rows, **options))
    assert len(expected) > 5
    for seed in (1, 2):
        found = every_number(eb.measure(name, model, data=shuffled(rows, seed), **options))
        # Batches of other texts move a tiny model's numbers in the seventh digit; other draws, in the second.
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)
