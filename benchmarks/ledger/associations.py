"""The lists of the published tests of word association (Bai et al. 2025), as their authors' files have them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluate_bias.data.word_lists import load_association_tests

VARIATIONS = ("replication", "instruction1", "instruction2", "synonym")
_FILES = {"arab/muslim": "arab", "mental illness": "mentalill"}


def lists_of(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The lists of every test and variation: those of the library, or the synonyms of the published table.

    To the synonyms of four tests the table adds four job titles. The lists are the halves of all, as the published code
    takes them, so that some unpleasant words are pleasant.
    """
    tests = {(t.name, v): t.model_dump() for t in load_association_tests() for v in VARIATIONS}
    table: dict[str, list[Mapping[str, str]]] = {}
    with (folder / "stimuli/iat_stimuli_synonym.csv").open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            table.setdefault(_FILES.get(row["dataset"], row["dataset"]), []).append(row)
    for name, rows in table.items():
        test = tests[name, "synonym"]
        words = [row["D"] for row in rows]
        n = len(words) // 2
        test |= {"attributes_a": words[:n], "attributes_b": words[n : 2 * n]}
        for column, key in (("A", "targets_x"), ("B", "targets_y")):
            test[key] = [row[column] for row in rows if row[column]]
    return tests
