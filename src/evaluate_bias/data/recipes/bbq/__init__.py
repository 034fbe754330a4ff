"""BBQ (Parrish et al. 2022): the published items with the location of the biased answer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ....errors import DataError
from ...dataset_record import Config, Converted, arrow_schema, describe_dataset
from ...kinds import BBQ
from ...origins import AssetTexts

if TYPE_CHECKING:
    import pyarrow as pa

ANSWERS: Final = ("ans0", "ans1", "ans2")
"""The columns of the three options."""

CATEGORIES = (
    "Age",
    "Disability_status",
    "Gender_identity",
    "Nationality",
    "Physical_appearance",
    "Race_ethnicity",
    "Race_x_SES",
    "Race_x_gender",
    "Religion",
    "SES",
    "Sexual_orientation",
)
_METADATA = "additional_metadata"
_FILES = AssetTexts(
    asset="benchmarks", patterns=(*(f"BBQ/data/{c}.jsonl" for c in CATEGORIES), f"BBQ/data/{_METADATA}.csv")
)


def parse_upstream(raw: bytes, name: str) -> dict[str, list[dict[str, Any]]]:
    """Read the published files: the rows of each category, in their order.

    Args:
        raw: a JSON object of the files' texts by name without ending.
        name: what to call them in an error.

    Raises:
        DataError: they are not of the published form, or an item has no metadata, or two that disagree.
    """
    try:
        texts = json.loads(raw)
        places = _metadata(texts[_METADATA])
        return {
            category: [
                _row(json.loads(line), places) for line in texts[category].splitlines() if line.strip()
            ]
            for category in CATEGORIES
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{name} does not have the form of BBQ's files: {error!r}"[:500]) from error


def _metadata(text: str) -> dict[tuple[str, str], tuple[int | None, str]]:
    """Of each item, by category and number, the position of its biased answer and whether names stand for groups."""
    metadata: dict[tuple[str, str], tuple[int | None, str]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        facts = (None if row["target_loc"] == "NA" else int(row["target_loc"]), row["label_type"])
        item = (row["category"], row["example_id"])
        # Some items stand there twice, for two groups; both say the same of the answer.
        if metadata.setdefault(item, facts) != facts:
            raise DataError(f"the metadata of BBQ say two things of the item {'-'.join(item)}")
    return metadata


def _row(item: Mapping[str, Any], places: Mapping[tuple[str, str], tuple[int | None, str]]) -> dict[str, Any]:
    category, number = item["category"], str(item["example_id"])
    target, label_type = places[category, number]
    groups = [item["answer_info"][f"ans{i}"][1] for i in range(3)]
    return {
        "id": f"{category}-{number}",
        "category": category,
        "question_index": str(item["question_index"]),
        "question_polarity": item["question_polarity"],
        "context_condition": item["context_condition"],
        "label_type": label_type,
        **{name: item[name] for name in ("context", "question", *ANSWERS)},
        "label": item["label"],
        "target_loc": target,
        "unknown_loc": groups.index("unknown"),
        **{f"ans{i}_groups": item["answer_info"][f"ans{i}"] for i in range(3)},
        "stereotyped_groups": item["additional_metadata"]["stereotyped_groups"],
    }


def _items(category: str, parsed: Mapping[str, Any], _: str) -> Converted:
    return Converted(parsed[category])


def _schema() -> pa.Schema:
    # Rows are written as they are: harnesses score the white space around a text, which a checked row drops.
    return arrow_schema(BBQ.schema, ("language", "origin"))


RECORD = describe_dataset(
    "bbq",
    revision=3,
    configs=tuple(
        Config(
            name=category,
            language="en",
            splits={"test": _FILES},
            parse=parse_upstream,
            convert=partial(_items, category),
            schema=_schema,
            licence="cc-by-4.0",
            rights="Alicia Parrish, Angelica Chen, Nikita Nangia, Vishakh Padmakumar, Jason Phang, Jana Thompson, "
            "Phu Mon Htut and Samuel R. Bowman: BBQ, https://github.com/nyu-mll/BBQ",
        )
        for category in CATEGORIES
    ),
)
"""One configuration for each of the eleven categories."""
