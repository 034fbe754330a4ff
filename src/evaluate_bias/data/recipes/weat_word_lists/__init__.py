"""Word lists: those of the paper and translations, packaged; and the co-created German ones of another project."""

from __future__ import annotations

import json
from typing import Any

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...kinds import WORD_LISTS
from ...origins import RepositoryTexts, checksums
from .._shared import BIAS_FRAMEWORK, packaged_configs

_REPOSITORY = "BFH-AMI/BIAS"
_COMMIT = "504ef79492d77b52f4ed47959b086acbce66ae7f"
_FOLDER = "BiasDetection/datasets/de/WEAT"
_BIAS_TYPES = {"cw1": "parenthood", "cw2": "age", "cw3": "nationality", "cw4": "gender", "cw5": "gender"}
_CO_CREATED = RepositoryTexts.pinned(_REPOSITORY, _COMMIT, checksums("weat_word_lists"))


def _converted(raw: bytes, _: str) -> Converted:
    return Converted([_test(name, text) for name, text in json.loads(raw).items()])


def _test(stem: str, text: str) -> dict[str, Any]:
    """Turn one text file of the BIAS framework into a test.

    Comment lines start with ``#``; they name two targets and two attributes, and a label given again is the same one.
    The other lines that are not blank are the lists X, Y, A and B, separated by commas.
    """
    where = f"{_FOLDER}/{stem}.txt"
    lines = [line.strip() for line in text.splitlines()]
    labels: dict[str, list[str]] = {"Target": [], "Attribute": []}
    for line in lines:
        role, colon, label = line.lstrip("# ").partition(":")
        if line.startswith("#") and colon and role in labels and label.strip() not in labels[role]:
            labels[role].append(label.strip())
    lists = [[word.strip() for word in line.split(",")] for line in lines if line and line[0] != "#"]
    if [len(labels["Target"]), len(labels["Attribute"]), len(lists)] != [2, 2, 4]:
        raise DataError(
            f"{where} must name 2 targets and 2 attributes and have 4 lists, not "
            f"{len(labels['Target'])}, {len(labels['Attribute'])} and {len(lists)}"
        )
    (x, y), (a, b) = labels["Target"], labels["Attribute"]
    return {
        "name": stem.lower(),
        "language": "de",
        "title": f"{x.capitalize()} and {y} with {a} and {b}",
        **dict(zip(("x_label", "y_label", "a_label", "b_label"), (x, y, a, b), strict=True)),
        **dict(zip(("targets_x", "targets_y", "attributes_a", "attributes_b"), lists, strict=True)),
        "bias_type": _BIAS_TYPES.get(stem.lower(), ""),
        "origin": "co-created",
        "source": f"https://raw.githubusercontent.com/{_REPOSITORY}/{_COMMIT}/{where}",
        "licence": "Apache-2.0",
        "notes": "From the BIAS Detection Framework. Only title and bias type were added.",
    }


RECORD = describe_dataset(
    "weat_word_lists",
    packaged=True,
    configs=(
        *packaged_configs("weat_word_lists", WORD_LISTS),
        Config(
            name="de-cocreated",
            splits={"test": _CO_CREATED},
            convert=_converted,
            schema=WORD_LISTS,
            licence=BIAS_FRAMEWORK[0],
            rights=BIAS_FRAMEWORK[1],
            tests=tuple(_BIAS_TYPES),
        ),
    ),
)
"""One configuration per language, and the co-created German lists, converted with words and labels unchanged."""
