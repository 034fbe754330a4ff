"""Word lists: those of the paper and translations, packaged; and the co-created German ones of another project."""

from __future__ import annotations

import json
from typing import Any

from ....errors import DataError
from ...dataset_record import Config, Converted, DatasetRecord
from ...kinds import WORD_LISTS
from ...origins import RepositoryTexts
from .._shared import BIAS_FRAMEWORK, packaged_configs

_REPOSITORY = "BFH-AMI/BIAS"
_COMMIT = "504ef79492d77b52f4ed47959b086acbce66ae7f"
_FOLDER = "BiasDetection/datasets/de/WEAT"
_BIAS_TYPES = {"cw1": "parenthood", "cw2": "age", "cw3": "nationality", "cw4": "gender", "cw5": "gender"}
_CO_CREATED = RepositoryTexts.pinned(
    _REPOSITORY,
    _COMMIT,
    {
        f"{_FOLDER}/CW1.txt": "265662cfc105df5ddb4c499e85c6dc19f1313816327993607c389fe6cdeb6971",
        f"{_FOLDER}/CW2.txt": "85d9ed3d9c8a111a69ac5eb864f6ad892c1389eef1f0df14d79f7fe053a53dd7",
        f"{_FOLDER}/CW3.txt": "1623e23c90e374cd2e6ccc694b28d94f438b9394906e26ccae5db7555f9d65e7",
        f"{_FOLDER}/CW4.txt": "0a22ce3ef3552a1f0ef0cb6ff3aef196bf28d57aa237c40e3fba9c11a2176a87",
        f"{_FOLDER}/CW5.txt": "f1e36b0f65a05694f6a189158d80ab706b195e272785c5fdf0137b089432d589",
    },
)


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
        "notes": "From the BIAS Detection Framework; only title and bias type were added.",
    }


RECORD = DatasetRecord(
    name="weat_word_lists",
    title="WEAT word lists",
    caveats=(
        "The English lists come from studies made in the United States and published from 1998 to "
        "2011: their names and words stand for groups as seen at that place and time.",
    ),
    packaged=True,
    pretty_name="WEAT word lists",
    papers=("https://doi.org/10.1126/science.aal4230", "https://arxiv.org/abs/1608.07187"),
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
