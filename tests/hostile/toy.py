"""Toy word vectors and lists."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["LISTS", "VECTORS", "write_toy"]

LISTS = {
    "name": "toy",
    "targets_x": ["poppy", "rose"],
    "targets_y": ["ant", "wasp"],
    "attributes_a": ["good", "nice"],
    "attributes_b": ["bad", "vile"],
}
VECTORS = """\
poppy 1.0 0.1
rose 0.9 0.0
ant 0.0 1.0
wasp 0.2 0.9
good 1.0 0.2
nice 0.8 0.1
bad 0.1 1.0
vile 0.0 0.8
"""


def write_toy(folder: Path, *names: str) -> None:
    """Write word vectors, a little different under each name, and lists."""
    for i, name in enumerate(names):
        (folder / f"{name}.txt").write_text(VECTORS.replace("0.9", f"0.9{i}"))
    (folder / "lists.jsonl").write_text(json.dumps(LISTS) + "\n")
