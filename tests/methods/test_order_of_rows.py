"""Rows and words in another order change no number: not the score, no interval, no p-value, no row of the breakdown."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from benchmarks.calibrations.templates import DrawnMLM
from evaluate_bias.data.professions import load_gendered_words, load_occupations
from evaluate_bias.result import Result
from tests.support.tiny_models import tiny_masked

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


def vectors(rng: np.random.Generator) -> tuple[Any, Rows]:
    sizes = {"targets_x": 12, "targets_y": 11, "attributes_a": 4, "attributes_b": 4}
    lists = {key: [f"{key[-1]}{(7 * i) % 13}" for i in range(n)] for key, n in sizes.items()}
    words = [*(word for some in lists.values() for word in some), "the", "good"]
    model = {word: rng.normal(0.4, 1, 8).tolist() for word in words}
    return model, [{"name": "drawn", **lists}]


def numbers_of(result: Result) -> dict[tuple[str, str, str], Any]:
    """All numbers of the result and of its rows, by the row's kind and name."""
    keys = ("score", "ideal", "ci_low", "ci_high", "p_value", "p_error", "p_holm", "n", "ties")
    found = {}
    for row in (result.overall, *result.rows):
        if row.kind == "item" and row.name.isdigit():
            continue  # named by its place
        labels = "/".join(map(str, row.labels.values())) if row.kind == "group" else ""
        values = {key: getattr(row, key) for key in keys}
        values |= {k: v for key, estimate in row.estimates.items() for k, v in estimate.flat(key).items()}
        found |= {(row.kind, f"{row.name} {labels}", k): v for k, v in values.items() if v is not None}
    return found


def shuffled(rows: Rows, seed: int) -> Rows:
    """The rows, and the words of every list, in another order."""
    rng = random.Random(seed)
    out = []
    for row in rng.sample(rows, len(rows)):
        words = {k: rng.sample(v, len(v)) for k, v in row.items() if isinstance(v, list) and "_" in k}
        out.append({**row, **words})
    return out


def masked() -> Any:
    return eb.load_model(tiny_masked("bert"))


GENDER_TEMPLATES = [
    "{mask} is a {profession}.",
    "The {profession} said {mask} left.",
    "{mask} met the {profession}.",
]
PERSON_TEMPLATES = ["{person} likes {mask}.", "{person} is {mask}.", "{person} saw the {mask}."]
WORD_TEMPLATES = ["the {target}", "{target} good", "the {target} the good"]
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
    "template_compatibility": (
        "template_compatibility",
        vectors,
        {
            **FEW,
            "ci_resamples": 99,
            "subset_size": 4,
            "representation": "sentence_mean",
            "templates": WORD_TEMPLATES,
        },
    ),
    "representation_compatibility": (
        "representation_compatibility",
        vectors,
        {
            **FEW,
            "ci_resamples": 99,
            "subset_size": 4,
            "representations": ["bare:target_mean", "sentence_mean"],
            "templates": WORD_TEMPLATES,
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_rows_in_another_order_change_no_number(case: str) -> None:
    name, draw, options = CASES[case]
    model, rows = draw(np.random.default_rng(3))
    expected = numbers_of(eb.measure(name, model, data=rows, **options))
    assert len(expected) > 5
    for seed in (1, 2):
        found = numbers_of(eb.measure(name, model, data=shuffled(rows, seed), **options))
        # Batches of other texts move a tiny model's numbers in the seventh digit; other draws, in the second.
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)
