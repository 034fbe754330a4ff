"""StereoSet (Nadeem et al. 2021): the development and the test file, both tasks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ....errors import DataError
from ...dataset_record import Config, Converted, describe_dataset
from ...origins import RepositoryFile
from ...table_files import decoded, json_values
from .._shared import BLODGETT

if TYPE_CHECKING:
    import pyarrow as pa

TASKS = ("intrasentence", "intersentence")


def _origin(file: str, sha256: str) -> RepositoryFile:
    return RepositoryFile(
        repository="moinnadeem/StereoSet",
        commit="ead7d086a64a192a1eca88e0dd2fd163de375218",
        path=f"data/{file}",
        sha256=sha256,
        in_benchmarks=f"StereoSet/data/{file}",
    )


_SPLITS = {
    "validation": _origin("dev.json", "73a0f31b711688112602e4c3ac6ab1e1a7cadcdd67df6c6fd55501c889676c90"),
    "test": _origin("test.json", "f3f70d1880b443388744958d192c25364d68c2b8ae7aeb9174903bcf415c394e"),
}


def parse_upstream(raw: bytes, name: str) -> Any:
    """Parse ``dev.json`` or ``test.json``."""
    return json_values(decoded(raw, name, "utf-8"), name)


def upstream_rows(parsed: Any, name: str, task: str) -> list[dict[str, Any]]:
    """Read one task of a file in the form StereoSet is published in.

    Returns:
        Rows with ``id``, ``target``, ``bias_type``, ``context``, ``sentences`` (three options with ``id``,
        ``sentence`` and ``gold_label``), ``labels`` (for each option what each annotator chose) and ``harm``
        (what the annotators said of the context; only the test file has it).

    Raises:
        DataError: the file is not of that form.
    """
    try:
        return [_row(item) for item in parsed["data"][task]]
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{name} does not have the form of StereoSet's dev.json: {error!r}") from None


def _row(item: Mapping[str, Any]) -> dict[str, Any]:
    options = item["sentences"]
    row = {column: item[column].strip() for column in ("id", "target", "bias_type", "context")}
    sentences = [
        {"id": o["id"], "sentence": o["sentence"].strip(), "gold_label": o["gold_label"]} for o in options
    ]
    return {**row, "sentences": sentences, "labels": [o["labels"] for o in options], "harm": item.get("harm")}


def _items(task: str, parsed: Any, name: str) -> Converted:
    return Converted(upstream_rows(parsed, name, task))


def _schema() -> pa.Schema:
    import pyarrow as pa

    text = pa.string()
    votes = pa.list_(pa.struct([("label", text), ("human_id", text)]))
    option = pa.struct([("id", text), ("sentence", text), ("gold_label", text)])
    return pa.schema(
        [(c, text) for c in ("id", "target", "bias_type", "context")]
        + [
            ("sentences", pa.list_(option)),
            ("labels", pa.list_(votes)),
            ("harm", pa.struct([("gold_label", text), ("labels", votes)])),
        ]
    )


RECORD = describe_dataset(
    "stereoset",
    above=(BLODGETT,),
    configs=tuple(
        Config(
            name=task,
            language="en",
            splits=_SPLITS,
            parse=parse_upstream,
            convert=partial(_items, task),
            schema=_schema,
            licence="cc-by-sa-4.0",
            rights="Moin Nadeem, Anna Bethke and Siva Reddy: StereoSet",
        )
        for task in TASKS
    ),
)
"""Both tasks with the splits ``validation`` and ``test``."""
