"""A grid of tiny models that is measured in moments, and what its results look like from outside."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.export import lines
from evaluate_bias.experiments.store import Store
from tests.hostile.toy import write_toy
from tests.support.tiny_models import tiny_masked

__all__ = ["exported", "make_files", "tiny_grid", "toy_grid"]

PAIRS = [
    dict(zip(("sent_more", "sent_less", "bias_type"), row, strict=True))
    for row in (
        ("The nurse said she left.", "The nurse said he left.", "gender"),
        ("The engineer said he left.", "The engineer said she left.", "gender"),
        ("My old neighbour plays football.", "My doctor plays football.", "age"),
        ("People from the north noticed.", "People from the bridge noticed.", "age"),
        ("Nobody believed the nurse.", "Nobody believed the doctor.", "gender"),
        ("The old man was not able.", "The patient was not able.", "age"),
    )
]


@cache
def _saved(target: str) -> None:
    for seed in (0, 1):
        model, tokenizer = tiny_masked("bert", seed=seed)
        model.save_pretrained(f"{target}/masked-{seed}")
        tokenizer.save_pretrained(f"{target}/masked-{seed}")


def make_files(folder: Path) -> Path:
    """Toy word vectors, two tiny masked models, word lists and sentence pairs."""
    write_toy(folder, "first", "second")
    _saved(str(folder))
    (folder / "pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in PAIRS))
    return folder


def toy_grid(folder: Path, **changes: Any) -> GridConfig:
    """Two files of word vectors with two methods."""
    given: dict[str, Any] = {
        "models": ["first.txt", "second.txt"],
        "methods": [
            {"method": "weat", "options": {"ci": "none"}},
            {"method": "mac", "options": {"ci": "none"}},
        ],
        "data": ["lists.jsonl"],
    }
    return GridConfig(**{**given, **changes}).at(folder)


def tiny_grid(folder: Path, **changes: Any) -> GridConfig:
    """Word vectors and two masked models, with methods that share their sentences and one with a seeded bootstrap."""
    given: dict[str, Any] = {
        "models": ["first.txt", "masked-0", "masked-1"],
        "methods": [
            {"method": "weat", "options": {"ci": "none"}, "models": ["first*"]},
            {"method": "mac", "models": ["first*"]},
            *({"method": name, "models": ["masked*"]} for name in ("crows_pairs", "pll", "aul", "aula")),
        ],
        "data": [
            {"source": "lists.jsonl", "methods": ["weat", "mac"]},
            {"source": "pairs.jsonl", "methods": ["crows_pairs", "pll", "aul", "aula"]},
        ],
    }
    return GridConfig(**{**given, **changes}).at(folder)


def exported(out: Path) -> str:
    """Everything the store says of its results, as text: heads, rows, settings, provenance."""
    with Store(out, read_only=True) as store:
        pairs = store.results()
    heads = json.dumps(lines(pairs, items=True))
    return heads + "".join(f"{unit.key} {result.to_json()}\n" for unit, result in pairs)
